"""What was spent adds up the same whatever it is put together by, and nothing of it is left out or made up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, timedelta, timezone
from decimal import Decimal, localcontext
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.money.pricing import PriceList, Rates
from desktop_app.core.money.spending import SpendingBy, SpentOn, SpentRequest
from desktop_app.core.money.spending_sums import spending
from desktop_app.core.request_log import RequestPurpose, RequestState
from desktop_app.core.usage import SidePass, Usage
from tests.unit.spent_samples import HOST, PRICES, START, TEN_CENTS, record, spent, usd

SEOUL = timezone(timedelta(hours=9))
FAILED, STOPPED = RequestState.FAILED, RequestState.STOPPED


def test_answer_stands_in_its_line_with_tokens_and_money() -> None:
    report = spending([spent(0), spent(3)], PRICES, SpendingBy.CONVERSATION)
    assert list(report.lines) == [SpentOn.ANSWERS]
    line = report.lines[SpentOn.ANSWERS]
    assert (line.requests, line.input, line.output, line.usd) == (2, 10_000, 8_000, usd("0.20"))
    assert (report.total.requests, report.total.usd, report.total.estimated) == (2, usd("0.20"), False)
    (group,) = report.groups
    assert (group.key, group.first.title, group.total) == (("c1",), "Backups", report.total)


def test_attempt_made_again_is_a_retry_and_the_last_one_a_stopped_answer() -> None:
    half = Usage(5_000, 0, 0, 0, 1_000, output_estimated=True)
    again = [spent(0, state=FAILED, usage=half), spent(1), spent(2, round=2, state=STOPPED, usage=half)]
    lines = spending(again, PRICES, SpendingBy.TURN).lines
    assert [(on, line.requests, line.usd, line.estimated) for on, line in lines.items()] == [
        (SpentOn.ANSWERS, 1, usd("0.10"), False),
        (SpentOn.RETRIES, 1, usd("0.04"), True),
        (SpentOn.STOPPED, 1, usd("0.04"), True),
    ]


def test_attempt_that_failed_before_anything_came_is_counted_and_free() -> None:
    report = spending([spent(0, state=FAILED, usage=None, error="overloaded"), spent(1)], PRICES, SpendingBy.DAY)
    retry = report.lines[SpentOn.RETRIES]
    assert (retry.requests, retry.usd, retry.estimated, retry.unpriced, retry.unreported) == (1, 0, False, 0, 0)
    assert (report.total.requests, report.total.usd) == (2, usd("0.10"))


_BROKEN = ("timed_out", "stream_broken", "hung_up", "server_failed", "connections_ended", "not_messages_api")


@pytest.mark.parametrize("error", [*_BROKEN, "endpoint", "unexpected", "store_unavailable", None])
def test_attempt_that_broke_off_may_have_been_billed_and_costs_its_input_as_expected(error: str | None) -> None:
    forecast = CacheForecast(read=40_000, write_5m=2_000, write_1h=0, uncached=500)
    broken = spent(0, state=FAILED, usage=None, error=error, predicted=forecast)
    retry = spending([broken, spent(1)], PRICES, SpendingBy.DAY).lines[SpentOn.RETRIES]
    assert (retry.usd, retry.estimated, retry.input, retry.output) == (usd("0.02"), True, 42_500, 0)
    assert (retry.unreported, retry.unpriced) == (1, 0)


_KEY = ("no_key", "key_out_of_reach", "key_refused", "payment_required")
_REQUEST = ("model_unknown", "invalid_request", "thinking_unfit", "window_exceeded", "rate_limited", "overloaded")


@pytest.mark.parametrize("error", [*_KEY, *_REQUEST, "unreachable", "network_settings", "redirected"])
def test_attempt_that_was_refused_costs_nothing(error: str) -> None:
    total = spending([spent(0, state=FAILED, usage=None, error=error)], PRICES, SpendingBy.DAY).total
    assert (total.requests, total.usd, total.estimated, total.unreported) == (1, 0, False, 0)


def test_request_stopped_before_the_first_event_costs_its_input_as_expected() -> None:
    forecast = CacheForecast(read=40_000, write_5m=2_000, write_1h=0, uncached=500)
    known = spent(0, state=STOPPED, usage=None, predicted=forecast)
    line = spending([known], PRICES, SpendingBy.DAY).lines[SpentOn.STOPPED]
    # 40,000 × $0.20 + 2,000 × $5 + 500 × $4, all per million
    assert (line.usd, line.estimated, line.input, line.output) == (usd("0.02"), True, 42_500, 0)
    unknown = spent(0, state=STOPPED, usage=None, estimated=2_500)
    line = spending([unknown], PRICES, SpendingBy.DAY).lines[SpentOn.STOPPED]
    assert (line.usd, line.estimated, line.unreported) == (usd("0.01"), True, 1)


def test_request_under_way_is_not_there_yet() -> None:
    report = spending([spent(0, state=RequestState.SENT, usage=None)], PRICES, SpendingBy.DAY)
    assert (report.groups, report.total.requests) == ((), 0)


def test_memo_and_passes_of_the_server_stand_under_compaction() -> None:
    side = SidePass("compaction", uncached=2_500, output=500)
    requests = [
        spent(0, usage=replace(TEN_CENTS, sides=(side,))),
        spent(1, purpose=RequestPurpose.MEMO, state=FAILED, usage=None, error="overloaded"),
        spent(2, purpose=RequestPurpose.MEMO),
    ]
    report = spending(requests, PRICES, SpendingBy.TURN)
    compaction = report.lines[SpentOn.COMPACTION]
    assert (compaction.requests, compaction.usd, compaction.input, compaction.output) == (3, usd("0.12"), 7_500, 4_500)
    assert report.lines[SpentOn.ANSWERS].usd == usd("0.10")
    assert (report.total.requests, report.total.usd) == (3, usd("0.22"))


def test_earlier_pass_of_the_same_answer_stays_with_the_answer() -> None:
    sides = (SidePass("message", uncached=2_500, output=500), SidePass("compaction", uncached=5_000))
    report = spending([spent(0, usage=replace(TEN_CENTS, sides=sides))], PRICES, SpendingBy.DAY)
    assert report.lines[SpentOn.ANSWERS].usd == usd("0.12")
    assert report.lines[SpentOn.COMPACTION].usd == usd("0.02")
    assert report.lines[SpentOn.ANSWERS].input == 7_500


def test_counting_is_a_line_of_its_own_and_free() -> None:
    again = [spent(0, counted=5_000), spent(1, counted=5_000), spent(2), spent(3, turn_id="t2")]
    report = spending(again, PRICES, SpendingBy.DAY)
    counting = report.lines[SpentOn.COUNTING]
    assert (counting.requests, counting.usd) == (2, 0), "a turn that is answered anew is counted anew"
    assert report.total.requests == 4


def test_simulated_requests_enter_no_sum() -> None:
    report = spending([spent(0, simulated=True), spent(1)], PRICES, SpendingBy.PROFILE)
    assert (report.total.requests, report.total.usd, report.simulated) == (1, usd("0.10"), 1)
    alone = spending([spent(0, simulated=True)], PRICES, SpendingBy.PROFILE)
    assert (alone.groups, alone.total.requests, alone.simulated) == ((), 0, 1)


def test_unknown_price_stays_unknown_and_is_never_nothing() -> None:
    strange = spent(0, model="qwen-9", host="localhost:1234")
    report = spending([strange], PRICES, SpendingBy.MODEL)
    assert (report.total.usd, report.total.unpriced) == (None, 1)
    both = spending([strange, spent(1)], PRICES, SpendingBy.MODEL)
    assert (both.total.usd, both.total.unpriced) == (usd("0.10"), 1)
    assert [(group.key, group.total.usd) for group in both.groups] == [
        (("claude-opus-5-5", HOST), usd("0.10")),
        (("qwen-9", "localhost:1234"), None),
    ]


def test_request_without_its_input_is_unpriced_and_unreported() -> None:
    line = spending([spent(0, usage=Usage(output=40))], PRICES, SpendingBy.DAY).total
    assert (line.usd, line.unpriced, line.unreported, line.output) == (None, 1, 1, 40)


def test_days_are_those_of_the_person() -> None:
    late = spent(0, sent_at=START.replace(hour=15, minute=30))
    assert [group.day for group in spending([late], PRICES, SpendingBy.DAY, SEOUL).groups] == [date(2026, 12, 1)]
    assert [group.day for group in spending([late], PRICES, SpendingBy.DAY, UTC).groups] == [date(2026, 11, 30)]


def test_days_and_turns_are_newest_first_and_the_others_dearest_first() -> None:
    two = [
        spent(0, conversation_id="cheap", title="A"),
        spent(5_000, conversation_id="dear", turn_id="t2", usage=replace(TEN_CENTS, output=9_000)),
    ]
    days = spending(two, PRICES, SpendingBy.DAY, UTC).groups
    assert [group.day.day for group in days] == [3, 30]
    assert [group.key[1] for group in spending(two, PRICES, SpendingBy.TURN).groups] == ["t2", "t1"]
    assert [group.key for group in spending(two, PRICES, SpendingBy.CONVERSATION).groups] == [("dear",), ("cheap",)]


# -- every sum is the same sum ----------------------------------------------------------------------------------

_TOKENS = st.integers(0, 900_000)
_MODELS = ("claude-opus-5-5", "claude-haiku-4-5-20251001", "claude-fable-5", "claude-odd", "qwen-9")
_ODD = Rates(
    *(Decimal(text) for text in ("0.0000000000001", "1e-9", "999999.123456789", "3.3333333333333333", "7e-20"))
)
_ODD_PRICES = PriceList(PRICES.dated, {**PRICES.models, "claude-odd": (_ODD,)})
_SIDES = st.builds(SidePass, st.sampled_from(("compaction", "message")), _TOKENS, _TOKENS, _TOKENS, _TOKENS, _TOKENS)
_USAGES = st.none() | st.builds(
    Usage,
    uncached=st.none() | _TOKENS,
    write_5m=st.none() | _TOKENS,
    write_1h=st.none() | _TOKENS,
    read=st.none() | _TOKENS,
    output=st.none() | _TOKENS,
    split_known=st.booleans(),
    output_estimated=st.booleans(),
    sides=st.lists(_SIDES, max_size=2).map(tuple),
)


@st.composite
def requests(draw: st.DrawFn) -> list[SpentRequest]:
    """Requests of several conversations, profiles, models and days, in every state, oldest first."""
    found, minute = [], 0
    for number in range(draw(st.integers(0, 24))):
        minute += draw(st.integers(0, 900))
        conversation = draw(st.integers(1, 4))
        one = record(
            minute,
            id=f"r{number}",
            conversation_id=f"c{conversation}",
            turn_id=f"c{conversation}t{draw(st.integers(1, 3))}",
            round=draw(st.integers(1, 2)),
            model=draw(st.sampled_from(_MODELS)),
            answered_by=draw(st.none() | st.sampled_from(_MODELS)),
            host=draw(st.sampled_from((HOST, HOST, "localhost:1"))),
            state=draw(st.sampled_from(tuple(RequestState))),
            purpose=draw(st.sampled_from(tuple(RequestPurpose))),
            usage=draw(_USAGES),
            counted=draw(st.none() | _TOKENS),
        )
        found.append(SpentRequest(one, f"p{conversation % 2}", "", simulated=conversation == 4))
    return found


@given(requests())
def test_sums_are_the_same_by_whatever_they_are_put_together(found: list[SpentRequest]) -> None:
    reports = [spending(found, _ODD_PRICES, by, SEOUL) for by in SpendingBy]
    for one, other in pairwise(reports):
        assert (one.total, one.lines, one.simulated) == (other.total, other.lines, other.simulated)
    for report in reports:
        assert sum(group.total.requests for group in report.groups) == report.total.requests
        assert len({group.key for group in report.groups}) == len(report.groups)
        for part in ("uncached", "write_5m", "write_1h", "read", "output", "sides"):
            whole = getattr(report.total.cost, part)
            assert exact_sum(getattr(group.total.cost, part) for group in report.groups) == whole
            assert exact_sum(getattr(line.cost, part) for line in report.lines.values()) == whole
        for group in report.groups:
            assert sum(line.input for line in group.lines.values()) == group.total.input
            assert (group.total.usd is None) is (bool(group.total.unpriced) and not group.total.cost.total)


def exact_sum(amounts: object) -> Decimal:
    """Without rounding."""
    with localcontext() as context:
        context.prec = 300
        return sum(amounts, Decimal(0))  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("zone", [UTC, SEOUL])
def test_days_of_any_zone_hold_every_request_once(zone: timezone) -> None:
    many = [spent(minutes, id=str(minutes)) for minutes in range(0, 6_000, 37)]
    report = spending(many, PRICES, SpendingBy.DAY, zone)
    assert sum(group.total.requests for group in report.groups) == len(many)
    assert report.total.usd == len(many) * usd("0.10")
