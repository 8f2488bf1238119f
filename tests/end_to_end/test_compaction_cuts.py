"""Whole runs: whatever happened in a conversation, each strategy leaves one the API takes, and no open turn is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import CompactionState, Strategy, WrittenBy
from desktop_app.core.conversation import Block, Origin
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose
from tests.end_to_end.compaction_stage import (
    PLAIN,
    SMALL,
    fold,
    in_house,
    sent,
    talk_of,
    written,
)
from tests.fakes.attached import picture
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

CALM = "The weather at the harbour was calm and the boats came in one after the other. "


def thinking_in(request: Request) -> list[Block]:
    return [block for _, block in request.blocks() if block.get("type") == "thinking"]


async def eventful(house: House, simulator: RunningSimulator) -> str:
    """A conversation with parallel calls, a picture, an answer that was cut, one refused, one blank, one broken off."""
    chat = house.services.chat
    talk = await talk_of(house, "Hello, I like green tea", "use the calculator for 12*7 and 1250/8 and 99-101")
    await chat.send(talk, "Look", house.events.append, house.control, attachments=(picture(side=40),))
    simulator.control({"action": "max_tokens", "after": 12}, {"action": "delay", "seconds": 0})
    await talk_of(house, "write 100 words about harbours", talk=talk)
    await chat.send(talk, "Continue", house.events.append, house.control, Origin.CONTINUE)
    simulator.control({"action": "refusal", "text": "No."}, {"action": "blank"}, {"action": "eof", "after": 3})
    await talk_of(house, "My rack 14 holds P-7716.", "My boat is called Ann.", "write 90 words about tea", talk=talk)
    return await talk_of(house, "use the calculator for 3*3", talk=talk)


@pytest.mark.parametrize("strategy", [Strategy.MEMO, Strategy.SERVER_NOW])
def test_after_an_eventful_conversation_the_next_turns_are_answered(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    simulator.features(least_trigger=1)

    async def test(house: House) -> None:
        talk = await eventful(house, simulator)
        events = len(house.events)
        for by in (WrittenBy.FORK, WrittenBy.SEPARATE):
            made = await fold(house, talk, strategy, by=by)
            assert made.state is CompactionState.ACTIVE
            await talk_of(house, "use the calculator for 5*5 and 6*6", "Thanks", talk=talk)
        assert not [one for one in house.events[events:] if isinstance(one, turn_events.TurnFailed)]
        assert len([one for one in house.events[events:] if isinstance(one, turn_events.TurnFinished)]) == 4

    in_house(tmp_path, simulator, test, **SMALL)


def test_folding_inside_the_tool_loop_leaves_calls_results_and_thinking_as_they_came(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    names = [f"P-77{number:02}" for number in range(10)]
    calls = [{"type": "tool_use", "name": "search_conversation", "input": {"query": name}} for name in names]
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Ten at once."}, *calls]

    async def test(house: House) -> None:
        talk = await written(house, *[f"{' '.join(names)} {CALM * 28}", "Noted."] * 8)
        await talk_of(house, "Hello", talk=talk)
        simulator.control({"action": "reply", "content": content})
        await talk_of(house, "Where are my ten parts?", talk=talk)
        requests = await sent(house, talk, RequestPurpose.CHAT)
        assert [event.stop_reason for event in house.of(turn_events.TurnFinished)][:1] == ["end_turn"]
        assert len(house.of(turn_events.TurnFinished)) == 2 and not house.of(turn_events.TurnFailed)
        inside = (await house.services.store.compactions(talk))[-1]
        path = await house.path(talk)
        assert path[inside.folded].text == "Where are my ten parts?"
        assert inside.created_at > requests[-2][0].sent_at
        received = next(message for message in path if len(message.blocks) == 11)
        last = requests[-1][1]
        assert thinking_in(last) == [received.blocks[0]]
        assert [block["type"] for block in last.messages[-1].blocks] == ["tool_result"] * 10

    in_house(tmp_path, simulator, test, **{**PLAIN, "fold_automatically": True})
