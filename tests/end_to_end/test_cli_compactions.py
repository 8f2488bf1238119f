"""Compactions by command: a proposal reviewed, edited and committed, the log, and taking several back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    simulator.reset()
    line = CommandLine(tmp_path / "data", simulator.url)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.json").write_text('{"profiles": {"default": {"fold_keep": 40}}}')
    return line


def talk_of(cli: CommandLine, *texts: str) -> str:
    talk = cli.run("chat", texts[0]).conversation
    for text in texts[1:]:
        cli.run("chat", text, "--conversation", talk)
    return talk


def test_a_proposal_is_reviewed_edited_committed_and_taken_back(cli: CommandLine, tmp_path: Path) -> None:
    talk_of(cli, "From now on be brief. The copy lies in /srv/copy-7. " + "The quay is grey. " * 80, "Thanks")
    plan = cli.run("compact", "--dry-run", "--strategy", "running", "--json").json
    assert (plan["strategy"], plan["turns"], plan["ways"][0]["possible"]) == ("running", [1, 1], True)
    assert {way["by"] for way in plan["ways"]} == {"separate", "fork"}
    made = cli.run("compact", "--review", "--strategy", "running").out
    assert "Until it is committed, everything is sent as before." in made
    assert "✓ kept" in made
    assert "From now on be brief." in made

    text = tmp_path / "summary.md"
    text.write_text("They spoke of rivers.\n")
    assert "summary of 2 messages was changed" in cli.run("compactions", "edit", str(text)).out
    assert "✗ /srv/copy-7" in cli.run("compactions", "show", "1").out
    assert cli.run("compactions", "commit").code == 0
    (line,) = cli.run("compactions", "--json").json
    assert (line["state"], line["strategy"], line["edited"], line["number"]) == ("active", "running", True, 1)
    assert line["summary"] == "They spoke of rivers.\n"


def test_what_cannot_be_is_said(cli: CommandLine) -> None:
    assert cli.run("compactions").code == 1  # no conversation yet
    talk_of(cli, "Hello", "write 100 words about tea")
    assert cli.run("compactions").out == "Nothing was compacted in this conversation yet.\n"
    for words in (("show", "3"), ("commit",)):
        told = cli.run("compactions", *words)
        assert (told.code, told.out) == (1, "")
        assert told.err.startswith("Not found: ")
    assert "cannot be used" in cli.run("compactions", "edit", "no-such-file.md").err
    window = cli.run("compact", "--strategy", "window", "--json").json
    assert (window["written_by"], window["model"]) == ("nobody", "")
    assert cli.run("compactions", "undo", "1").code == 0
    assert cli.run("compactions", "undo", "1").code == 1
    assert cli.run("compact", "--undo", "--review").code == 2
