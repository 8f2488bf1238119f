"""What tests of compaction share: talks, orders, and what was sent of them, told apart by what it was for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Block, Message, Origin, Role, new_id, text_block, to_json
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

Test = Callable[[House], Awaitable[None]]
SMALL = {"model": "claude-sim-small", "fold_keep": 40, "fold_automatically": False}
"""A window of 8,000 tokens, and the last turn alone kept word for word."""
PLAIN = {**SMALL, "fold_by": "separate", "fold_model": "claude-sim-small"}
"""The same, the summary always by a call of its own to the same small model."""
LARGE = {"model": "claude-sonnet-5-5", "fold_keep": 40, "fold_automatically": False}
"""A window of a million."""


def in_house(folder: Path, simulator: RunningSimulator, test: Test, **profile: Any) -> None:
    """Runs a test in a house of its own; afterwards no request was refused by the rules of the API."""

    async def run() -> None:
        async with open_house(folder, simulator.url, **profile) as house:
            await test(house)

    asyncio.run(run())
    assert refused(simulator) == []


def refused(simulator: RunningSimulator) -> list[str]:
    """What the simulator said to requests it did not take."""
    return [str(row["error"]) for row in simulator.recorded() if row["status"] == 400]


async def talk_of(house: House, *texts: str, talk: str | None = None) -> str:
    """A conversation of these questions, each answered; `talk` is continued."""
    for text in texts or ("Hello, I like green tea", "What is 12.5 * 34?", "Thanks"):
        talk = await house.ask(text, talk)
    assert talk is not None
    return talk


async def written(house: House, *texts: str) -> str:
    """A conversation that was never sent: messages of the person and replies by turns."""
    store = house.services.store
    talk = (await house.services.chat.new_conversation(texts[0])).id
    parent: str | None = None
    for number, text in enumerate(texts):
        parent = (await store.add_message(message_of(talk, parent, text, person=number % 2 == 0))).id
    return talk


def message_of(talk: str, parent: str | None, *content: str | Block, person: bool) -> Message:
    """A message to be stored."""
    blocks = tuple(text_block(part) if isinstance(part, str) else part for part in content)
    if person:
        origin = Origin.TOOL_RESULTS if blocks[0]["type"] == "tool_result" else Origin.TYPED
        return Message(new_id(), talk, parent, Role.USER, blocks, origin)
    stop = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    return Message(new_id(), talk, parent, Role.ASSISTANT, blocks, Origin.REPLY, epoch=1, stop_reason=stop)


async def fold(house: House, talk: str, strategy: Strategy | None = None, **more: Any) -> Compaction:
    """A compaction by hand, or as `more` says."""
    return await house.services.compaction.fold(talk, FoldOrder(strategy=strategy, **more), house.events.append)


async def fold_by_itself(house: House, talk: str) -> Compaction:
    """A compaction as the app begins one after an answer."""
    return await fold(house, talk, cause=CompactionCause.AUTOMATIC)


async def sent(house: House, talk: str, purpose: RequestPurpose) -> list[tuple[RequestRecord, Request]]:
    """The requests of a conversation for one purpose, oldest first."""
    store = house.services.store
    records = [one for one in await store.requests(talk) if one.purpose is purpose]
    return [await store.request(record.id) for record in records]


async def summaries(house: House, talk: str) -> list[tuple[RequestRecord, Request]]:
    """The requests for a summary."""
    return await sent(house, talk, RequestPurpose.MEMO)


async def last_chat(house: House, talk: str) -> Request:
    """The last request of a turn."""
    return (await sent(house, talk, RequestPurpose.CHAT))[-1][1]


def messages_of(request: Request) -> str:
    """The messages of a request as they are sent, without cache marks."""
    return to_json([message.as_json() for message in request.messages])


def last_text(request: Request) -> str:
    """The last block of a request, a text."""
    return str(request.messages[-1].blocks[-1]["text"])
