"""A process killed while it works on memory loses nothing that was acknowledged, and index and database agree again."""

from __future__ import annotations

from pathlib import Path

import chromadb  # noqa: F401  (imported before the fork: each child starts at once)
import pytest

from tests.fakes.crash_memory import memory_crash_once


@pytest.mark.parametrize("seed", range(10))
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path, seed: int) -> None:
    assert memory_crash_once(seed, tmp_path).faults == ()
