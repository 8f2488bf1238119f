"""Houses and people for the tests of what is written into long-term memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from desktop_app.core.facts import Fact, FactActor, FactDraft, FactOrigin, FactState
from desktop_app.core.gate import Answer, Proposal, Verdict
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.remembering import Written
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

DATA = Path(__file__).parent / "data"
Test = Callable[[House], Awaitable[None]]


def in_house(folder: Path, simulator: RunningSimulator, test: Test, **profile: Any) -> None:
    """Runs a test in a house on the simulator."""

    async def run() -> None:
        async with open_house(folder, simulator.url, **profile) as house:
            await test(house)

    asyncio.run(run())


class Person:
    """Answers every proposal in the same way (yes by default), and keeps what was asked."""

    def __init__(self, act: Callable[[Proposal], Verdict] | None = None) -> None:
        self.asked: list[Proposal] = []
        self._act = act or (lambda proposal: Verdict(Answer.ALLOWED, proposal.draft))

    async def ask(self, proposal: Proposal) -> Verdict:
        """Its answer."""
        self.asked.append(proposal)
        return self._act(proposal)


async def talk_of(house: House) -> str:
    """A conversation with one turn, in whose name something may be asked."""
    return await house.ask("Hello there.")


async def write(house: House, talk: str, key: str, value: str) -> Written:
    """The assistant proposes a fact in the last turn of a conversation."""
    turn = (await house.path(talk))[0].id
    draft = FactDraft(key, value, origin=FactOrigin.ASSISTANT, by=FactActor.ASSISTANT)
    profile = house.services.settings.settings.profile
    return await house.services.remembering.write(draft, ToolCall(profile, talk, turn, "c1"), profile=profile)


async def kept(house: House, *states: FactState) -> dict[str, str]:
    """Key and value of the facts in these states, active ones by default."""
    return {fact.key: fact.value for fact in await house.services.memory.facts(*states)}


async def pending(house: House) -> list[Fact]:
    """What waits for the person, oldest first."""
    return [waiting.fact for waiting in await house.services.memory.pending()]


async def asked_for(house: House, talk: str, purpose: RequestPurpose) -> list[RequestRecord]:
    """The requests of a conversation that were sent for a purpose."""
    return [one for one in await house.services.store.requests(talk) if one.purpose is purpose]
