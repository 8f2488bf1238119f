"""Price tags: what an act writes anew in the prompt cache at once, and what it costs later, told before it is done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from desktop_app.core.money.price_rows import Rates

_MILLION = Decimal(1_000_000)
_NOTHING = Decimal(0)


class Act(StrEnum):
    """What the person is about to do."""

    FACT_ADDED = "fact_added"
    FACT_EDITED = "fact_edited"
    FACT_PINNED = "fact_pinned"
    FACT_DELETED = "fact_deleted"
    REBUILD = "rebuild"
    MODEL = "model"
    EFFORT = "effort"
    THINKING = "thinking"
    TOOLS = "tools"
    INSTRUCTIONS = "instructions"
    LIFETIME = "lifetime"
    MEMORY = "memory"
    """Long-term memory is paused, or goes on."""
    MEMORY_TOOL = "memory_tool"
    """The assistant reaches memory with another kind of tool."""


class Later(StrEnum):
    """When what is not paid at once is paid."""

    NEXT_MESSAGE = "next_message"
    NEXT_FOLD = "next_fold"
    NEVER = "never"
    FROM_NOW_ON = "from_now_on"


@dataclass(frozen=True, slots=True)
class WarmGround:
    """What of a conversation lies in the cache, as its last request left it: what an act is measured against.

    Tokens. `warm` is what a request that only appends reads: 0 where nothing is kept any more, None where nothing is
    known of a cache. `head` is the part of it that is readable alone where the messages differ (tools, instructions,
    facts), `fixed` the part that is where the facts differ; `front` is what the lifetime `head` keeps an hour (tools,
    system, facts and memo); `thinking` is the thinking of earlier answers among `warm`; `total` is the whole input of
    the last request and `step` what a message like the last one adds to it. `rates` are those of the model it was
    sent to, None where nothing has a price.
    """

    warm: int | None = 0
    head: int = 0
    fixed: int = 0
    front: int = 0
    thinking: int = 0
    total: int = 0
    step: int = 0
    lifetime: str = "5m"
    rates: Rates | None = None

    @property
    def is_warm(self) -> bool:
        """Whether there is anything to lose."""
        return bool(self.warm)


@dataclass(frozen=True, slots=True)
class PriceTag:
    """The price of one act.

    `now_tokens` would have been read and are written instead with the next message (None where nothing is known of a
    cache); `now_usd` is what that message then costs more (negative: less). `later_tokens` and `later_usd` are what is
    paid at the time `later`. USD are None where unknown. `warm` is False where nothing was in the cache: then nothing
    is lost. `then_usd` and `instead_usd` are the whole price of what is written or read with and without the act.
    `lifetime` is the new one, `factors` what a write costs for five minutes and for an hour as multiples of the input
    price; both only for another lifetime. `same` where the value only says otherwise what holds already.
    """

    act: Act
    now_tokens: int | None
    now_usd: Decimal | None
    later: Later = Later.NEVER
    later_tokens: int = 0
    later_usd: Decimal | None = None
    warm: bool = True
    then_usd: Decimal | None = None
    instead_usd: Decimal | None = None
    lifetime: str = ""
    factors: tuple[Decimal, Decimal] | None = None
    same: bool = False


def read_price(ground: WarmGround) -> Decimal | None:
    """USD for reading what is warm once."""
    return _usd(ground.warm or 0, ground.rates.read) if ground.rates is not None else None


def noted(act: Act, ground: WarmGround, note: int) -> PriceTag:
    """A fact that is added or edited: nothing now, its note of `note` tokens is written once with the next message."""
    usd = _usd(note, _write_rate(ground.rates, ground.lifetime)) if ground.rates else None
    return _free_now(act, ground, Later.NEXT_MESSAGE, note, usd)


def pinned(ground: WarmGround) -> PriceTag:
    """A fact that is pinned or unpinned: it moves at the next fold, which writes its place anew in any case."""
    return _free_now(Act.FACT_PINNED, ground, Later.NEXT_FOLD, 0, _NOTHING if ground.rates else None)


def stands_nowhere(ground: WarmGround) -> PriceTag:
    """A deleted fact that was never told here."""
    tag = _free_now(Act.FACT_DELETED, ground, Later.NEVER, 0, None)
    return replace(tag, warm=ground.warm != 0)


def begun_anew(act: Act, ground: WarmGround, kept: int = 0, gone: int = 0) -> PriceTag:
    """An act that begins a new epoch: all behind the first `kept` tokens is written anew.

    Thinking of earlier answers is not sent any more, nor are `gone` tokens of what is switched off. A rebuild costs
    nothing more where it waits for the next fold.
    """
    later = Later.NEXT_FOLD if act is Act.REBUILD else Later.NEVER
    return _rewritten(act, ground, min(kept, ground.warm or 0), ground.thinking + gone, later)


def shown_otherwise(ground: WarmGround) -> PriceTag:
    """Thinking that is shown or left out of the answer: it is no part of what the cache goes by."""
    return _free_now(Act.THINKING, ground, Later.NEVER, 0, None)


def said_otherwise(act: Act, ground: WarmGround) -> PriceTag:
    """A value that is what holds already under another name: the usual effort of a model, written out or left out."""
    return replace(_free_now(act, ground, Later.NEVER, 0, None), same=True)


def messages_anew(act: Act, ground: WarmGround) -> PriceTag:
    """Another effort: tools and system stay, the messages are written anew."""
    return _rewritten(act, ground, min(ground.head, ground.warm or 0), 0, Later.NEVER)


def other_model(ground: WarmGround, rates: Rates | None, total: int | None = None, read: int = 0) -> PriceTag:
    """Another model, of these rates: it reads only what was kept for itself. Thinking of earlier answers stays behind.

    `total` is what was sent so far as it counts it, `read` the part of it that is kept for it: where one goes back to
    a model that was used a moment ago.
    """
    if not ground.is_warm:
        return _cold(Act.MODEL, ground, Later.NEVER)
    warm = ground.warm or 0
    end = max(0, warm - ground.thinking) if total is None else total
    read = min(read, end)
    tokens = end - read
    if ground.rates is None or rates is None:
        return PriceTag(Act.MODEL, tokens, None)
    then = _written(ground, read, end, ground.lifetime, rates) + _usd(read, rates.read)
    instead = _usd(warm, ground.rates.read)
    return PriceTag(Act.MODEL, tokens, then - instead, then_usd=then, instead_usd=instead)


def other_lifetime(ground: WarmGround, lifetime: str) -> PriceTag:
    """Another lifetime: nothing now. From now on a message like the last one costs so much more, or less, to write."""
    usd, factors, rates = None, None, ground.rates
    if rates is not None:
        first, last = ground.total, ground.total + ground.step
        usd = _written(ground, first, last, lifetime, rates) - _written(ground, first, last, ground.lifetime, rates)
        factors = (rates.write_5m / rates.input, rates.write_1h / rates.input) if rates.input else None
    tag = _free_now(Act.LIFETIME, ground, Later.FROM_NOW_ON, ground.step, usd)
    return replace(tag, lifetime=lifetime, factors=factors)


def _free_now(act: Act, ground: WarmGround, later: Later, tokens: int, usd: Decimal | None) -> PriceTag:
    now = _NOTHING if ground.rates else None
    return PriceTag(act, 0, now, later, tokens, usd, warm=ground.is_warm)


def _cold(act: Act, ground: WarmGround, later: Later) -> PriceTag:
    """Nothing is in the cache, or nothing is known of one."""
    if ground.warm is None:
        return PriceTag(act, None, None, later, warm=False)
    return PriceTag(act, 0, _NOTHING if ground.rates else None, later, warm=False)


def _rewritten(act: Act, ground: WarmGround, kept: int, left_out: int, later: Later) -> PriceTag:
    if not ground.is_warm:
        return _cold(act, ground, later)
    warm = ground.warm or 0
    end = max(kept, warm - left_out)
    if ground.rates is None:
        return PriceTag(act, end - kept, None, later)
    then = _written(ground, kept, end, ground.lifetime, ground.rates) + _usd(kept, ground.rates.read)
    instead = _usd(warm, ground.rates.read)
    return PriceTag(act, end - kept, then - instead, later, then_usd=then, instead_usd=instead)


def _written(ground: WarmGround, first: int, last: int, lifetime: str, rates: Rates) -> Decimal:
    """USD for writing the tokens from `first` to `last` of the prefix under a lifetime."""
    border = {"5m": 0, "head": ground.front}.get(lifetime, last)
    long = max(0, min(last, border) - first)
    return _usd(long, rates.write_1h) + _usd(last - first - long, rates.write_5m)


def _write_rate(rates: Rates, lifetime: str) -> Decimal:
    """What writing at the end of the prefix costs."""
    return rates.write_1h if lifetime == "1h" else rates.write_5m


def _usd(tokens: int, rate: Decimal) -> Decimal:
    return tokens * rate / _MILLION
