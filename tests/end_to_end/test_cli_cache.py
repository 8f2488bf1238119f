"""`mnemoscope cache`: nothing stored is no failure, turns sum to the total, no money without a price."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.core.words import load_words
from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_settings
from tests.fakes.simulator import RunningSimulator

KINDS = ("uncached", "write_5m", "write_1h", "read", "input_total", "output")


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    """On a server that takes cache marks, which is not Anthropic's and so has no prices."""
    folder = tmp_path / "data"
    folder.mkdir()
    make_settings(folder, simulator.url, simulated=False, plain_endpoint=False)
    return CommandLine(folder)


def test_with_nothing_stored_it_says_so_and_succeeds(cli: CommandLine) -> None:
    told = cli.run("cache")
    assert (told.code, told.out) == (0, "Nothing was sent yet, so there is nothing to tell of the cache.\n")
    told = cli.run("cache", "--json")
    assert told.code == 0
    assert told.json == {"conversation": None, "simulated": False, "prices": None, "turns": [], "total": None}
    assert cli.run("cache", "--lang", "ko").out == load_words("ko").say("cli.cache.none") + "\n"


def test_a_conversation_that_is_not_there_is_an_error(cli: CommandLine) -> None:
    told = cli.run("cache", "--conversation", "ffff")
    assert told.code == 1
    assert "the conversation" in told.line


def test_turns_sum_to_the_total(cli: CommandLine) -> None:
    first = cli.run("chat", "My cat is called Mori. " + "She likes the window seat. " * 200)
    cli.run("chat", "What is 1234 * 5678?", "--conversation", first.conversation)
    told = cli.run("cache", "--json").json
    assert told["conversation"] == first.conversation
    assert [(turn["turn"], turn["purpose"]) for turn in told["turns"]] == [(1, "chat"), (2, "chat")]
    for kind in KINDS:
        assert sum(turn[kind] for turn in told["turns"]) == told["total"][kind]
    assert told["turns"][0]["write_5m"] > 1_024
    assert told["turns"][1]["hit_rate"] > 0.8
    assert told["total"]["cost_usd"] is None
    lines = cli.run("cache", "--conversation", first.conversation[:8]).out.splitlines()
    assert lines[0].startswith("Prompt cache of “My cat is called Mori.")
    assert lines[1].split()[:2] == ["turn", "read"]
    assert lines[4].split()[1].replace(",", "") == str(told["total"]["read"])
    assert "$" not in "".join(lines)
