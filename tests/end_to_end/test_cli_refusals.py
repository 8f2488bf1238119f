"""What the commands about facts say where they cannot do what was asked: the state, the way out, in words or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.simulator import RunningSimulator


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data", simulator.url)


STATES = {
    "active": ((), "does not wait, it is in use"),
    "paused": (("pause", "tea"), "does not wait, it is paused"),
    "archived": (("archive", "tea"), "does not wait, it is archived"),
    "superseded": (("supersede", "tea", "coffee"), "another one took its place"),
    "deleted": (("delete", "tea"), "it was deleted"),
}


@pytest.mark.parametrize("state", STATES)
def test_a_fact_that_is_not_where_a_command_looks_is_told_by_its_state_and_its_key(
    cli: CommandLine, state: str
) -> None:
    words, told = STATES[state]
    cli.run("facts", "add", "coffee", "dark")
    cli.run("facts", "add", "tea", "green")
    (fact,) = [fact for fact in cli.run("facts", "--json").json if fact["key"] == "tea"]
    if words:
        assert cli.run("facts", *words).code == 0
    for command in ("approve", "deny"):
        line = cli.run("facts", command, "tea").line
        assert line.startswith("“tea” cannot be used: this fact does") and told in line
    refusing = {"archived": ["pin"], "superseded": ["pin", "edit"], "deleted": ["pin", "edit", "delete", "pause"]}
    for command in refusing.get(state, []):
        line = cli.run("facts", command, "tea", *["white"] * (command == "edit")).line
        assert line.startswith("“tea” cannot be used: ") and fact["id"] not in line
        assert "restore" in line
    assert cli.run("--lang", "ko", "facts", "approve", "tea").line.startswith("‘tea’")


def test_a_secret_is_approved_as_it_is_only_where_the_person_gives_it(cli: CommandLine) -> None:
    cli.run("chat", "Remember that my wifi password is hunter2-FAKE.")
    (waiting,) = cli.run("facts", "pending", "--json").json
    assert "hunter2" not in waiting["value"]
    assert cli.run("facts", "approve", waiting["id"], "--keep-secrets").code == 2
    masked = cli.run("facts", "approve", waiting["id"]).out
    assert "kept nowhere" in masked and "--value and --keep-secrets" in masked
    cli.run("facts", "undo")
    typed = ("approve", waiting["id"], "--value", "password=hunter3-FAKE")
    assert "To keep it as it is, say --keep-secrets." in cli.run("facts", *typed).out
    cli.run("facts", "undo")
    for more in ((), ("--as", "wifi")):
        assert cli.run("facts", *typed, *more, "--keep-secrets").out.endswith(": password=hunter3-FAKE\n")
        cli.run("facts", "undo")


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("facts", "show", "nothing"), "fact_not_found"),
        (("facts", "add", " ", "x"), "bad_input"),
        (("profiles", "use", "nothing"), "bad_input"),
        (("compact",), "not_found"),
        (("facts", "no such command"), "usage"),
        (("facts", "show"), "usage"),
    ],
)
def test_with_json_whatever_goes_wrong_is_one_object(cli: CommandLine, arguments: tuple[str, ...], kind: str) -> None:
    for options in ((), ("--lang", "ko")):
        plain = cli.run(*options, *arguments)
        ended = cli.run(*options, *arguments, "--json")
        assert ended.code == plain.code != 0
        assert json.loads(ended.line) == {"error": kind, "message": plain.line}


def test_words_alone_tell_of_no_vectors(cli: CommandLine) -> None:
    cli.run("facts", "add", "tea", "green")
    cli.run("embedder", "use", "none")
    changing = cli.run("embedder").out
    assert "words alone, which needs no vectors" in changing
    assert "0 of" not in changing.partition("Changing")[2]
    cli.run("embedder", "resume", "--wait")
    assert cli.run("embedder").out.splitlines()[0].startswith("Found by meaning with: words alone")
    assert " of 1" not in cli.run("embedder").out
