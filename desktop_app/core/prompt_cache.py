"""The prompt cache as we foresee it: what lies in it, and what of the next request will be read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate

from desktop_app.core.cache_forecast import CacheForecast, CachePoint, Lifetime, PointPart
from desktop_app.core.context import ContextPlan
from desktop_app.core.context_budget import Budget
from desktop_app.core.price_rows import PRICED_HOST
from desktop_app.core.pricing import PriceList, undated
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Usage

LIFE: Mapping[str, timedelta] = {"5m": timedelta(minutes=5), "1h": timedelta(hours=1)}
"""How long a prefix stays readable after the request that wrote or read it was sent."""
LOOK_BACK = 20
"""How many blocks before a mark an earlier prefix is still found."""
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
    sent; one it read lives on from then. What an endpoint reported decides whether it read.
    """
    kept: dict[str, WarmPoint] = {}
    for record in sorted(records, key=lambda one: one.sent_at):
        cached = cached_tokens(record)
        if not cached or record.usage is None:
            continue
        sent, read = record.sent_at, record.usage.read or 0
        alive = {digest for digest, point in kept.items() if point.until > sent}
        hit = _hit_of(record.points, alive, read)
        least = _LEAST.get(undated(record.model), _USUAL_LEAST)
        for number, point in enumerate(record.points):
            tokens, measured, lifetime = point.tokens, False, point.lifetime
            if number <= hit and point.digest in alive:
                old = kept[point.digest]
                lifetime = old.lifetime
                if old.measured:
                    tokens, measured = old.tokens, True
            if number == hit:
                tokens, measured = read, True
            if number == len(record.points) - 1:
                tokens, measured = cached, True
            if measured or tokens >= least:
                kept[point.digest] = WarmPoint(point.digest, tokens, lifetime, sent + LIFE[lifetime], measured)
    return {digest: point for digest, point in kept.items() if point.until > now}


def _hit_of(points: Sequence[CachePoint], alive: set[str], read: int) -> int:
    """The number of the deepest point that was read, -1 for none."""
    if not read:
        return -1
    known = [number for number, point in enumerate(points) if point.digest in alive]
    guessed = [number for number, point in enumerate(points) if point.tokens <= read * 1.05]
    return max(known or guessed, default=-1)


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
    return _split(request, stops, warm_points(records, now), _least_of(request.model, records))


def predict_cold(request: Request, stops: Sequence[Stop], records: Sequence[RequestRecord] = ()) -> CacheForecast:
    """The same when nothing of it lies in the cache."""
    if not request.marks:
        return CacheForecast()
    return _split(request, stops, {}, _least_of(request.model, records))


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
    spared = [one.usage.input_total or 0 for one, cached in seen if one.usage and one.points and not cached]
    return max([least, *(tokens + 1 for tokens in spared)])


def forecast_cost(
    prices: PriceList, model: str, forecast: CacheForecast, at: datetime, *, host: str = PRICED_HOST
) -> Decimal | None:
    """USD the input of the next request will cost at a host; None where tokens or price are unknown."""
    if forecast.read is None:
        return None
    usage = Usage(forecast.uncached, forecast.write_5m, forecast.write_1h, forecast.read, output=0)
    cost = prices.cost(model, usage, at, host=host)
    return cost.input if cost else None
