"""Price tags in words: what an act writes anew at once, and what it costs later."""

from __future__ import annotations

from decimal import Decimal

from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Culprit
from desktop_app.core.money.price_tag import Act, Later, PriceTag, WarmGround, read_price
from desktop_app.core.money.pricing import dollars
from desktop_app.core.words import Words

_NOTHING = Decimal(0)
_FREE = (Act.FACT_PINNED, Act.LIFETIME, Act.THINKING)
"""Acts that lose nothing, warm or not."""
_NO_CHANGE = frozenset(
    (
        Cause.NONE,
        Cause.FIRST,
        Cause.FOLDED,
        Cause.EXPIRED,
        Cause.TOO_SMALL,
        Cause.LOOK_BACK,
        Cause.NOT_STARTED,
        Cause.UNMARKED,
        Cause.UNREPORTED,
        Cause.UNEXPLAINED,
    )
)
"""Causes nobody brought about by changing something, and the fold, which says for itself what it does."""


def about(usd: Decimal) -> str:
    """`≈ $0.3060`, never torn apart at the end of a line: prices of what is yet to come are estimates."""
    return f"≈\u00a0{dollars(usd)}"


def cost(words: Words, tokens: int, usd: Decimal | None) -> str:
    """`61,204 tokens, ≈ $0.3060`, without money where there is no price."""
    shown = f"{tokens:,}"
    if usd is None:
        return words.say("price.tokens", tokens=shown)
    return words.say("price.tokens_usd", tokens=shown, usd=about(usd))


def short(words: Words, tag: PriceTag) -> str:
    """The price as it stands beside a choice: `≈ $0.31 · 61,204 tokens`; empty where nothing is lost."""
    if not tag.now_tokens:
        return ""
    tokens = f"{tag.now_tokens:,}"
    if tag.then_usd is None:
        return words.say("price.short_tokens", tokens=tokens)
    usd = about(tag.then_usd)
    return words.say("price.short", tokens=tokens, usd=usd)


def sentence(words: Words, tag: PriceTag, what: str = "") -> str:
    """What the act costs now, and what it costs later. `what` names it otherwise (below `price.what`)."""
    what = words.say(f"price.what.{what or tag.act}")
    if tag.later is Later.NEXT_MESSAGE:
        return words.say("price.next_message", what=what, cost=cost(words, tag.later_tokens, tag.later_usd))
    return " ".join(filter(None, (_now(words, tag, what), _later(words, tag))))


def _now(words: Words, tag: PriceTag, what: str) -> str:
    if tag.same:
        return words.say(f"price.same.{tag.act}")
    if tag.now_tokens is None:
        return words.say("price.unknown", what=what)
    if not tag.warm and tag.act not in _FREE:
        return words.say("price.cold", what=what)
    if tag.act is Act.FACT_DELETED and not tag.now_tokens and tag.then_usd is None:
        return words.say("price.never_told", what=what)
    return _anew(words, what, tag.now_tokens, tag.then_usd, tag.instead_usd)


def _anew(words: Words, what: str, n: int, then: Decimal | None, instead: Decimal | None) -> str:
    tokens = f"{n:,}"
    if not n:
        return words.say("price.nothing", what=what)
    if then is None or instead is None:
        return words.say("price.anew", what=what, tokens=tokens)
    paid, spared = (about(usd) for usd in (then, instead))
    return words.say("price.anew_usd", what=what, tokens=tokens, usd=paid, instead=spared)


def _later(words: Words, tag: PriceTag) -> str:
    """What is paid later; empty where nothing is."""
    if tag.later is Later.FROM_NOW_ON:
        return _lifetime(words, tag)
    if tag.later is not Later.NEXT_FOLD:
        return ""
    if tag.act is Act.FACT_PINNED:
        return words.say("price.next_fold_pin")
    return words.say("price.next_fold") if tag.now_tokens else ""


def models_foot(words: Words, ground: WarmGround) -> str:
    """What the prices beside the models mean; empty where nothing is known of a cache."""
    if ground.warm is None:
        return ""
    if not ground.is_warm:
        return words.say("price.models_cold")
    usd = read_price(ground)
    return words.say("price.models_warm_tokens") if usd is None else words.say("price.models_warm", usd=about(usd))


def miss_sentence(words: Words, miss: Culprit | None, usd: Decimal | None) -> str:
    """What a change made since the last message costs the next one; empty where nothing was spoilt.

    `usd` is what the input of the next message is expected to cost, None where unknown.
    """
    if miss is None or miss.cause in _NO_CHANGE or not miss.lost_tokens:
        return ""
    instead = max(usd - miss.lost_usd, _NOTHING) if usd is not None and miss.lost_usd is not None else None
    return _anew(words, words.say(f"price.cause.{miss.cause}"), miss.lost_tokens, usd, instead)


def _lifetime(words: Words, tag: PriceTag) -> str:
    say = words.say
    if tag.factors is None:
        return say(f"price.lifetime.{tag.lifetime}")
    brief, long = (f"{factor.normalize():f}" for factor in tag.factors)
    said = say(f"price.lifetime_factor.{tag.lifetime}", short=brief, long=long)
    if not tag.later_usd or not tag.later_tokens:
        return said
    tokens, usd = f"{tag.later_tokens:,}", about(abs(tag.later_usd))
    way = "less" if tag.later_usd < 0 else "more"
    return f"{said} {say(f'price.lifetime.{way}', tokens=tokens, usd=usd)}"
