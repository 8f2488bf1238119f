"""What a change of a request spoils, in the cache and in its diagnosis, through the SDK over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from desktop_app.simulator import diagnosis
from desktop_app.simulator.clock import Clock
from desktop_app.simulator.models import find_model
from desktop_app.simulator.state import StateFile
from tests.fakes.refused_requests import CALCULATOR, Refused, assistant, call, result, text, user, valid_body
from tests.fakes.simulator import RunningSimulator

SMALL = "claude-sim-small"
DIAGNOSIS = "cache-diagnosis-2026-04-07"
BETAS = [DIAGNOSIS, "fast-mode-2026-02-01", "mid-conversation-system-clear-at-2026-08-21"]
MARK = {"type": "ephemeral"}
LONG = "The old lighthouse keeper walked slowly along the shore, watching the evening tide come in. " * 6
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
PAGE = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "The tide table."}}
CITED = PAGE | {"citations": {"enabled": True}}
OTHER = CALCULATOR | {"name": "other"}
LAST_TOOL = CALCULATOR | {"description": LONG, "cache_control": MARK}
BASE: dict[str, Any] = {
    "model": SMALL,
    "max_tokens": 64,
    "tools": [OTHER, LAST_TOOL],
    "system": [text(LONG, MARK)],
    "messages": [user(text("Hello")), assistant("Yes."), user(text(LONG, MARK))],
}
GOING_ON = [assistant("I see."), user("Go on")]


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture(scope="module")
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="k", base_url=simulator.url, max_retries=0) as connected:
        yield connected


@pytest.fixture(autouse=True)
def fresh(simulator: RunningSimulator) -> None:
    simulator.reset()


@pytest.fixture(scope="module")
def reach(simulator: RunningSimulator, client: anthropic.Anthropic) -> dict[str, int]:
    """Tokens up to the mark of each level of `BASE`."""
    simulator.reset()
    found = {"nothing": 0, "tools": cached(ask(client, valid_body(**BASE | {"system": None, "messages": [user("x")]})))}
    found["system"] = cached(ask(client, BASE | {"messages": [user("x")]}))
    found["messages"] = cached(ask(client, BASE))
    assert found["messages"] > found["system"] + 64 > found["tools"] + 128 > 300
    return found


def ask(client: anthropic.Anthropic, body: dict[str, Any], previous: str | None = None) -> Any:
    return client.beta.messages.create(**body, betas=BETAS, diagnostics={"previous_message_id": previous})


def cached(answer: Any) -> int:
    return int(answer.usage.cache_creation_input_tokens + answer.usage.cache_read_input_tokens)


def whole(answer: Any) -> int:
    return cached(answer) + int(answer.usage.input_tokens)


def kind(answer: Any) -> str:
    """What the app would make of the diagnosis: "none", "pending" or the type."""
    if answer.diagnostics is None:
        return "none"
    return "pending" if answer.diagnostics.cache_miss_reason is None else str(answer.diagnostics.cache_miss_reason.type)


def more(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [*BASE["messages"], *(messages or GOING_ON)]}


def first(*blocks: dict[str, Any]) -> dict[str, Any]:
    """The base with other blocks in its first message."""
    return {"messages": [user(*blocks), *BASE["messages"][1:]]}


def looped(content: Any) -> dict[str, Any]:
    return more(assistant(call("toolu_a")), user(result("toolu_a", content)))


# What changes from `before` to `after` (both on top of BASE), up to where the cache is still read, and the diagnosis.
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "tool added": ({}, {"tools": [OTHER, LAST_TOOL, CALCULATOR | {"name": "third"}]}, "nothing", "tools_changed"),
    "tool removed": ({}, {"tools": [LAST_TOOL]}, "nothing", "tools_changed"),
    "all tools removed": ({}, {"tools": []}, "nothing", "tools_changed"),
    "tools reordered": ({}, {"tools": [LAST_TOOL, OTHER]}, "nothing", "tools_changed"),
    "tool text": ({}, {"tools": [OTHER | {"description": "New."}, LAST_TOOL]}, "nothing", "tools_changed"),
    "model": ({}, {"model": "claude-haiku-5-5"}, "nothing", "model_changed"),
    "model and tools": ({}, {"model": "claude-haiku-5-5", "tools": [LAST_TOOL]}, "nothing", "model_changed"),
    "system text": ({}, {"system": [text("Be kind."), text(LONG, MARK)]}, "tools", "system_changed"),
    "system and messages": ({}, {"system": [text("New", MARK)]} | first(text("New")), "tools", "system_changed"),
    "speed": ({}, {"speed": "fast"}, "tools", "model_changed"),
    "citations on": ({}, more(assistant("I see."), user(CITED)), "tools", "unavailable"),
    "citations off": (first(CITED), first(PAGE), "tools", "messages_changed"),
    "tool choice": ({}, {"tool_choice": {"type": "none"}} | more(), "system", "unavailable"),
    "image added": ({}, more(assistant("I see."), user(IMAGE)), "system", "unavailable"),
    "image in a result": ({}, looped([IMAGE]), "system", "unavailable"),
    "image removed": (first(IMAGE, text("Hello")), first(text("Hello")), "system", "messages_changed"),
    "thinking": ({}, {"thinking": {"type": "disabled"}} | more(), "system", "unavailable"),
    "effort": ({}, {"output_config": {"effort": "low"}} | more(), "system", "unavailable"),
    "earlier message edited": ({}, first(text("Hi")), "system", "messages_changed"),
    "message taken out": ({}, {"messages": BASE["messages"][2:]}, "system", "messages_changed"),
    "append": ({}, more(), "messages", "none"),
    "append a result": ({}, looped("2"), "messages", "none"),
    "further image": (first(IMAGE), first(IMAGE) | {"messages": [*first(IMAGE)["messages"], assistant("I see."),
                                                                  user(IMAGE)]}, "messages", "none"),
    "document": ({}, more(assistant("I see."), user(PAGE)), "messages", "none"),
    "the same again": ({}, {}, "messages", "none"),
    "size": ({}, {"max_tokens": 60}, "messages", "none"),
    "default effort written out": ({}, {"output_config": {"effort": "high"}}, "messages", "none"),
    "default thinking written out": ({}, {"thinking": {"type": "adaptive"}}, "messages", "none"),
    "default speed written out": ({}, {"speed": "standard"}, "messages", "none"),
    "marks": ({}, first(text("Hello", MARK)), "messages", "none"),
    "text as a string": ({}, {"messages": [user("Hello"), *BASE["messages"][1:]]}, "messages", "none"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_what_a_change_spoils(client: anthropic.Anthropic, reach: dict[str, int], name: str) -> None:
    before, after, kept, reason = ROWS[name]
    once = ask(client, BASE | before)
    assert kind(once) == "none"
    again = ask(client, BASE | after, once.id)
    read = cached(once) if kept == "messages" else reach[kept]
    assert again.usage.cache_read_input_tokens == read
    assert kind(again) == reason


@pytest.mark.parametrize(
    ("name", "spoiled_from"),
    [
        ("model", "nothing"),
        ("tools reordered", "nothing"),
        ("speed", "tools"),
        ("system text", "tools"),
        ("earlier message edited", "system"),
    ],
)
def test_missed_tokens_are_those_behind_the_difference(
    client: anthropic.Anthropic, reach: dict[str, int], name: str, spoiled_from: str
) -> None:
    once = ask(client, BASE)
    missed = ask(client, BASE | ROWS[name][1], once.id).diagnostics.cache_miss_reason.cache_missed_input_tokens
    assert 0 <= whole(once) - reach[spoiled_from] - missed < 10


def test_a_late_edit_misses_less(client: anthropic.Anthropic, reach: dict[str, int]) -> None:
    once = ask(client, BASE | more())
    edited = BASE | more(assistant("I see."), user("Stop"))
    reason = ask(client, edited, once.id).diagnostics.cache_miss_reason
    assert reason.type == "messages_changed"
    assert 0 < reason.cache_missed_input_tokens < 20


def test_a_system_message_hidden_by_now_is_no_difference(client: anthropic.Anthropic) -> None:
    note = {"role": "system", "content": "Recalled: " + LONG, "clear_at": "next_user_message"}
    once = ask(client, BASE | more(note))
    assert kind(ask(client, BASE | more(note, *GOING_ON), once.id)) == "none"
    assert kind(ask(client, BASE | more(*GOING_ON), once.id)) == "messages_changed"


def test_the_cache_is_not_asked(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    once = ask(client, BASE)
    simulator.advance(4_000)
    again = ask(client, BASE | more(), once.id)
    assert (again.usage.cache_read_input_tokens, kind(again)) == (0, "none")
    unmarked = {"model": SMALL, "max_tokens": 64, "messages": [user("Hello")]}
    first_turn = ask(client, unmarked)
    assert kind(ask(client, unmarked | {"system": "New."}, first_turn.id)) == "system_changed"


def test_streams_carry_it_in_message_start_only(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    once = ask(client, BASE)
    asked: Any = BASE | {"system": "New.", "betas": BETAS, "diagnostics": {"previous_message_id": once.id}}
    with client.beta.messages.stream(**asked) as stream:
        events: list[Any] = list(stream)
        final = stream.get_final_message()
    assert kind(events[0].message) == kind(final) == "system_changed"
    raw = list(client.beta.messages.create(**asked, stream=True))
    assert [event.type for event in raw if "diagnostics" in event.model_dump_json(exclude_unset=True)] == [
        "message_start"
    ]
    assert kind(ask(client, BASE | {"system": "New."}, final.id)) == "none"
    assert [row["diagnostics"] and row["diagnostics"]["cache_miss_reason"]["type"] for row in simulator.recorded()] == [
        None, "system_changed", "system_changed", None,
    ]  # fmt: skip


def test_the_plain_client_parses_it_too(client: anthropic.Anthropic) -> None:
    header = {"anthropic-beta": DIAGNOSIS}
    once = client.messages.create(**BASE, diagnostics={"previous_message_id": None}, extra_headers=header)
    changed: Any = BASE | {"model": "claude-haiku-5-5", "diagnostics": {"previous_message_id": once.id}}
    again = client.messages.create(**changed, extra_headers=header)
    assert (once.diagnostics, kind(again)) == (None, "model_changed")


def test_only_requests_with_header_and_field_are_kept(client: anthropic.Anthropic) -> None:
    header_only = client.beta.messages.create(**BASE, betas=[DIAGNOSIS])
    null = client.beta.messages.create(**BASE, betas=[DIAGNOSIS], diagnostics=None)
    for previous in (header_only.id, null.id, "msg_unknown", "nonsense"):
        answer = ask(client, BASE, previous)
        assert kind(answer) == "previous_message_not_found"
        assert answer.diagnostics.to_dict() == {"cache_miss_reason": {"type": "previous_message_not_found"}}
    assert header_only.diagnostics is null.diagnostics is None
    assert kind(ask(client, BASE, answer.id)) == "none"


def test_unavailable_has_no_other_field(client: anthropic.Anthropic) -> None:
    answer = ask(client, BASE | {"thinking": {"type": "disabled"}}, ask(client, BASE).id)
    assert answer.diagnostics.to_dict() == {"cache_miss_reason": {"type": "unavailable"}}


def test_a_request_that_failed_is_not_kept_and_one_that_broke_is(
    simulator: RunningSimulator, client: anthropic.Anthropic
) -> None:
    simulator.control({"action": "error"}, {"action": "cut", "after": 1})
    with pytest.raises(anthropic.APIStatusError):
        ask(client, BASE)
    failed = simulator.recorded()[-1]["message_id"]
    asked: Any = BASE | {"betas": BETAS, "diagnostics": {"previous_message_id": failed}}
    with pytest.raises(httpx2.RemoteProtocolError), client.beta.messages.stream(**asked) as stream:
        for event in stream:
            if event.type == "message_start":
                started = event.message
    assert kind(started) == "previous_message_not_found"
    assert kind(ask(client, BASE, started.id)) == "none"


def test_pending_and_future_reasons_come_from_a_step(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    later = {"type": "weather_changed", "cache_missed_input_tokens": 5}
    simulator.control(
        {"action": "diagnosis", "cache_miss_reason": None, "count": 2},
        {"action": "diagnosis", "cache_miss_reason": later},
    )
    once = ask(client, BASE)
    assert kind(once) == "none"
    pending = ask(client, BASE | {"system": "New."}, once.id)
    assert kind(pending) == "pending"
    assert pending.diagnostics.to_dict() == {"cache_miss_reason": None}
    assert simulator.recorded()[-1]["diagnostics"] == {"cache_miss_reason": None}
    assert kind(ask(client, BASE, pending.id)) == "weather_changed"
    assert kind(ask(client, BASE, pending.id)) == "system_changed"
    with pytest.raises(ValueError, match=r"steps\.0: diagnosis needs cache_miss_reason"):
        simulator.control({"action": "diagnosis"})
    with pytest.raises(ValueError, match="cache_miss_reason must be null or an object with a type"):
        simulator.control({"action": "diagnosis", "cache_miss_reason": "unavailable"})


def test_fingerprints_outlive_a_restart_for_a_day(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with RunningSimulator(state=state) as running:
        with anthropic.Anthropic(api_key="k", base_url=running.url, max_retries=0) as client:
            once = ask(client, BASE)
            running.advance(50_000)
            running.restart()
            assert kind(ask(client, BASE | more(), once.id)) == "none"
            missed = ask(client, BASE | {"system": "New."}, once.id).diagnostics.cache_miss_reason
            assert (missed.type, missed.cache_missed_input_tokens > 200) == ("system_changed", True)
            running.advance(36_401)
            assert kind(ask(client, BASE, once.id)) == "previous_message_not_found"
            running.restart()
            assert once.id not in state.read_text("utf-8")
            running.reset()
        running.restart()
        with anthropic.Anthropic(api_key="k", base_url=running.url, max_retries=0) as client:
            assert kind(ask(client, BASE, once.id)) == "previous_message_not_found"


def test_a_state_file_without_fingerprints_is_read(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text('{"clock_offset": 0.0, "entries": {}}', "utf-8")
    with (
        RunningSimulator(state=state) as running,
        anthropic.Anthropic(api_key="k", base_url=running.url, max_retries=0) as client,
    ):
        assert kind(ask(client, BASE, ask(client, BASE).id)) == "none"


def test_the_oldest_give_way_and_take_their_blocks_along(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(diagnosis, "MOST_KEPT", 2)
    model = find_model(SMALL)
    assert model is not None
    clock, path = Clock(), tmp_path / "state.json"
    state = StateFile(clock, path)
    kept = diagnosis.Fingerprints(clock, state)
    taken = [diagnosis.fingerprint(BASE | first(text(f"Chat {n}")), model, set()) for n in range(3)]
    for number, each in enumerate(taken):
        kept.keep(f"msg_{number}", each)
    assert kept.diagnose("msg_0", taken[0]) == {"cache_miss_reason": {"type": "previous_message_not_found"}}
    assert kept.diagnose("msg_1", taken[1]) is kept.diagnose("msg_2", taken[2]) is None
    state.save()
    blocks = json.loads(path.read_text("utf-8"))["fingerprints"]["blocks"]
    assert blocks.keys() == taken[1].blocks.keys() | taken[2].blocks.keys()
    again = diagnosis.Fingerprints(clock, StateFile(clock, path))
    assert again.diagnose("msg_2", taken[2]) is None


def test_a_state_file_that_lacks_blocks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    lacking = {"requests": {"msg_1": ["m", "standard", "s", "gone", 9e9]}, "blocks": {}}
    path.write_text(json.dumps({"clock_offset": 0.0, "fingerprints": lacking}), "utf-8")
    with pytest.raises(ValueError, match="is not a state file of the simulator"):
        diagnosis.Fingerprints(Clock(), StateFile(Clock(), path))


_ASKED = {"previous_message_id": None}
_EXTRA = "diagnostics.x: Extra inputs are not permitted"
REFUSED = (
    Refused("no header", valid_body(diagnostics=_ASKED), "diagnostics: Extra inputs are not permitted", betas=()),
    Refused("no header and null", valid_body() | {"diagnostics": None}, "diagnostics: Extra inputs are not permitted",
            betas=("fast-mode-2026-02-01",)),
    Refused("unknown key", valid_body(diagnostics=_ASKED | {"x": 1}), _EXTRA, betas=(DIAGNOSIS,)),
    Refused("a list", valid_body(diagnostics=[]), "diagnostics: Input should be a valid dictionary",
            betas=(DIAGNOSIS,)),
    Refused("nothing given", valid_body(diagnostics={}), "diagnostics.previous_message_id: Field required",
            betas=(DIAGNOSIS,)),
    Refused("a number", valid_body(diagnostics={"previous_message_id": 7}),
            "diagnostics.previous_message_id: Input should be a valid string", betas=(DIAGNOSIS,)),
    Refused("an empty id", valid_body(diagnostics={"previous_message_id": ""}),
            "diagnostics.previous_message_id: String should have at least 1 character", betas=(DIAGNOSIS,)),
    Refused("web search", valid_body(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
            "tools.0: tools of type 'web_search_20250305' are not available on this server"),
    Refused("counting", {"model": SMALL, "messages": [user("Hello")], "diagnostics": _ASKED},
            "diagnostics: Extra inputs are not permitted", betas=(DIAGNOSIS,), path="/v1/messages/count_tokens"),
)  # fmt: skip


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_malformed_requests_are_refused(simulator: RunningSimulator, row: Refused) -> None:
    answer = simulator.http.post(row.path, json=row.body, headers=row.headers())
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["message"]) == (400, "invalid_request_error", row.text)
