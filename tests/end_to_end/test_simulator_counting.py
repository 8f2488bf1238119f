"""Counting and the prompt cache: one count for both endpoints, no additivity, marks, look-back, time to live."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.refused_requests import CALCULATOR, call, result, text, user, valid_body
from tests.fakes.simulator import RunningSimulator

SMALL = "claude-sim-small"
MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
ENGLISH = (
    "The old lighthouse keeper walked slowly along the shore, watching the evening tide come in. Every night he "
    "would climb the narrow stairs, light the great lamp and write a few lines about the weather in his notebook. "
)
KOREAN = (
    "오래된 등대지기는 해안을 따라 천천히 걸으며 저녁 밀물이 들어오는 모습을 바라보았습니다. "
    "그는 매일 밤 좁은 계단을 올라 큰 등불을 켜고 공책에 날씨에 대한 짧은 글을 적었습니다. "
)


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh(simulator: RunningSimulator) -> None:
    simulator.reset()


def count(simulator: RunningSimulator, body: dict[str, Any]) -> int:
    counted = {key: value for key, value in body.items() if key not in ("max_tokens", "stream", "stop_sequences")}
    answer = simulator.http.post("/v1/messages/count_tokens", json=counted, headers=simulator.headers())
    assert answer.status_code == 200, answer.text
    tokens: int = answer.json()["input_tokens"]
    return tokens


def usage(simulator: RunningSimulator, body: dict[str, Any]) -> dict[str, Any]:
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["usage"]
    return found


def split(simulator: RunningSimulator, body: dict[str, Any]) -> tuple[int, int, int]:
    """Read, written, uncached; checked against the count."""
    found = usage(simulator, body)
    parts = (found["cache_read_input_tokens"], found["cache_creation_input_tokens"], found["input_tokens"])
    assert sum(found["cache_creation"].values()) == parts[1]
    assert sum(parts) == count(simulator, body)
    return parts


def message(words: str, mark: dict[str, str] | None = None) -> dict[str, Any]:
    return user(text(words, mark))


# ---- counting ----

_words = st.text(alphabet=st.sampled_from("ab cdE한국어 글.,!?\n12é😀漢"), min_size=1, max_size=60).filter(
    lambda words: bool(words.strip())
)
_turn = st.one_of(
    st.builds(lambda words: [user(words), {"role": "assistant", "content": words + "."}], _words),
    st.builds(lambda a, b: [user(text(a, MARK), text(b)), {"role": "assistant", "content": [text(a)]}], _words, _words),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(_turn, max_size=4),
    last=_words,
    system=st.one_of(st.none(), _words),
    tools=st.booleans(),
    looped=st.booleans(),
    automatic=st.booleans(),
)
def test_count_is_the_whole_input_of_the_same_request(
    simulator: RunningSimulator,
    turns: list[list[dict[str, Any]]],
    last: str,
    system: str | None,
    tools: bool,
    looped: bool,
    automatic: bool,
) -> None:
    messages = [entry for turn in turns for entry in turn]
    if looped:
        messages += [user("1+1?"), {"role": "assistant", "content": [call("toolu_1")]}, user(result("toolu_1"))]
        messages += [{"role": "assistant", "content": "Two."}]
    marks = sum("cache_control" in block for m in messages if isinstance(m["content"], list) for block in m["content"])
    body = valid_body(
        model=SMALL,
        messages=[*messages, user(last)],
        system=system,
        tools=[CALCULATOR] if tools or looped else None,
        cache_control=MARK if automatic and marks < 4 else None,
    )
    split(simulator, body)


def test_rates_are_those_of_real_prose(simulator: RunningSimulator) -> None:
    frame = count(simulator, valid_body(messages=[user("a")]))
    english = count(simulator, valid_body(messages=[user(ENGLISH * 10)])) - frame
    korean = count(simulator, valid_body(messages=[user(KOREAN * 10)])) - frame
    assert 3.5 <= len(ENGLISH) * 10 / english <= 4.5
    syllables = sum("가" <= char <= "힣" for char in KOREAN) * 10
    assert 1.0 <= syllables / korean <= 1.6


def test_parts_do_not_add_up(simulator: RunningSimulator) -> None:
    base = count(simulator, valid_body(messages=[user("x")]))
    with_system = count(simulator, valid_body(messages=[user("x")], system="Be kind.")) - base
    with_tools = count(simulator, valid_body(messages=[user("x")], tools=[CALCULATOR])) - base
    both = count(simulator, valid_body(messages=[user("x")], system="Be kind.", tools=[CALCULATOR])) - base
    assert with_tools > 300
    assert both != with_system + with_tools
    one = count(simulator, valid_body(messages=[user(text("An extra"), text("ordinary word"))]))
    left = count(simulator, valid_body(messages=[user("An extra")]))
    right = count(simulator, valid_body(messages=[user("ordinary word")]))
    merged = count(simulator, valid_body(messages=[user("An extraordinary word")]))
    assert one == merged
    assert one - base != (left - base) + (right - base)


def test_images_count_by_pixels_and_documents_by_pages(simulator: RunningSimulator) -> None:
    def png(width: int, height: int) -> str:
        head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        raw = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
        return base64.b64encode(raw + b"\0" * 5_000).decode()

    def tokens(block: dict[str, Any]) -> int:
        return count(simulator, valid_body(messages=[user(block, text("What is it?"))]))

    def image(width: int, height: int) -> int:
        source = {"type": "base64", "media_type": "image/png", "data": png(width, height)}
        return tokens({"type": "image", "source": source})

    assert image(750, 400) - image(75, 100) == 390
    pdf = b"%PDF-1.4\n" + b"1 0 obj << /Type /Page >> endobj\n" * 3
    source = {"type": "base64", "media_type": "application/pdf", "data": base64.b64encode(pdf).decode()}
    assert 4_500 < tokens({"type": "document", "source": source}) < 5_500


def test_hidden_system_text_is_not_counted(simulator: RunningSimulator) -> None:
    note = {"role": "system", "content": "Recalled: " + "tea " * 50, "clear_at": "next_user_message"}
    talk = [user("Hello"), note, {"role": "assistant", "content": "Hi."}, user("Go on")]
    headers = simulator.headers(anthropic_beta="mid-conversation-system-clear-at-2026-08-21")
    body = {"model": SMALL, "messages": talk}
    hidden = simulator.http.post("/v1/messages/count_tokens", json=body, headers=headers).json()["input_tokens"]
    shown = simulator.http.post(
        "/v1/messages/count_tokens", json=body | {"messages": talk[:2]}, headers=headers
    ).json()["input_tokens"]
    assert shown > 60 > hidden


# ---- cache ----

LONG = ENGLISH * 3


def test_write_then_read(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message("Hello")], system=[text(LONG, MARK)])
    read, written, uncached = split(simulator, body)
    assert (read, uncached < 20) == (0, True)
    assert written > 64
    assert split(simulator, body) == (written, 0, uncached)
    other = body | {"messages": [message("Something else")]}
    assert split(simulator, other)[:2] == (written, 0)


def test_growing_chat_reads_what_the_last_turn_wrote(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message(LONG)], cache_control=MARK)
    _, written, _ = split(simulator, body)
    body["messages"] += [{"role": "assistant", "content": "Yes."}, message("Go on")]
    read, more, _ = split(simulator, body)
    assert read == written
    assert 0 < more < 30


def test_look_back_ends_after_twenty_blocks(simulator: RunningSimulator) -> None:
    def body(extra: int) -> dict[str, Any]:
        blocks = [text(LONG)] + [text(f"Note {n}.") for n in range(extra)]
        return valid_body(model=SMALL, messages=[user(*blocks)], cache_control=MARK)

    _, written, _ = split(simulator, body(0))
    assert split(simulator, body(20))[0] == written
    simulator.reset()
    split(simulator, body(0))
    assert split(simulator, body(21))[0] == 0


def test_below_the_minimum_nothing_is_cached(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message("Hello there", MARK)])
    assert split(simulator, body)[:2] == (0, 0)
    assert split(simulator, body)[:2] == (0, 0)
    large = valid_body(model="claude-opus-5-5", messages=[message(LONG, MARK)])
    assert split(simulator, large)[:2] == (0, 0)
    assert split(simulator, large | {"messages": [message(LONG * 7, MARK)]})[1] > 1_024


def test_entries_run_out_and_are_renewed_by_reading(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message(LONG, MARK)])
    _, written, _ = split(simulator, body)
    for _ in range(3):
        simulator.advance(250)
        assert split(simulator, body)[0] == written
    simulator.advance(301)
    assert split(simulator, body)[:2] == (0, written)


def test_hour_and_five_minutes_side_by_side(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, system=[text(LONG, HOUR)], messages=[message(LONG, MARK)])
    found = usage(simulator, body)["cache_creation"]
    assert found["ephemeral_1h_input_tokens"] > 64
    assert found["ephemeral_5m_input_tokens"] > 64
    simulator.advance(600)
    again = usage(simulator, body)
    assert again["cache_read_input_tokens"] == found["ephemeral_1h_input_tokens"]
    assert again["cache_creation"]["ephemeral_5m_input_tokens"] == found["ephemeral_5m_input_tokens"]
    simulator.advance(3_601)
    assert usage(simulator, body)["cache_read_input_tokens"] == 0


def test_cache_outlives_a_restart(tmp_path: Path) -> None:
    state = tmp_path / "cache.json"
    body = valid_body(model=SMALL, system=[text(LONG, HOUR)], messages=[message("Hello")])
    with RunningSimulator(state=state) as simulator:
        _, written, _ = split(simulator, body)
        simulator.advance(1_800)
        simulator.restart()
        assert split(simulator, body)[0] == written
        simulator.advance(3_700)
        simulator.restart()
        assert split(simulator, body)[:2] == (0, written)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"tools": [CALCULATOR, CALCULATOR | {"name": "other"}]}, ""),
        ({"model": "claude-haiku-5-5"}, ""),
        ({"system": [text(LONG + "More.", MARK)]}, "tools"),
        ({"tool_choice": {"type": "none"}}, "system"),
        ({"thinking": {"type": "disabled"}}, "system"),
        ({"output_config": {"effort": "low"}}, "system"),
        ({"output_config": {"effort": "high"}}, "messages"),
        ({"thinking": {"type": "adaptive", "display": "summarized"}}, "messages"),
        ({"max_tokens": 100}, "messages"),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_what_a_change_spoils(simulator: RunningSimulator, change: dict[str, Any], kept: str) -> None:
    marked = CALCULATOR | {"cache_control": MARK, "description": LONG}
    body = valid_body(model=SMALL, tools=[marked], system=[text(LONG, MARK)], messages=[message(LONG, MARK)])
    tools = usage(simulator, valid_body(model=SMALL, tools=[marked]))["cache_creation_input_tokens"]
    system = usage(simulator, body | {"messages": [message("x")]})
    reach = {"": 0, "tools": tools, "system": tools + system["cache_creation_input_tokens"]}
    whole = usage(simulator, body)
    reach["messages"] = whole["cache_creation_input_tokens"] + whole["cache_read_input_tokens"]
    assert reach["messages"] > reach["system"] > reach["tools"] > 300
    if "tools" in change:
        change = {
            "tools": [entry | {"cache_control": MARK} if n == 0 else entry for n, entry in enumerate(change["tools"])]
        }
    assert usage(simulator, body | change)["cache_read_input_tokens"] == reach[kept]


def test_edited_message_is_read_up_to_the_edit(simulator: RunningSimulator) -> None:
    talk = [message(LONG, MARK), {"role": "assistant", "content": "Yes."}, message(LONG + "Second.", MARK)]
    body = valid_body(model=SMALL, messages=talk)
    _, written, _ = split(simulator, body)
    first = split(simulator, valid_body(model=SMALL, messages=talk[:1]))[0]
    edited = body | {"messages": [*talk[:2], message(LONG + "Changed.", MARK)]}
    read, _, _ = split(simulator, edited)
    assert 0 < read == first < written


def test_entry_is_readable_only_when_the_answer_begins(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message(LONG, MARK)])
    simulator.control({"action": "status", "status": 529})
    assert simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).status_code == 529
    assert split(simulator, body)[0] == 0


def test_warming_without_output(simulator: RunningSimulator) -> None:
    body = valid_body(model=SMALL, messages=[message(LONG, MARK)], max_tokens=0)
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).json()
    assert (answer["content"], answer["stop_reason"], answer["usage"]["output_tokens"]) == ([], "max_tokens", 0)
    assert split(simulator, body | {"max_tokens": 50})[0] == answer["usage"]["cache_creation_input_tokens"] > 64
    refused = simulator.http.post("/v1/messages", json=body | {"stream": True}, headers=simulator.headers())
    assert refused.status_code == 400
