"""Every refusal of the API, row by row over HTTP: status, type and text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.refused_requests import (
    CALCULATOR,
    ROWS,
    WINDOWS,
    Refused,
    assistant,
    call,
    result,
    text,
    thinking_rows,
    user,
    valid_body,
)
from tests.fakes.simulator import RunningSimulator

MODEL = "claude-opus-5-5"


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture(scope="module")
def conversation(simulator: RunningSimulator) -> dict[str, Any]:
    """A body with three real answers, each opening with thinking, that ends in a user message."""
    body = valid_body(
        system="You are a test.",
        max_tokens=500,
        messages=[],
        thinking={"type": "adaptive", "display": "summarized"},
    )
    for words in ("My cat is called Miso.", "What is my cat called?", "Hello"):
        body["messages"].append(user(words))
        answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).json()
        body["messages"].append({"role": "assistant", "content": answer["content"]})
    body["messages"].append(user("And now?"))
    return body


def refuse(simulator: RunningSimulator, row: Refused, wording: str | None = None) -> dict[str, Any]:
    answer = simulator.http.post(row.path, json=row.body, headers=row.headers())
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["error"]["type"], body["error"]["message"]) == (
        row.status,
        row.error_type,
        row.text if wording is None else wording,
    )
    assert body["type"] == "error"
    assert body["request_id"] == answer.headers["request-id"]
    assert body["error"].get("details") == row.details
    return body


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_is_refused_with_its_text(simulator: RunningSimulator, row: Refused) -> None:
    refuse(simulator, row)


@pytest.mark.parametrize("row", WINDOWS, ids=lambda row: row.name)
def test_window_texts_name_the_counted_input(simulator: RunningSimulator, row: Refused) -> None:
    counted = {key: value for key, value in row.body.items() if key != "max_tokens"}
    answer = simulator.http.post("/v1/messages/count_tokens", json=counted, headers=row.headers())
    refuse(simulator, row, row.text.replace("{tokens}", str(answer.json()["input_tokens"])))


def test_thinking_rows_are_refused(simulator: RunningSimulator, conversation: dict[str, Any]) -> None:
    accepted = simulator.http.post("/v1/messages", json=conversation, headers=simulator.headers())
    assert accepted.status_code == 200, accepted.text
    rows = thinking_rows(conversation)
    assert len(rows) == 8
    for row in rows:
        refuse(simulator, row)


def test_thinking_may_be_removed_from_the_start(simulator: RunningSimulator, conversation: dict[str, Any]) -> None:
    body = json.loads(json.dumps(conversation))
    for index in (1, 3, 5):
        assert body["messages"][index]["content"].pop(0)["type"] == "thinking"
        answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
        assert answer.status_code == 200, answer.text


def test_dropped_blocks_are_reported(simulator: RunningSimulator, conversation: dict[str, Any]) -> None:
    body = conversation | {
        "system": "Changed.",
        "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
    }
    headers = simulator.headers(anthropic_beta="thinking-binding-controls-2026-08-01")
    answer = simulator.http.post("/v1/messages", json=body, headers=headers).json()
    assert answer["input_transformations"] == [
        {"type": "thinking_dropped", "path": f"messages.{n}.content.0", "reason": "prefix_binding_mismatch"}
        for n in (1, 3, 5)
    ]
    going_on = body | {
        "messages": [*body["messages"], {"role": "assistant", "content": answer["content"]}, user("Again?")]
    }
    again = simulator.http.post("/v1/messages", json=going_on, headers=headers).json()
    assert [entry["path"] for entry in again["input_transformations"]] == [f"messages.{n}.content.0" for n in (1, 3, 5)]


def test_blocks_of_another_model_are_dropped_silently(
    simulator: RunningSimulator, conversation: dict[str, Any]
) -> None:
    other = conversation | {"model": "claude-haiku-5-5"}
    assert simulator.http.post("/v1/messages", json=other, headers=simulator.headers()).status_code == 200


def test_older_models_do_not_bind_thinking_to_the_prefix(simulator: RunningSimulator) -> None:
    body = valid_body(model="claude-opus-5", thinking={"type": "adaptive"}, system="One.", max_tokens=300)
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).json()
    assert answer["content"][0]["type"] == "thinking"
    body["messages"] += [{"role": "assistant", "content": answer["content"]}, user("Go on")]
    changed = body | {"system": "Two."}
    assert simulator.http.post("/v1/messages", json=changed, headers=simulator.headers()).status_code == 200


@pytest.mark.parametrize(
    ("raw", "beginning"),
    [
        (b"{", "The request body is not valid JSON"),
        (b'{"model": "\xff"}', "The request body is not valid UTF-8"),
        (b'{"max_tokens": NaN}', "The request body is not valid JSON"),
        (b'{"model": "claude-opus-5-5", "system": "\\ud83d"}', "The request body is not valid JSON: no low surrogate"),
        (b"[]", "The request body must be a JSON object"),
        (b"[" * 200_000, "The request body is not valid JSON"),
        (b"", "The request body is not valid JSON"),
    ],
)
def test_broken_bodies_are_refused(simulator: RunningSimulator, raw: bytes, beginning: str) -> None:
    answer = simulator.http.post("/v1/messages", content=raw, headers=simulator.headers())
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert answer.json()["error"]["message"].startswith(beginning)


def test_body_over_32_megabytes_is_413(simulator: RunningSimulator) -> None:
    raw = json.dumps(valid_body(system="x" * (32 * 1024 * 1024))).encode()
    answer = simulator.http.post("/v1/messages", content=raw, headers=simulator.headers())
    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "request_too_large"


def test_more_than_100_000_messages_are_refused(simulator: RunningSimulator) -> None:
    body = valid_body(messages=[user("a")] * 100_001)
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "messages: at most 100000 messages are allowed, found 100001"


def test_unknown_beta_is_refused(simulator: RunningSimulator) -> None:
    headers = simulator.headers(anthropic_beta="nothing-2020-01-01")
    answer = simulator.http.post("/v1/messages", json=valid_body(), headers=headers)
    assert answer.json()["error"]["message"] == (
        "Unexpected value(s) `nothing-2020-01-01` for the `anthropic-beta` header."
    )


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-haiku-4-5", "claude-sim-small"])
def test_neighbouring_messages_of_one_role_are_merged(simulator: RunningSimulator, model: str) -> None:
    body = valid_body(model=model, messages=[user("Hello"), user("My cat is called Miso."), user("Hello")])
    assert simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).status_code == 200


def test_results_split_over_two_user_messages_are_merged(simulator: RunningSimulator) -> None:
    messages = [
        user("1+1 twice"),
        assistant(call("toolu_a"), call("toolu_b")),
        user(result("toolu_a")),
        user(result("toolu_b")),
    ]
    body = valid_body(messages=messages, tools=[CALCULATOR])
    assert simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).status_code == 200


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-opus-4-8", "claude-fable-5", "claude-sim-small"])
def test_system_message_in_its_right_place_is_taken(simulator: RunningSimulator, model: str) -> None:
    note = {"role": "system", "content": "Recalled: the cat is called Miso."}
    body = valid_body(model=model, messages=[user("What is the cat called?"), note], max_tokens=200)
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).json()
    assert (
        'A system message in this conversation says: "Recalled: the cat is called Miso."'
        in answer["content"][-1]["text"]
    )


def test_prefill_and_sampling_are_taken_by_older_models_and_versions(simulator: RunningSimulator) -> None:
    body = valid_body(model="claude-haiku-4-5", messages=[user("Hello"), assistant("Well")], temperature=0.3)
    headers = simulator.headers(anthropic_version="2023-06-01")
    assert simulator.http.post("/v1/messages", json=body, headers=headers).status_code == 200


def test_both_ways_of_giving_the_key_are_taken(simulator: RunningSimulator) -> None:
    headers = {"x-api-key": "sk-1", "anthropic-version": "2026-10-21"}
    assert simulator.http.post("/v1/messages", json=valid_body(), headers=headers).status_code == 200
    assert simulator.http.get("/v1/models").status_code == 401


# ---- whatever is sent, the answer is an answer ----

_SEED = valid_body(
    system=[text("Be kind.", {"type": "ephemeral"})],
    messages=[user("1+1?"), assistant(text("Let me see."), call("toolu_a")), user(result("toolu_a"), text("And?"))],
    tools=[CALCULATOR],
    tool_choice={"type": "auto"},
    thinking={"type": "adaptive", "display": "omitted"},
    output_config={"effort": "low"},
    cache_control={"type": "ephemeral", "ttl": "5m"},
    metadata={"user_id": "x"},
    stop_sequences=["END"],
)
_JUNK = st.sampled_from(
    [None, "", " ", 0, -1, True, 2.5, [], {}, [None], [{}], {"type": "x"}, "text", {"type": "text"}]
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(list(_places(_SEED))), junk=_JUNK, remove=st.booleans())
def test_broken_values_never_break_the_server(
    simulator: RunningSimulator, place: tuple[Any, ...], junk: Any, remove: bool
) -> None:
    body = json.loads(json.dumps(_SEED))
    holder = body
    for key in place[:-1]:
        holder = holder[key]
    if remove:
        del holder[place[-1]]
    else:
        holder[place[-1]] = junk
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    assert answer.status_code in (200, 400, 404), (place, junk, answer.text)
