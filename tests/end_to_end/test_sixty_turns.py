"""Sixty turns with tools, thinking, edited facts, two foldings and a restart: nothing refused, the cache read on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pytest

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import WrittenBy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.services.turn import TurnControl
from tests.fakes.forty_turns import INSTRUCTIONS, PROMPTS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

# About 4,000 tokens.
LONG_INSTRUCTIONS = "\n".join(
    [INSTRUCTIONS, *(f"Rule {number}: keep to what is written here, in plain words." for number in range(1, 240))]
)
TURNS, RESTART = 60, 30
FOLDINGS = (20, 45)
EDITS = {
    5: ("editor", "vim"),
    12: ("editor", "helix"),
    26: ("커피", "진하게"),
    33: ("커피", "연하게"),
    50: ("nas", "nas-7"),
}
REMEMBER = 9


async def play(house: House, talk: str | None, turns: Iterable[int]) -> str:
    """Some of the turns: facts edited, the past folded, one fact saved by the assistant."""
    memory, chat = house.services.memory, house.services.chat
    for turn in turns:
        if turn in EDITS:
            await memory.add(*EDITS[turn])
        text = "Remember that my bicycle is green." if turn == REMEMBER else PROMPTS[turn % len(PROMPTS)]
        talk = await house.ask(text, talk)
        if turn in FOLDINGS:
            await chat.fold(talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl())
    assert talk is not None
    return talk


def read_share(records: Iterable[RequestRecord]) -> float:
    """Tokens read from the cache as a share of all input."""
    usages = [record.usage for record in records if record.usage is not None]
    return sum(usage.read or 0 for usage in usages) / sum(usage.input_total or 0 for usage in usages)


@pytest.mark.timed
def test_sixty_turns_are_accepted_and_read_their_prefix(tmp_path: Path, simulator: RunningSimulator) -> None:
    profile = {"instructions": LONG_INSTRUCTIONS, "fold_automatically": False, "fold_keep": 1_500, "fold_tokens": 8_000}

    async def test() -> list[RequestRecord]:
        async with open_house(tmp_path, simulator.url, **profile) as house:
            house.services.gate.allow_all = True
            talk = await play(house, None, range(1, RESTART + 1))
            assert len(house.of(turn_events.FoldingDone)) == 1
            assert "green" in (await house.services.memory.fact("bicycle")).value
        async with open_house(tmp_path, simulator.url, **profile) as house:
            await play(house, talk, range(RESTART + 1, TURNS + 1))
            assert len(house.of(turn_events.FoldingDone)) == 1
            records = await house.services.store.requests(talk)
            for record in records:
                stored, _ = await house.services.store.request(record.id)
                assert sum(figure.tokens for _, figure in stored.rows) == stored.total.tokens
                if stored.counted is not None and stored.usage is not None:
                    assert stored.counted == stored.usage.input_total
            return records

    records = asyncio.run(test())
    assert [row["status"] for row in simulator.recorded() if row["status"] >= 400] == []
    # A summary that lost values is asked for once more.
    assert len(FOLDINGS) <= sum(record.purpose is RequestPurpose.MEMO for record in records) <= 2 * len(FOLDINGS)
    of_turns = [record for record in records if record.purpose is RequestPurpose.CHAT]
    assert {record.turn for record in of_turns} == set(range(1, TURNS + 1))
    assert any(segment is Segment.SUMMARY for segment, _ in of_turns[-1].rows)
    assert any(segment is Segment.RECALLED for segment, _ in of_turns[-1].rows)
    assert len({record.turn for record in of_turns if record.counted is not None}) >= 45
    after = {turn + 1 for turn in FOLDINGS}
    counted = [record for record in of_turns if record.turn >= 3 and not (record.turn in after and record.round == 1)]
    assert read_share(counted) > 0.9
