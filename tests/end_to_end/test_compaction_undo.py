"""Undo restores the bytes of before, then compaction rests; a proposal changes nothing; what fails leaves its trace."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import CompactionState, Strategy, WrittenBy
from desktop_app.core.compaction.memo import Section, memo_block_text, memo_text
from desktop_app.core.errors import AppError, MemoUnusable, ProposalOutdated, SummaryUnusable
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose
from tests.end_to_end.compaction_stage import (
    PLAIN,
    SMALL,
    fold,
    in_house,
    last_chat,
    messages_of,
    refused,
    sent,
    summaries,
    talk_of,
    written,
)
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

CALM = "The weather at the harbour was calm and the boats came in one after the other. "
RESTING = {**PLAIN, "fold_tokens": 2_000, "fold_automatically": True, "memory": False, "use_tools": False}


async def next_request(house: House, talk: str) -> Request:
    """The next request as it would leave."""
    found = await house.services.context.next_request(talk, "next")
    assert found is not None
    return found.request


def without_thinking(request: Request) -> list[Any]:
    """The messages; of thinking, which is bound to the past it was given, nothing is left."""
    return [
        (one.role, [block for block in one.blocks if block["type"] != "thinking"]) for one in request.messages
    ]  # fmt: skip


KINDS = (Strategy.RUNNING, Strategy.SERVER_NOW, Strategy.WINDOW)


def test_three_steps_back_the_requests_are_those_of_before_byte_for_byte(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        undo = house.services.chat.undo_fold
        talk = await talk_of(house)
        before = []
        for kind in KINDS:
            await talk_of(house, f"My boat is called Ann. {CALM}", f"I keep the keys in the drawer. {CALM}", talk=talk)
            before.append(await next_request(house, talk))
            made = await fold(house, talk, kind, by=WrittenBy.SEPARATE)
            assert messages_of(await next_request(house, talk)) != messages_of(before[-1])
            assert [one.id for one in await undo(talk)] == [made.id]
            assert (await next_request(house, talk)).body_bytes() == before[-1].body_bytes()
            await fold(house, talk, kind, by=WrittenBy.SEPARATE)
        for earlier in reversed(before):
            (undone,) = await undo(talk)
            assert undone.state is CompactionState.UNDONE
            then, now = without_thinking(earlier), without_thinking(await next_request(house, talk))
            assert now[: len(then) - 1] == then[:-1]  # the turns that came since stand behind
        assert await undo(talk) == []
        text = messages_of(await next_request(house, talk))
        await talk_of(house, "next", talk=talk)
        assert messages_of(await last_chat(house, talk)) == text

    in_house(tmp_path, simulator, test, **SMALL)


def test_several_are_taken_back_at_once_and_the_order_of_the_log_stays(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house)
        before = without_thinking(await next_request(house, talk))
        first = await fold(house, talk)
        await talk_of(house, "Thanks", "Fine", talk=talk)
        await fold(house, talk)
        undone = await house.services.chat.undo_fold(talk, first.id)
        assert [one.state for one in undone] == [CompactionState.UNDONE] * 2 and undone[1].id == first.id
        assert without_thinking(await next_request(house, talk))[: len(before) - 1] == before[:-1]
        lines = await house.services.review.log(talk)
        assert [(line.number, line.compaction.state) for line in lines] == [
            (1, CompactionState.UNDONE), (2, CompactionState.UNDONE),
        ]  # fmt: skip

    in_house(tmp_path, simulator, test, **PLAIN)


def test_after_an_undo_it_rests_until_the_context_has_grown_by_a_fifth(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        service = house.services.compaction
        talk = await talk_of(house, *[f"My rack {n}. {CALM * 30}" for n in range(4)])
        assert len(house.of(turn_events.FoldingDone)) == 1
        await house.services.chat.undo_fold(talk)
        state = await service.state(talk)
        assert state.used is not None and state.rests_until is not None
        assert not state.due and state.used.tokens >= state.threshold
        assert 0.18 * state.threshold <= state.rests_until - state.used.tokens <= 0.22 * state.threshold
        async with asyncio.timeout(15):
            while state.used.tokens < (state.rests_until or 0):
                until = state.rests_until
                await house.ask(f"My boat. {CALM * 3}", talk)
                state = await service.state(talk)
                assert state.used is not None
                assert until is not None and abs((state.rests_until or until) - until) < 0.03 * state.threshold
                if state.current is not None:
                    break
        assert state.current is not None

    in_house(tmp_path, simulator, test, **RESTING)


def test_the_rest_never_goes_beyond_nine_tenths_of_the_window(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *[f"My rack {n}. {CALM * n}" for n in (90, 90, 90, 45)])
        await fold(house, talk)
        await house.services.chat.undo_fold(talk)
        state = await house.services.compaction.state(talk)
        assert state.used is not None and state.used.tokens >= state.threshold == 6_000
        assert state.rests_until == 7_200  # a fifth more would be beyond it
        assert state.used.tokens + 1_200 > 7_200 and not state.due

    in_house(tmp_path, simulator, test, **{**PLAIN, "use_tools": False, "memory": False, "output_limit": 300})


def test_a_proposal_changes_nothing_that_is_sent_until_it_is_committed(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        service, chat = house.services.compaction, house.services.chat
        talk = await talk_of(house, *[f"My rack {n}. {CALM * 30}" for n in range(3)])
        before = without_thinking(await next_request(house, talk))
        await talk_of(house, f"My rack 3. {CALM * 30}", talk=talk)
        state = await service.state(talk)
        assert state.proposal is not None and state.current is None and not state.due
        assert without_thinking(await next_request(house, talk))[: len(before) - 1] == before[:-1]
        asked = len(await summaries(house, talk))
        await talk_of(house, "Thanks", talk=talk)
        assert without_thinking(await last_chat(house, talk))[: len(before) - 1] == before[:-1]
        assert len(await summaries(house, talk)) == asked  # one proposal waits, none is made beside it
        made = await chat.commit_fold(state.proposal.id)
        assert (made.id, made.state) == (state.proposal.id, CompactionState.ACTIVE)
        await talk_of(house, "Fine", talk=talk)
        assert (await last_chat(house, talk)).messages[0].blocks[0]["text"] == memo_block_text(made.summary)
        with pytest.raises(ProposalOutdated):
            await chat.commit_fold(made.id)

    in_house(tmp_path, simulator, test, **RESTING, fold_review=True)


def test_a_rejected_proposal_stays_out_of_use_and_no_other_is_made_at_once(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        service = house.services.compaction
        talk = await house.ask(f"My rack. {CALM * 30}")
        while (await service.state(talk)).proposal is None:
            await house.ask(f"My rack. {CALM * 30}", talk)
        before = messages_of(await next_request(house, talk))
        proposal = (await service.state(talk)).proposal
        assert proposal is not None
        assert (await house.services.chat.reject_fold(proposal.id)).state is CompactionState.REJECTED
        assert messages_of(await next_request(house, talk)) == before
        await talk_of(house, "Thanks", talk=talk)
        state = await service.state(talk)
        assert (state.due, state.proposal, state.current) == (False, None, None) and state.rests_until is not None
        log = await house.services.review.log(talk)
        assert [(one.number, one.compaction.state) for one in log] == [(1, CompactionState.REJECTED)]

    in_house(tmp_path, simulator, test, **RESTING, fold_review=True)


def test_what_the_person_took_out_does_not_come_back_and_an_edit_can_be_taken_back(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        chat = house.services.chat
        talk = await talk_of(house, f"My rack 14 holds P-7716. {CALM}", f"The door code is DC-99021. {CALM}", "Thanks")
        made = await fold(house, talk)
        assert "DC-99021" in made.summary and "P-7716" in made.summary
        text = "\n".join(line for line in made.summary.split("\n") if "DC-99021" not in line)
        edited = await chat.revise_fold(made.id, text)
        assert edited.edited and edited.state is CompactionState.ACTIVE
        # It shares no word with what folded, which is recalled where it bears on a message.
        await talk_of(house, "My sister is called Ann.", "Thanks", talk=talk)
        assert "DC-99021" not in messages_of(await last_chat(house, talk))
        second = await fold(house, talk)
        assert "P-7716" in second.summary
        assert "DC-99021" not in second.summary + messages_of(await next_request(house, talk))
        back = await chat.undo_fold(talk) + await chat.undo_fold(talk)
        assert [one.id for one in back] == [second.id, edited.id]
        assert (await next_request(house, talk)).messages[0].blocks[0]["text"] == memo_block_text(made.summary)

    in_house(tmp_path, simulator, test, **PLAIN)


def test_a_proposal_is_outdated_once_another_is_in_use(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        chat = house.services.chat
        talk = await talk_of(house)
        first = await fold(house, talk, review=True)
        simulator.control({"action": "memo", "mode": "lossy"})
        await chat.fold_again(first.id, house.events.append, house.control)
        proposal = (await house.services.compaction.state(talk)).proposal
        assert proposal is not None and proposal.id != first.id
        with pytest.raises(ProposalOutdated):
            await chat.commit_fold(first.id)
        used = await fold(house, talk)
        with pytest.raises(ProposalOutdated):
            await chat.commit_fold(proposal.id)
        assert await house.services.compaction.current(talk) == used

    in_house(tmp_path, simulator, test, **PLAIN)


GOOD = memo_text({**dict.fromkeys(Section, "none"), Section.FACTS: "They talked of tea."}, "en")
FAULTS: dict[str, tuple[dict[str, Any], type[AppError], str]] = {
    "blank": ({"action": "memo", "mode": "blank"}, SummaryUnusable, "blank"),
    "cut": ({"action": "memo", "mode": "cut"}, SummaryUnusable, "cut"),
    "refused": ({"action": "memo", "mode": "refusal"}, SummaryUnusable, "refused"),
    "too long": (
        {"action": "reply", "text": GOOD + f"\n{CALM * 90}", "match": {"memo": True}},
        SummaryUnusable,
        "too_long",
    ),
    "no summary": ({"action": "reply", "text": "Sure!", "match": {"memo": True}}, MemoUnusable, ""),
    "broken off": ({"action": "eof", "after": 3, "match": {"memo": True}}, AppError, ""),
    "failed": ({"action": "status", "status": 400, "match": {"memo": True}}, AppError, ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_summary_that_is_none_changes_nothing_and_stands_in_the_log(
    tmp_path: Path, simulator: RunningSimulator, fault: str
) -> None:
    step, kind, why = FAULTS[fault]

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PLAIN) as house:
            said = (f"Hello. {CALM * 30}", "Hi.", f"The code is 7F3E. {CALM * 30}", "Noted.", "Thanks", "Fine.")
            talk = await written(house, *said)
            path, before = await house.path(talk), messages_of(await next_request(house, talk))
            epochs = await house.services.store.epochs(talk)
            simulator.control({**step, "count": 0})
            with pytest.raises(kind) as raised:
                await fold(house, talk)
            assert raised.value.params.get("why", "") == why
            assert (await house.path(talk), messages_of(await next_request(house, talk))) == (path, before)
            assert await house.services.store.epochs(talk) == epochs
            assert [one.error for one in house.of(turn_events.FoldingFailed)] == [raised.value]
            asked = [record.id for record, _ in await summaries(house, talk)]
            (line,) = await house.services.review.log(talk)
            made = line.compaction
            assert (made.state, made.failed_of[0], list(made.request_ids)) == (
                CompactionState.FAILED,
                raised.value.word,
                asked,
            )
            assert 1 <= line.asked == len(asked) <= 2
            simulator.control({"action": "memo", "mode": "faithful"}, replace=True)
            assert (await fold(house, talk)).state is CompactionState.ACTIVE
            await talk_of(house, "Thanks", talk=talk)
            assert len(await sent(house, talk, RequestPurpose.CHAT)) == 1

    asyncio.run(test())
    assert len(refused(simulator)) == (1 if fault == "failed" else 0)
