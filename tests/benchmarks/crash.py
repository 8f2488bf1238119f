"""Two hundred seeded kills in the middle of a turn: what is lost, and whether everything goes on."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.crash import FLUSH_SECONDS, Crash, crash_once
from tests.fakes.simulator import RunningSimulator

KILLS = 200


def measure() -> Report:
    """Kills, opens again, sends again."""
    report = Report("crash", ("seed", "killed after", "arrived", "kept", "lost"))
    crashes: list[Crash] = []
    with RunningSimulator() as simulator:
        for seed in range(KILLS):
            simulator.reset()
            simulator.control({"action": "slow", "tokens_per_second": 150, "match": {"text": "긴 글"}})
            with tempfile.TemporaryDirectory() as folder:
                crash = crash_once(seed, Path(folder), simulator.url)
            crashes.append(crash)
            if crash.faults:
                report.skipped.append(f"seed {seed}: {'; '.join(crash.faults)}")
    worst = sorted(crashes, key=lambda crash: crash.lost)[-10:]
    report.rows = [
        (str(crash.seed), f"{crash.after:.2f} s", str(crash.arrived), str(crash.kept), f"{crash.lost:.2f} s")
        for crash in worst
    ]
    report.figures = [
        Figure("kills", len(crashes)),
        Figure("faults", sum(len(crash.faults) for crash in crashes), 0),
        Figure("most lost", max(crash.lost for crash in crashes), FLUSH_SECONDS + 0.5, " s"),
    ]
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
