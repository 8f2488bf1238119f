"""Pictures, PDFs and texts over the wire: sent unchanged, counted by pixels and pages, given again by the tool."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import turn_events
from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import AttachedFile, attachments_of
from desktop_app.core.conversation import Origin
from desktop_app.core.turn_events import FoldingStarted
from desktop_app.core.usage import Known
from tests.fakes.attached import noise_png, pdf, picture
from tests.fakes.command_line import CommandLine
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[RunningSimulator]:
    (tmp_path / "sent").mkdir()
    with RunningSimulator(record=tmp_path / "sent") as running:
        yield running


async def send(house: House, text: str, *files: AttachedFile, talk: str | None = None) -> str:
    chat = house.services.chat
    talk = talk or (await chat.new_conversation(text, files)).id
    await chat.send(talk, text, house.events.append, house.control, attachments=files)
    return talk


def refused(simulator: RunningSimulator) -> list[Any]:
    return [row for row in simulator.recorded() if row["status"] >= 400]


def test_a_picture_as_the_first_message_arrives_unchanged_and_nothing_folds(
    tmp_path: Path, recording: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path / "data", recording.url) as house:
            await send(house, "", picture("noise_720.png"))
            assert house.of(turn_events.TurnFinished) and not house.of(FoldingStarted)
            budgets = [event.budget for event in house.of(turn_events.BudgetChanged)]
            assert budgets[-1].total.known is Known.MEASURED
            assert abs(budgets[-1].total.tokens - budgets[0].estimated_total) < 0.2 * budgets[-1].total.tokens

    asyncio.run(test())
    assert refused(recording) == []
    (message,) = recording.bodies()[0]["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "image"]
    assert base64.b64decode(message["content"][1]["source"]["data"]) == noise_png()


def test_pages_and_texts_are_counted_by_what_they_are(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            view = house.services.context
            bare = await view.next_request(None, "Sum it up.")
            report = await view.next_request(None, "Sum it up.", [recognised("r.pdf", pdf(90))])
            notes = await view.next_request(None, "Sum it up.", [recognised("n.md", b"a boat " * 1000)])
            assert bare is not None and report is not None and notes is not None
            pages = report.budget.total.tokens - bare.budget.total.tokens
            assert 100_000 < pages < 300_000
            assert 500 < notes.budget.total.tokens - bare.budget.total.tokens < 4_000

    asyncio.run(test())


def test_an_edited_and_a_branched_message_keep_what_is_attached(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            talk = await send(house, "What is it?", picture(side=40), recognised("n.md", b"12 boats"))
            first = (await house.path(talk))[0]
            await house.services.chat.edit(first.id, "And now?", house.events.append, house.control)
            await house.services.chat.answer_again((await house.path(talk))[0].id, house.events.append, house.control)
            edited = (await house.path(talk))[0]
            assert edited.id != first.id and edited.text == "And now?"
            assert attachments_of(edited) == attachments_of(first)

    asyncio.run(test())
    assert refused(simulator) == []


def test_the_tool_gives_an_attachment_again(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            file = picture(side=40)
            talk = await send(house, "Here is the plan.", file)
            wanted = {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "read_attachment",
                "input": {"id": file.attachment.id},
            }
            lost = {"type": "tool_use", "id": "toolu_2", "name": "read_attachment", "input": {"id": "00000000"}}
            simulator.control({"action": "reply", "content": [wanted, lost], "stop_reason": "tool_use"})
            await send(house, "What was in it?", talk=talk)
            results = next(one for one in await house.path(talk) if one.origin is Origin.TOOL_RESULTS)
            given, missing = results.blocks
            assert [part["type"] for part in given["content"]] == ["text", "image"]
            assert given["content"][1]["source"]["data"] == file.data
            assert missing["is_error"] and "00000000" in missing["content"]
            told = [event.result for event in house.of(turn_events.ToolFinished)]
            assert told[0] == "[image: plan.png, 40×40]"

    asyncio.run(test())
    assert refused(simulator) == []


def test_the_tool_knows_no_other_conversation(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            file = picture(side=40)
            await send(house, "Here is the plan.", file)
            wanted = {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "read_attachment",
                "input": {"id": file.attachment.id},
            }
            simulator.control({"action": "reply", "content": [wanted], "stop_reason": "tool_use"})
            other = await send(house, "What was in it?")
            results = next(one for one in await house.path(other) if one.origin is Origin.TOOL_RESULTS)
            assert results.blocks[0]["is_error"]

    asyncio.run(test())


def test_the_command_attaches_files_and_needs_no_text(tmp_path: Path, recording: RunningSimulator) -> None:
    cli = CommandLine(tmp_path / "data", recording.url)
    (tmp_path / "plan.png").write_bytes(noise_png(40, 20))
    (tmp_path / "회의록.txt").write_bytes("배는 12척입니다.".encode("cp949"))
    done = cli.run("chat", "--attach", str(tmp_path / "plan.png"), "--attach", str(tmp_path / "회의록.txt"))
    assert done.code == 0, done
    (message,) = recording.bodies()[-1]["messages"]
    assert [block["type"] for block in message["content"]] == ["text", "image", "text", "document"]
    assert message["content"][3]["source"]["data"] == "배는 12척입니다."
    (listed,) = cli.run("conversations", "--json").json
    assert listed["title"] == "plan.png, 회의록.txt"
    assert "iVBOR" not in str(listed)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "was not attached: it does not exist"), ("ko", "첨부하지 못했습니다. 파일이 없거나")],
)
def test_a_file_that_cannot_be_attached_sends_nothing(
    tmp_path: Path, simulator: RunningSimulator, language: str, said: str
) -> None:
    cli = CommandLine(tmp_path / "data", simulator.url)
    done = cli.run("chat", "Hello", "--attach", str(tmp_path / "gone.png"), "--lang", language)
    assert done.code == 1 and said in done.line and "gone.png" in done.line
    assert cli.run("conversations", "--json").json == []
    assert simulator.recorded("/v1/messages") == []
