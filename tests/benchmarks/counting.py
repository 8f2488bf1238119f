"""How many count_tokens calls a user turn takes, over forty turns with tools and thinking."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.forty_turns import INSTRUCTIONS, PROMPTS, RowOracle
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator


async def measure() -> Report:
    """Runs the forty turns and compares every row with the server's own count."""
    report = Report("counting", ("turn", "requests", "input tokens", "estimated before", "worst row error"))
    with RunningSimulator() as simulator, tempfile.TemporaryDirectory() as folder:
        async with open_house(Path(folder), simulator.url, instructions=INSTRUCTIONS) as house:
            talk = None
            for prompt in PROMPTS:
                talk = await house.ask(prompt, talk)
            assert talk is not None
            log = simulator.recorded()
            records = await house.services.store.requests(talk)
            oracle = RowOracle(simulator.http, simulator.headers())
            worst_ratio, drifts = 0.0, []
            for turn in range(1, len(PROMPTS) + 1):
                of_turn = [record for record in records if record.turn == turn]
                worst = 0
                for record in of_turn:
                    _, request = await house.services.store.request(record.id)
                    rows = {segment: figure.tokens for segment, figure in record.rows}
                    for segment, tokens in oracle.rows(record, request).items():
                        error = abs(rows.get(segment, 0) - tokens)
                        worst = max(worst, error)
                        worst_ratio = max(worst_ratio, error / max(30, 0.1 * tokens))
                first = of_turn[0]
                drifts.append(abs(first.estimated - first.total.tokens) / first.total.tokens)
                report.rows.append(
                    (str(turn), str(len(of_turn)), f"{first.total.tokens:,}", f"{first.estimated:,}", str(worst))
                )
    counts = sum(1 for row in log if row["path"].endswith("count_tokens"))
    refused = sum(1 for row in log if row["status"] >= 400)
    report.figures = [
        Figure("count_tokens calls per user turn", counts / len(PROMPTS), 1.0),
        Figure("refused requests", refused, 0),
        Figure("worst row error as a share of what is allowed", worst_ratio, 1.0),
        Figure("mean drift of the estimate", 100 * sum(drifts) / len(drifts), unit=" %"),
    ]
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(asyncio.run(measure()).finish(target))
