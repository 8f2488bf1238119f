"""What of a message can be found, what a query asks for, and where the messages of a path stand."""

from __future__ import annotations

import unicodedata

import pytest

from desktop_app.core.archive import Asked, Standing, asked, message_text, searchable_text, standings
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.conversation import Block, now, text_block

BYTES = "iVBORw0KGgo" * 60


def test_the_text_of_a_message_is_what_was_said_and_nothing_else() -> None:
    blocks: list[Block] = [
        {"type": "thinking", "thinking": "secretly", "signature": "Eo="},
        {"type": "redacted_thinking", "data": "Eo="},
        text_block("Look here."),
        text_block(" \u200b"),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": BYTES}},
        {"type": "document", "title": "Plan", "source": {"type": "text", "media_type": "text/plain", "data": "Monday"}},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": BYTES}},
        {"type": "tool_use", "id": "t", "name": "n", "input": {"path": "/srv", "deep": [{"count": 4711, "on": True}]}},
        {"type": "tool_result", "tool_use_id": "t", "content": [text_block("done"), {"type": "image", "source": {}}]},
        {"type": "tool_result", "tool_use_id": "u", "content": "plain"},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s",
            "content": [{"type": "web_search_result", "title": "News", "url": "https://a.b", "encrypted_content": "E"}],
        },
        {"type": "compaction", "content": "not the original"},
    ]
    assert message_text(blocks).split("\n\n") == [
        "Look here.",
        "Plan",
        "Monday",
        "/srv",
        "4711",
        "done\n[image]",
        "plain",
        "News",
        "https://a.b",
    ]


def test_bytes_written_out_in_a_text_are_not_searched() -> None:
    said = [text_block(f"Here: data:image/png;base64,{BYTES}== and the path /srv/a_b-c")]
    assert BYTES in message_text(said)
    assert searchable_text(said) == "Here: data:image/png;base64,  and the path /srv/a_b-c"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("the backup path", Asked(("backup", "path"), (), ("backup", "path"))),
        ("b2:mn-offsite-eu", Asked((), (("b2", "mn", "offsite", "eu"),), ("b2", "mn", "offsite", "eu"))),
        ("4711-02는", Asked((), (("4711", "02", "는"), ("4711", "02")), ("4711", "02", "는"))),
        (
            "where is /srv/민지/a.txt",
            Asked((), (("srv", "민지", "a", "txt"), ("a", "txt")), ("srv", "민지", "txt")),
        ),
        (
            '"blue door" key',
            Asked(("key",), (("blue", "door"),), ("blue", "door", "key")),
        ),
        ("what's", Asked((), (), ())),
        ("돈", Asked(("돈",), (), ("돈",), ("돈",))),
        ("돈 백업", Asked(("돈", "백업"), (), ("돈", "백업"))),
        ("초코🐶", Asked(("초코",), (), ("초코",), (), ("🐶",))),
        ("", Asked()),
    ],
)
def test_what_a_query_asks_for(query: str, wanted: Asked) -> None:
    assert asked(query) == wanted
    assert asked(unicodedata.normalize("NFD", query)) == wanted


def test_half_a_surrogate_pair_and_endless_queries_do_no_harm() -> None:
    assert asked("\ud83d path") == Asked(("path",), (), ("path",))
    assert asked("word1 word2 " * 100_000).words[:2] == ("word1", "word2")


def fold(until: str, state: CompactionState = CompactionState.ACTIVE) -> Compaction:
    return Compaction(until, "c", until, "s", 1, 9, 5, now(), "m", 1.0, state=state)


@pytest.mark.parametrize(
    ("folds", "folded"),
    [
        ([], 0),
        ([fold("b")], 2),
        ([fold("c"), fold("b")], 3),
        ([fold("b"), fold("c", CompactionState.UNDONE)], 2),
        ([fold("c", CompactionState.PROPOSED)], 0),
        ([fold("elsewhere"), fold("a")], 1),
    ],
)
def test_what_is_folded_on_a_path(folds: list[Compaction], folded: int) -> None:
    found = standings(["a", "b", "c", "d"], folds)
    assert list(found) == ["a", "b", "c", "d"]
    assert [one is Standing.FOLDED for one in found.values()] == [place < folded for place in range(4)]
    assert set(found.values()) <= {Standing.FOLDED, Standing.CONTEXT}
