"""The prompt cache as we plan it: where the marks of a request stand, and what of the next one will be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Block, is_blank
from desktop_app.core.pricing import PriceList, undated
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Usage

Part = Literal["tools", "system"] | int
LIFETIME = timedelta(minutes=5)
"""How long a prefix stays readable after the request that wrote or read it was sent."""
_CARRIERS = frozenset(("text", "image", "document", "tool_use", "tool_result", "compaction"))
_USUAL_LEAST = 1_024
# Tokens below which a prefix is silently not cached. Where no figure is published the usual one is taken.
_LEAST = {
    **dict.fromkeys(("claude-opus-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5"), 512),
    "claude-mythos-5-1": 512,
    "claude-opus-4-7": 2_048,
    **dict.fromkeys(("claude-opus-4-6", "claude-opus-4-5", "claude-haiku-4-5"), 4_096),
}


def place_marks(
    tools: Sequence[Block],
    system: Sequence[Block],
    messages: Sequence[RequestMessage],
    *,
    summary: bool = False,
) -> tuple[Mark, ...]:
    """At most four marks in the order of the prefix; the same blocks give the same marks.

    They stand behind the fixed prefix (system, or tools where there is none), behind the memo when the first
    message opens with one (`summary`), where the request before this one ended, so that a turn of more than
    twenty blocks finds it, and on the last block. None stands on a block that cannot carry one.
    """
    marks = [*_last_of("system", system)] or [*_last_of("tools", tools)]
    if summary and messages:
        marks += _last_of(0, messages[0].blocks[:1])
    for number in (_end_before(messages), _end(messages)):
        if number is not None:
            marks += _last_of(number, messages[number].blocks)
    return tuple(dict.fromkeys(marks))


def _end(messages: Sequence[RequestMessage]) -> int | None:
    """The last message that can carry a mark."""
    places = (number for number in range(len(messages) - 1, -1, -1) if any(map(_carries, messages[number].blocks)))
    return next(places, None)


def _end_before(messages: Sequence[RequestMessage]) -> int | None:
    """The message the previous request of the loop or conversation ended with: the person's last before this end."""
    return next((number for number in range(len(messages) - 2, -1, -1) if messages[number].role == "user"), None)


def _last_of(part: Part, blocks: Sequence[Block]) -> Iterator[Mark]:
    """A mark on the last block that can carry one, if there is any."""
    places = range(len(blocks) - 1, -1, -1)
    place = next((place for place in places if part == "tools" or _carries(blocks[place])), None)
    if place is not None:
        yield Mark(part, place)


def _carries(block: Block) -> bool:
    kind, content = block.get("type"), block.get("content")
    if kind == "text":
        return not is_blank(str(block.get("text", "")))
    if kind == "tool_result":
        return bool(content) and not (isinstance(content, str) and is_blank(content))
    return kind in _CARRIERS


@dataclass(frozen=True, slots=True)
class CacheForecast:
    """Input tokens of the next request by kind, as expected; all None where nothing is known of a cache.

    `warm_until`: when what would be read is forgotten; None when nothing would be.
    """

    read: int | None = None
    written: int | None = None
    uncached: int | None = None
    warm_until: datetime | None = None

    @property
    def warm(self) -> bool:
        """Whether anything is expected to be read."""
        return bool(self.read)


def predict(
    request: Request, digests: Sequence[str], budget: Budget, records: Sequence[RequestRecord], now: datetime
) -> CacheForecast:
    """What of a request will be read from the cache, when it is sent at `now`.

    `digests` are its `prefix_digests`, `records` what is known of earlier requests of the conversation. The
    longest of them that this one begins with and that was sent less than five minutes ago is read as far as it
    was cached itself.
    """
    places = {digest: place for place, digest in enumerate(digests)}
    shared = [record for record in records if record.digest in places and record.usage and record.usage.input_total]
    if not request.marks or (shared and all(_cached(record) is None for record in shared)):
        return CacheForecast()
    total = budget.total.tokens
    cached = [tokens for record in shared if (tokens := _cached(record))]
    if total < min([_LEAST.get(undated(request.model), _USUAL_LEAST), *cached]):
        return CacheForecast(0, 0, total)
    warm = [record for record in shared if _cached(record) and now - record.sent_at < LIFETIME]
    if not warm:
        return CacheForecast(0, total, 0)
    longest = max(warm, key=lambda record: (places[record.digest], record.sent_at))
    read = min(_cached(longest) or 0, total)
    return CacheForecast(read, total - read, 0, longest.sent_at + LIFETIME)


def forecast_cost(prices: PriceList, model: str, forecast: CacheForecast, at: datetime) -> Decimal | None:
    """USD the input of the next request will cost at Anthropic; None where tokens or price are unknown."""
    if forecast.read is None:
        return None
    usage = Usage(forecast.uncached, forecast.written, 0, forecast.read, output=0)
    cost = prices.cost(model, usage, at)
    return cost.input if cost else None


def _cached(record: RequestRecord) -> int | None:
    """How many tokens of a request stand in the cache since; None where its endpoint reported nothing of one."""
    usage = record.usage
    if usage is None or (usage.read is None and usage.written is None):
        return None
    return (usage.read or 0) + (usage.written or 0)
