"""Prices of one's own: they take the place of the built-in ones of that model and host, and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.price_file import RESTORED, PriceFile
from desktop_app.core.errors import BadInput
from desktop_app.core.money.price_rows import ANY_PROMPT, PriceRow, amount_from, host_from, plain, proposed, row_from
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.money.written_prices import PriceNotice
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.usage import Usage
from desktop_app.core.words import LANGUAGES, load_words
from desktop_app.services.prices import PriceService

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = datetime(2027, 1, 1, tzinfo=UTC)
ANTHROPIC, LOCAL = "api.anthropic.com", "localhost:11434"
USAGE = Usage(1_000_000, 0, 0, 0, 0)


def row(model: str, **fields: Any) -> PriceRow:
    amounts = {"input": "3", "output": "15", "write_5m": "3.75", "write_1h": "6", "read": "0.30"}
    return row_from({"model": model, **amounts, **fields})


def service(folder: Path) -> PriceService:
    return PriceService(load_prices(), PriceFile(folder))


def usd(prices: PriceService, model: str, at: datetime = AT, tokens: int = 1_000_000, host: str = ANTHROPIC) -> Any:
    cost = prices.prices.cost(model, Usage(tokens, 0, 0, 0, 0), at, host=host)
    return cost.total if cost else None


def test_a_price_of_ones_own_takes_the_place_of_all_of_that_model(tmp_path: Path) -> None:
    prices = service(tmp_path)
    assert usd(prices, "claude-haiku-5-5") == Decimal("0.50")
    prices.put(row("claude-haiku-5-5"))
    assert usd(prices, "claude-haiku-5-5") == usd(prices, "claude-haiku-5-5-20270101") == 3
    assert usd(prices, "claude-haiku-5-5", tokens=1_000) == Decimal("0.003")
    assert prices.prices.is_own("claude-haiku-5-5")
    assert prices.prices.is_own("claude-haiku-5-5-20270101")
    assert not prices.prices.is_own("claude-haiku-4-5")
    assert usd(prices, "claude-haiku-4-5") == 1
    assert usd(prices, "claude-haiku-5-5", host=LOCAL) is None


def test_what_holds_only_from_a_day_on_leaves_the_days_before(tmp_path: Path) -> None:
    prices = service(tmp_path)
    prices.put(row("claude-sonnet-5-5", **{"from": "2027-01-01"}))
    assert (usd(prices, "claude-sonnet-5-5"), usd(prices, "claude-sonnet-5-5", LATER)) == (2, 3)
    own = [one for one in prices.rows() if one.own]
    assert [one.rates.since for one in own] == [date.min, date(2026, 10, 7), date(2027, 1, 1)]
    prices.put(row("claude-sonnet-5-5", input="4", **{"from": "2027-01-01"}))
    assert usd(prices, "claude-sonnet-5-5", LATER) == 4
    assert sum(one.own for one in prices.rows()) == 3


def test_what_holds_only_for_long_prompts_leaves_the_short_ones(tmp_path: Path) -> None:
    prices = service(tmp_path)
    prices.put(row("claude-opus-5-5", input="8", above="200000"))
    assert usd(prices, "claude-opus-5-5", tokens=200_000) == Decimal("0.8")
    assert usd(prices, "claude-opus-5-5", tokens=200_001) == Decimal("1.600008")


def test_one_row_of_several_is_changed_alone(tmp_path: Path) -> None:
    prices = service(tmp_path)
    old, long = (one for one in prices.rows() if one.model == "claude-haiku-5-5")
    prices.put(row("claude-haiku-5-5", input="0.2"), old)
    assert usd(prices, "claude-haiku-5-5", tokens=100_000) == Decimal("0.02")
    assert usd(prices, "claude-haiku-5-5") == Decimal("0.50")
    prices.put(row("claude-haiku-5-5", input="0.6", above="500000"), long)
    assert usd(prices, "claude-haiku-5-5", tokens=500_000) == Decimal("0.1")
    assert usd(prices, "claude-haiku-5-5") == Decimal("0.6")
    assert sum(one.model == "claude-haiku-5-5" for one in prices.rows()) == 2
    taken = prices.reset("claude-haiku-5-5")
    assert usd(prices, "claude-haiku-5-5", tokens=100_000) == Decimal("0.01")
    prices.restore(taken)
    assert [one for one in prices.rows() if one.own] == taken
    assert usd(prices, "claude-haiku-5-5") == Decimal("0.6")


def test_prices_of_another_host_are_those_of_its_requests_alone(tmp_path: Path) -> None:
    prices = service(tmp_path)
    prices.put(row("claude-opus-5-5", host="http://localhost:11434/v1", input="0.5"))
    record = RequestRecord(
        "r1", "c1", "t1", 1, 1, AT, LOCAL, "claude-opus-5-5", "d", 1_000, None, 0, (),
        state=RequestState.ANSWERED, usage=USAGE,
    )  # fmt: skip
    costs = [prices.prices.cost_of(replace(record, host=host)) for host in (LOCAL, ANTHROPIC, "gateway.example.com")]
    assert [one.total if one else None for one in costs] == [Decimal("0.5"), 4, None]
    assert prices.prices.saved_of(replace(record, usage=Usage(0, 0, 0, 1_000_000, 0))) == Decimal("0.2")
    assert not prices.prices.is_own("claude-opus-5-5")
    assert prices.prices.is_own("claude-opus-5-5", LOCAL)


def test_a_price_of_nothing_is_a_price(tmp_path: Path) -> None:
    prices = service(tmp_path)
    free = dict.fromkeys(("input", "output", "write_5m", "write_1h", "read"), "0")
    prices.put(row("llama3:8b", host="localhost:11434", **free))
    assert usd(prices, "llama3:8b", host=LOCAL) == 0
    assert usd(prices, "llama3", host=LOCAL) is None


def test_taking_own_prices_back_brings_the_built_in_ones(tmp_path: Path) -> None:
    prices = service(tmp_path)
    for one in (row("claude-opus-5-5"), row("mine"), row("mine", host="localhost:11434")):
        prices.put(one)
    prices.reset("claude-opus-5-5")
    prices.reset("mine")
    assert (usd(prices, "claude-opus-5-5"), usd(prices, "mine"), usd(prices, "mine", host=LOCAL)) == (4, None, 3)
    for model, host in (("mine", ANTHROPIC), ("claude-opus-5", ANTHROPIC), ("other", LOCAL)):
        with pytest.raises(BadInput) as caught:
            prices.reset(model, host)
        assert caught.value.params == {"what": model, "why": "price_not_own"}


def test_rows_are_those_that_hold_with_the_own_ones_marked(tmp_path: Path) -> None:
    prices = service(tmp_path)
    before = prices.rows()
    assert (len(before), before[0].model, any(one.own for one in before)) == (19, "claude-fable-5-2", False)
    for one in (row("zeta", host="localhost:1"), row("mine"), row("claude-fable-5-2", input="9")):
        prices.put(one)
    rows = prices.rows()
    assert len(rows) == 21
    assert (rows[0].rates.input, rows[0].own) == (9, True)
    assert [(one.host, one.model, one.own) for one in rows[-2:]] == [
        (ANTHROPIC, "mine", True),
        ("localhost:1", "zeta", True),
    ]


def test_what_another_process_wrote_holds_at_the_next_look(tmp_path: Path) -> None:
    window, command = service(tmp_path), service(tmp_path)
    heard: list[str] = []
    window.on_change(lambda: heard.append("changed"))
    command.put(row("claude-opus-5-5"))
    assert usd(window, "claude-opus-5-5") == 3
    window.put(row("mine"))
    assert heard == ["changed"]
    command.put(row("other"))
    assert sorted({one.model for one in window.rows() if one.own}) == ["claude-opus-5-5", "mine", "other"]
    window.reset("mine")
    assert sorted({one.model for one in command.rows() if one.own}) == ["claude-opus-5-5", "other"]
    assert heard == ["changed", "changed"]
    (tmp_path / "prices.toml").write_bytes(b"[[")
    assert usd(window, "claude-opus-5-5") == 3
    assert (window.take_notices(), window.take_notices(), command.take_notices()) == ([PriceNotice(RESTORED)], [], [])


def test_the_list_is_the_same_until_something_changes(tmp_path: Path) -> None:
    prices = service(tmp_path)
    assert prices.prices is prices.prices
    assert prices.prices == load_prices()


@pytest.mark.parametrize(
    ("text", "amount"), [("3", "3"), (" $3.75 ", "3.75"), ("0", "0"), (".5", "0.5"), ("1000000", "1000000")]
)
def test_amounts_that_can_be_used(text: str, amount: str) -> None:
    assert amount_from(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        *(("input", text, "price") for text in ("", "-1", "1e3", "NaN", "3,5", "1_0", "٣", "1000000.01", "9" * 99)),
        ("read", "∞", "price"),
        *(("from", text, "price_day") for text in ("2026-13-01", "1.12.2026", "tomorrow")),
        *(("above", text, "price_above") for text in ("-1", "1.5", "many", "1000000001", "9" * 99, "٣")),
        *(("model", text, "price_model") for text in ("", "  ", "a b", "a\u202eb", "x" * 201)),
        *(("host", text, "price_host") for text in ("a b", "ftp://x", "user@host", "https://")),
    ],
)
def test_fields_that_cannot_be_used_say_so(field: str, text: str, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        row(**{"model": "mine", field: text})
    assert (caught.value.params["what"], caught.value.params["why"]) == (text, why)
    for language in LANGUAGES:
        words = load_words(language)
        assert words.say(f"errors.bad_input_why.{why}") in words.explain(caught.value)
        assert words.say(f"price_list.wrong.{why}")


def test_hosts_are_named_as_the_log_names_them() -> None:
    assert [host_from(text) for text in ("", " api.anthropic.com ", "https://API.anthropic.com/v1")] == [ANTHROPIC] * 3
    assert host_from("http://127.0.0.1:8080") == "127.0.0.1:8080"
    assert host_from("https://gateway.example.com:8443/v1/messages") == "gateway.example.com:8443"


def test_empty_conditions_hold_always() -> None:
    rates = row("mine").rates
    assert (rates.since, rates.above) == (date.min, ANY_PROMPT)
    assert row("mine", above="100,000").rates.above == 100_000


def test_proposals_are_shares_of_the_input() -> None:
    assert {kind: plain(amount) for kind, amount in proposed(Decimal("3.00")).items()} == {
        "write_5m": "3.75",
        "write_1h": "6",
        "read": "0.3",
    }
    assert plain(proposed(Decimal(50))["write_1h"]) == "100"
