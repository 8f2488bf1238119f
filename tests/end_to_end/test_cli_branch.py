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


def mnemoscope(cli: CommandLine, profile: str = "default") -> str:
    """How commands to be typed begin: about the same data and profile."""
    return f"mnemoscope --data-dir {cli.data_dir} --profile {profile}"


def test_a_conversation_goes_on_from_a_past_turn_and_back(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    short = known[:8]
    told = talk.run("conversations", "branch", short, "--turn", "1")
    assert told.out == (
        f"{short} continues after turn 1. 4 later messages are kept as another version."
        f" To bring them back: {mnemoscope(talk)} conversations branch {short} --undo"
        f" (once you have written on: {mnemoscope(talk)} conversations versions {short})\n"
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


def test_what_was_left_can_be_reached_after_new_messages(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    short = known[:8]
    (only,) = talk.run("conversations", "versions", short, "--json").json
    assert (only["turn"], only["apart"], only["in_use"]) == (2, 0, True)
    assert only["asked"] == "What is 1234 * 5678?"
    talk.run("conversations", "branch", short, "--turn", "1")
    talk.run("chat", "Name a colour.", "--conversation", known)
    undone = talk.run("conversations", "branch", short, "--undo")
    assert undone.out == (
        f"No messages are kept after the end of {short}."
        f" It has other versions: {mnemoscope(talk)} conversations versions {short}\n"
    )
    mine, other = talk.run("conversations", "versions", short).out.splitlines()
    assert mine.startswith("* ") and mine.endswith("turn 2  Name a colour.")
    assert other.endswith("turn 2  What is 1234 * 5678? · 4 messages of its own")
    told = talk.run("conversations", "use", short, other.split()[0])
    assert told.out.startswith(f"{short} continues after turn 2 of this version.")
    assert len(talk.run("request").json["messages"]) == 5
    versions = talk.run("conversations", "versions", short, "--json").json
    assert [(one["asked"], one["in_use"]) for one in versions] == [
        ("What is 1234 * 5678?", True),
        ("Name a colour.", False),
    ]
    assert versions[0] == {**only, "at": versions[0]["at"]}
    assert talk.run("conversations", "use", short, only["version"], "--json").json["done"] == "nothing"
    back = talk.run("conversations", "use", short, versions[1]["version"], "--json").json
    assert back == {"conversation": known, "turn": 2, "kept_aside": 0, "done": "used"}


def test_the_end_of_a_path_cut_short_is_a_version_beside_the_rest(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    talk.run("conversations", "branch", known, "--turn", "1")
    versions = talk.run("conversations", "versions", known, "--json").json
    assert [(one["turn"], one["apart"], one["in_use"]) for one in versions] == [(1, 0, True), (2, 4, False)]


def test_a_version_that_is_not_there_is_told(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    assert talk.run("conversations", "use", known, "zz").line.startswith("Not found: the version.")
    assert talk.run("conversations", "use", known, "").line.startswith("Not found: the version.")
    other = talk.run("chat", "Something else.").conversation
    (version,) = talk.run("conversations", "versions", other, "--json").json
    refused = talk.run("conversations", "use", known, version["version"], "--lang", "ko")
    assert refused.code == 1 and refused.line.startswith("찾을 수 없습니다: 버전.")


def test_hints_name_the_profile_and_folder_they_are_about(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path / "my data")
    known = cli.run("--profile", "demo", "chat", "Hello").conversation
    cli.run("--profile", "demo", "chat", "Hello again", "--conversation", known)
    branched = cli.run("--profile", "demo", "conversations", "branch", known, "--turn", "1")
    begins = f"mnemoscope --data-dir '{cli.data_dir}' --profile demo conversations"
    assert f"{begins} branch {known[:8]} --undo" in branched.out
    deleted = cli.run("--profile", "demo", "conversations", "delete", known)
    assert deleted.out.endswith(f"{begins} restore {known}\n")
