"""Data of another version, or damaged: it is said and left as it is, and an index that is lost is made again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_settings
from tests.fakes.simulator import RunningSimulator

COMMANDS = (
    ["conversations"],
    ["facts", "list"],
    ["facts", "add", "dog", "Bori"],
    ["chat", "Hello"],
    ["reindex"],
    ["mcp", "--profile", "demo"],
)


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def noise(file: Path) -> None:
    file.write_bytes(b"not a database at all " * 400)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5_000])


def filled(folder: Path, simulator: RunningSimulator) -> CommandLine:
    make_settings(folder, simulator.url, simulated=False)
    cli = CommandLine(folder)
    for key, value in {"강아지 이름": "보리", "tax": "in May", "allergies": "peanuts and shellfish"}.items():
        assert cli.run("facts", "add", key, value).code == 0
    return cli


@pytest.mark.parametrize(("spoil", "words"), [(newer, "newer"), (noise, "mnemoscope.db"), (cut, "mnemoscope.db")])
def test_what_cannot_be_opened_is_said_by_each_command_and_stays(
    tmp_path: Path, simulator: RunningSimulator, spoil: Callable[[Path], None], words: str
) -> None:
    folder = tmp_path / "data"
    cli, file = filled(folder, simulator), folder / "mnemoscope.db"
    spoil(file)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for command in COMMANDS:
        run = cli.process if command[0] == "mcp" else cli.run
        refused = run(*command, "--lang", "en")
        assert refused.code == 1, command
        assert words in refused.line, command
    kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {name: kept.get(name) for name in before} == before, "no other store takes its place"
    assert not [name for name in kept.keys() - before.keys() if name.startswith("mnemoscope")]


def test_chat_goes_on_beside_a_broken_index_and_one_command_restores_it(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    cli = filled(tmp_path, simulator)
    assert cli.run("reindex").code == 0
    (database,) = (tmp_path / "index").glob("*/chroma.sqlite3")
    database.write_bytes(b"x" * 5_000)
    answered = cli.run("chat", "What is 12.5 * 34?")
    assert (answered.code, "425" in answered.out) == (0, True)
    (found, *_) = cli.run("facts", "list", "--search", "what is my dog called?", "--json").json
    assert found["key"] == "강아지 이름"
    rebuilt = cli.run("reindex", "--json")
    assert rebuilt.json["rebuilt"] is True
    assert [path.exists() for path in (tmp_path / "index").glob("*/chroma.sqlite3")] == [True]
    (found, *_) = cli.run("facts", "list", "--search", "which foods must I avoid?", "--json").json
    assert found["key"] == "allergies"
