"""What saving, pinning and deleting a fact costs the conversation in front, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.core.money.price_tag import Act
from desktop_app.core.money.price_words import sentence
from desktop_app.core.words import Words

if TYPE_CHECKING:
    from desktop_app.bridge.fact_detail import FactDetail
    from desktop_app.bridge.memory_session import MemorySession
    from desktop_app.ui.memory.fact_form import FactTexts


def saving_price(words: Words, session: MemorySession | None, texts: FactTexts | None, *, adding: bool) -> str:
    """The price of what is typed; empty while it cannot be saved."""
    if session is None or session.tags is None or texts is None:
        return ""
    new = adding and session.with_key(texts.key) is None
    tag = session.tags.noted_fact(Act.FACT_ADDED if new else Act.FACT_EDITED, texts.key, texts.value)
    return sentence(words, tag) if tag is not None else ""


def deleting_price(words: Words, session: MemorySession | None, detail: FactDetail | None) -> str:
    """The price of deleting the chosen fact, and where its text stands besides."""
    if detail is None:
        return ""
    said, standing = [], detail.standing
    tag = session.tags.deleted_fact(detail.fact.id) if session is not None and session.tags is not None else None
    if tag is not None:
        said.append(sentence(words, tag))
    if standing is not None and standing.messages:
        many = words.say("memory.standing_messages", n=standing.messages)
        said.append(words.say("memory.standing", messages=many, n=standing.conversations))
    if standing is not None and standing.summaries:
        said.append(words.say("memory.standing_summaries", n=standing.summaries))
    return " ".join(said)


def pin_hint(words: Words, session: MemorySession | None, *, pinned: bool) -> str:
    """What pinning or unpinning does, and what it costs."""
    hint = words.say("memory.unpin_hint" if pinned else "memory.pin_hint")
    tag = session.tags.pinned_fact() if session is not None and session.tags is not None else None
    price = sentence(words, tag, "fact_unpinned" if pinned else "fact_pinned") if tag is not None else ""
    return f"{hint}. {price}" if price else hint
