"""A tool may fail in any way: its call gets a result, the turn goes on; a stop stays a stop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from desktop_app.core.conversation import Block
from desktop_app.core.ports import ToolError
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall
from desktop_app.services import toolbox
from desktop_app.services.toolbox import Toolbox, ToolOutcome


@dataclass
class Acting:
    """A tool that does what a test says."""

    act: Callable[[Mapping[str, object]], Awaitable[str]]

    @property
    def definition(self) -> Block:
        """Named `act`."""
        return {"name": "act"}

    waits_for_person = False

    def offered(self, profile: ProfileSettings) -> bool:
        """While memory is on."""
        return profile.memory

    async def run(self, arguments: Mapping[str, object], _: ToolCall) -> str:
        """Does it."""
        return await self.act(arguments)


TURN = ToolCall("default", "c", "m", "")
CALLS: list[Block] = [{"type": "tool_use", "id": "t1", "name": "act", "input": {}}]


def toolbox_of(act: Callable[[Mapping[str, object]], Awaitable[str]], **paused: bool) -> Toolbox:
    """One tool; by name of the profile whether its memory is on."""
    return Toolbox([Acting(act)], lambda name: ProfileSettings(memory=paused.get(name, True)))


def failing(error: Exception) -> Callable[[Mapping[str, object]], Awaitable[str]]:
    """A tool that raises."""

    async def act(_: Mapping[str, object]) -> str:
        raise error

    return act


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("Write a number."), "Write a number."),
        (KeyError("expression"), "The tool failed (KeyError: 'expression')."),
        (RuntimeError("broken"), "The tool failed (RuntimeError: broken)."),
        (TimeoutError("its own"), "The tool failed (TimeoutError: its own)."),
    ],
)
def test_every_failure_of_a_tool_is_a_result_the_model_can_read(error: Exception, text: str) -> None:
    outcomes = asyncio.run(toolbox_of(failing(error)).run_all(CALLS, TURN))
    assert outcomes == [ToolOutcome("t1", "act", text, True)]
    assert outcomes[0].as_block()["is_error"] is True


def test_a_tool_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolbox, "_SECONDS", 0.01)

    async def act(_: Mapping[str, object]) -> str:
        await asyncio.Event().wait()
        return ""

    outcomes = asyncio.run(toolbox_of(act).run_all(CALLS, TURN))
    assert (outcomes[0].is_error, outcomes[0].text[:28]) == (True, "The tool did not finish with")


def test_a_stop_just_as_the_tool_ends_is_not_lost() -> None:
    async def run() -> Any:
        async def act(_: Mapping[str, object]) -> str:
            asyncio.get_running_loop().call_soon(running.cancel)
            return "done"

        running = asyncio.create_task(toolbox_of(act).run_all(CALLS, TURN))
        await asyncio.wait([running])
        return running.cancelled()

    assert asyncio.run(run())


@pytest.mark.parametrize(("profile", "runs"), [("default", False), ("work", True)])
def test_a_tool_the_profile_of_the_call_does_not_offer_now_is_not_run(profile: str, runs: bool) -> None:
    ran = []

    async def act(_: Mapping[str, object]) -> str:
        ran.append(1)
        return "done"

    turn = replace(TURN, profile=profile)
    (outcome,) = asyncio.run(toolbox_of(act, default=False).run_all(CALLS, turn))
    assert (bool(ran), outcome.is_error) == (runs, not runs)
    if not runs:
        assert outcome.text == "The tool act is switched off now. Do not call it again."
