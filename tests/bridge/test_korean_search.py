"""Korean of one syllable and of more, inside words and beside other scripts, by every search there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.core.tool_call import ToolCall
from desktop_app.services.archive_tools import SearchConversation
from desktop_app.services.memory_tools import SearchMemory
from tests.adapters.recall_parts import sample
from tests.fakes.memory_room import MemoryRoom, open_room

FACTS: dict[str, str] = sample("ko_facts.json")
ROWS = [(row["query"], row["must_be_first"], row["must_not_be_shown_as_match"]) for row in sample("ko_queries.json")]
SIGNS = ('" *', "((", "!?", "우주정거장")
CALL = ToolCall("default", "elsewhere", "t1", "call_1")
Search = Callable[[QtBot, MemoryRoom, str], list[str]]


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> Iterator[MemoryRoom]:
    with open_room(tmp_path) as room:
        qtbot.waitUntil(lambda: room.session.loaded)
        yield room


def keys_in(text: str) -> list[str]:
    """The facts told in a text, in the order they stand there."""
    places = {key: text.find(value) for key, value in FACTS.items()}
    return sorted((key for key in FACTS if places[key] >= 0), key=lambda key: places[key])


def as_facts(room: MemoryRoom) -> None:
    for key, value in FACTS.items():
        room.add(key, value)
    room.session.reload()


def as_messages(room: MemoryRoom) -> None:
    for key, value in FACTS.items():
        room.conversation(key, value)


def in_inspector(qtbot: QtBot, room: MemoryRoom, query: str) -> list[str]:
    qtbot.waitUntil(lambda: room.session.count == len(FACTS))
    room.session.search(query)
    qtbot.waitUntil(lambda: room.session.found == query.strip(), timeout=10_000)
    return [fact.key for fact in room.session.facts.facts]


def by_memory_tool(qtbot: QtBot, room: MemoryRoom, query: str) -> list[str]:
    tool = SearchMemory(room.services.store.facts, room.services.memory._search)
    return keys_in(room.run(tool.run({"query": query}, CALL)))


def in_conversations(qtbot: QtBot, room: MemoryRoom, query: str) -> list[str]:
    found = room.run(room.services.archive.search("default", query, facts=False))
    return [key for hit in found.messages for key in keys_in(hit.excerpt)]


def by_conversation_tool(qtbot: QtBot, room: MemoryRoom, query: str) -> list[str]:
    tool = SearchConversation(room.services.archive, room.services.store, room.settings.settings.of)
    here = room.run(room.services.store.create_conversation("default", "", False))
    return keys_in(room.run(tool.run({"query": query}, replace(CALL, conversation_id=here.id))))


EVERYWHERE = pytest.mark.parametrize(
    ("keep", "search"),
    [
        (as_facts, in_inspector),
        (as_facts, by_memory_tool),
        (as_messages, in_conversations),
        (as_messages, by_conversation_tool),
    ],
)


@EVERYWHERE
def test_syllables_and_mixed_scripts_lead_every_list(
    qtbot: QtBot, room: MemoryRoom, keep: Callable[[MemoryRoom], None], search: Search
) -> None:
    keep(room)
    for query, first, never in ROWS:
        found = search(qtbot, room, query)
        assert found[: len(first)] == first, (query, found)
        assert not set(found) & set(never), (query, found)


@EVERYWHERE
def test_a_question_of_signs_alone_is_no_error_and_finds_nothing(
    qtbot: QtBot, room: MemoryRoom, keep: Callable[[MemoryRoom], None], search: Search
) -> None:
    keep(room)
    for query in SIGNS:
        assert search(qtbot, room, query) == [], query
