"""One simulator for a module of tests, reset before each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def module_simulator() -> Iterator[RunningSimulator]:
    """Starts once per module."""
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def simulator(module_simulator: RunningSimulator) -> RunningSimulator:
    """The module's simulator without scenario, log or cache of an earlier test."""
    module_simulator.reset()
    return module_simulator
