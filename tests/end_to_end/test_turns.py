"""Whole turns over HTTP: stop, failures, retries, tools, limits, and what is kept of each."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import errors, turn_events
from desktop_app.core.conversation import MessageState, Origin, Role
from desktop_app.core.refusal import Refusal
from desktop_app.core.request_log import RequestState
from desktop_app.core.usage import Known
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator

DATA = Path(__file__).parent / "data"


def run(test: Any) -> None:
    """Runs one coroutine as a test."""
    asyncio.run(test)


def refused(simulator: RunningSimulator) -> list[int]:
    """Statuses of 4xx answers, faults that a scenario asked for included."""
    return [row["status"] for row in simulator.recorded() if 400 <= row["status"] < 500]


def test_a_turn_with_parallel_tools_is_stored_whole(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("use the calculator for 12*7 and 10/0")
            path = await house.path(talk)
            assert [message.origin for message in path] == [
                Origin.TYPED,
                Origin.REPLY,
                Origin.TOOL_RESULTS,
                Origin.REPLY,
            ]
            calls = [block for block in path[1].blocks if block["type"] == "tool_use"]
            results = path[2].blocks
            assert [block["tool_use_id"] for block in results] == [call["id"] for call in calls]
            assert results[0]["content"] == "84"
            assert results[1]["is_error"] is True
            assert "zero" in results[1]["content"].lower()
            assert "84" in path[3].text
            assert path[1].blocks[0]["type"] == "thinking"
            assert path[1].blocks[0]["signature"]
            assert house.of(turn_events.TurnFinished)[-1].stop_reason == "end_turn"
        assert refused(simulator) == []

    run(test())


@pytest.mark.timed
def test_stop_keeps_the_partial_answer_and_the_conversation_goes_on(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "slow", "tokens_per_second": 60})
            task = house.start("write 400 words about harbours")
            while len(house.of(turn_events.TextArrived)) < 10:
                await asyncio.sleep(0.01)
            before = time.perf_counter()
            await house.stop(task)
            assert time.perf_counter() - before < 0.1
            arrived = "".join(event.text for event in house.of(turn_events.TextArrived))
            talk = task_conversation(house)
            partial = (await house.path(talk))[-1]
            assert partial.state is MessageState.STOPPED
            assert partial.text == arrived
            record = (await house.services.store.requests(talk))[-1]
            assert record.state is RequestState.STOPPED
            assert record.usage is not None
            assert record.usage.output_estimated
            assert record.usage.input_total == record.total.tokens
            assert (record.usage.output or 0) > 0
            assert record.total.known is Known.MEASURED
            assert sum(figure.tokens for _, figure in record.rows) == record.total.tokens
            await house.ask("Hello again", talk)
            assert house.of(turn_events.TurnFinished)
        assert refused(simulator) == []

    run(test())


def task_conversation(house: Any) -> str:
    """The conversation of the first turn that was opened."""
    return str(house.of(turn_events.TurnOpened)[0].conversation_id)


@pytest.mark.parametrize(
    ("fault", "kind", "kept"),
    [
        ({"action": "error", "after": 5, "error_type": "overloaded_error"}, errors.Overloaded, True),
        ({"action": "error", "after": 5, "error_type": "api_error"}, errors.StreamBroken, True),
        ({"action": "cut", "after": 5}, errors.StreamBroken, True),
        ({"action": "cut", "after": 5, "inside_character": True}, errors.StreamBroken, True),
        ({"action": "eof", "after": 5}, errors.StreamBroken, True),
        ({"action": "status", "status": 401}, errors.KeyRefused, False),
        ({"action": "status", "status": 403}, errors.KeyRefused, False),
        ({"action": "status", "status": 404}, errors.ModelUnknown, False),
        ({"action": "status", "status": 400}, errors.InvalidRequest, False),
        ({"action": "status", "status": 429, "retry_after": 4000}, errors.RateLimited, False),
    ],
)
def test_a_failure_is_named_and_loses_nothing(
    tmp_path: Path, simulator: RunningSimulator, fault: dict[str, Any], kind: type[errors.AppError], kept: bool
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control(fault)
            talk = await house.ask("긴 글 200")
            failure = house.of(turn_events.TurnFailed)[0].error
            assert type(failure) is kind
            path = await house.path(talk)
            assert path[0].text == "긴 글 200"
            if kept:
                assert path[-1].role is Role.ASSISTANT
                assert path[-1].state is MessageState.INTERRUPTED
                arrived = "".join(event.text for event in house.of(turn_events.TextArrived))
                assert path[-1].text == arrived.strip("\n") or path[-1].text == arrived
            else:
                assert len(path) == 1
            assert (await house.services.store.requests(talk))[-1].state is RequestState.FAILED
            await house.ask("안녕하세요", talk)
            assert house.of(turn_events.TurnFinished)

    run(test())


@pytest.mark.parametrize("status", [429, 500, 529])
def test_what_passes_is_tried_again_in_the_open(tmp_path: Path, simulator: RunningSimulator, status: int) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            extra = {"retry_after": 1} if status == 429 else {}
            simulator.control({"action": "status", "status": status, **extra})
            task = house.start("Hello")
            waiting = await house.until(turn_events.RetryScheduled)
            assert waiting.attempt == 2
            assert 0.5 <= waiting.seconds <= 1.5
            house.control.hurry.set()
            talk = await task
            assert house.of(turn_events.TurnFinished)
            states = [record.state for record in await house.services.store.requests(talk)]
            assert states == [RequestState.FAILED, RequestState.ANSWERED]

    run(test())


def test_an_unreachable_endpoint_counts_down_and_can_be_stopped(tmp_path: Path) -> None:
    async def test() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9", simulated=False) as house:
            talk = (await house.services.chat.new_conversation("Hello")).id
            task = house.start("Hello", talk)
            waiting = await house.until(turn_events.RetryScheduled)
            assert isinstance(waiting.error, errors.Unreachable)
            await house.stop(task)
            assert house.of(turn_events.TurnStopped)
            assert [message.text for message in await house.path(talk)] == ["Hello"]

    run(test())


def test_limits_offer_to_continue_and_the_answer_goes_on(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "max_tokens", "after": 40})
            talk = await house.ask("write 120 words about rivers")
            end = house.of(turn_events.TurnFinished)[-1]
            assert (end.stop_reason, end.can_continue) == ("max_tokens", True)
            await house.services.chat.send(talk, "continue", house.events.append, house.control, Origin.CONTINUE)
            assert house.of(turn_events.TurnFinished)[-1].stop_reason == "end_turn"
            simulator.control({"action": "window_exceeded", "after": 10})
            await house.ask("write 120 words about lakes", talk)
            end = house.of(turn_events.TurnFinished)[-1]
            assert (end.stop_reason, end.can_continue) == ("model_context_window_exceeded", True)
        assert refused(simulator) == []

    run(test())


def test_a_call_cut_by_the_output_limit_is_never_run(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            call = {"type": "tool_use", "id": "toolu_cut", "name": "calculator", "input": {"expression": "1+"}}
            simulator.control({"action": "reply", "content": [call], "stop_reason": "max_tokens"})
            talk = await house.ask("use the calculator for 1+1")
            assert house.of(turn_events.ToolFinished) == []
            assert house.of(turn_events.TurnFinished)[-1].can_continue
            await house.ask("Hello", talk)
        assert refused(simulator) == []

    run(test())


def test_a_refused_turn_leaves_the_context_and_the_talk_goes_on(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "refusal", "category": "cyber"})
            talk = await house.ask("a question that is refused")
            assert house.of(turn_events.TurnFinished)[-1].stop_reason == "refusal"
            assert house.of(turn_events.MessageSaved)[-1].refusal == Refusal("cyber")
            await house.ask("Hello", talk)
            record = (await house.services.store.requests(talk))[-1]
            _, request = await house.services.store.request(record.id)
            texts = [block["text"] for message in request.messages for block in message.blocks]
            assert texts == ["Hello"]
        assert refused(simulator) == []

    run(test())


def test_a_paused_turn_is_sent_back_unchanged(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "pause_turn"})
            talk = await house.ask("Hello")
            assert [message.role for message in await house.path(talk)] == [
                Role.USER,
                Role.ASSISTANT,
                Role.ASSISTANT,
            ]
            assert house.of(turn_events.TurnFinished)[-1].stop_reason == "end_turn"
            await house.ask("Hello again", talk)
        assert refused(simulator) == []

    run(test())


def test_a_blank_reply_does_not_poison_the_conversation(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "blank"})
            talk = await house.ask("Hello")
            await house.ask("Hello again", talk)
            assert len(house.of(turn_events.TurnFinished)) == 2
            with pytest.raises(errors.NothingToSend):
                await house.ask("\u3164\u200b \n", talk)
        assert refused(simulator) == []

    run(test())


def test_a_model_that_keeps_calling_tools_is_stopped_with_a_choice(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            for number in range(20):
                call = {
                    "type": "tool_use",
                    "id": f"toolu_{number}",
                    "name": "no_such_tool" if number % 2 else "calculator",
                    "input": {"expression": "1+1"},
                }
                simulator.control({"action": "reply", "content": [call], "stop_reason": "tool_use"})
            talk = await house.ask("Hello")
            end = house.of(turn_events.TurnFinished)[-1]
            assert (end.stop_reason, end.can_continue) == ("tool_rounds", True)
            assert len(await house.services.store.requests(talk)) == 16
            failed = [event for event in house.of(turn_events.ToolFinished) if event.is_error]
            assert failed[0].name == "no_such_tool"
            simulator.reset()
            await house.ask("Hello", talk)
        assert refused(simulator) == []

    run(test())


@pytest.mark.timed
def test_a_stalled_count_never_holds_up_the_turn(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "delay", "seconds": 30, "match": {"path": "/v1/messages/count_tokens"}})
            before = time.perf_counter()
            await house.ask("Hello")
            assert time.perf_counter() - before < 5
            assert house.of(turn_events.BudgetChanged)[-1].budget.total.known is Known.MEASURED

    run(test())


def test_counted_total_is_the_usage_of_the_counted_request(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "slow", "tokens_per_second": 200})
            talk = await house.ask("Where are the backups? 백업은 어디에 있지?")
            record = (await house.services.store.requests(talk))[0]
            assert record.counted is not None
            assert record.usage is not None
            assert record.counted == record.usage.input_total

    run(test())


def test_one_conversation_takes_one_turn_at_a_time(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "slow", "tokens_per_second": 50})
            talk = (await house.services.chat.new_conversation("x")).id
            task = house.start("write 200 words about snow", talk)
            await house.until(turn_events.TextArrived)
            with pytest.raises(errors.Busy):
                await house.ask("Hello", talk)
            await house.stop(task)

    run(test())


def test_edit_and_regenerate_keep_every_version(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("My dog is called Bori.")
            await house.ask("What is my dog called?", talk)
            path = await house.path(talk)
            assert "Bori" in path[-1].text
            await house.services.chat.edit(path[0].id, "My dog is called Kong.", house.events.append, house.control)
            await house.ask("What is my dog called?", talk)
            edited = await house.path(talk)
            assert "Kong" in edited[-1].text
            assert "Bori" not in edited[-1].text
            await house.services.chat.answer_again(edited[-1].id, house.events.append, house.control)
            again = await house.path(talk)
            assert again[-1].id != edited[-1].id
            assert [message.id for message in again[:-1]] == [message.id for message in edited[:-1]]
            await house.services.chat.choose_branch(again[0].id, 1)
            assert [message.id for message in await house.path(talk)] == [message.id for message in path]
        assert refused(simulator) == []

    run(test())


def test_changed_instructions_begin_an_epoch_and_old_thinking_stays_behind(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions="The cat is called Miso.") as house:
            talk = await house.ask("What is the cat called?")
            house.services.settings.use_in_profile(instructions="The cat is called Nabi.")
            await house.ask("What is the cat called?", talk)
            assert "Nabi" in (await house.path(talk))[-1].text
            record = (await house.services.store.requests(talk))[-1]
            _, request = await house.services.store.request(record.id)
            kinds = [block["type"] for message in request.messages for block in message.blocks]
            assert "thinking" not in kinds
            await house.ask("And what is it called now?", talk)
        assert refused(simulator) == []

    run(test())


def test_the_bytes_kept_are_the_bytes_sent(tmp_path: Path) -> None:
    async def test() -> None:
        with RunningSimulator(record=tmp_path / "record") as simulator:
            async with open_house(
                tmp_path / "data", simulator.url, instructions="한국어로 답해 주세요. \u00a0é"
            ) as house:
                talk = await house.ask("use the calculator for 3*4 and 5*6")
                await house.ask("고마워요 👩‍👩‍👧", talk)
                kept = []
                for record in await house.services.store.requests(talk):
                    _, request = await house.services.store.request(record.id)
                    kept.append(request.body_bytes())
        sent = [path.read_bytes() for path in sorted((tmp_path / "record").glob("*-messages.json"))]
        assert kept == sent

    run(test())


def test_a_request_over_the_window_never_leaves(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, model="claude-sim-small", output_limit=500) as house:
            talk = await house.ask("word " * 9000)
            failure = house.of(turn_events.TurnFailed)[0].error
            assert isinstance(failure, errors.ContextTooLarge)
            assert failure.params["window"] == 8000
            assert len(await house.path(talk)) == 1
        assert simulator.recorded("/v1/messages") == []

    run(test())


def test_the_reserve_gives_way_where_the_window_is_nearly_full(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, model="claude-sim-small", output_limit=2000) as house:
            talk = await house.ask("tree " * 5800)
            record = (await house.services.store.requests(talk))[0]
            assert record.counted is not None
            assert record.counted + record.reserve <= 8000
            assert record.state is RequestState.ANSWERED
        assert refused(simulator) == []

    run(test())


def test_half_characters_are_mended_and_poison_nothing(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("Hello \ud83d there \ud83d\ude00")
            assert (await house.path(talk))[0].text == "Hello \ufffd there 😀"
            await house.ask("Hello again", talk)
            assert len(house.of(turn_events.TurnFinished)) == 2
        assert refused(simulator) == []

    run(test())


def test_rows_of_a_stopped_request_sum_also_where_nothing_was_counted(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions="Be brief. " * 40) as house:
            simulator.control(
                {"action": "delay", "seconds": 20, "match": {"path": "/v1/messages/count_tokens"}},
                {"action": "slow", "tokens_per_second": 60},
            )
            task = house.start("write 300 words about 항구")
            await house.until(turn_events.TextArrived)
            await house.stop(task)
            record = (await house.services.store.requests(task_conversation(house)))[-1]
            assert record.counted is None
            assert record.total.known is Known.MEASURED
            assert sum(figure.tokens for _, figure in record.rows) == record.total.tokens

    run(test())
