"""Folding over HTTP: memos that succeed, fail and are stopped, and what the next request is made of."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, WrittenBy
from desktop_app.core.compaction.memo import Section, memo_block_text, memo_text
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import to_json
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

SMALL = {
    "model": "claude-sim-small",
    "fold_keep": 40,
    "fold_automatically": False,
    "fold_by": "fork",
    "use_tools": False,
}
"""A window of 8,000 tokens, prefixes cached from 64 on, and the last turn alone kept word for word."""
ASKED = {"text": "<handover_memo_request"}
SECTIONS = dict.fromkeys(Section, "- Hello, I like green tea")
MEMO = memo_text(SECTIONS, "en")


def memo_reply(text: str = MEMO, **more: Any) -> dict[str, Any]:
    """A step that answers the next request for a memo, and no other."""
    return {"action": "reply", "text": text, "match": ASKED, **more}


async def talk_of(house: House, *texts: str) -> str:
    """A conversation of these questions, answered."""
    talk: str | None = None
    for text in texts or ("Hello, I like green tea", "Which tea is the best?", "Thanks"):
        talk = await house.ask(text, talk)
    assert talk is not None
    return talk


async def fold(
    house: House, talk: str, focus: str = "", cause: CompactionCause = CompactionCause.BY_HAND
) -> Compaction:
    return await house.services.compaction.fold(talk, FoldOrder(cause, focus), house.events.append)


async def memos_of(house: House, talk: str) -> list[tuple[RequestRecord, Request]]:
    """The requests for a memo, oldest first."""
    store = house.services.store
    records = [one for one in await store.requests(talk) if one.purpose is RequestPurpose.MEMO]
    return [await store.request(record.id) for record in records]


async def last_request(house: House, talk: str) -> tuple[RequestRecord, Request]:
    """The last request of a turn."""
    store = house.services.store
    records = [one for one in await store.requests(talk) if one.purpose is RequestPurpose.CHAT]
    return await store.request(records[-1].id)


def refused(simulator: RunningSimulator) -> int:
    """How many messages were answered with 400."""
    return sum(row["status"] == 400 for row in simulator.recorded("/v1/messages"))


def prompt_of(request: Request) -> str:
    return str(request.messages[-1].blocks[-1]["text"])


def test_a_memo_takes_the_place_of_the_past(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            path = await house.path(talk)
            _, before = await last_request(house, talk)
            plan = await house.services.compaction.plan(talk)
            simulator.control(memo_reply())
            made = await fold(house, talk)

            started = house.of(turn_events.FoldingStarted)
            assert [(one.message_ids, one.attempt) for one in started] == [(plan.message_ids, 1)]
            assert plan.message_ids == tuple(message.id for message in path[:-2])
            assert started[0].before == plan.before
            assert plan.before.known is Known.MEASURED
            assert "".join(piece.text for piece in house.of(turn_events.MemoArrived)) == MEMO
            assert [one.compaction for one in house.of(turn_events.FoldingDone)] == [made]
            assert (made.summary, made.folded, made.until_message_id) == (MEMO, len(path) - 2, path[-3].id)
            assert await house.services.store.compactions(talk) == [made]
            assert await house.services.compaction.current(talk) == made
            assert await house.path(talk) == path

            ((record, request),) = await memos_of(house, talk)
            assert (record.id, record.state, record.turn) == (made.request_ids[-1], RequestState.ANSWERED, 3)
            assert record.usage is not None
            assert record.usage.read
            assert request.system == before.system
            assert request.tools == before.tools
            assert request.messages[: len(before.messages)] == before.messages
            assert len(request.messages) == len(path) + 1
            assert prompt_of(request).startswith(ASKED["text"] + ' turns="2">\n')
            assert "“Which tea is the best?”" in prompt_of(request)

            await house.ask("Great", talk)
            record, request = await last_request(house, talk)
            opening = request.messages[0].blocks
            assert opening[0]["text"] == memo_block_text(MEMO)
            assert opening[1]["text"] == "Thanks"
            assert dict(record.rows)[Segment.SUMMARY].tokens > 50
            assert not any(block["type"] == "thinking" for message in request.messages for block in message.blocks)
            assert abs(record.total.tokens - made.after) < 60
            assert record.turn == 4
        assert refused(simulator) == 0

    asyncio.run(test())


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"text": MEMO.replace("## Dead ends", "Dead ends")}, '"Dead ends"'),
        ({"text": MEMO + "\n\n## Goal\nanother"}, '"Goal"'),
        ({"text": MEMO, "stop_reason": "max_tokens"}, ""),
        ({"content": [{"type": "tool_use", "name": "calculator", "input": {"expression": "1"}}]}, ""),
        ({"text": "Certainly: 12.5 * 34 is 425."}, '"Facts", "Dead ends", "Next steps"'),
        ({"text": MEMO, "stop_reason": "refusal"}, ""),
    ],
)
def test_a_memo_that_lacks_something_is_asked_for_once_more(
    tmp_path: Path, simulator: RunningSimulator, bad: dict[str, Any], named: str
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            path = await house.path(talk)
            simulator.control({"action": "reply", "match": ASKED, **bad}, memo_reply())
            made = await fold(house, talk)
            assert made.summary == MEMO
            assert [one.attempt for one in house.of(turn_events.FoldingStarted)] == [1, 2]
            first, second = await memos_of(house, talk)
            assert named in prompt_of(second[1])
            assert prompt_of(second[1]).startswith(prompt_of(first[1]))
            assert (first[0].round, second[0].round, second[0].id) == (1, 2, made.request_ids[-1])
            assert await house.path(talk) == path
        assert refused(simulator) == 0

    asyncio.run(test())


def test_two_bad_memos_leave_everything_as_it_was(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            store = house.services.store
            path, epochs = await house.path(talk), await store.epochs(talk)
            simulator.control(memo_reply("Sure!", count=3))
            with pytest.raises(errors.MemoUnusable) as raised:
                await fold(house, talk)
            assert raised.value.params["missing"].startswith('"Goal", ')
            assert [one.error for one in house.of(turn_events.FoldingFailed)] == [raised.value]
            assert house.of(turn_events.FoldingDone) == []
            assert await house.services.compaction.current(talk) is None
            assert (await house.path(talk), await store.epochs(talk)) == (path, epochs)
            assert [record.state for record, _ in await memos_of(house, talk)] == [RequestState.ANSWERED] * 3
            (failed,) = await store.compactions(talk)
            assert (failed.state, failed.failed_of[0], len(failed.request_ids)) == (
                CompactionState.FAILED,
                "memo_unusable",
                3,
            )
            _, before = await last_request(house, talk)
            await house.ask("Go on", talk)
            _, request = await last_request(house, talk)
            assert to_json([one.as_json() for one in request.messages]).startswith(
                to_json([one.as_json() for one in before.messages])[:-1]
            )
        assert refused(simulator) == 0

    asyncio.run(test())


def test_a_stop_in_the_middle_keeps_only_the_request(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            path = await house.path(talk)
            simulator.control({"action": "slow", "tokens_per_second": 40, "match": ASKED})
            task = asyncio.create_task(fold(house, talk))
            await house.until(turn_events.MemoArrived)
            await house.stop(task)
            assert len(house.of(turn_events.FoldingStopped)) == 1
            assert house.of(turn_events.FoldingFailed) == []
            ((record, _),) = await memos_of(house, talk)
            assert record.state is RequestState.STOPPED
            assert record.usage is not None
            assert record.usage.input_total
            assert record.usage.output_estimated
            assert sum(figure.tokens for _, figure in record.rows) == record.total.tokens
            assert await house.path(talk) == path
            assert await house.services.compaction.current(talk) is None
            await house.ask("Go on", talk)
            assert house.of(turn_events.TurnFinished)
        assert refused(simulator) == 0

    asyncio.run(test())


@pytest.mark.parametrize("moment", [0, 1, 3, 6, 10, 20])
def test_a_stop_at_any_moment_is_told_and_leaves_no_request_open(
    tmp_path: Path, simulator: RunningSimulator, moment: int
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            simulator.control({"action": "silence", "seconds": 5, "match": ASKED})
            task = asyncio.create_task(fold(house, talk))
            await asyncio.sleep(moment / 1000)
            await house.stop(task)
            started = bool(house.of(turn_events.FoldingStarted))
            assert len(house.of(turn_events.FoldingStopped)) >= started
            assert {record.state for record, _ in await memos_of(house, talk)} <= {RequestState.STOPPED}
            assert await house.services.store.compactions(talk) == []
        assert refused(simulator) == 0

    asyncio.run(test())


def test_an_overloaded_endpoint_is_asked_again_in_the_open(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            simulator.control({"action": "status", "status": 529, "match": ASKED}, memo_reply())
            hurry = asyncio.Event()
            folding = house.services.compaction.fold(talk, FoldOrder(), house.events.append, hurry)
            task = asyncio.create_task(folding)
            told = await house.until(turn_events.RetryScheduled)
            assert (type(told.error), told.attempt, told.seconds) == (errors.Overloaded, 2, 1.0)
            hurry.set()
            made = await task
            states = [record.state for record, _ in await memos_of(house, talk)]
            assert states == [RequestState.FAILED, RequestState.ANSWERED]
            assert made.summary == MEMO
            assert len(house.of(turn_events.FoldingStarted)) == 1

    asyncio.run(test())


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"action": "status", "status": 400, "message": "no"}, errors.InvalidRequest),
        ({"action": "cut", "after": 12}, errors.EndpointError),
        ({"action": "eof", "after": 12}, errors.StreamBroken),
    ],
)
def test_a_failed_request_leaves_everything_as_it_was(
    tmp_path: Path, simulator: RunningSimulator, step: dict[str, Any], kind: type[errors.AppError]
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            path = await house.path(talk)
            simulator.control({**step, "match": ASKED})
            with pytest.raises(kind) as raised:
                await fold(house, talk)
            assert [one.error for one in house.of(turn_events.FoldingFailed)] == [raised.value]
            ((record, _),) = await memos_of(house, talk)
            assert (record.state, record.error) == (RequestState.FAILED, raised.value.word)
            assert await house.path(talk) == path
            (failed,) = await house.services.store.compactions(talk)
            assert (failed.state, failed.request_ids) == (CompactionState.FAILED, (record.id,))

    asyncio.run(test())


def test_a_second_memo_carries_the_first_and_each_can_be_taken_back(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    newer = memo_text({**SECTIONS, Section.GOAL: "- newer"}, "en")

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            service = house.services.compaction
            talk = await talk_of(house)
            _, unfolded = await last_request(house, talk)
            simulator.control(memo_reply(), memo_reply(newer))
            first = await fold(house, talk)
            with pytest.raises(errors.NothingToFold):
                await service.plan(talk)
            await talk_more(house, talk, "Which cup is the best?", "Thank you")
            second = await fold(house, talk)

            path = await house.path(talk)
            started = house.of(turn_events.FoldingStarted)[-1]
            assert started.message_ids == tuple(message.id for message in path[first.folded : second.folded])
            assert second.folded == len(path) - 2
            _, request = (await memos_of(house, talk))[1]
            assert request.messages[0].blocks[0]["text"] == memo_block_text(first.summary)
            assert "Which tea is the best?" not in to_json([one.as_json() for one in request.messages[:-1]])
            await house.ask("Next", talk)
            _, request = await last_request(house, talk)
            assert request.messages[0].blocks[0]["text"] == memo_block_text(newer)
            assert MEMO not in to_json([one.as_json() for one in request.messages])

            (undone,) = await house.services.review.undo(talk)
            assert (undone.id, undone.state) == (second.id, CompactionState.UNDONE)
            assert await service.current(talk) == first
            await house.ask("Next", talk)
            _, request = await last_request(house, talk)
            assert request.messages[0].blocks[0]["text"] == memo_block_text(first.summary)
            assert [one.id for one in await house.services.review.undo(talk)] == [first.id]
            assert await house.services.review.undo(talk) == []
            await house.ask("Next", talk)
            record, request = await last_request(house, talk)
            assert request.messages[0] == unfolded.messages[0]
            assert Segment.SUMMARY not in dict(record.rows)
            states = [one.state for one in await house.services.store.compactions(talk)]
            assert states == [CompactionState.UNDONE, CompactionState.UNDONE]
        assert refused(simulator) == 0

    asyncio.run(test())


async def talk_more(house: House, talk: str, *texts: str) -> None:
    for text in texts:
        await house.ask(text, talk)


def test_a_focus_is_quoted_in_the_request_and_kept(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house)
            simulator.control(memo_reply())
            made = await fold(house, talk, 'the "tea" budget')
            assert made.focus == 'the "tea" budget'
            ((_, request),) = await memos_of(house, talk)
            assert '"the \\"tea\\" budget"' in prompt_of(request)

    asyncio.run(test())


def test_a_korean_conversation_gets_a_korean_memo(tmp_path: Path, simulator: RunningSimulator) -> None:
    korean = memo_text({**dict.fromkeys(Section, "없음"), Section.FACTS: "- 안녕하세요, 저는 녹차를 좋아해요"}, "ko")

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house, "안녕하세요, 저는 녹차를 좋아해요", "어떤 차가 제일 좋아요?", "고마워요")
            simulator.control(memo_reply("정리했습니다.\n\n" + korean))
            made = await fold(house, talk, cause=CompactionCause.AUTOMATIC)
            assert made.summary.startswith("## 목표\n")
            assert made.cause is CompactionCause.AUTOMATIC
            _, request = (await memos_of(house, talk))[0]
            assert "## 진행 중인 일" in prompt_of(request)
            await house.ask("다음은요?", talk)
            _, request = await last_request(house, talk)
            assert "- 안녕하세요, 저는 녹차를 좋아해요" in request.messages[0].blocks[0]["text"]
        assert refused(simulator) == 0

    asyncio.run(test())


def test_folding_by_itself_is_due_at_the_threshold_and_rests_after_a_failure(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    settings = {**SMALL, "fold_tokens": 1_000, "instructions": "Be brief and kind. " * 130}

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **settings) as house:
            service = house.services.compaction
            talk = await house.ask("Hello")
            state = await service.state(talk)
            assert (state.threshold, state.due, state.current) == (1_000, False, None)
            await house.ask("write 300 words about tea", talk)
            await house.ask("Thanks", talk)
            state = await service.state(talk)
            record, _ = await last_request(house, talk)
            assert record.usage is not None
            assert state.used is not None
            assert state.used.known is Known.MEASURED
            assert state.used.tokens == record.total.tokens + (record.usage.output or 0) >= 1_000
            assert state.due
            simulator.control(memo_reply("no", count=3), memo_reply())
            with pytest.raises(errors.MemoUnusable):
                await fold(house, talk, cause=CompactionCause.AUTOMATIC)
            assert not await service.is_due(talk)
            made = await fold(house, talk)
            assert made.after < made.before
            state = await service.state(talk)
            assert (state.due, state.current) == (False, made)
            await house.services.review.undo(talk)
            assert not await service.is_due(talk)

    asyncio.run(test())


def test_what_cannot_be_folded_is_said_before_anything_is_sent(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await house.ask("Hello")
            with pytest.raises(errors.NothingToFold) as raised:
                await fold(house, talk)
            assert raised.value.params == {"tokens": 40}
            empty = await house.services.chat.new_conversation("x")
            with pytest.raises(errors.NothingToFold):
                await house.services.compaction.plan(empty.id)
            large = await house.ask("Hello " + "tea leaves " * 3_300)
            await house.ask("Thanks", large)
            made = await fold(house, large)
            assert (made.written_by, made.after < made.before // 4) == (WrittenBy.SEPARATE, True)
        assert refused(simulator) == 0

    asyncio.run(test())


def test_thinking_that_no_longer_fits_is_left_out_of_the_memos_request(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL, instructions="Be brief and kind. " * 60) as house:
            talk = await talk_of(house)
            store = house.services.store
            first = (await house.path(talk))[3]
            changed = tuple(
                {**block, "signature": block["signature"][:-8] + "AAAAAAA="} if block["type"] == "thinking" else block
                for block in first.blocks
            )
            assert changed != first.blocks
            await store.finish(replace(first, blocks=changed), (await store.requests(talk))[0])
            epochs = await store.epochs(talk)
            simulator.control(memo_reply(count=2))  # the refused request takes one
            made = await fold(house, talk)
            assert made.summary == MEMO
            assert [type(event.error) for event in house.of(turn_events.RetryScheduled)] == [errors.ThinkingUnfit]
            assert await store.epochs(talk) == epochs
        assert refused(simulator) == 1

    asyncio.run(test())


RESTING = {**SMALL, "fold_tokens": 1_000, "fold_automatically": True, "instructions": "Be brief and kind. " * 130}


def begun(house: House) -> int:
    """How many compactions began."""
    return sum(one.attempt == 1 for one in house.of(turn_events.FoldingStarted))


async def folded_talk(house: House, simulator: RunningSimulator) -> str:
    """A conversation beyond the threshold that has just folded itself."""
    talk = await house.ask("Hello")
    simulator.control(memo_reply())
    await talk_more(house, talk, "write 300 words about tea", "Thanks")
    assert len(house.of(turn_events.FoldingDone)) == 1
    return talk


def test_what_was_taken_back_stays_so_after_more_turns(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **RESTING) as house:
            talk = await folded_talk(house, simulator)
            house.services.settings.use_in_profile(fold_automatically=False)
            await talk_more(house, talk, *[f"write 60 words about harbour {number}" for number in range(4)])
            house.services.settings.use_in_profile(fold_automatically=True)
            assert len(await house.services.review.undo(talk)) == 1
            await house.ask("Hello.", talk)
            assert begun(house) == 1
            assert await house.services.compaction.current(talk) is None
            await house.ask("write 400 words about rivers", talk)
            assert begun(house) > 1  # it has grown by a fifth of the threshold

    asyncio.run(test())


def test_what_another_run_took_back_is_not_folded_at_once(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **RESTING) as house:
            talk = await folded_talk(house, simulator)
            async with open_house(tmp_path, simulator.url, **RESTING) as other:
                assert len(await other.services.review.undo(talk)) == 1
            await house.ask("Hello.", talk)
            assert begun(house) == 1
        async with open_house(tmp_path, simulator.url, **RESTING) as house:
            await house.ask("Hello again.", talk)
            assert house.of(turn_events.FoldingStarted) == []

    asyncio.run(test())


def test_a_folding_in_vain_is_not_paid_for_again_after_a_restart(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **RESTING) as house:
            talk = await house.ask("Hello")
            simulator.control(memo_reply("Sure!", count=3))
            await talk_more(house, talk, "write 300 words about tea", "Thanks")
            assert len(await memos_of(house, talk)) == 3
        async with open_house(tmp_path, simulator.url, **RESTING) as house:
            await house.ask("Hello.", talk)
            assert len(await memos_of(house, talk)) == 3

    asyncio.run(test())
