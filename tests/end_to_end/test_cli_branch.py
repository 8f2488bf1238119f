"""`mnemoscope conversations branch`: on from a past turn, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.simulator import RunningSimulator


@pytest.fixture
def talk(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    """Two turns, the second with a tool."""
    cli = CommandLine(tmp_path / "data", simulator.url)
    first = cli.run("chat", "My cat is called Mori.")
    cli.run("chat", "What is 1234 * 5678?", "--conversation", first.conversation)
    return cli


def test_a_conversation_goes_on_from_a_past_turn_and_back(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    short = known[:8]
    told = talk.run("conversations", "branch", short, "--turn", "1")
    assert told.out == (
        f"{short} continues after turn 1. 4 later messages are kept as another version."
        f" To bring them back: mnemoscope conversations branch {short} --undo\n"
    )
    assert len(talk.run("request").json["messages"]) == 1
    assert talk.run("conversations", "branch", short, "--turn", "1").out == f"{short} already ends after turn 1.\n"
    assert talk.run("conversations", "branch", short, "--undo", "--json").json == {
        "conversation": known,
        "turn": 2,
        "kept_aside": 0,
        "done": "resumed",
    }
    assert len(talk.run("request").json["messages"]) == 5
    assert talk.run("conversations", "branch", short, "--undo", "--lang", "ko").out.startswith(f"{short}의 끝 뒤에")


def test_what_cannot_be_branched_is_told(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    none = talk.run("conversations", "branch", known, "--turn", "3")
    assert none.code == 1 and none.line.startswith("Not found: turn 3.")
    bare = talk.run("conversations", "branch", known)
    assert bare.code == 2 and bare.line.startswith("--turn is missing;")
    both = talk.run("conversations", "branch", known, "--turn", "1", "--undo")
    assert both.code == 2 and both.line.startswith("--turn and --undo do not go together;")
