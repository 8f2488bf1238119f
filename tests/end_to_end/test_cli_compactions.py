"""Compactions by command: a proposal reviewed, edited and committed, the log, and taking several back."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine, ending
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
    assert cli.run("compactions").out == "Nothing was folded in this conversation yet.\n"
    assert cli.run("compactions", "commit").err.startswith("Not found: a proposal that waits.")
    gone = cli.run("compactions", "show", "3")
    assert (gone.code, gone.out) == (1, "")
    assert gone.err == "There is no compaction number 3 here; “mnemoscope compactions” lists them.\n"
    assert "cannot be used" in cli.run("compactions", "edit", "no-such-file.md").err
    window = cli.run("compact", "--strategy", "window", "--json").json
    assert (window["written_by"], window["model"]) == ("nobody", "")
    assert cli.run("compactions", "undo", "1").code == 0
    again = cli.run("compactions", "undo", "1")
    assert again.code == 1 and again.err.startswith("This folding is not in use")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--undo", "--review"), ("--undo", "--review")),
        (("--undo", "--by", "fork"), ("--undo", "--by")),
        (("--by", "fork", "--strategy", "window"), ("--by", "--strategy window")),
        (("--by", "separate", "--strategy", "server_now"), ("--by", "--strategy server_now")),
        (("--by", "fork", "--strategy", "tiers"), ("--by", "--strategy tiers")),
    ],
)
def test_what_excludes_each_other_is_refused(cli: CommandLine, words: tuple[str, ...], told: tuple[str, str]) -> None:
    refused = cli.run("compact", *words)
    assert refused.code == 2 and all(name in refused.err for name in told)


def test_an_edit_tells_that_it_grew_and_a_commit_what_it_lost(cli: CommandLine, tmp_path: Path) -> None:
    talk_of(cli, "The copy lies in /srv/copy-7. " + "The quay is grey. " * 80, "Thanks")
    plan = cli.run("compact", "--dry-run", "--strategy", "running").out
    assert "messages would be folded" in plan and "cheaper" not in plan
    cli.run("compact", "--review", "--strategy", "running")
    (line,) = cli.run("compactions").out.splitlines()
    assert " saved " in line and " % " in line
    text = tmp_path / "summary.md"
    text.write_text(" \n")
    empty = cli.run("compactions", "edit", str(text))
    assert empty.err.startswith("A summary cannot be empty. Nothing was changed.") and len(empty.err.splitlines()) == 1
    text.write_text("They spoke of rivers and seas. " * 400)
    assert "no shorter than what it folds" in cli.run("compactions", "edit", str(text)).out
    (line,) = cli.run("compactions").out.splitlines()
    assert " grew +" in line and "−" not in line
    text.write_text("They spoke of rivers.")
    assert "no shorter" not in cli.run("compactions", "edit", str(text)).out
    assert "1 exact value of the folded messages does not stand in it." in cli.run("compactions", "commit").out


def test_ctrl_c_tells_that_nothing_changed(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk_of(cli, "Remember the quay. " + "The quay is grey. " * 40, "Thanks")
    simulator.control({"action": "slow", "tokens_per_second": 20, "match": {"memo": True}})
    process = cli.start("compact")
    assert process.stderr is not None
    process.stderr.read(10)
    process.send_signal(signal.SIGINT)
    done = ending(process)
    assert done.code == 130
    assert done.err.splitlines()[-1] == "Folding was stopped. Nothing was changed."
    (line,) = cli.run("compactions", "--json").json
    assert (line["state"], line["failure"], line["saved"]) == ("failed", "stopped", 0.0)
    assert line["seconds"] > 0


def test_what_failed_is_told_on_a_line_of_its_own(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk_of(cli, "Remember the quay. " + "The quay is grey. " * 40, "Thanks")
    simulator.control({"action": "reply", "text": "Sure!", "match": {"memo": True}, "count": 4})
    failed = cli.run("compact")
    assert failed.code == 1
    assert failed.err.splitlines()[-1].startswith("The summary lacked what it must hold")
