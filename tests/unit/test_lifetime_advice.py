"""The advice on the cache's lifetime: a person's own pauses replayed under each choice, with each model's own rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from desktop_app.core.cache.forecast import CachePoint, PointPart
from desktop_app.core.cache.lifetime_advice import LifetimeAdvice, compare_lifetimes
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
PRICES = load_prices()
HEAD = 10_000
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5")


def request(number: int, sent_at: datetime, size: int, read: int = 0, **changes: Any) -> RequestRecord:
    """A request of Opus 5.5 (read 0.20, write 5 and 8, input 4 USD per million tokens)."""
    points = (
        CachePoint(0, "head", HEAD, part=PointPart.HEAD),
        CachePoint(2 * number - 1, f"end {number}", size),
    )
    one = RequestRecord(
        f"r{number}", "c1", f"t{number}", number, 1, sent_at, "api.anthropic.com", "claude-opus-5-5", f"d{number}",
        1_000, None, size, ((Segment.SYSTEM, Figure(HEAD, Known.COUNTED)),), state=RequestState.ANSWERED,
        usage=Usage(0, size - read, 0, read, 100), points=points,
    )  # fmt: skip
    return replace(one, **changes)


def talk(minutes: Sequence[float], *, size: int = 100_000, more: int = 1_000, **changes: Any) -> list[RequestRecord]:
    """A conversation that grows by `more` tokens after each of these pauses; sent with five minutes."""
    records, moment = [request(1, START, size, **changes)], START
    for number, pause in enumerate(minutes, 2):
        moment += timedelta(minutes=pause)
        before, size = size, size + more
        records.append(request(number, moment, size, before if pause < 5 else 0, **changes))
    return records


def known(advice: LifetimeAdvice | None) -> LifetimeAdvice:
    assert advice is not None
    return advice


def advised(records: Sequence[RequestRecord], current: str) -> LifetimeAdvice:
    """A comparison that is worth a change."""
    advice = known(compare_lifetimes(records, PRICES, current))
    assert advice.worthwhile
    return advice


def test_pauses_of_seven_minutes_are_cheaper_with_an_hour() -> None:
    advice = advised(talk([7] * 10, size=20_000), "5m")
    assert (advice.current, advice.best, advice.requests, advice.pauses) == ("5m", "1h", 11, 10)
    assert advice.pause == timedelta(minutes=7)
    # Everything written each time: 11 requests of 20,000 to 30,000 tokens at 5 USD.
    assert advice.costs["5m"] == Decimal(275_000 * 5) / 1_000_000
    # The head is read ten times at 0.20, written once at 8; all else is written at 5.
    assert (
        advice.costs["head"]
        == Decimal(100_000) * Decimal("0.2") / 1_000_000 + Decimal(10_000 * 8 + 165_000 * 5) / 1_000_000
    )
    # 20,000 and ten times 1,000 written at 8, the rest read.
    assert advice.costs["1h"] == Decimal(245_000) * Decimal("0.2") / 1_000_000 + Decimal(30_000 * 8) / 1_000_000
    assert advice.saves == advice.costs["5m"] - advice.costs["1h"]


def test_quick_answers_stay_with_five_minutes() -> None:
    advice = advised(talk([2] * 20), "1h")
    assert advice.best == "5m"
    assert advice.saves == Decimal(120_000 * 3) / 1_000_000
    compared = known(compare_lifetimes(talk([2] * 20), PRICES, "5m"))
    assert (compared.best, compared.saves, compared.worthwhile) == ("5m", 0, False)


def test_one_night_does_not_make_an_hour_better() -> None:
    pauses = [2.0] * 10 + [10 * 60] + [2.0] * 10
    compared = known(compare_lifetimes(talk(pauses), PRICES, "5m"))
    assert compared.best == "5m"
    assert compared.pause == timedelta(minutes=2)
    assert not compared.worthwhile


def test_one_pause_of_half_an_hour_can_be_worth_it() -> None:
    """What is lost once may be more than an hour costs on every small write."""
    pauses = [2.0] * 10 + [30] + [2.0] * 10
    advice = advised(talk(pauses, size=100_000, more=100), "5m")
    assert advice.best == "1h"
    # 101,100 tokens are read instead of written; 100,000 and 20 times 100 are written at 8 instead of 5.
    read_instead = Decimal(101_000) * (5 - Decimal("0.2")) + Decimal(100) * (5 - 8)
    assert advice.saves == (read_instead - Decimal(100_000 + 20 * 100) * 3) / 1_000_000


def test_the_head_alone_for_an_hour_pays_where_conversations_are_many_and_short() -> None:
    """Each conversation has the same head; a new one begins half an hour after the last."""
    records = []
    for number in range(12):
        begin = START + timedelta(minutes=35 * number)
        for place, one in enumerate(talk([2], size=14_000)):
            ids = {"conversation_id": f"c{number}", "id": f"r{number}.{place}"}
            end = replace(one.points[1], digest=f"{number} {place}")
            sent_at = begin + (one.sent_at - START)
            records.append(replace(one, sent_at=sent_at, points=(one.points[0], end), **ids))
    advice = advised(records, "5m")
    assert advice.best == "head"
    assert advice.pauses == 12
    assert advice.costs["head"] < advice.costs["1h"] < advice.costs["5m"]


def test_nothing_is_advised_on_little_or_for_little() -> None:
    assert compare_lifetimes([], PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 9), PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 10), PRICES, "5m") is not None
    assert not known(compare_lifetimes(talk([7] * 10, size=60, more=2), PRICES, "5m")).worthwhile  # below a cent
    base = known(compare_lifetimes(talk([7] * 10), PRICES, "5m"))
    little = replace(base, costs={"5m": Decimal(10), "1h": Decimal("9.81"), "head": Decimal(10)}, saves=Decimal("0.19"))
    assert not little.worthwhile  # below two percent
    assert replace(little, saves=Decimal("0.20")).worthwhile


def test_only_priced_chat_requests_with_a_reported_cache_count() -> None:
    assert compare_lifetimes(talk([7] * 12, host="localhost:1234"), PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 12, model="mystery"), PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 12, purpose=RequestPurpose.MEMO), PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 12, usage=Usage(20_000, output=10)), PRICES, "5m") is None
    assert compare_lifetimes(talk([7] * 12, usage=None), PRICES, "5m") is None


def test_what_is_never_cached_costs_the_same_under_every_choice() -> None:
    compared = known(compare_lifetimes(talk([7] * 10, usage=Usage(500, 0, 0, 0, 10)), PRICES, "5m"))
    assert set(compared.costs.values()) == {Decimal(11 * 500 * 4) / 1_000_000}
    assert compared.best == "5m"


def test_the_requests_of_one_turn_make_no_pause() -> None:
    records = talk([7] * 10)
    rounds = [replace(one, id=f"{one.id}b", round=2, sent_at=one.sent_at + timedelta(seconds=9)) for one in records]
    compared = known(compare_lifetimes([*records, *rounds], PRICES, "5m"))
    assert compared.pauses == 10
    assert compared.requests == 22


def test_another_model_or_another_head_reads_nothing_of_the_one_before() -> None:
    """Changing something before every message makes all lifetimes useless: the shortest is the cheapest."""
    records = talk([40] * 10)
    assert known(compare_lifetimes(records, PRICES, "5m")).best == "1h"
    models = [replace(one, model=MODELS[number % 2]) for number, one in enumerate(records)]
    heads = [
        replace(one, points=(replace(one.points[0], digest=f"head {number}"), one.points[1]))
        for number, one in enumerate(records)
    ]
    assert known(compare_lifetimes(models, PRICES, "5m")).best == "5m"
    assert known(compare_lifetimes(heads, PRICES, "5m")).best == "5m"


def test_requests_older_than_marks_are_replayed_by_their_rows() -> None:
    records = [replace(one, points=()) for one in talk([7] * 10, size=20_000)]
    with_marks = known(compare_lifetimes(talk([7] * 10, size=20_000), PRICES, "5m"))
    assert known(compare_lifetimes(records, PRICES, "5m")).costs == with_marks.costs


def test_what_was_read_soon_after_is_the_truth() -> None:
    """An edited message within five minutes: only what was read is shared, under every choice."""
    records = talk([2] * 10, size=50_000, more=0)
    edited = [replace(one, usage=Usage(0, 40_000, 0, 10_000, 100)) for one in records[1:]]
    costs = known(compare_lifetimes([records[0], *edited], PRICES, "5m")).costs
    assert (
        costs["5m"] == Decimal(50_000 * 5 + 10 * 40_000 * 5) / 1_000_000 + Decimal(100_000) * Decimal("0.2") / 1_000_000
    )
    assert (
        costs["1h"] == Decimal(50_000 * 8 + 10 * 40_000 * 8) / 1_000_000 + Decimal(100_000) * Decimal("0.2") / 1_000_000
    )
