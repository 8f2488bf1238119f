"""Whichever way a secret is written into memory, no byte of it is in any file of the data folder: not even a log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.core.facts import FactState
from desktop_app.core.ports import Tool, ToolError
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.memory_file_tool import MemoryFiles
from desktop_app.services.memory_tools import SaveMemory
from tests.fakes.command_line import CommandLine
from tests.fakes.mcp_client import served, text_of
from tests.fakes.memory_room import MemoryRoom, open_room
from tests.fakes.secret_search import SECRETS, UNCHANGED, files_with, raw_of

LABELLED = [text for text in SECRETS if "\n" not in text]
"""What fits into one line, as a key has to."""


@pytest.fixture
def everything_logged(tmp_path: Path) -> Iterator[None]:
    """Whatever is logged at all is a file of the data folder."""
    handler, root = logging.FileHandler(tmp_path / "everything.log", encoding="utf-8"), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logging.getLogger("desktop_app").debug("the log is written")
    yield
    root.removeHandler(handler)
    root.setLevel(level)
    handler.close()


def told(room: MemoryRoom, tool: Tool, call: ToolCall, **arguments: str) -> str:
    """What a tool says; that a fact like others waits for the person is said as an error."""
    try:
        return room.run(tool.run(arguments, call))
    except ToolError as error:
        return str(error)


def save_by_tools(room: MemoryRoom, texts: list[str]) -> None:
    """The assistant's two kinds of tools, beside words of the person that hold the secret too."""
    services, said = room.services, []
    services.gate.allow_all = True
    save = SaveMemory(services.remembering)
    files = MemoryFiles(services.store.facts, services.store, services.gate, services.remembering)
    for number, text in enumerate(texts):
        call = ToolCall("default", "c1", "t1", f"call_{number}", typed=f"Remember this: {text}")
        said.append(told(room, save, call, key=f"saved {number}", value=f"mind {text}", category=f"c {text}"))
        path = f"/memories/filed {number}.md"
        said.append(told(room, files, call, command="create", path=path, file_text=f"file {number}: {text}"))
    saved = [one for one in said if "waits" not in one]
    assert saved and all(("A secret in it was masked" in one) is (texts is SECRETS) for one in saved)
    assert [text for text in SECRETS if raw_of(text) in "\n".join(said)] == []


def type_in_inspector(qtbot: QtBot, room: MemoryRoom, texts: list[str]) -> None:
    """A fact that is added, then given other words in every field."""
    session = room.session
    for number, text in enumerate(texts):
        with qtbot.waitSignal(session.kept, timeout=5_000) as kept:
            session.add(f"typed {number}", f"{text} is what I note", f"c {text}")
        (fact,) = kept.args
        with qtbot.waitSignal(session.kept, timeout=5_000):
            session.edit(
                fact.id,
                key=f"typed {number} again",
                value=f"now it is {text}",
                category=f"d {text}",
                expected=fact.revision,
            )
    for number, text in enumerate(LABELLED if texts is SECRETS else []):
        with qtbot.waitSignal(session.kept, timeout=5_000):
            session.add(f"{number} {text}"[:118], "what stands in a key")


def propose_by_mcp(folder: Path, texts: list[str]) -> None:
    """Another assistant, by a server of its own in another process."""
    with served(folder, "default", "--allow-memory") as server:
        for number, text in enumerate(texts):
            result = server.call("remember", key=f"told {number}", value=f"outside {text}", category=f"c {text}")
            assert result.structured_content["masked"] is (text in SECRETS)
            assert text not in SECRETS or raw_of(text) not in str(result) + text_of(result)


def add_by_command(folder: Path, texts: list[str]) -> None:
    for number, text in enumerate(texts):
        added = CommandLine(folder).run("--profile", "default", "facts", "add", f"command {number}", f"shell {text}")
        assert added.code == 0
        assert text not in SECRETS or raw_of(text) not in added.out + added.err


def written(qtbot: QtBot, folder: Path, texts: list[str]) -> list[str]:
    """The values of all facts after `texts` were written in every way, and the person took some changes back."""
    with open_room(folder) as room:
        qtbot.waitUntil(lambda: room.session.loaded)
        room.run(_start(room))
        save_by_tools(room, texts)
        type_in_inspector(qtbot, room, texts)
        propose_by_mcp(folder, texts)
        add_by_command(folder, texts[::4])
        for waiting in room.run(room.services.memory.pending()):
            room.run(room.services.memory.accept(waiting.fact.id))
        for _ in range(3):
            room.run(room.services.memory.undo())
        (some, *_) = room.run(room.services.memory.search("what I note"))
        room.run(room.services.memory.delete(some.fact.id))
        qtbot.waitUntil((folder / "index").exists, timeout=10_000)
        assert (folder / "mnemoscope.db-wal").stat().st_size > 0
        assert {text: found for text in SECRETS if (found := files_with(folder, raw_of(text)))} == {}
        return [fact.value for fact in room.run(room.services.memory.facts(*FactState))]


async def _start(room: MemoryRoom) -> None:
    room.services.indexing.start()


@pytest.mark.timeout(60)
@pytest.mark.usefixtures("everything_logged")
def test_no_way_of_writing_leaves_a_secret_in_any_file(qtbot: QtBot, tmp_path: Path) -> None:
    values = written(qtbot, tmp_path, SECRETS)
    assert len(values) >= 4 * len(SECRETS)
    assert {text: found for text in SECRETS if (found := files_with(tmp_path, raw_of(text)))} == {}
    names = {path.name for path in tmp_path.rglob("*")}
    assert names >= {"mnemoscope.db", "index", "mcp.log", "everything.log"}
    # What was masked is no empty folder: the words around it are there.
    assert files_with(tmp_path, "what I note") and files_with(tmp_path, "the log is written")


@pytest.mark.timeout(60)
def test_harmless_notes_are_kept_to_the_letter_by_every_way(qtbot: QtBot, tmp_path: Path) -> None:
    values = written(qtbot, tmp_path, UNCHANGED)
    for text in UNCHANGED:
        assert sum(text in value for value in values) >= 3, text
