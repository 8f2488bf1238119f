"""What a model or a server lacks is switched off and named, whoever runs it; nothing it refuses is sent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.core import turn_events
from tests.fakes.house import open_house
from tests.fakes.simulator import RunningSimulator


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
@pytest.mark.parametrize(
    ("model", "effort", "missing"),
    [
        ("claude-sonnet-5-5", "max", ()),
        ("claude-opus-4-6", "", ()),
        ("claude-opus-4-5", "xhigh", ("thinking",)),
        ("claude-haiku-4-5", "high", ("thinking", "effort")),
        ("claude-haiku-4-5", "", ("thinking", "effort")),
    ],
)
def test_a_model_is_asked_only_for_what_it_takes(
    tmp_path: Path, simulator: RunningSimulator, model: str, effort: str, missing: tuple[str, ...]
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, model=model, effort=effort) as house:
            access = house.services.access
            assert await access.missing_features(await access.model(model)) == missing
            await house.ask("Hello")
            assert [event.stop_reason for event in house.of(turn_events.TurnFinished)] == ["end_turn"]

    asyncio.run(test())


@pytest.mark.parametrize(
    ("plain", "missing"), [(True, ("thinking", "effort", "caching")), (False, ("thinking", "effort"))]
)
def test_a_server_of_ones_own_gets_the_same_look(
    tmp_path: Path, simulator: RunningSimulator, plain: bool, missing: tuple[str, ...]
) -> None:
    async def test() -> None:
        model = "claude-haiku-4-5"
        async with open_house(tmp_path, simulator.url, simulated=False, model=model, plain_endpoint=plain) as house:
            access = house.services.access
            assert await access.missing_features(await access.model(model)) == missing

    asyncio.run(test())
