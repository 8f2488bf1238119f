"""`mnemoscope prices`: what holds, a price of one's own, back to the built-in one, and misuse in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.core.words import load_words
from tests.fakes.command_line import CommandLine

AMOUNTS = ("--input", "3", "--output", "15", "--write-5m", "3.75", "--write-1h", "6", "--read", "0.30")


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data")


def lines(cli: CommandLine, model: str) -> list[list[str]]:
    found = (line.split() for line in cli.run("prices").out.splitlines())
    return [words for words in found if model in words]


def test_the_built_in_prices_are_listed(cli: CommandLine) -> None:
    told = cli.run("prices")
    assert told.code == 0
    assert " ".join(told.out.splitlines()[0].split()) == "Model Input Write 5 min Write 1 h Read Output"
    assert lines(cli, "claude-opus-5-5") == [["claude-opus-5-5", "4", "5", "8", "0.20", "20"]]
    assert told.out.splitlines()[-1].startswith("USD per million tokens. Built-in prices are as of 2026-11-30")
    as_json = cli.run("prices", "list", "--json").json
    assert as_json["dated"] == "2026-11-30"
    assert as_json["prices"][-2] == {
        "model": "claude-haiku-5-5", "host": "api.anthropic.com", "input": "0.50", "write_5m": "0.625",
        "write_1h": "1.00", "read": "0.05", "output": "2.50", "from": None, "above": 100_000, "own": False,
    }  # fmt: skip


def test_a_price_of_ones_own_and_back(cli: CommandLine) -> None:
    told = cli.run("prices", "set", "claude-opus-5-5", *AMOUNTS)
    assert (told.code, told.out) == (0, "Your own price for claude-opus-5-5 at api.anthropic.com now applies.\n")
    assert lines(cli, "claude-opus-5-5") == [["*", "claude-opus-5-5", "3", "3.75", "6", "0.30", "15"]]
    told = cli.run("prices", "reset", "claude-opus-5-5", "--json")
    assert told.json == {"model": "claude-opus-5-5", "host": "api.anthropic.com", "done": "reset"}
    assert lines(cli, "claude-opus-5-5") == [["claude-opus-5-5", "4", "5", "8", "0.20", "20"]]


def test_a_price_from_a_day_on_at_another_host(cli: CommandLine) -> None:
    there = ("--host", "http://localhost:11434")
    cli.run("prices", "set", "llama3:8b", *AMOUNTS, *there)
    told = cli.run("prices", "set", "llama3:8b", *AMOUNTS, *there, "--from", "2027-01-01", "--above", "5000")
    assert told.code == 0
    rows = [row for row in cli.run("prices", "--json").json["prices"] if row["own"]]
    assert [(row["host"], row["from"], row["above"]) for row in rows] == [
        ("localhost:11434", None, None),
        ("localhost:11434", "2027-01-01", 5_000),
    ]
    condition = "from 2027-01-01 · prompts over 5,000 tokens · localhost:11434"
    assert " ".join(lines(cli, "llama3:8b")[1]).endswith(condition)
    told = cli.run("prices", "reset", "llama3:8b", "--host", "localhost:11434")
    assert told.out.endswith("It now has no known price.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("set", "mine", *AMOUNTS, "--read", "free"), 1, "price"),
        (("set", "mine", *AMOUNTS, "--from", "soon"), 1, "price_day"),
        (("set", "mine", *AMOUNTS, "--from", "2026-W48-1"), 1, "price_day"),
        (("set", "mine", *AMOUNTS, "--from", "20261130"), 1, "price_day"),
        (("set", "mine", *AMOUNTS, "--from", "2026-02-30"), 1, "price_day"),
        (("set", "mine", *AMOUNTS, "--above", "x"), 1, "price_above"),
        (("set", "my model", *AMOUNTS), 1, "price_model"),
        (("set", "mine", *AMOUNTS, "--host", "a b"), 1, "price_host"),
        (("reset", "mine"), 1, "price_not_own"),
        (("set", "mine", *AMOUNTS[2:]), 2, None),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    cli: CommandLine, arguments: tuple[str, ...], code: int, said: str | None
) -> None:
    told = cli.run("prices", *arguments)
    assert told.code == code
    why = load_words("en").say(f"errors.bad_input_why.{said}") if said else "--input is missing"
    assert why in told.line
    assert cli.run("prices", "--json").json["prices"][0]["own"] is False


def test_a_damaged_file_is_told_and_set_aside(cli: CommandLine) -> None:
    cli.run("prices", "set", "mine", *AMOUNTS)
    file = cli.data_dir / "prices.toml"
    file.write_bytes(b"\0")
    told = cli.run("prices", "--lang", "ko")
    assert told.err.rstrip() == load_words("ko").say("prices_notice.restored")
    assert "mine" in told.out
    assert (cli.data_dir / "prices.toml.bad").read_bytes() == b"\0"
    assert cli.run("prices").err == ""


def test_rows_that_cannot_be_used_are_named_and_every_command_goes_on(cli: CommandLine) -> None:
    cli.run("prices", "set", "mine", *AMOUNTS)
    file = cli.data_dir / "prices.toml"
    whole = file.read_text("utf-8")
    for text, named in (
        ("price = [1, 2]\n", "#1; #2"),
        (whole.replace("[[price]]", "[[prices]]"), "prices"),
        (whole + "Host = 'localhost'\n", "#1 mine: Host"),
    ):
        file.write_text(text, "utf-8")
        for command in (["prices"], ["cost"], ["conversations"]):
            told = cli.run(*command)
            assert (told.code, told.err.rstrip()) == (0, load_words("en").say("prices_notice.rows", rows=named))
        assert "mine" not in cli.run("prices").out


def test_an_empty_file_gives_way_to_the_last_good_copy(cli: CommandLine) -> None:
    cli.run("prices", "set", "mine", *AMOUNTS)
    (cli.data_dir / "prices.toml").write_bytes(b"")
    told = cli.run("prices")
    assert told.err.rstrip() == load_words("en").say("prices_notice.restored")
    assert "mine" in told.out
