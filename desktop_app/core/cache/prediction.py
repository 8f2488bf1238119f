"""The prompt cache as we foresee it: what lies in it, and what of the next request will be read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import accumulate

from desktop_app.core.cache.forecast import LIFE, LOOK_BACK, CacheForecast, CachePoint, Lifetime, PointPart
from desktop_app.core.context import ContextPlan
from desktop_app.core.context_budget import Budget
from desktop_app.core.models import undated
from desktop_app.core.money.price_rows import PRICED_HOST
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment

_USUAL_LEAST = 1_024
# Tokens below which a prefix is silently not cached. Where no figure is published the usual one is taken.
_LEAST = {
    **dict.fromkeys(("claude-opus-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5"), 512),
    "claude-mythos-5-1": 512,
    "claude-opus-4-7": 2_048,
    **dict.fromkeys(("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5"), 4_096),
}


# -- the prefixes of a request -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stop:
    """A place down to which a request may be kept: its point, and how many blocks lie before it."""

    point: CachePoint
    blocks: int


def prefix_tokens(plan: ContextPlan, budget: Budget) -> tuple[int, ...]:
    """Tokens of each prefix of a plan: place 0 behind tools and system, place n behind message number n."""
    tokens = {id(part.block): part.figure.tokens for row in budget.rows for part in row.blocks}
    parts = [(*plan.tools, *plan.system), *(message.blocks for message in plan.messages)]
    return tuple(accumulate(sum(tokens.get(id(planned), 0) for planned in blocks) for blocks in parts))


def stops_of(
    request: Request, plan: ContextPlan, budget: Budget, digests: Sequence[str], endpoint: str
) -> tuple[Stop, ...]:
    """All places of a request an earlier one may have been kept down to, in the order of the prefix.

    `digests` are its `prefix_digests`, `endpoint` is the identity of the server. Images anywhere are part of every
    prefix that reaches into the messages, as they are for the cache.
    """
    tokens = prefix_tokens(plan, budget)
    of_block = {id(part.block): part.figure.tokens for row in budget.rows for part in row.blocks}
    seen = "i" if any(block.get("type") == "image" for _, block in request.blocks()) else ""
    stops = []
    until = _fixed_system(request)
    if until is not None:
        before = sum(of_block.get(id(one), 0) for one in (*plan.tools, *plan.system[:until]))
        digest = request.head_digest(endpoint, until)
        stops.append(Stop(CachePoint(0, digest, before, part=PointPart.FIXED), len(request.tools) + until))
    blocks = len(request.tools) + len(request.system)
    stops.append(Stop(CachePoint(0, request.head_digest(endpoint), tokens[0], part=PointPart.HEAD), blocks))
    if plan.messages and plan.messages[0].blocks[0].segment is Segment.SUMMARY:
        memo = tokens[0] + of_block.get(id(plan.messages[0].blocks[0]), 0)
        digest = request.opening_digest(endpoint) + seen
        stops.append(Stop(CachePoint(1, digest, memo, part=PointPart.MEMO), blocks + 1))
    for number, (message, digest) in enumerate(zip(request.messages, digests, strict=True), 1):
        blocks += len(message.blocks)
        stops.append(Stop(CachePoint(number, digest[:DIGEST] + seen, tokens[number]), blocks))
    return tuple(stops)


DIGEST = 16
"""Letters of a prefix's digest that are kept with a request: enough to tell the prefixes of an hour apart."""


def _fixed_system(request: Request) -> int | None:
    """How many blocks of the system prompt stay when the facts change; None where there is nothing before them."""
    if len(request.system) > 1:
        return len(request.system) - 1
    return 0 if request.tools and request.system else None


def points_of(request: Request, stops: Sequence[Stop]) -> tuple[CachePoint, ...]:
    """The points of a request's marks, in their order."""
    return tuple(replace(stop.point, lifetime=ttl) for stop, ttl in _marked(request, stops))


def _marked(request: Request, stops: Sequence[Stop]) -> list[tuple[Stop, Lifetime]]:
    found = {(stop.point.place, stop.point.part): stop for stop in stops}
    marked = []
    head = next((mark for mark in reversed(request.marks) if isinstance(mark.part, str)), None)
    for mark in request.marks:
        if isinstance(mark.part, str):
            key = (0, PointPart.HEAD if mark is head else PointPart.FIXED)
        else:
            opening = mark.part == 0 and mark.block == 0 and (1, PointPart.MEMO) in found
            key = (mark.part + 1, PointPart.MEMO if opening else PointPart.MESSAGES)
        marked.append((found[key], mark.ttl))
    return marked


# -- what stands in the cache --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WarmPoint:
    """A prefix that lies in the cache until a moment; `measured` when a reply told its tokens."""

    digest: str
    tokens: int
    lifetime: Lifetime
    until: datetime
    measured: bool = False


def warm_points(records: Sequence[RequestRecord], now: datetime) -> dict[str, WarmPoint]:
    """What lies in the cache at `now` by what is known of the requests of the last hour, by digest.

    A request that began to be answered leaves its marked prefixes there, each for its lifetime from the moment it was
    sent; one it read lives on from then. What an endpoint reported decides how far it read.
    """
    kept: dict[str, WarmPoint] = {}
    for record in sorted(records, key=lambda one: one.sent_at):
        cached = cached_tokens(record)
        if cached and record.usage is not None:
            alive = {digest: point for digest, point in kept.items() if point.until > record.sent_at}
            read = _read_by(record, record.usage.read or 0, alive)
            kept.update(_written_by(record, record.usage.read or 0, cached) | read)
    return {digest: point for digest, point in kept.items() if point.until > now}


def _read_by(record: RequestRecord, read: int, alive: Mapping[str, WarmPoint]) -> dict[str, WarmPoint]:
    """The prefixes a request of so many tokens read lives on in: those behind its marks, and the one it read whole.

    That one need not be marked: an earlier end is found by looking back. It is the one of which a reply told just as
    many tokens; else the deepest marked one that is about as long.
    """
    inside = [point for point in record.points if point.tokens <= read * _ABOUT]
    known = [point for point in inside if point.digest in alive]
    found = [replace(alive[point.digest], tokens=_better(point, alive)) for point in known]
    whole = [point for point in alive.values() if point.measured and abs(point.tokens - read) <= _SAME]
    if not known and not whole:
        # Written before what is remembered here, and read all the same.
        found = [WarmPoint(point.digest, point.tokens, point.lifetime, record.sent_at) for point in inside]
    if whole:
        found += whole
    elif found and found[-1].tokens * _ALMOST >= read:
        found[-1] = replace(found[-1], tokens=read, measured=True)
    return {point.digest: replace(point, until=record.sent_at + LIFE[point.lifetime]) for point in found}


def _better(point: CachePoint, alive: Mapping[str, WarmPoint]) -> int:
    old = alive[point.digest]
    return old.tokens if old.measured else point.tokens


def _written_by(record: RequestRecord, read: int, cached: int) -> dict[str, WarmPoint]:
    """The prefixes a request wrote: those behind the marks beyond what it read, and its end in any case."""
    least = _LEAST.get(undated(record.model), _USUAL_LEAST)
    written = {}
    for point in record.points:
        end = point is record.points[-1]
        if end or (point.tokens > read * _ABOUT and point.tokens >= least):
            tokens, until = cached if end else point.tokens, record.sent_at + LIFE[point.lifetime]
            written[point.digest] = WarmPoint(point.digest, tokens, point.lifetime, until, measured=end)
    return written


_ABOUT, _ALMOST = 1.05, 1.15
"""How far an estimate of a prefix may be beside what was read of it: to lie inside it, to be it."""
_SAME = 2
"""Tokens two replies may differ by on the same prefix."""


def cached_tokens(record: RequestRecord) -> int | None:
    """How many tokens of a request stand in the cache since; None where its endpoint reported nothing of one."""
    usage = record.usage
    if usage is None or (usage.read is None and usage.written is None):
        return None
    return (usage.read or 0) + (usage.written or 0)


# -- what will be read ---------------------------------------------------------------------------


def predict(
    request: Request, stops: Sequence[Stop], records: Sequence[RequestRecord], now: datetime, *, host: str = ""
) -> CacheForecast:
    """What of a request will be read from the cache and written to it, when it is sent at `now`.

    `records` are the requests of the last hour, whatever their conversation: one account has one cache. Where those to
    `host` reported nothing of a cache, nothing is known.
    """
    heard = [one for one in records if one.host == host and one.usage is not None and one.usage.input_total]
    if not request.marks or (heard and all(cached_tokens(one) is None for one in heard)):
        return CacheForecast()
    return _split(request, stops, warm_points(records, now), _least_of(request.model, heard))


def predict_cold(
    request: Request, stops: Sequence[Stop], records: Sequence[RequestRecord] = (), *, host: str = ""
) -> CacheForecast:
    """The same when nothing of it lies in the cache."""
    if not request.marks:
        return CacheForecast()
    return _split(request, stops, {}, _least_of(request.model, [one for one in records if one.host == host]))


def _split(request: Request, stops: Sequence[Stop], warm: Mapping[str, WarmPoint], least: int) -> CacheForecast:
    marked = _marked(request, stops)
    places = {id(stop): number for number, stop in enumerate(stops)}
    total = stops[-1].point.tokens
    hit = max((_found(stops, places[id(stop)], warm) for stop, _ in marked), default=-1)
    found = warm[stops[hit].point.digest] if hit >= 0 else None
    reach = min(found.tokens if found.measured else stops[hit].point.tokens, total) if found else 0
    read, written = reach, {"5m": 0, "1h": 0}
    for stop, lifetime in marked:
        tokens = min(stop.point.tokens, total)
        if places[id(stop)] > hit and tokens >= least and tokens > reach:
            written[lifetime] += tokens - reach
            reach = tokens
    return CacheForecast(read, written["5m"], written["1h"], total - reach, found.until if found else None)


def _found(stops: Sequence[Stop], mark: int, warm: Mapping[str, WarmPoint]) -> int:
    """The deepest warm place a mark finds, -1 for none."""
    for number in range(mark, -1, -1):
        if stops[mark].blocks - stops[number].blocks > LOOK_BACK:
            break
        if stops[number].point.digest in warm:
            return number
    return -1


def _least_of(model: str, records: Sequence[RequestRecord]) -> int:
    """Tokens below which this model caches nothing: the published figure, corrected by what was seen."""
    least = _LEAST.get(undated(model), _USUAL_LEAST)
    seen = [(one, cached) for one in records if one.model == model and (cached := cached_tokens(one)) is not None]
    least = min([least, *(cached for _, cached in seen if cached)])
    spared = [max(point.tokens for point in one.points) for one, cached in seen if one.points and not cached]
    return max([least, *(tokens + 1 for tokens in spared)])


def forecast_cost(
    prices: PriceList, model: str, forecast: CacheForecast, at: datetime, *, host: str = PRICED_HOST
) -> Decimal | None:
    """USD the input of the next request will cost at a host; None where tokens or price are unknown."""
    if forecast.read is None:
        return None
    cost = prices.cost(model, forecast.as_usage(), at, host=host)
    return cost.input if cost else None
