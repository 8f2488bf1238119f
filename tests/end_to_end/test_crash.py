"""A process killed in the middle of a turn loses at most a second of the answer and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.crash import FLUSH_SECONDS, crash_once
from tests.fakes.simulator import RunningSimulator


@pytest.mark.parametrize("seed", range(10))
def test_a_kill_loses_at_most_a_second(tmp_path: Path, simulator: RunningSimulator, seed: int) -> None:
    simulator.control({"action": "slow", "tokens_per_second": 150, "match": {"text": "긴 글"}})
    crash = crash_once(seed, tmp_path, simulator.url)
    assert crash.faults == ()
    # Half a second for a busy machine between a piece's arrival and its flush.
    assert crash.lost <= FLUSH_SECONDS + 0.5
