"""What requests cost: every token once, each model's own rates, to the micro-dollar; nothing made up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.core.money.pricing import Cost, PriceList, dollars, load_prices, prices_from
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.usage import Usage
from tests.unit.sse_files import stream_events, usage_of

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
ANTHROPIC = "api.anthropic.com"
TEST_TABLE = prices_from(
    {
        "dated": date(2026, 11, 30),
        "price": [
            {
                "models": ["claude-test-1"],
                "input": "3",
                "write_5m": "3.75",
                "write_1h": "6",
                "read": "0.30",
                "output": "15",
            }
        ],
    }
)
REAL = load_prices()


def record(**changes: Any) -> RequestRecord:
    one = RequestRecord(
        "r1", "c1", "t1", 1, 1, AT, ANTHROPIC, "claude-opus-5-5", "d", 1_000, None, 0, (), state=RequestState.ANSWERED
    )
    return replace(one, **changes)


def cost(model: str, usage: Usage, at: datetime = AT, prices: PriceList = REAL) -> Cost:
    found = prices.cost(model, usage, at)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "usage", "usd"),
    [
        ("usage_start_only", Usage(12, 400, 0, 9_000, 55, split_known=False), "0.005061"),
        ("usage_in_delta", Usage(900, 0, 0, 3_000, 77), "0.004755"),
        ("usage_1h_split", Usage(5, 500, 1_500, 100, 30), "0.01137"),
        ("usage_explicit_zero", Usage(50, 0, 0, 0, 9), "0.000285"),
    ],
)
def test_recorded_replies_cost_what_they_must(name: str, usage: Usage, usd: str) -> None:
    reported = usage_of(f"{name}.sse")
    assert replace(reported, thinking=None) == usage
    found = cost("claude-test-1", reported, prices=TEST_TABLE)
    assert found.total == Decimal(usd)
    # Only the first of them writes without saying for how long.
    assert found.estimated is (name == "usage_start_only")
    assert found.uncached + found.write_5m + found.write_1h + found.read + found.output == found.total


def test_the_sum_of_requests_is_the_total() -> None:
    names = ("usage_start_only", "usage_in_delta", "usage_1h_split", "usage_explicit_zero")
    costs = [cost("claude-test-1", usage_of(f"{name}.sse"), prices=TEST_TABLE) for name in names]
    whole = sum(costs, Cost())
    assert whole.total == sum(one.total for one in costs) == Decimal("0.021471")
    assert whole.read == Decimal("0.00363")


def test_a_write_without_its_split_costs_the_short_rate_and_says_so() -> None:
    usage = Usage(5, 2_000, 0, 100, 30, split_known=False)
    found = cost("claude-test-1", usage, prices=TEST_TABLE)
    assert found.write_5m == Decimal("0.0075")
    assert found.estimated
    assert (found + Cost()).estimated


def test_a_reply_that_broke_off_has_an_exact_input_and_an_estimated_output() -> None:
    partial = PartialReply()
    for event in stream_events("drop_mid_text.sse"):
        partial.take(event)
    usage = partial.estimated_usage(TokenEstimator())
    found = cost("claude-test-1", usage, prices=TEST_TABLE)
    assert found.estimated
    exact = cost("claude-test-1", replace(partial.usage, output=0), prices=TEST_TABLE)
    assert found.input == exact.input > 0
    assert found.output > 0


@pytest.mark.parametrize("model", ["claude-mythos-5-2", "claude-mythos-preview", "llama3", "", "claude-opus-5-55"])
def test_a_model_without_a_price_costs_nothing_made_up(model: str) -> None:
    usage = Usage(1_000, 0, 0, 0, 10)
    assert REAL.cost(model, usage, AT) is None
    assert REAL.saved(model, usage, AT) is None
    assert REAL.rates(model, 1_000, AT) is None


@pytest.mark.parametrize("usage", [None, Usage(), Usage(output=5), Usage(0, 0, 0, 0, 5), Usage(uncached=5)])
def test_unknown_tokens_have_no_cost(usage: Usage | None) -> None:
    assert REAL.cost("claude-opus-5-5", usage, AT) is None


def test_fields_an_endpoint_leaves_out_count_as_nothing() -> None:
    assert cost("claude-opus-5-5", Usage(uncached=1_000_000, output=0)).total == 4


def test_an_id_with_a_date_has_the_price_of_its_model() -> None:
    usage = Usage(1_000_000, 0, 0, 0, 1_000_000)
    assert cost("claude-haiku-4-5-20251001", usage).total == cost("claude-haiku-4-5", usage).total == 6


def test_the_read_rate_is_that_of_the_day_the_request_was_sent() -> None:
    usage = Usage(0, 0, 0, 1_000_000, 0)
    before = datetime(2026, 10, 6, 23, 59, tzinfo=UTC)
    assert cost("claude-sonnet-5-5", usage, before).read == Decimal("0.20")
    assert cost("claude-sonnet-5-5", usage, datetime(2026, 10, 7, tzinfo=UTC)).read == Decimal("0.10")
    # The same moment told in Seoul is a day later there.
    seoul = datetime.fromisoformat("2026-10-07T08:59:00+09:00")
    assert cost("claude-sonnet-5-5", usage, seoul).read == Decimal("0.20")


def test_a_long_prompt_is_priced_as_a_whole_at_the_higher_rate() -> None:
    at_the_border = cost("claude-haiku-5-5", Usage(40_000, 10_000, 0, 50_000, 1_000))
    beyond = cost("claude-haiku-5-5", Usage(40_000, 10_001, 0, 50_000, 1_000))
    assert at_the_border.total == Decimal("0.00625")
    assert beyond.uncached == 5 * at_the_border.uncached
    assert beyond.read == 5 * at_the_border.read
    assert beyond.output == 5 * at_the_border.output


@pytest.mark.parametrize(
    ("model", "saved"),
    [
        ("claude-opus-5-5", "3.80"),
        ("claude-fable-5-1", "9.75"),
        ("claude-opus-5", "4.50"),
        ("claude-sonnet-5-5", "1.90"),
    ],
)
def test_what_a_read_saves_follows_the_model(model: str, saved: str) -> None:
    assert REAL.saved(model, Usage(0, 0, 0, 1_000_000, 0), AT) == Decimal(saved)


def test_writing_what_is_never_read_is_a_loss() -> None:
    assert REAL.saved("claude-opus-5-5", Usage(0, 1_000_000, 1_000_000, 0, 0), AT) == Decimal(-5)
    assert REAL.saved("claude-opus-5-5", Usage(1_000_000, 0, 0, 0, None), AT) == 0
    assert REAL.saved("claude-opus-5-5", Usage(1_000_000), AT) is None, "unknown is not nothing"


def test_saved_is_the_uncached_price_less_the_cost() -> None:
    usage = Usage(700, 648, 300, 59_186, 40)
    plain = replace(usage, uncached=usage.input_total, write_5m=0, write_1h=0, read=0)
    wanted = cost("claude-opus-5-5", plain).input - cost("claude-opus-5-5", usage).input
    assert REAL.saved("claude-opus-5-5", usage, AT) == wanted > 0


def test_only_anthropic_has_prices() -> None:
    usage = Usage(1_000, 0, 0, 9_000, 10)
    paid = record(usage=usage)
    assert REAL.cost_of(paid) == cost("claude-opus-5-5", usage)
    assert REAL.saved_of(paid) == Decimal("0.0342")
    for host in ("127.0.0.1:8123", "localhost:11434", "gateway.example.com"):
        elsewhere = replace(paid, host=host)
        assert not REAL.standing("claude-opus-5-5", host)
        assert REAL.cost_of(elsewhere) is None
        assert REAL.saved_of(elsewhere) is None


def test_the_model_that_answered_is_paid() -> None:
    usage = Usage(1_000_000, 0, 0, 0, 0)
    found = REAL.cost_of(record(usage=usage, model="claude-haiku-4-5", answered_by="claude-haiku-4-5-20251001"))
    assert found is not None
    assert found.total == 1
    other = REAL.cost_of(record(usage=usage, model="claude-opus-5-5", answered_by="claude-opus-4-8"))
    assert other is not None
    assert other.total == 5


def test_writes_of_every_model_keep_their_distance_to_the_input() -> None:
    assert len(REAL.models) == 17
    for rows in REAL.models.values():
        for row in rows:
            assert row.write_5m == row.input * Decimal("1.25")
            assert row.write_1h == row.input * 2
            assert 0 < row.read < row.input < row.output


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        ("3.2749", "$3.27"),
        ("1234.5", "$1,234.50"),
        ("0.0131", "$0.0131"),
        ("0.99996", "$1.0000"),
        ("0", "$0"),
        ("0.00001", "< $0.0001"),
        ("-0.00001", "> −$0.0001"),
        ("-0.004", "−$0.0040"),
        ("-2", "−$2.00"),
    ],
)
def test_money_is_written_so_that_small_sums_can_be_read(usd: str, text: str) -> None:
    assert dollars(Decimal(usd)) == text
