"""`cache why` and `request diff`: the culprit of a real turn, two requests side by side, and what is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_settings
from tests.fakes.simulator import RunningSimulator

LONG = "Answer in short plain sentences, and never guess what you do not know.\n" * 200


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    """The simulated assistant, with instructions long enough to be kept."""
    folder = tmp_path / "data"
    folder.mkdir()
    make_settings(folder, simulator.url, simulated=False, plain_endpoint=False, instructions=LONG)
    return CommandLine(folder)


def other_instructions(cli: CommandLine, simulator: RunningSimulator) -> None:
    """The person edits the instructions."""
    make_settings(cli.data_dir, simulator.url, simulated=False, plain_endpoint=False, instructions=f"Be kind.\n{LONG}")


def test_with_nothing_sent_there_is_nothing_to_explain(cli: CommandLine) -> None:
    assert "request" in cli.run("cache", "why").line
    assert "request" in cli.run("request", "diff", "1", "2").line


def test_why_names_the_culprit_of_a_turn(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    cli.run("chat", "She likes the window seat.", "-c", talk)
    other_instructions(cli, simulator)
    cli.run("chat", "Where does she sit?", "-c", talk)
    fine = cli.run("cache", "why", "--turn", "2", "--json").json
    assert (fine["cause"], fine["lost_tokens"], fine["turn"]) == ("none", 0, 2)
    told = cli.run("cache", "-c", talk[:8], "why", "--json").json
    assert (told["turn"], told["cause"], told["conversation"]) == (3, "instructions", talk)
    assert told["difference"]["segment"] == "system"
    assert told["difference"]["before"] == LONG.splitlines()[0]
    assert told["difference"]["after"] == "Be kind."
    assert told["lost_tokens"] > 2_000
    assert told["lost_usd"] is None
    lines = cli.run("cache", "why").out.splitlines()
    assert lines[0] == "Turn 3, request 1"
    assert lines[1] == "The instructions changed."
    assert f"- {LONG.splitlines()[0]}" in lines
    assert "+ Be kind." in lines
    assert f"Lost: {told['lost_tokens']:,} tokens." in lines
    assert "지침" in cli.run("cache", "why", "--lang", "ko").out
    assert "turn 9" in cli.run("cache", "why", "--turn", "9").line.lower()


def test_the_first_turn_had_nothing_to_miss(cli: CommandLine) -> None:
    cli.run("chat", "My cat is called Mori.")
    told = cli.run("cache", "why", "--json").json
    assert (told["cause"], told["before"], told["agreement"]) == ("first", None, "silent")
    assert "Nothing was lost." in cli.run("cache", "why").out.splitlines()


def test_two_requests_side_by_side(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    other_instructions(cli, simulator)
    cli.run("chat", "Where does she sit?", "-c", talk, "--model", "claude-opus-5")
    told = cli.run("request", "diff", "1", "2", "--json").json
    assert [one["name"] for one in told["params"]] == ["model"]
    changed = [block for block in told["blocks"] if block["change"] == "changed"]
    assert [(block["part"], block["segment"]) for block in changed] == [("system", "system")]
    assert changed[0]["after"]["text"].startswith("Be kind.\n")
    assert [block["role"] for block in told["blocks"] if block["change"] == "added"][-1] == "user"
    same = [block for block in told["blocks"] if block["change"] == "same"]
    assert all("before" not in block for block in same)
    by_id = cli.run("request", "diff", told["before"]["request"], told["after"]["request"][:10], "--json").json
    assert by_id == told
    lines = cli.run("request", "diff", "1", "2").out.splitlines()
    assert lines[0].startswith("− ") and lines[0].endswith("turn 1 · claude-sonnet-5-5")
    assert lines[1].endswith("turn 2 · claude-opus-5")
    assert '~ model: "claude-sonnet-5-5" → "claude-opus-5"' in lines
    assert "    + Be kind." in lines
    assert cli.run("request", "diff", "1", "1").out.splitlines()[-1] == "The requests are the same."


def test_words_that_do_not_belong_together_and_ids_that_are_not_there(cli: CommandLine) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    assert cli.run("request", "--turn", "1", "diff", "1", "1").code == 2
    assert cli.run("request", "diff", "1", "ffff", "-c", talk).code == 1
    # The plain commands go on as they were.
    assert cli.run("request", "--json").json["messages"][-1]["role"] == "user"
    assert cli.run("cache", "--json").json["conversation"] == talk
