"""What the API refuses is refused before it leaves, with the same words."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.core.conversation import text_block
from desktop_app.core.request_rules import MOST_BYTES, RequestFacts, check_request
from tests.fakes.refused_requests import (
    INVALID,
    OLD_MODEL,
    ROWS,
    SYSTEM_MODEL,
    WINDOWS,
    Refused,
    assistant,
    system,
    thinking_rows,
    user,
    valid_body,
)
from tests.unit.message_samples import thinking

# Refused by a server for reasons no body shows: keys, versions, models it does not have, features it does not offer.
_OF_THE_SERVER = ("is not available on this server", "are not available on this server", "header is required")
OF_THE_BODY = [
    row
    for row in ROWS
    if row.error_type == INVALID and row.path == "/v1/messages" and not any(text in row.text for text in _OF_THE_SERVER)
]
OLD_LIMITS = RequestFacts(window=200_000, output_limit=64_000)


def texts(body: dict[str, Any], known: RequestFacts | None = None) -> list[str]:
    return [violation.text for violation in check_request(body, known)]


def test_the_table_was_not_sifted_away() -> None:
    assert len(OF_THE_BODY) >= 60
    given = {row.name for row in ROWS if row.given and row.path == "/v1/messages"}
    assert given <= {row.name for row in OF_THE_BODY}


@pytest.mark.parametrize("row", OF_THE_BODY, ids=lambda row: row.name)
def test_row_is_refused_with_the_text_of_the_api(row: Refused) -> None:
    known = RequestFacts(betas=row.betas, output_limit=64_000 if row.body.get("model") == OLD_MODEL else None)
    found = texts(row.body, known)
    assert found, "accepted"
    if row.text.endswith("claude-haiku-4-5-20251001"):  # the server knows the dated name of an alias
        assert row.text.startswith(found[0])
    else:
        assert found[0] == row.text


def test_window_rows() -> None:
    too_long, older = WINDOWS
    small = RequestFacts(window=8_000, input_tokens=9_010)
    assert texts(too_long.body, small) == [too_long.text.format(tokens=9_010)]
    full = RequestFacts(window=200_000, input_tokens=150_012)
    assert texts(older.body, full) == [older.text.format(tokens=150_012)]
    assert texts(older.body, RequestFacts(window=200_000, input_tokens=140_000)) == []
    newer = older.body | {"model": "claude-sonnet-5-5"}
    assert texts(newer, full) == []  # a newer model stops at its window instead


def test_thinking_rows_that_a_body_and_what_was_received_can_show() -> None:
    first, second = thinking("One.", "s1"), thinking("Two.", "s2")
    body = valid_body(
        messages=[
            user("a"),
            assistant(first, text_block("b")),
            user("c"),
            assistant(second, text_block("d")),
            user("e"),
            assistant(thinking("", "s3"), text_block("f")),
            user("g"),
        ]
    )
    known = RequestFacts(issued={"s1": first, "s2": second, "s3": thinking("", "s3")})
    assert texts(body, known) == []
    rows = {row.name: row for row in thinking_rows(body)}
    for name in ("latest thinking edited", "earlier thinking edited", "signature made up", "mark on a thinking block"):
        assert texts(rows[name].body, known)[0] == rows[name].text, name


VALID = {
    "plain": valid_body(),
    "same role twice": valid_body(messages=[user("a"), user("b"), assistant("c"), assistant("d"), user("e")]),
    "beginning of a reply on an older model": valid_body(model=OLD_MODEL, messages=[user("a"), assistant("b")]),
    "empty last reply on an older model": valid_body(model=OLD_MODEL, messages=[user("a"), assistant("")]),
    "forced tool on an older model": valid_body(
        model=OLD_MODEL, tools=[{"name": "t"}], tool_choice={"type": "any"}
    ),
    "four marks, 1h first": valid_body(
        messages=[user(*[text_block(n) | {"cache_control": {"type": "ephemeral", "ttl": t}} for n, t in
                         (("a", "1h"), ("b", "1h"), ("c", "5m"), ("d", "5m"))])]
    ),
    "automatic mark where the last block has the same": valid_body(
        messages=[user(text_block("a") | {"cache_control": {"type": "ephemeral"}})],
        cache_control={"type": "ephemeral", "ttl": "5m"},
    ),
    "system message before the reply": valid_body(
        model=SYSTEM_MODEL, messages=[user("a"), system("b"), assistant("c"), user("d"), system("e")]
    ),
    "results, then text": valid_body(
        messages=[
            user("a"),
            assistant({"type": "tool_use", "id": "x", "name": "t", "input": {}}),
            user({"type": "tool_result", "tool_use_id": "x", "content": ""}, text_block("and?")),
        ]
    ),
    "budget on an older model": valid_body(
        model=OLD_MODEL, max_tokens=4_096, thinking={"type": "enabled", "budget_tokens": 1_024}
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", VALID.values(), ids=VALID)
def test_what_the_api_takes_is_taken(body: dict[str, Any]) -> None:
    assert check_request(body) == []


@pytest.mark.parametrize(
    ("body", "known", "rule"),
    [
        (valid_body(messages=[user("half \ud800")]), None, "encoding"),
        (valid_body(messages=[user("a" * MOST_BYTES)]), None, "too_large"),
        (valid_body(messages=[user("a")] * 100_001), None, "too_many_messages"),
        (valid_body(max_tokens=0), None, "max_tokens"),
        (valid_body(max_tokens="9"), None, "max_tokens"),
        (valid_body(max_tokens=65_000, model=OLD_MODEL), OLD_LIMITS, "max_tokens"),
        (valid_body(messages=[user("a"), assistant(text_block("b"), thinking("t")), user("c")]), None, "thinking_last"),
        (valid_body(messages=[user("a"), system("b", clear_at="never")], model=SYSTEM_MODEL), None, "beta_missing"),
        (valid_body(messages="a"), None, "no_messages"),
        (valid_body(messages=[user({"type": "tool_result", "tool_use_id": "x", "content": [text_block(" ")]})]), None,
         "blank_text"),
    ],
)  # fmt: skip
def test_further_rules(body: dict[str, Any], known: RequestFacts | None, rule: str) -> None:
    assert rule in [violation.rule for violation in check_request(body, known)]


def test_paused_reply_may_stand_last() -> None:
    body = valid_body(messages=[user("a"), assistant(text_block("b"), thinking("t"))])
    assert check_request(body, RequestFacts(paused=True)) == []
    assert {violation.rule for violation in check_request(body)} == {"prefill", "thinking_last"}
