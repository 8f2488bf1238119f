"""`mnemoscope cost`: sums by day, conversation, model, profile and turn are one sum; a budget warns once per level."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from desktop_app.adapters.price_file import PriceFile
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.pricing import load_prices
from desktop_app.services.prices import PriceService
from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_settings, open_house
from tests.fakes.simulator import RunningSimulator

BY = ("day", "conversation", "model", "profile", "turn")
RATES = Rates(*(Decimal(text) for text in ("3", "15", "3.75", "6", "0.30")))


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    """On a server that is not Anthropic's, for whose model the person has written a price."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings = make_settings(folder, simulator.url, simulated=False, plain_endpoint=False)
    prices = PriceService(load_prices(), PriceFile(folder))
    prices.put(PriceRow(settings.profile.model, RATES, urlsplit(simulator.url).netloc))
    return CommandLine(folder)


def test_with_nothing_spent_it_says_so_and_succeeds(cli: CommandLine) -> None:
    told = cli.run("cost", "--month", "2026-02")
    assert (told.code, told.out) == (0, "Spending: 2026-02, all profiles\nNothing was spent in this period.\n")
    told = cli.run("cost", "--month", "2026-02", "--json").json
    assert (told["groups"], told["total"]["usd"], told["from"], told["until"]) == ([], "0", "2026-02-01", "2026-03-01")
    assert "이 기간에는 지출이 없습니다." in cli.run("cost", "--lang", "ko").out


@pytest.mark.parametrize("month", ["2026-13", "26-01", "2026", "9999-12", "November", "٢٠٢٦-٠١", ""])
def test_month_that_is_none_is_refused(cli: CommandLine, month: str) -> None:
    told = cli.run("cost", "--month", month)
    assert told.code == 1
    assert "2026-11" in told.line


def test_all_sums_are_one_and_the_price_is_the_persons_own(cli: CommandLine) -> None:
    first = cli.run("chat", "My cat is called Mori. " + "She likes the window seat. " * 200)
    cli.run("chat", "What is 1234 * 5678?", "--conversation", first.conversation)
    cli.run("chat", "And what is 2 * 3?")
    reports = {by: cli.run("cost", "--by", by, "--json").json for by in BY}
    totals = [report["total"] for report in reports.values()]
    assert all(total == totals[0] for total in totals) and Decimal(totals[0]["usd"]) > 0
    for report in reports.values():
        assert sum(Decimal(group["usd"]) for group in report["groups"]) == Decimal(totals[0]["usd"])
    assert {by: len(report["groups"]) for by, report in reports.items()} == {
        "day": 1,
        "conversation": 2,
        "model": 1,
        "profile": 1,
        "turn": 3,
    }
    cached = cli.run("cache", "-c", first.conversation, "--json").json["total"]
    (cat,) = [one for one in reports["conversation"]["groups"] if one["key"] == [first.conversation]]
    by_hand = sum(
        cached[kind] * rate
        for kind, rate in zip(
            ("uncached", "output", "write_5m", "write_1h", "read"),
            (RATES.input, RATES.output, RATES.write_5m, RATES.write_1h, RATES.read),
            strict=True,
        )
    ) / Decimal(1_000_000)
    assert Decimal(cat["usd"]) == by_hand
    assert cat["title"].startswith("My cat is called Mori.") and cat["deleted"] is False
    assert [group["turn"] for group in reports["turn"]["groups"]] == [1, 2, 1]
    assert "title" not in reports["day"]["groups"][0]
    assert cat["lines"]["answers"]["requests"] == cached["requests"]
    assert cat["lines"]["counting"]["usd"] == "0"
    shown = cli.run("cost", "--by", "turn").out.splitlines()
    assert shown[1].split() == ["Turn", "requests", "input", "output", "cost"]
    assert shown[2].startswith("turn 1 · And what is 2 * 3?")
    assert [line.split()[:2] for line in shown[3:5]] == [["turn", "2"], ["turn", "1"]]
    assert any(line.split()[-1] == "free" for line in shown if "Counting tokens" in line)


def test_a_profile_is_told_alone_when_it_is_named(cli: CommandLine) -> None:
    cli.run("chat", "Hello")
    cli.run("profiles", "add", "work")
    alone = cli.run("cost", "--profile", "work", "--json").json
    assert (alone["profile"], alone["total"]["requests"]) == ("work", 0)
    assert cli.run("cost", "--profile", "default", "--json").json["total"]["requests"] == 1
    assert cli.run("cost", "--profile", "nobody").code == 1


def test_csv_holds_a_line_for_each_request_and_the_same_sum(cli: CommandLine, tmp_path: Path) -> None:
    cli.run("chat", "=1+1 is a formula")
    cli.run("chat", "What is 12 * 12?")
    file = tmp_path / "spent.csv"
    told = cli.run("cost", "--csv", str(file))
    assert (told.code, told.out, told.err) == (0, "", f"Saved to {file}.\n")
    rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))
    total = cli.run("cost", "--json").json["total"]
    assert len(rows) == total["requests"]
    assert sum(Decimal(row["cost_usd"]) for row in rows) == Decimal(total["usd"])
    assert rows[0]["conversation"] == "'=1+1 is a formula"
    assert cli.run("cost", "--csv", "-").out.splitlines() == file.read_text("utf-8").splitlines()
    refused = cli.run("cost", "--csv", str(tmp_path / "nowhere" / "spent.csv"))
    assert refused.code == 1 and "nowhere" in refused.line


def test_csv_says_what_it_wrote_and_replaced(cli: CommandLine, tmp_path: Path) -> None:
    cli.run("chat", "What is 12 * 12?")
    file, link, pipe = tmp_path / "spent.csv", tmp_path / "link.csv", tmp_path / "pipe"
    first = cli.run("cost", "--csv", str(file), "--json")
    requests = cli.run("cost", "--json").json["total"]["requests"]
    assert requests > 0
    assert (first.code, first.json, first.err) == (0, {"file": str(file), "rows": requests}, "")
    whole = file.read_bytes()
    file.write_bytes(b"earlier")
    file.chmod(0o640)
    link.symlink_to(file)
    again = cli.run("cost", "--csv", str(link))
    assert again.err == f"Saved to {link}, in place of the file that stood there.\n"
    assert link.is_symlink() and (file.read_bytes(), file.stat().st_mode & 0o777) == (whole, 0o640)
    os.mkfifo(pipe)
    assert cli.run("cost", "--csv", str(pipe)).line.startswith(f"Nobody reads from the pipe {pipe},")
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        told = cli.run("cost", "--csv", str(pipe))
        assert (told.code, told.err, reader.read()) == (0, f"Saved to {pipe}.\n", whole)
    assert pipe.is_fifo()
    folder = cli.run("cost", "--csv", str(tmp_path))
    assert folder.code == 1 and folder.line.startswith(f"{tmp_path} is a folder")
    assert cli.run("cost", "--csv", "~nobody-of-this-name/x.csv").code == 1


def test_csv_without_a_name_or_beside_json_on_one_output_is_misuse(cli: CommandLine) -> None:
    for blank in ("", "  "):
        told = cli.run("cost", "--csv", blank)
        assert (told.code, told.line) == (2, "--csv FILE is missing; see mnemoscope cost --help.")
    both = cli.run("cost", "--csv", "-", "--json")
    refused = json.loads(both.err)
    assert (both.code, refused["error"]) == (2, "usage")
    assert refused["message"].startswith("--csv - and --json do not go together;")


def test_budget_is_shown_and_warned_of_once_per_level(cli: CommandLine) -> None:
    def budget(usd: Decimal) -> None:
        file = SettingsFile(cli.data_dir)
        settings, _ = file.load()
        file.save(replace(settings, monthly_budget=format(usd, "f")))

    cli.run("chat", "Tell me about " + "windows and cats " * 3_000)
    spent = Decimal(cli.run("cost", "--json").json["total"]["usd"])
    assert spent > Decimal("0.02")
    budget((spent * Decimal("1.2")).quantize(Decimal("0.01")))
    month = f"{date.today():%Y-%m}"
    warned = cli.run("chat", "hi").err
    assert "of this month's budget is spent: $" in warned
    assert "budget" not in cli.run("chat", "hi").err
    told = cli.run("cost").out
    assert f"{month}: $" in told and "spent (" in told
    budget(Decimal("0.01"))
    warned = cli.run("chat", "hi", "--lang", "ko").err
    assert "예산을 모두 사용했습니다" in warned
    assert "예산" not in cli.run("chat", "hi", "--lang", "ko").err
    assert cli.run("cost", "--json").json["budget"]["level"] == 100


def test_simulated_answers_are_free_and_enter_no_sum(simulator: RunningSimulator, tmp_path: Path) -> None:
    async def talk() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            await house.ask("Hello")
            today, _ = await house.services.spending.today_and_budget()
            assert (today.total.requests, today.simulated) == (0, 1)

    asyncio.run(talk())
    told = CommandLine(tmp_path).run("cost").out
    assert "1 request went to the simulated assistant. It is free and not in the sum." in told
    assert "$" not in told
