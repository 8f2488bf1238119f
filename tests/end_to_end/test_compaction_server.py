"""The API's own compaction: its block is kept and sent back once and unchanged, and never beside a summary of ours."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import CompactionState, Strategy, WrittenBy
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.errors import StrategyNotOffered, SummaryUnusable
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose
from tests.end_to_end.compaction_stage import (
    LARGE,
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

AT_THRESHOLD = {**LARGE, "fold_strategy": "server", "fold_automatically": True, "fold_tokens": 50_000}
CALM = "The weather at the harbour was calm and the boats came in one after the other. "
LONG_TALK = ("My rack 14 holds the part P-7716. " + CALM * 1_500, "Noted.", "And more. " + CALM * 1_500, "Fine.")
"""About 51,000 tokens."""


def blocks_in(request: Request) -> list[Block]:
    """The compaction blocks of a request."""
    return [block for _, block in request.blocks() if block.get("type") == "compaction"]


def edits_in(request: Request) -> list[Block]:
    return list(request.params.get("context_management", {}).get("edits", []))


@pytest.fixture
def eager(simulator: RunningSimulator) -> RunningSimulator:
    """A simulator that compacts however small a conversation is."""
    simulator.features(least_trigger=1)
    return simulator


def test_a_block_made_on_demand_is_sent_back_once_and_unchanged_also_after_a_restart(
    tmp_path: Path, eager: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, eager.url, **SMALL) as house:
            talk = await talk_of(house)
            made = await fold(house, talk, Strategy.SERVER_NOW)
            assert made.block is not None and made.block["signature"] and made.written_by is WrittenBy.SERVER
            assert not made.editable
            ((record, asked),) = await summaries(house, talk)
            assert asked.params["compaction"] == {"type": "summarize"} and not edits_in(asked)
            assert record.id in made.request_ids
            await talk_of(house, "Thanks", "Great", talk=talk)
            for _, request in (await sent(house, talk, RequestPurpose.CHAT))[-2:]:
                assert blocks_in(request) == [made.block]
                assert request.messages[0].role == "assistant"
                assert "I like green tea" not in to_json([one.as_json() for one in request.messages[1:]])
        async with open_house(tmp_path, eager.url, **SMALL) as house:
            await talk_of(house, "Fine", talk=talk)
            request = await last_chat(house, talk)
            assert blocks_in(request) == [made.block]
            assert len(await summaries(house, talk)) == 1

    asyncio.run(test())
    assert refused(eager) == []


def test_an_edit_of_an_earlier_message_drops_the_block_and_it_comes_back_with_its_branch(
    tmp_path: Path, eager: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        chat = house.services.chat
        talk = await talk_of(house)
        made = await fold(house, talk, Strategy.SERVER_NOW)
        await talk_of(house, "Thanks", talk=talk)
        tip = (await house.path(talk))[-1].id
        second = (await house.path(talk))[2]
        await chat.edit(second.id, "What is 7 * 6?", house.events.append, house.control)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [] and "Hello, I like green tea" in messages_of(request)
        assert await house.services.compaction.current(talk) is None
        await chat.use_version(talk, tip)
        await talk_of(house, "Back again", talk=talk)
        assert blocks_in(await last_chat(house, talk)) == [made.block]

    in_house(tmp_path, eager, test, **SMALL)


@pytest.mark.parametrize("ours", [Strategy.MEMO, Strategy.WINDOW])
def test_never_both_kinds_at_once(tmp_path: Path, eager: RunningSimulator, ours: Strategy) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house)
        first = await fold(house, talk, Strategy.SERVER_NOW)
        await talk_of(house, "What is 7 * 6?", "Thank you", talk=talk)
        second = await fold(house, talk, ours, by=WrittenBy.SEPARATE)
        assert second.base_id == first.id
        await talk_of(house, "Thanks", talk=talk)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [] and "<handover_memo>" in request.messages[0].blocks[0]["text"]
        await talk_of(house, "My boat is called Ann.", talk=talk)
        third = await fold(house, talk, Strategy.SERVER_NOW)
        await talk_of(house, "Great", talk=talk)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [third.block]
        assert messages_of(request).count("<handover_memo>") == (1 if third.summary else 0)
        assert second.summary not in messages_of(request)

    in_house(tmp_path, eager, test, **SMALL)


def test_a_block_on_demand_goes_with_no_edit_that_compacts(tmp_path: Path, eager: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house)
        assert edits_in(await last_chat(house, talk))
        made = await fold(house, talk)
        assert made.strategy is Strategy.SERVER_NOW
        await talk_of(house, "Thanks", talk=talk)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [made.block] and edits_in(request) == []
        assert house.of(turn_events.TurnFailed) == []

    in_house(tmp_path, eager, test, **{**SMALL, "fold_strategy": "server", "fold_automatically": True})


def test_with_review_the_api_is_asked_on_demand_and_the_block_waits(tmp_path: Path, eager: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *[f"My rack {n}. {CALM * 40}" for n in range(4)])
        state = await house.services.compaction.state(talk)
        assert state.proposal is not None and state.proposal.strategy is Strategy.SERVER_NOW
        assert state.current is None and edits_in(await last_chat(house, talk)) == []
        await house.services.chat.commit_fold(state.proposal.id)
        await talk_of(house, "Thanks", talk=talk)
        assert blocks_in(await last_chat(house, talk)) == [state.proposal.block]

    profile = {"fold_strategy": "server", "fold_review": True, "fold_automatically": True, "fold_tokens": 2_000}
    in_house(tmp_path, eager, test, **{**SMALL, **profile, "use_tools": False, "memory": False})


def test_at_the_threshold_the_api_compacts_and_the_pause_goes_on_by_itself(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await written(house, *LONG_TALK)
        await talk_of(house, "Thanks", talk=talk)
        assert [event.stop_reason for event in house.of(turn_events.TurnFinished)] == ["end_turn"]
        (first, asked), (second, answered) = await sent(house, talk, RequestPurpose.CHAT)
        assert (first.stop_reason, second.stop_reason) == ("compaction", "end_turn")
        (edit,) = edits_in(asked)
        assert edit["trigger"]["value"] == 50_000 and edit["pause_after_compaction"]
        (made,) = await house.services.store.compactions(talk)
        assert (made.strategy, made.written_by, made.state) == (
            Strategy.SERVER,
            WrittenBy.SERVER,
            CompactionState.ACTIVE,
        )
        assert made.request_ids == (first.id,)
        assert blocks_in(answered) == [made.block]
        assert "P-7716" in messages_of(answered)
        path = await house.path(talk)
        assert [message.text[:9] for message in path] == [
            "My rack 1",
            "Noted.",
            "And more.",
            "Fine.",
            "Thanks",
            path[-1].text[:9],
        ]
        state = await house.services.compaction.state(talk)
        assert state.used is not None and state.used.tokens < 5_000  # not what the pass that summarised had read
        assert first.usage is not None and first.usage.input_total + first.usage.sides[0].uncached > 50_000
        await talk_of(house, "Thanks", talk=talk)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [made.block]
        assert len(await sent(house, talk, RequestPurpose.CHAT)) == 3

    in_house(tmp_path, simulator, test, **AT_THRESHOLD)


def test_a_trigger_below_the_least_is_raised(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, "Hello")
        assert [edit["trigger"]["value"] for edit in edits_in(await last_chat(house, talk))] == [50_000]

    in_house(tmp_path, simulator, test, **{**AT_THRESHOLD, "fold_tokens": 1_000, "use_tools": False})


@pytest.mark.parametrize("outcome", [{"outcome": "failed"}, {"text": "They talked."}])
def test_a_compaction_of_the_api_that_comes_to_nothing_is_not_asked_for_every_turn(
    tmp_path: Path, simulator: RunningSimulator, outcome: dict[str, Any]
) -> None:
    simulator.control({"action": "compaction", "count": 0, **outcome})

    async def test(house: House) -> None:
        talk = await written(house, *LONG_TALK)
        await talk_of(house, *["Thanks"] * 4, talk=talk)
        assert len(house.of(turn_events.TurnFinished)) == 4
        passes = [one for one, _ in await sent(house, talk, RequestPurpose.CHAT) if one.usage and one.usage.sides]
        made = await house.services.store.compactions(talk)
        assert len(passes) == len(made) <= 2
        failed = house.of(turn_events.FoldingFailed)
        assert len(failed) == sum(one.state is CompactionState.FAILED for one in made)
        assert len(house.of(turn_events.FoldingStarted)) == len(failed) + len(house.of(turn_events.FoldingDone))

    in_house(tmp_path, simulator, test, **AT_THRESHOLD)


def test_a_model_without_it_gets_a_summary_of_ours_and_is_never_sent_a_block(
    tmp_path: Path, eager: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        compaction = house.services.compaction
        talk = await talk_of(house)
        block = (await fold(house, talk, Strategy.SERVER_NOW)).block
        await talk_of(house, "Thanks", talk=talk)
        assert blocks_in(await last_chat(house, talk)) == [block]
        house.services.settings.use_in_profile(model="claude-haiku-4-5", fold_model="claude-haiku-4-5")
        assert {name for name, why in await compaction.strategies() if why} == {Strategy.SERVER, Strategy.SERVER_NOW}
        with pytest.raises(StrategyNotOffered):
            await fold(house, talk, Strategy.SERVER_NOW)
        await talk_of(house, "And with the other model?", talk=talk)
        request = await last_chat(house, talk)
        assert blocks_in(request) == [] and edits_in(request) == []
        assert "Hello, I like green tea" in messages_of(request)
        made = await fold(house, talk)
        assert made.strategy is Strategy.MEMO and made.block is None
        await talk_of(house, "And after that?", talk=talk)
        assert "<handover_memo>" in messages_of(await last_chat(house, talk))

    in_house(tmp_path, eager, test, **{**SMALL, "fold_strategy": "server", "fold_by": "separate"})


def test_a_compaction_on_demand_that_fails_changes_nothing(tmp_path: Path, eager: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house)
        before = messages_of(await last_chat(house, talk))
        eager.control({"action": "compaction", "outcome": "failed"})
        with pytest.raises(SummaryUnusable):
            await fold(house, talk, Strategy.SERVER_NOW)
        (line,) = await house.services.review.log(talk)
        assert (line.compaction.state, line.asked) == (CompactionState.FAILED, 1)
        assert await house.services.compaction.current(talk) is None
        await talk_of(house, "Thanks", talk=talk)
        assert messages_of(await last_chat(house, talk)).startswith(before[:-1])

    in_house(tmp_path, eager, test, **SMALL)
