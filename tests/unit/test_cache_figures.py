"""The cache's figures: turns that sum to the total, unknown kept apart from nothing, memos in lines of their own."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.cache.figures import CacheFigures, CacheReport, cache_report
from desktop_app.core.cache.forecast import CacheForecast, CachePoint
from desktop_app.core.money.price_rows import Rates
from desktop_app.core.money.price_sources import sources_words
from desktop_app.core.money.pricing import PriceList, load_prices
from desktop_app.core.money.spending import SpendingBy, SpendingLine, SpentRequest
from desktop_app.core.money.spending_sums import spending
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import SidePass, Usage
from desktop_app.core.words import load_words

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRICES = load_prices()
EN, KO = load_words("en"), load_words("ko")


def record(number: int, usage: Usage | None, turn: int | None = None, **changes: Any) -> RequestRecord:
    turn = number if turn is None else turn
    one = RequestRecord(
        f"r{number}", "c1", f"t{turn}", turn, 1, START + timedelta(minutes=number), "api.anthropic.com",
        "claude-opus-5-5", f"d{number}", 1_000, None, 0, (), state=RequestState.ANSWERED, usage=usage,
    )  # fmt: skip
    return replace(one, **changes)


def report(*records: RequestRecord, simulated: bool = False) -> CacheReport:
    return cache_report("c1", records, PRICES, simulated=simulated)


def test_a_turn_sums_its_requests() -> None:
    told = report(
        record(1, Usage(3, 5_000, 0, 0, 100)),
        record(2, Usage(3, 200, 0, 5_000, 50), turn=2),
        record(3, Usage(3, 300, 100, 5_200, 60), turn=2),
    )
    assert [turn.turn for turn in told.turns] == [1, 2]
    first, second = (turn.figures for turn in told.turns)
    assert (second.requests, second.read, second.write_5m, second.write_1h, second.uncached) == (2, 10_200, 500, 100, 6)
    assert second.input_total == 10_806
    assert second.hit_rate == 10_200 / 10_806
    assert first.hit_rate == 0.0
    assert told.last == told.turns[1]
    assert told.dated == PRICES.dated


def test_money_follows_each_request_and_may_be_lost() -> None:
    told = report(record(1, Usage(0, 1_000_000, 0, 0, 0)), record(2, Usage(0, 0, 0, 1_000_000, 100_000)))
    lost, won = (turn.figures for turn in told.turns)
    assert lost.saved == Decimal(-1)
    assert won.saved == Decimal("3.8")
    assert told.total.saved == Decimal("2.8")
    assert told.total.cost is not None
    assert told.total.cost.total == Decimal("7.2")


NUMBERS = st.one_of(st.none(), st.integers(0, 50_000))
USAGES = st.builds(Usage, NUMBERS, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.none(), st.booleans(), st.booleans())
HOSTS = st.sampled_from(("api.anthropic.com", "localhost:11434"))


@given(st.lists(st.tuples(st.one_of(st.none(), USAGES), st.integers(1, 4), HOSTS), max_size=12))
def test_turns_sum_to_the_total(drawn: list[tuple[Usage | None, int, str]]) -> None:
    records = [record(number, usage, turn, host=host) for number, (usage, turn, host) in enumerate(drawn)]
    told = report(*records)
    total = told.total
    for name in ("uncached", "write_5m", "write_1h", "read", "output", "saved"):
        parts = [value for turn in told.turns if (value := getattr(turn.figures, name)) is not None]
        assert getattr(total, name) == (sum(parts) if parts else None)
    costs = [turn.figures.cost.total for turn in told.turns if turn.figures.cost]
    assert (total.cost.total if total.cost else None) == (sum(costs) if costs else None)
    assert total.requests == len(records)
    known = [one.usage for one in records if one.usage and one.usage.input_total and one.usage.read is not None]
    assert sum(usage.input_total or 0 for usage in known) <= (total.input_total or 0)


def test_an_endpoint_that_reports_nothing_is_unknown_and_not_nothing() -> None:
    told = report(*(record(n, Usage(500, output=20), host="localhost:11434", model="llama3") for n in (1, 2)))
    total = told.total
    assert (total.read, total.uncached, total.hit_rate, total.input_total) == (None, None, None, None)
    assert (total.cost, total.saved, total.output) == (None, None, 40)
    assert (total.unreported, total.unpriced) == (2, 2)


def test_where_nothing_of_a_cache_is_told_nothing_is_known_to_be_saved() -> None:
    told = report(record(1, Usage(500, output=20)), record(2, Usage(500, output=20)))
    assert (told.total.saved, told.turns[0].figures.saved) == (None, None)
    assert told.total.cost is not None and told.total.cost.total > 0


def test_requests_without_marks_have_no_hit_rate_unless_something_was_read() -> None:
    plain = {"host": "gateway.example.com", "app_version": "1.0"}
    point = CachePoint(1, "d", 500)
    told = report(
        record(1, Usage(500, 0, 0, 0, 20), **plain),
        record(2, Usage(500, 0, 0, 0, 20), **plain, points=(point,)),
        record(3, Usage(100, 0, 0, 400, 20), **plain),
        record(4, Usage(500, 0, 0, 0, 20)),
    )
    assert [turn.figures.unmarked for turn in told.turns] == [1, 0, 0, 0], "of an old one it is not known"
    assert [turn.figures.hit_rate for turn in told.turns] == [None, 0.0, 0.8, 0.0]
    assert told.total.hit_rate == 0.2
    alone = report(record(1, Usage(500, 0, 0, 0, 20), **plain), record(2, Usage(500, output=20), **plain)).total
    assert (alone.hit_rate, alone.input_total, alone.unmarked, alone.unreported) == (None, 500, 1, 1)


def test_turns_that_are_not_on_the_path_are_another_version() -> None:
    records = [
        record(1, Usage(3, 5_000, 0, 0, 100)),
        record(2, Usage(3, 100, 0, 5_000, 100), turn_id="new"),
        record(3, Usage(3, 100, 0, 5_000, 100), turn=2),
        record(4, Usage(3, 100, 0, 5_000, 900), turn_id="new", purpose=RequestPurpose.MEMO),
    ]
    told = cache_report("c1", records, PRICES, path=["t1", "new"])
    assert [(turn.turn, turn.other_version) for turn in told.turns] == [(1, False), (2, False), (2, True), (4, False)]
    assert told.last == told.turns[1]
    assert not any(turn.other_version for turn in report(*records).turns)
    assert cache_report("c1", records, PRICES, path=[]).last == told.turns[2]


def test_whose_prices_the_money_is_made_of() -> None:
    (rates,) = PRICES.standing("claude-opus-5-5")
    own = replace(PRICES, own={("gateway.example.com", "claude-opus-5-5"): (rates,)})
    listed, theirs = record(1, Usage(3, 5_000, 0, 0, 100)), record(2, Usage(3, output=9), host="gateway.example.com")
    unpriced = record(3, Usage(3, output=9), host="localhost:11434")
    for records, en, ko in (
        ([listed, unpriced], "Prices of Anthropic as of D, in USD.", "D 기준 Anthropic 가격(USD)입니다."),
        ([theirs, unpriced], "Prices are your own, in USD.", "직접 정한 가격(USD)입니다."),
        ([listed, theirs], EN.say("money.prices_dated", date="D"), KO.say("money.prices_dated", date="D")),
        ([unpriced], "", ""),
    ):
        found = [SpentRequest(one, "p", "") for one in records]
        cache = cache_report("c1", records, own).total.sources
        money = spending(found, own, SpendingBy.DAY).sources
        assert [sources_words(EN, one, "D") for one in (cache, money)] == [en, en]
        assert sources_words(KO, cache, "D") == ko


def test_what_is_unknown_is_left_out_and_counted() -> None:
    told = report(
        record(1, Usage(3, 5_000, 0, 0, 100)),
        record(2, Usage(500, output=20), host="localhost:11434"),
        record(3, None, state=RequestState.STOPPED),
    )
    assert (told.total.requests, told.total.unreported, told.total.unpriced) == (3, 2, 2)
    assert told.total.input_total == 5_003
    assert told.turns[1].figures.hit_rate is None


def test_a_server_that_reports_a_cache_without_a_price_has_a_hit_rate() -> None:
    figures = report(record(1, Usage(10, 0, 0, 90, 5), host="gateway.example.com")).total
    assert figures.hit_rate == 0.9
    assert figures.cost is None


def test_what_runs_or_failed_before_anything_came_is_no_request_yet() -> None:
    refused = record(2, None, state=RequestState.FAILED, error="overloaded")
    assert report(record(1, None, state=RequestState.SENT), refused).turns == ()
    assert report().last is None
    assert report().total == CacheFigures()


def test_a_memo_has_a_line_of_its_own_and_the_next_turn_knows_it() -> None:
    told = report(
        record(1, Usage(3, 5_000, 0, 0, 100)),
        record(2, Usage(3, 300, 0, 5_000, 900), turn=1, purpose=RequestPurpose.MEMO),
        record(3, Usage(3, 2_000, 0, 0, 100), turn=2),
        record(4, Usage(3, 200, 0, 2_000, 100), turn=3),
    )
    assert [(turn.purpose.value, turn.turn, turn.after_memo) for turn in told.turns] == [
        ("chat", 1, False),
        ("memo", 1, False),
        ("chat", 2, True),
        ("chat", 3, False),
    ]
    assert told.turns[1].id == "r2"
    assert told.total.output == 1_200
    only = report(record(2, Usage(3, 300, 0, 5_000, 900), purpose=RequestPurpose.MEMO))
    assert only.last is None


def test_the_simulated_assistant_costs_nothing_and_saves_nothing() -> None:
    told = report(record(1, Usage(3, 5_000, 0, 0, 100)), simulated=True)
    assert (told.total.cost, told.total.saved) == (None, None)
    assert told.total.write_5m == 5_000


def test_money_is_the_same_as_in_the_sums_of_spending() -> None:
    forecast = CacheForecast(read=40_000, write_5m=2_000, write_1h=0, uncached=500)
    records = [
        record(1, Usage(3, 5_000, 0, 0, 100)),
        record(2, None, state=RequestState.STOPPED, predicted=forecast),
        record(3, None, turn=2, state=RequestState.STOPPED, estimated=2_500),
        record(4, None, turn=3, state=RequestState.FAILED, error="overloaded"),
        record(5, None, turn=3, state=RequestState.FAILED, error="timed_out", predicted=forecast),
        record(6, Usage(3, 200, 0, 5_000, 90, output_estimated=True), turn=3, state=RequestState.FAILED),
        record(7, Usage(3, 200, 0, 5_000, 120, sides=(SidePass("compaction", 2_500, output=500),)), turn=3),
        record(8, Usage(3, 300, 0, 5_000, 900), turn=3, purpose=RequestPurpose.MEMO),
        record(9, Usage(70, output=20), host="localhost:11434", model="llama3"),
        record(10, None, state=RequestState.SENT),
    ]
    cache, money = report(*records).total, spent_on(records)
    assert cache.cost == money.cost
    assert cache.cost is not None and cache.cost.total == money.usd and cache.cost.estimated
    assert (cache.unpriced, cache.requests) == (money.unpriced, money.requests - 1), "the one that was refused"


def test_rates_of_any_length_are_added_up_without_rounding() -> None:
    odd = Rates(*(Decimal(text) for text in ("999999.123456789", "3", "0.0000000000001", "7e-20", "1e-9")))
    prices = replace(PRICES, own={("api.anthropic.com", "claude-opus-5-5"): (odd,)})
    records = [record(number, Usage(900_001, 3, 7, 11, 13)) for number in range(3)]
    cache = cache_report("c1", records, prices).total.cost
    assert cache == spent_on(records, prices).cost


def spent_on(records: list[RequestRecord], prices: PriceList = PRICES) -> SpendingLine:
    return spending([SpentRequest(one, "p", "") for one in records], prices, SpendingBy.CONVERSATION).total


def test_estimates_stay_marked_in_every_sum() -> None:
    told = report(
        record(1, Usage(3, 5_000, 0, 0, 100, split_known=False)),
        record(2, Usage(3, 5_000, 0, 0, 100, output_estimated=True)),
        record(3, Usage(3, 5_000, 0, 0, 100)),
    )
    assert [turn.figures.split_known for turn in told.turns] == [False, True, True]
    assert [turn.figures.output_estimated for turn in told.turns] == [False, True, False]
    assert told.total.cost is not None
    assert told.total.cost.estimated
    assert not told.total.split_known
