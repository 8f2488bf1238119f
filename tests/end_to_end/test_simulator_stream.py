"""The real SDK against the simulator: streaming order, tool loop, thinking over turns and restarts, models."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import pytest

from tests.fakes.refused_requests import CALCULATOR
from tests.fakes.simulator import RunningSimulator

MODEL = "claude-opus-5-5"
SHOWN: Any = {"type": "adaptive", "display": "summarized"}


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=simulator.key, base_url=simulator.url, max_retries=0) as connected:
        yield connected


def send(client: anthropic.Anthropic, history: list[Any], **more: Any) -> Any:
    with client.beta.messages.stream(model=MODEL, max_tokens=1_000, messages=history, **more) as stream:
        return stream.get_final_message()


def raw_events(simulator: RunningSimulator, **body: Any) -> list[tuple[str, dict[str, Any]]]:
    body = {"model": MODEL, "max_tokens": 1_000, "stream": True, **body}
    text = simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).text
    events = []
    for chunk in text.strip().split("\n\n"):
        name, data = chunk.split("\n")
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


def test_events_come_in_the_order_of_the_api(simulator: RunningSimulator) -> None:
    events = raw_events(
        simulator,
        messages=[{"role": "user", "content": "use the calculator for 3+4"}],
        tools=[CALCULATOR],
        thinking=SHOWN,
    )
    assert all(name == data["type"] for name, data in events)
    kinds = [data.get("delta", {}).get("type") or name for name, data in events]
    squeezed = [kind for n, kind in enumerate(kinds) if n == 0 or kinds[n - 1] != kind]
    assert squeezed == [
        "message_start",
        "ping",
        "content_block_start",
        "thinking_delta",
        "signature_delta",
        "content_block_stop",
        "content_block_start",
        "input_json_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    start, end = events[0][1]["message"]["usage"], events[-2][1]
    assert start["input_tokens"] == end["usage"]["input_tokens"] > 300
    assert start["cache_creation"] == {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}
    assert end["delta"] == {"stop_reason": "tool_use", "stop_sequence": None}
    assert 0 < end["usage"]["output_tokens_details"]["thinking_tokens"] < end["usage"]["output_tokens"]
    fragments = [d["delta"]["partial_json"] for _, d in events if d.get("delta", {}).get("type") == "input_json_delta"]
    assert fragments[0] == ""
    assert json.loads("".join(fragments)) == {"expression": "3+4"}


def test_streamed_and_whole_answer_are_the_same(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "긴 글 120 단어"}]
    streamed = send(client, history, thinking=SHOWN)
    whole = client.beta.messages.create(model=MODEL, max_tokens=1_000, messages=history, thinking=SHOWN)
    assert [block.to_dict() for block in streamed.content] == [block.to_dict() for block in whole.content]
    assert streamed.usage.output_tokens == whole.usage.output_tokens
    assert streamed.id != whole.id


def test_text_is_cut_inside_korean_words(simulator: RunningSimulator) -> None:
    events = raw_events(simulator, messages=[{"role": "user", "content": "긴 글 60"}])
    pieces = [d["delta"]["text"] for _, d in events if d.get("delta", {}).get("type") == "text_delta"]
    borders = [(a[-1], b[0]) for a, b in pairwise(pieces)]
    assert any("가" <= left <= "힣" and "가" <= right <= "힣" for left, right in borders)


def test_thinking_is_omitted_by_default_but_signed(client: anthropic.Anthropic) -> None:
    answer = send(client, [{"role": "user", "content": "Hello"}])
    thinking = answer.content[0]
    assert (thinking.type, thinking.thinking) == ("thinking", "")
    assert len(thinking.signature) > 60
    assert answer.usage.output_tokens_details.thinking_tokens > 5


def test_tool_loop_with_parallel_calls_and_an_error(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "use the calculator for 3+4 and 10/0"}]
    first = send(client, history, tools=[CALCULATOR], thinking=SHOWN)
    assert first.stop_reason == "tool_use"
    calls = [block for block in first.content if block.type == "tool_use"]
    assert [call.input for call in calls] == [{"expression": "3+4"}, {"expression": "10/0"}]
    assert len({call.id for call in calls}) == 2
    results = [
        {"type": "tool_result", "tool_use_id": calls[0].id, "content": "7"},
        {"type": "tool_result", "tool_use_id": calls[1].id, "content": "division by zero", "is_error": True},
    ]
    history += [first.to_param(), {"role": "user", "content": results}]
    second = send(client, history, tools=[CALCULATOR], thinking=SHOWN)
    assert second.stop_reason == "end_turn"
    assert second.content[-1].text == ("3+4 = 7\n\nThe tool reported an error for 10/0: division by zero")


def test_one_call_at_a_time_where_parallel_calls_are_off(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "계산해 줘 12*7, 5-3"}]
    choice: Any = {"type": "auto", "disable_parallel_tool_use": True}
    asked = []
    for _ in range(3):
        answer = send(client, history, tools=[CALCULATOR], tool_choice=choice)
        history.append(answer.to_param())
        if answer.stop_reason != "tool_use":
            break
        (call,) = [block for block in answer.content if block.type == "tool_use"]
        asked.append(call.input["expression"])
        value = {"12*7": "84", "5-3": "2"}[asked[-1]]
        history.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": value}]})
    assert asked == ["12*7", "5-3"]
    assert answer.content[-1].text == "12*7 = 84\n\n5-3 = 2"


def test_thinking_is_taken_back_over_five_turns_and_a_restart(tmp_path: Path) -> None:
    history: list[Any] = []
    with RunningSimulator() as simulator:
        for turn in range(5):
            if turn == 3:
                simulator.restart()
            with anthropic.Anthropic(api_key="k", base_url=simulator.url, max_retries=0) as client:
                history.append({"role": "user", "content": f"use the calculator for {turn}+1"})
                while True:
                    answer = send(client, history, tools=[CALCULATOR], system="Be short.")
                    history.append(answer.to_param())
                    if answer.stop_reason != "tool_use":
                        break
                    results = [
                        {"type": "tool_result", "tool_use_id": block.id, "content": str(turn + 1)}
                        for block in answer.content
                        if block.type == "tool_use"
                    ]
                    history.append({"role": "user", "content": results})
        with anthropic.Anthropic(api_key="k", base_url=simulator.url, max_retries=0) as client:
            history.append({"role": "user", "content": "Hello"})
            with pytest.raises(anthropic.BadRequestError, match="bound to a different conversation"):
                send(client, history, tools=[CALCULATOR], system="Be long.")
            marked = [*history[:-1], {"role": "user", "content": [
                {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}]}]  # fmt: skip
            assert send(client, marked, tools=[CALCULATOR], system="Be short.").stop_reason == "end_turn"


def test_async_client_and_cancelling(simulator: RunningSimulator) -> None:
    simulator.control({"action": "slow", "tokens_per_second": 40})

    async def cancelled() -> str:
        async with (
            anthropic.AsyncAnthropic(api_key="k", base_url=simulator.url, max_retries=0) as client,
            client.beta.messages.stream(
                model=MODEL, max_tokens=2_000, messages=[{"role": "user", "content": "write 400 words"}]
            ) as stream,
        ):
            seen = ""
            async for piece in stream.text_stream:
                seen += piece
                if len(seen) > 30:
                    break
            return seen

    assert asyncio.run(cancelled()).startswith("# Sample text")
    deadline = time.monotonic() + 5
    while (last := simulator.recorded("/v1/messages")[-1])["ended"] == "open":
        assert time.monotonic() < deadline
    assert last["ended"] == "closed"
    assert last["stream"] is True


def test_max_tokens_cuts_text_and_calls(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "write 200 words"}]
    cut = client.beta.messages.create(model=MODEL, max_tokens=90, messages=history)
    assert cut.stop_reason == "max_tokens"
    assert cut.usage.output_tokens <= 90
    history += [cut.to_param(), {"role": "user", "content": "continue"}]
    rest = client.beta.messages.create(model=MODEL, max_tokens=2_000, messages=history)
    whole = client.beta.messages.create(model=MODEL, max_tokens=2_000, messages=history[:1])
    assert rest.stop_reason == "end_turn"
    assert cut.content[-1].text + rest.content[-1].text == whole.content[-1].text  # type: ignore[union-attr]
    asked: list[Any] = [
        {"role": "user", "content": 'call the tool calculator with {"expression": "1111111111+2222222222"}'}
    ]
    simulated = client.beta.messages.create(model="claude-opus-5", max_tokens=17, messages=asked, tools=[CALCULATOR])  # type: ignore[list-item]
    assert simulated.stop_reason == "max_tokens"
    assert simulated.content[-1].type == "tool_use"
    with client.beta.messages.stream(
        model="claude-opus-5", max_tokens=17, messages=asked, tools=[CALCULATOR]
    ) as stream:  # type: ignore[list-item]
        final = stream.get_final_message()
    assert final.stop_reason == "max_tokens"
    assert final.content[-1].input != {"expression": "1111111111+2222222222"}  # type: ignore[union-attr]


def test_stop_sequence_ends_the_answer(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "Hello"}]
    answer = client.beta.messages.create(
        model=MODEL, max_tokens=200, messages=history, stop_sequences=["never", "simulated"]
    )
    assert (answer.stop_reason, answer.stop_sequence) == ("stop_sequence", "simulated")
    assert answer.content[-1].text == "Hello! I am the "  # type: ignore[union-attr]


def test_window_ends_the_answer_on_newer_models(client: anthropic.Anthropic) -> None:
    history: list[Any] = [{"role": "user", "content": "write 900 words\n" + "word " * 7_300}]
    answer = client.beta.messages.create(model="claude-sim-small", max_tokens=2_000, messages=history)
    assert answer.stop_reason == "model_context_window_exceeded"
    used = answer.usage.input_tokens + answer.usage.output_tokens
    assert 7_900 <= used <= 8_000


def test_models_are_paged_and_retired_ones_are_hidden(client: anthropic.Anthropic) -> None:
    ids = [model.id for model in client.models.list(limit=4)]
    assert len(ids) == len(set(ids)) >= 19
    assert ids[0] == "claude-fable-5-2"
    assert "claude-mythos-preview" not in ids
    assert "claude-mythos-preview" in [model.id for model in client.models.list(lifecycle=["retired"])]
    page = client.models.list(limit=3, before_id=ids[5])
    assert [model.id for model in page.data] == ids[2:5]
    assert page.has_more
    opus = client.models.retrieve("claude-opus-5-5")
    assert (opus.max_input_tokens, opus.max_tokens, opus.line) == (1_000_000, 128_000, "opus")
    assert opus.capabilities is not None
    assert opus.capabilities.thinking.types.adaptive.supported
    assert not opus.capabilities.thinking.types.disabled.supported
    assert client.models.retrieve("claude-haiku-4-5").id == "claude-haiku-4-5-20251001"
    with pytest.raises(anthropic.NotFoundError):
        client.models.retrieve("claude-nothing")


def test_tool_runner_falls_back_to_whole_histories(client: anthropic.Anthropic) -> None:
    @anthropic.beta_tool
    def calculator(expression: str) -> str:
        """Calculates one expression.

        Args:
            expression: what to calculate
        """
        return {"6*7": "42"}[expression]

    runner = client.beta.messages.tool_runner(
        model=MODEL, max_tokens=500, tools=[calculator], messages=[{"role": "user", "content": "what is 6*7"}]
    )
    assert runner.until_done().content[-1].text == "6*7 = 42"  # type: ignore[union-attr]
