"""Forty turns with tools and thinking against the strict server: no refusal, and every figure true.

The rows of a third of the turns are compared here; `tests.benchmarks.counting` compares those of all.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.core import turn_events
from desktop_app.core.segment import Segment
from tests.fakes.forty_turns import INSTRUCTIONS, PROMPTS, RowOracle
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator

HEAD = (Segment.SYSTEM, Segment.TOOLS, Segment.FACTS)


@pytest.mark.timed
def test_forty_turns_are_accepted_and_every_row_is_true(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=INSTRUCTIONS) as house:
            talk = None
            for prompt in PROMPTS:
                talk = await house.ask(prompt, talk)
            assert talk is not None
            assert len(house.of(turn_events.TurnFinished)) == len(PROMPTS)
            counts = len(simulator.recorded("/v1/messages/count_tokens"))
            assert 30 <= counts <= len(PROMPTS)
            assert [row["status"] for row in simulator.recorded() if row["status"] >= 400] == []
            oracle = RowOracle(simulator.http, simulator.headers())
            records = await house.services.store.requests(talk)
            assert {record.turn for record in records} == set(range(1, 41))
            assert len({record.turn for record in records if record.counted is not None}) >= 30
            wrong = []
            for record in (record for record in records if record.turn <= 6 or record.turn % 5 == 0):
                stored, request = await house.services.store.request(record.id)
                assert sum(figure.tokens for _, figure in stored.rows) == stored.total.tokens
                assert stored.usage is not None
                assert stored.usage.input_total == stored.total.tokens
                if stored.counted is not None:
                    assert stored.counted == stored.total.tokens
                rows = {segment: figure.tokens for segment, figure in stored.rows}
                true = oracle.rows(record, request)
                # What stands before the messages is exact as a sum: what one row of it has too much another lacks.
                head = 0.04 * sum(true.get(segment, 0) for segment in HEAD)
                for segment, tokens in true.items():
                    allowed = max(30, 0.1 * tokens, head if segment in HEAD else 0)
                    if abs(rows.get(segment, 0) - tokens) > allowed:
                        wrong.append((record.turn, record.round, segment.value, rows.get(segment, 0), tokens))
            assert wrong == []

    asyncio.run(test())
