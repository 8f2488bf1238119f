"""Compaction inside a turn: what does not fit is given room once, and the API clears what it is asked to."""

from __future__ import annotations

import asyncio
from pathlib import Path

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction.compaction import CompactionCause, CompactionState, Strategy
from desktop_app.core.conversation import to_json
from desktop_app.core.request_log import RequestPurpose
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

SMALL = {"model": "claude-sim-small", "fold_keep": 40, "fold_tokens": 100_000, "fold_share": 95}
"""A window of 8,000 tokens that is compacted only when it is full."""
LONG = "The harbour lies below the old town and its quay is grey. "


async def talk_of(house: House, words: int) -> str:
    talk = await house.ask("From now on answer in English. " + LONG * words)
    await house.ask("Thanks", talk)
    return talk


def test_a_question_that_does_not_fit_is_given_room_before_it_is_sent(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house, 230)
            await house.ask("Is it grey? " + LONG * 230, talk)
            assert house.of(turn_events.TurnFailed) == []
            assert len(house.of(turn_events.TurnFinished)) == 3
            (made,) = await house.services.store.compactions(talk)
            assert (made.cause, made.state) == (CompactionCause.AUTOMATIC, CompactionState.ACTIVE)
            assert "From now on answer in English." in made.summary

    asyncio.run(test())


def test_without_automatic_compaction_the_turn_says_what_does_not_fit(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL, fold_automatically=False) as house:
            talk = await talk_of(house, 230)
            await house.ask("Is it grey? " + LONG * 230, talk)
            assert [type(one.error) for one in house.of(turn_events.TurnFailed)] == [errors.ContextTooLarge]
            assert await house.services.store.compactions(talk) == []

    asyncio.run(test())


def test_inside_the_tool_loop_closed_turns_give_room_and_thinking_is_dropped_in_the_open(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **SMALL) as house:
            talk = await talk_of(house, 300)
            call = {"type": "tool_use", "name": "calculator", "input": {"expression": "6 * 7"}}
            thought = {"type": "thinking", "thinking": "I have to work that out. " + LONG * 120}
            simulator.control({"action": "reply", "content": [thought, call], "stop_reason": "tool_use"})
            simulator.control({"action": "reply", "text": LONG * 60})
            before = len(await house.path(talk))
            await house.ask("What is 6 * 7?", talk)
            assert house.of(turn_events.TurnFailed) == []
            (made,) = await house.services.store.compactions(talk)
            assert made.folded == before  # every closed turn, nothing of the open one
            records = [one for one in await house.services.store.requests(talk) if one.purpose is RequestPurpose.CHAT]
            _, request = await house.services.store.request(records[-1].id)
            assert request.params["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}
            kept = [block for _, block in request.blocks() if block.get("type") == "thinking"]
            assert [block["thinking"] for block in kept] == [thought["thinking"]]
            assert [one.count for one in house.of(turn_events.ThinkingDropped)] == [1]

    asyncio.run(test())


def test_old_results_are_cleared_by_the_api_and_that_is_kept_with_the_request(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    settings = {"fold_tokens": 3_000, "fold_automatically": False, "clear_tool_results": True}

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **settings) as house:
            talk: str | None = None
            for number in range(7):
                call = {"type": "tool_use", "name": "search_conversation", "input": {"query": "harbour"}}
                simulator.control({"action": "reply", "content": [call], "stop_reason": "tool_use"})
                talk = await house.ask(f"Question {number}: what of the harbour? {LONG * 40}", talk)
            assert talk is not None
            records = await house.services.store.requests(talk)
            cleared = [record for record in records if record.edits]
            assert cleared
            assert cleared[-1].edits[0]["type"] == "clear_tool_uses_20250919"
            assert cleared[-1].edits[0]["cleared_tool_uses"] >= 1
            _, request = await house.services.store.request(cleared[-1].id)
            assert "context_management" in request.params
            # The local history is whole, and the rows still sum to what was measured.
            assert "cleared" not in to_json([list(message.blocks) for message in await house.path(talk)])
            assert sum(figure.tokens for _, figure in cleared[-1].rows) == cleared[-1].total.tokens

    asyncio.run(test())


def test_what_the_endpoint_cannot_do_is_not_offered(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        simulator.features("compaction.summarize", "context_management.compact_20260112")
        async with open_house(tmp_path, simulator.url, **SMALL, fold_strategy="server") as house:
            offered = dict(await house.services.compaction.strategies())
            assert offered[Strategy.SERVER] == offered[Strategy.SERVER_NOW] == "compaction.not_offered"
            assert not any(offered[one] for one in (Strategy.MEMO, Strategy.RUNNING, Strategy.TIERS, Strategy.WINDOW))
            talk = await talk_of(house, 200)
            plan = await house.services.compaction.plan(talk)
            assert plan.strategy is Strategy.MEMO  # what takes its place

    asyncio.run(test())
