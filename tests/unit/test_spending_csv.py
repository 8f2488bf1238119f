"""Spending as a file: each request a line, every digit of its cost, and nothing a spreadsheet would compute."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta, timezone
from decimal import Decimal

import pytest

from desktop_app.core.money.spending import SpendingBy, SpentRequest
from desktop_app.core.money.spending_csv import COLUMNS, spending_csv
from desktop_app.core.money.spending_sums import sums
from desktop_app.core.money.spent_cost import priced
from desktop_app.core.request_log import RequestState
from desktop_app.core.usage import SidePass
from tests.unit.spent_samples import PRICES, TEN_CENTS, spent, usd

SEOUL = timezone(timedelta(hours=9))


def rows(*requests: SpentRequest) -> list[dict[str, str]]:
    data = spending_csv(priced(requests, PRICES), SEOUL)
    assert data.startswith(b"\xef\xbb\xbf") and data.endswith(b"\r\n")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))


def test_request_stands_on_a_line_with_every_column() -> None:
    (row,) = rows(spent(0, title="백업, 계획", turn=3, round=2, counted=5_000))
    assert list(row) == list(COLUMNS)
    assert row == {
        "sent_at": "2026-11-30T13:00:00+09:00",
        "profile": "default",
        "conversation": "백업, 계획",
        "conversation_id": "c1",
        "turn": "3",
        "round": "2",
        "spent_on": "answers",
        "state": "answered",
        "host": "api.anthropic.com",
        "model": "claude-opus-5-5",
        "uncached": "5000",
        "write_5m": "0",
        "write_1h": "0",
        "read": "0",
        "output": "4000",
        "thinking": "",
        "side_input": "",
        "side_output": "",
        "cost_usd": "0.10",
        "side_usd": "",
        "estimated": "no",
        "simulated": "no",
        "request_id": "r0",
    }


def test_costs_of_all_lines_are_the_sum_of_the_report() -> None:
    sides = (SidePass("compaction", uncached=1, output=1), SidePass("message", read=1))
    found = [
        spent(0, usage=replace(TEN_CENTS, read=7, sides=sides)),
        spent(1, state=RequestState.FAILED, usage=None, error="rate_limited"),
        spent(2, state=RequestState.STOPPED, usage=None, turn_id="t2"),
    ]
    table = rows(*found)
    total = sums(priced(found, PRICES), SpendingBy.DAY, PRICES.dated).total
    assert sum(Decimal(row["cost_usd"]) for row in table) == total.cost.total > usd("0.12")
    assert [row["estimated"] for row in table] == ["no", "no", "yes"]
    assert (table[0]["side_input"], table[0]["side_output"]) == ("2", "1")
    assert Decimal(table[0]["side_usd"]) == usd("0.0000242")


def test_unknown_is_an_empty_cell_and_simulated_costs_nothing_at_all() -> None:
    strange, simulated = rows(spent(0, model="qwen-9", host="localhost:1"), spent(1, simulated=True))
    assert (strange["cost_usd"], strange["simulated"]) == ("", "no")
    assert (simulated["cost_usd"], simulated["simulated"], simulated["estimated"]) == ("", "yes", "no")


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+82 10", "'+82 10"),
        ("-2", "'-2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("  =HYPERLINK(1)", "  '=HYPERLINK(1)"),
        ("\t=1", " '=1"),
        ("＝1", "'＝1"),
        ("a;=1", "a;'=1"),
        ("two\r\n=lines", "two =lines"),
        ("a = b, c-d", "a = b, c-d"),
        ('say "hi"', 'say "hi"'),
    ],
)
def test_title_is_never_a_formula(title: str, cell: str) -> None:
    (row,) = rows(spent(0, title=title, profile=title, model=title))
    assert (row["conversation"], row["profile"], row["model"]) == (cell, cell, cell)
