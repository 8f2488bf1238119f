"""Price tags of a warm conversation of 60,000 tokens, as the widgets show them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from desktop_app.bridge.price_tags import PriceTags
from desktop_app.core.cache.forecast import PointPart
from desktop_app.core.conversation import now
from desktop_app.core.money.price_tag import Act, WarmGround
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.settings import Settings
from desktop_app.services.price_tags import ConversationTags, SentWith, WarmPart

MODEL = "claude-opus-5-5"
HOST = "api.anthropic.com"


def warm_tags(**changes: Any) -> ConversationTags:
    """60,000 tokens are warm for four minutes, 4,000 of them before the messages, 3,000 before the facts."""
    until = now() + timedelta(minutes=4)
    parts = ((PointPart.FIXED, 3_000), (PointPart.HEAD, 4_000), (PointPart.MESSAGES, 60_000))
    rates = load_prices().rates(MODEL, 60_000, now())
    tags = ConversationTags(
        load_prices(),
        HOST,
        WarmGround(0, 0, 0, 6_000, 2_000, 60_500, 1_900, rates=rates),
        tuple(WarmPart(part, tokens, until) for part, tokens in parts),
        SentWith(MODEL, "", True, True, "", True, "own", "5m"),
        begun=True,
        switched={Act.TOOLS: 900, Act.MEMORY: 1_000},
    )
    return replace(tags, **changes)


def cold_tags() -> ConversationTags:
    """The same when all of it was forgotten."""
    return warm_tags(parts=())


def unpriced_tags() -> ConversationTags:
    """The same at the simulated assistant."""
    tags = warm_tags()
    return replace(tags, base=replace(tags.base, rates=None))


class SetTags(PriceTags):
    """Tags that a test sets."""

    def __init__(self, tags: ConversationTags, settings: Settings | None = None) -> None:
        super().__init__(None, None, lambda: settings or Settings())  # type: ignore[arg-type]
        self.set_tags(tags)

    def set_tags(self, tags: ConversationTags) -> None:
        """Other tags were read."""
        self._show(tags)
        self.stop()

    def read(self, _changed: object = None) -> None:
        """Reads nothing: a test sets what was read."""
