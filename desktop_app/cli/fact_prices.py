"""What a change of a fact costs the conversation used last: told instead of the change, or beside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from desktop_app.cli.output import note, write, write_json
from desktop_app.cli.session import Session
from desktop_app.core.conversation import now
from desktop_app.core.facts import Fact
from desktop_app.core.money.price_tag import Act, PriceTag
from desktop_app.core.money.price_words import sentence
from desktop_app.services.price_tags import ConversationTags

Price = Callable[[ConversationTags, datetime], PriceTag]


def keeping(fact: Fact | None, key: str, value: str) -> Price:
    """A fact that is added, or the one that gets another value."""
    act = Act.FACT_ADDED if fact is None else Act.FACT_EDITED
    return lambda tags, at: tags.noted_fact(act, key, value, at)


def pinning() -> Price:
    """A fact that is pinned or unpinned."""
    return lambda tags, at: tags.pinned_fact(at)


def deleting(fact: Fact) -> Price:
    """A fact that is deleted."""
    return lambda tags, at: tags.deleted_fact(fact.id, at)


async def tag_of(session: Session, price: Price) -> PriceTag:
    """The tag in the conversation that was used last, or in a new one."""
    last = await session.conversation_or_last(None)
    tags = await session.services.tags.of(last.id if last is not None else None)
    return price(tags, now())


async def tell(session: Session, price: Price, what: str = "") -> int:
    """Only the price; nothing is done."""
    tag = await tag_of(session, price)
    if session.as_json:
        write_json(_as_json(tag))
    else:
        write(sentence(session.words, tag, what) + "\n")
    return 0


async def warn(session: Session, price: Price, what: str = "") -> None:
    """A note before the act where it writes anything anew; `what` names the act otherwise (below `price.what`)."""
    tag = await tag_of(session, price)
    if tag.now_tokens and not session.as_json:
        note(sentence(session.words, tag, what))


def _as_json(tag: PriceTag) -> dict[str, Any]:
    """Tokens are None where unknown, money is a text with every digit."""
    return {
        "act": tag.act.value,
        "now": {"tokens": tag.now_tokens, "usd": _digits(tag.now_usd)},
        "later": {"when": tag.later.value, "tokens": tag.later_tokens, "usd": _digits(tag.later_usd)},
        "warm": tag.warm,
    }


def _digits(usd: object) -> str | None:
    return None if usd is None else format(usd, "f")
