"""A process killed while it compacts leaves the context as it was or as it was to be, and the conversation goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.crash_compaction import Stages, fold_crash_once
from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSimulator]:
    """A simulator that keeps what it gets."""
    with RunningSimulator(record=tmp_path_factory.mktemp("log")) as running:
        yield running


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory, recording: RunningSimulator) -> Stages:
    """Shared by all kills."""
    return Stages(tmp_path_factory.mktemp("stages"), recording.url)


@pytest.mark.parametrize("seed", range(10))
def test_a_kill_leaves_the_old_context_or_the_new_one(
    tmp_path: Path, recording: RunningSimulator, stages: Stages, seed: int
) -> None:
    assert fold_crash_once(seed, stages, tmp_path, recording).faults == ()
