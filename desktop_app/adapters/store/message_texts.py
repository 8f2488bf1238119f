"""Finds the messages in whose text some words stand, letter for letter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.tables import BLOCKS, CONVERSATIONS, MESSAGE_BLOCKS, MESSAGES
from desktop_app.core.conversation import from_json, text_of, to_json, well_formed


def messages_with(session: Session, profile: str, texts: Sequence[str]) -> dict[str, list[str]]:
    """By conversation of the profile that is not deleted: ids of messages, oldest first, whose visible text holds one.

    Only the text blocks of a message are its text; what is told beside it and what tools say is not.
    """
    wanted = sorted({well_formed(text) for text in texts} - {""})
    found: dict[int, tuple[str, str]] = {}
    for some in blocks.chunks(wanted):
        # Each letter is written as JSON by itself, so a text that stands in another does so in JSON, too.
        escaped = [to_json(text)[1:-1] for text in some]
        rows = session.execute(
            select(MESSAGES.c.number, MESSAGES.c.conversation_id, MESSAGES.c.id, BLOCKS.c.body)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == MESSAGES.c.conversation_id)
            .join(MESSAGE_BLOCKS, MESSAGE_BLOCKS.c.message_number == MESSAGES.c.number)
            .join(BLOCKS, BLOCKS.c.id == MESSAGE_BLOCKS.c.block_id)
            .where(
                CONVERSATIONS.c.profile == profile,
                CONVERSATIONS.c.deleted_at.is_(None),
                or_(*(func.instr(BLOCKS.c.body, part) > 0 for part in escaped)),
            )
        )
        for number, conversation_id, message_id, body in rows:
            # The reverse does not hold ("n" stands in a written line break), and other blocks hold words as well.
            if any(text in shown for shown in text_of([from_json(body)]) for text in some):
                found[number] = (conversation_id, message_id)
    result: dict[str, list[str]] = defaultdict(list)
    for _, (conversation_id, message_id) in sorted(found.items()):
        result[conversation_id].append(message_id)
    return dict(result)
