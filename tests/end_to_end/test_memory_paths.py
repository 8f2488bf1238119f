"""The memory tool with paths that lead out, in a real data folder: nothing beside it, in it or in memory is another."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from desktop_app.core.facts import FactState
from desktop_app.core.ports import ToolError
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.memory_file_tool import MemoryFiles
from tests.end_to_end.memory_stage import Person, in_house
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator
from tests.unit.test_memory_files import ATTACKS, OF_COMMAND, call

LINKED = ("/memories/link/x", "/memories/link/../x", "/memories/데이터/../../x", "/memories/settings.json/../../x")
HUGE = ("x" * 50_000_000, "y\0" * 4_001)


def everything(folder: Path) -> dict[str, str]:
    """What stands in a folder, but for the database that is open."""
    return {
        str(path.relative_to(folder)): "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if not path.name.startswith("mnemoscope.db")
    }


def test_no_path_reaches_anything_but_facts(tmp_path: Path, simulator: RunningSimulator) -> None:
    folder = tmp_path / "데이터" / "data"
    folder.mkdir(parents=True)
    (tmp_path / "x").write_text("beside")
    (tmp_path / "데이터" / "x").write_text("above")
    (folder / "memories").mkdir()
    (folder / "memories" / "link").symlink_to(tmp_path)

    async def test(house: House) -> None:
        services = house.services
        services.gate.approver = person = Person()
        tool = MemoryFiles(services.store.facts, services.store, services.gate, services.remembering)
        await services.memory.add("coffee", "dark roast")
        before, kept = everything(tmp_path), await services.memory.facts(*FactState)

        async def refused(arguments: dict[str, object]) -> None:
            with pytest.raises(ToolError) as caught:
                await tool.run(arguments, ToolCall("demo", "c1", "t1", "call_1"))
            told = str(caught.value)
            assert 0 < len(told) < 400 and str(tmp_path) not in told, arguments

        for command, more in OF_COMMAND.items():
            for path in ATTACKS:
                await refused(call(command, path, **more))
                if command == "rename":
                    await refused({"command": "rename", "old_path": "/memories/coffee.md", "new_path": path})
        for path in LINKED:
            for command in ("view", "delete", "str_replace", "insert", "rename"):
                await refused(call(command, path, **OF_COMMAND[command]))
        for command in ("delete", "rename"):
            for root in ("/memories", "/memories/", "/memories/."):
                await refused(call(command, root, **OF_COMMAND[command]))
        for text in HUGE:
            await refused({"command": "create", "path": "/memories/big.md", "file_text": text})
            await refused({**call("insert", "/memories/coffee.md"), "insert_line": 0, "insert_text": text})
        assert person.asked == [], "nobody is asked to allow what cannot be"
        assert await services.memory.facts(*FactState) == kept
        assert everything(tmp_path) == before

    in_house(folder, simulator, test, memory_tool="files")
