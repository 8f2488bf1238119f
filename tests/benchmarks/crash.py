"""Seeded kills in the middle of a turn (with `compaction` of a compaction, with `memory` of writes of memory): what is
lost, and whether everything goes on."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.report import Figure, Report
from tests.fakes.crash import FLUSH_SECONDS, Crash, crash_once
from tests.fakes.crash_compaction import ACTS, FoldCrash, Stages, fold_crash_once
from tests.fakes.crash_memory import MemoryCrash, memory_crash_once
from tests.fakes.simulator import RunningSimulator

KILLS = 200
MEMORY_KILLS = 100


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


def measure_compaction() -> Report:
    """Kills while a context is exchanged, looks which one is there, sends again."""
    report = Report("crash compaction", ("act", "kills", "old context", "new context", "faults"))
    crashes: list[FoldCrash] = []
    with tempfile.TemporaryDirectory() as name, RunningSimulator(record=Path(name) / "log") as simulator:
        stages = Stages(Path(name) / "stages", simulator.url)
        for seed in range(KILLS):
            with tempfile.TemporaryDirectory() as folder:
                crash = fold_crash_once(seed, stages, Path(folder), simulator)
            crashes.append(crash)
            for file in (Path(name) / "log").glob("*.json"):
                file.unlink()
            if crash.faults:
                report.skipped.append(f"seed {seed} ({crash.act}, {crash.after:.3f} s): {'; '.join(crash.faults)}")
    for act in ACTS:
        own = [crash for crash in crashes if crash.act == act]
        new, faults = sum(crash.new for crash in own), sum(len(crash.faults) for crash in own)
        report.rows.append((act, str(len(own)), str(len(own) - new), str(new), str(faults)))
    report.figures = [
        Figure("kills", len(crashes)),
        Figure("contexts lost or mixed, conversations that do not go on", sum(bool(c.faults) for c in crashes), 0),
        Figure("kills that left the old context", sum(not crash.new for crash in crashes)),
    ]
    return report


def measure_memory() -> Report:
    """Kills while facts and messages are written, opens again, repairs, compares database and index."""
    report = Report("crash memory", ("seed", "killed after", "acts acknowledged", "faults"))
    crashes: list[MemoryCrash] = []
    for seed in range(MEMORY_KILLS):
        with tempfile.TemporaryDirectory() as folder:
            crash = memory_crash_once(seed, Path(folder))
        crashes.append(crash)
        if crash.faults:
            report.skipped.append(f"seed {seed} ({crash.after:.3f} s): {'; '.join(crash.faults)}")
    busiest = sorted(crashes, key=lambda crash: crash.acts)[-10:]
    report.rows = [
        (str(crash.seed), f"{crash.after:.2f} s", str(crash.acts), str(len(crash.faults))) for crash in busiest
    ]
    report.figures = [
        Figure("kills", len(crashes)),
        Figure("acts acknowledged", sum(crash.acts for crash in crashes)),
        Figure(
            "kills after which something acknowledged was lost, or index and database differed",
            sum(bool(crash.faults) for crash in crashes),
            0,
        ),
    ]
    return report


def read_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="?", choices=("turn", "compaction", "memory"), default="turn", help="what is killed"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


if __name__ == "__main__":
    given = read_arguments()
    measures = {"turn": measure, "compaction": measure_compaction, "memory": measure_memory}
    report = measures[given.what]()
    sys.exit(report.finish(given.json))
