"""Turns in bad company: stops at every moment, two processes, faults in the middle, endpoints that change."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import errors, turn_events
from desktop_app.core.conversation import MessageState, Role
from desktop_app.core.request_log import RequestState
from desktop_app.core.usage import Known
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator


def refused(simulator: RunningSimulator) -> list[dict[str, Any]]:
    """Messages that were answered with 400."""
    return [row for row in simulator.recorded("/v1/messages") if row["status"] == 400]


def conversation_of(house: House) -> str:
    """The conversation of the last turn that was opened."""
    return house.of(turn_events.TurnOpened)[-1].conversation_id


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 4, 8, 12, 20, 40])
def test_a_stop_at_any_moment_is_told_and_keeps_the_message(
    tmp_path: Path, simulator: RunningSimulator, milliseconds: int
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "slow", "tokens_per_second": 500})
            talk = (await house.services.chat.new_conversation("Hello")).id
            task = house.start("write 200 words about tea", talk)
            await asyncio.sleep(milliseconds / 1000)
            await house.stop(task)
            opened = house.of(turn_events.TurnOpened)
            assert len(house.of(turn_events.TurnStopped)) == len(opened)
            path = await house.path(talk)
            assert [message.role for message in path][: len(opened)] == [Role.USER] * len(opened)
            states = {record.state for record in await house.services.store.requests(talk)}
            assert states <= {RequestState.STOPPED}
            house.events.clear()
            await house.ask("Hello again", talk)
            assert house.of(turn_events.TurnFinished)
        assert refused(simulator) == []

    asyncio.run(test())


def test_a_conversation_in_which_another_process_answers_is_busy(tmp_path: Path, simulator: RunningSimulator) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from desktop_app.core.errors import Busy
from tests.fakes.house import open_house

async def main():
    async with open_house(Path(sys.argv[1]), sys.argv[2]) as house:
        try:
            await house.ask("Hello from the other side", sys.argv[3])
        except Busy:
            print("busy")
        else:
            print("sent")

asyncio.run(main())
"""

    async def other(talk: str) -> str:
        command = [sys.executable, "-c", script, str(tmp_path), simulator.url, talk]
        done = await asyncio.to_thread(
            subprocess.run,
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=15,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        assert done.stdout.strip(), done.stderr
        return str(done.stdout.strip())

    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "slow", "tokens_per_second": 30})
            talk = (await house.services.chat.new_conversation("x")).id
            task = house.start("write 300 words about salt", talk)
            await house.until(turn_events.TextArrived)
            assert await other(talk) == "busy"
            await house.stop(task)
            assert await other(talk) == "sent"
            await house.ask("And now me", talk)
        assert refused(simulator) == []

    asyncio.run(test())


def test_thinking_that_no_longer_fits_is_left_behind_in_the_open(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("Hello")
            reply = (await house.path(talk))[-1]
            store = house.services.store
            changed = tuple(
                {**block, "signature": block["signature"][:-8] + "AAAAAAA="} if block["type"] == "thinking" else block
                for block in reply.blocks
            )
            record = (await store.requests(talk))[-1]
            await store.finish(replace(reply, blocks=changed), record)
            house.events.clear()
            await house.ask("Hello again", talk)
            assert house.of(turn_events.TurnFinished)
            told = house.of(turn_events.RetryScheduled)
            assert [type(event.error) for event in told] == [errors.ThinkingUnfit]
            await house.ask("And once more", talk)
        assert len(refused(simulator)) == 1

    asyncio.run(test())


def test_a_pause_followed_by_a_failure_does_not_end_the_conversation(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            simulator.control({"action": "pause_turn"}, {"action": "status", "status": 400, "message": "no"})
            talk = await house.ask("Hello")
            assert house.of(turn_events.TurnFailed)
            await house.ask("Hello again", talk)
            assert house.of(turn_events.TurnFinished)
        assert len(refused(simulator)) == 1

    asyncio.run(test())


def test_an_answer_asked_for_again_in_vain_stays_in_use(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("Hello")
            before = await house.path(talk)
            simulator.control({"action": "status", "status": 400, "message": "no"})
            await house.services.chat.answer_again(before[-1].id, house.events.append, house.control)
            assert house.of(turn_events.TurnFailed)
            assert await house.path(talk) == before

    asyncio.run(test())


def test_a_changed_text_keeps_what_was_attached(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await house.ask("My bike is red.")
            question = (await house.path(talk))[0]
            document = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "notes"}}
            store = house.services.store
            attached = await store.add_message(
                replace(question, id="attached", blocks=(document, *question.blocks), parent_id=None)
            )
            await house.services.chat.edit(attached.id, "My bike is blue.", house.events.append, house.control)
            assert [block["type"] for block in (await house.path(talk))[0].blocks] == ["document", "text"]
            assert (await house.path(talk))[0].text == "My bike is blue."

    asyncio.run(test())


def test_figures_and_thinking_of_one_server_are_nothing_to_another(tmp_path: Path) -> None:
    async def test() -> None:
        with RunningSimulator() as one, RunningSimulator() as other:
            options = {"simulated": False, "plain_endpoint": False}
            async with open_house(tmp_path, one.url, **options) as house:
                talk = await house.ask("Hello")
                house.services.settings.use_in_profile(base_url=other.url)
                house.services.access.reset()
                prepared = await house.services.context.next_request(talk, "Hello again")
                assert prepared is not None
                assert {figure.known for figure in prepared.known.values()} <= {Known.ESTIMATED}
                kinds = [block["type"] for message in prepared.request.messages for block in message.blocks]
                assert "thinking" not in kinds

    asyncio.run(test())


def test_a_fault_in_the_middle_of_a_stream_keeps_what_had_arrived(tmp_path: Path, simulator: RunningSimulator) -> None:
    body = (
        'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "type": "message", "role": '
        '"assistant", "model": "claude-sonnet-5-5", "content": [], "stop_reason": null, "stop_sequence": null, '
        '"usage": {"input_tokens": 9, "output_tokens": 1}}}\n\n'
        'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": '
        '{"type": "text", "text": ""}}\n\n'
        'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": '
        '{"type": "text_delta", "text": "kept"}}\n\n'
        'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "del\n\n'
    )
    file = tmp_path / "broken.sse"
    file.write_text(body)

    async def test() -> None:
        async with open_house(tmp_path / "data", simulator.url) as house:
            simulator.control({"action": "replay", "file": str(file)})
            talk = (await house.services.chat.new_conversation("x")).id
            task = house.start("Hello", talk)
            await asyncio.gather(task, return_exceptions=True)
            assert house.of(turn_events.TurnFailed)
            last = (await house.path(talk))[-1]
            assert (last.state, last.text) == (MessageState.INTERRUPTED, "kept")
            assert (await house.services.store.requests(talk))[-1].state is RequestState.FAILED
            await house.ask("Hello again", talk)
            assert house.of(turn_events.TurnFinished)

    asyncio.run(test())


def test_a_conversation_of_another_profile_is_not_answered(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            other = await house.services.store.create_conversation("default", "mine", simulated=False)
            with pytest.raises(errors.NotFound):
                await house.ask("Hello", other.id)
            assert await house.path(other.id) == []
        assert simulator.recorded("/v1/messages") == []

    asyncio.run(test())
