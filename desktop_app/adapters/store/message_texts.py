"""Finds the messages and summaries in whose text some words stand, as whole words and letter for letter."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.sql import instr
from desktop_app.adapters.store.tables import BLOCKS, COMPACTIONS, CONVERSATIONS, MESSAGE_BLOCKS, MESSAGES
from desktop_app.core.compaction.compaction import CompactionState
from desktop_app.core.conversation import from_json, text_of, to_json, well_formed
from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.whole_words import stands_in

_ESCAPES = lazy_pattern(r'(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+')
_WRITES = ("save_memory", "forget_memory", "memory")
"""Tools that are given texts of facts."""
_STANDING = (CompactionState.ACTIVE.value, CompactionState.PROPOSED.value)
"""States of compactions whose text stands in a context, or soon may."""


def messages_with(session: Session, profile: str, texts: Sequence[str]) -> dict[str, list[str]]:
    """By conversation of the profile that is not deleted: ids of messages, oldest first, whose text holds one.

    The text of a message is that of its text blocks, what it gives to a tool that writes memory, and what tools say;
    what is told beside it is not.
    """
    found: dict[int, tuple[str, str]] = {}
    wanted = _wanted(texts)
    # Each letter is written as JSON by itself, so a text that stands in another does so in JSON, too; a tool may say
    # its text as JSON, which is written as JSON once more.
    parts = {form for text in wanted for form in (_escaped(text), _escaped(_escaped(text)))}
    for some in blocks.chunks(sorted(parts)):
        rows = session.execute(
            select(MESSAGES.c.number, MESSAGES.c.conversation_id, MESSAGES.c.id, BLOCKS.c.body)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == MESSAGES.c.conversation_id)
            .join(MESSAGE_BLOCKS, MESSAGE_BLOCKS.c.message_number == MESSAGES.c.number)
            .join(BLOCKS, BLOCKS.c.id == MESSAGE_BLOCKS.c.block_id)
            .where(
                CONVERSATIONS.c.profile == profile,
                CONVERSATIONS.c.deleted_at.is_(None),
                or_(*(instr(BLOCKS.c.body, part) > 0 for part in some)),
            )
        )
        for number, conversation_id, message_id, body in rows:
            # The reverse does not hold ("n" stands in a written line break), and other blocks hold words as well.
            if _holds(from_json(body), wanted):
                found[number] = (conversation_id, message_id)
    result: dict[str, list[str]] = defaultdict(list)
    for _, (conversation_id, message_id) in sorted(found.items()):
        result[conversation_id].append(message_id)
    return dict(result)


def compactions_with(session: Session, profile: str, texts: Sequence[str]) -> list[str]:
    """Ids of compactions, oldest first, that are in use or proposed and whose summary holds one; of the profile's
    conversations that are not deleted. What the API wrote stands in its block."""
    found: dict[int, str] = {}
    wanted = _wanted(texts)
    written = [
        *((COMPACTIONS.c.summary, text) for text in wanted),
        *((COMPACTIONS.c.block, _escaped(text)) for text in wanted),
    ]
    for some in blocks.chunks(written):
        rows = session.execute(
            select(COMPACTIONS.c.number, COMPACTIONS.c.id, COMPACTIONS.c.summary, COMPACTIONS.c.block)
            .join(CONVERSATIONS, CONVERSATIONS.c.id == COMPACTIONS.c.conversation_id)
            .where(
                CONVERSATIONS.c.profile == profile,
                CONVERSATIONS.c.deleted_at.is_(None),
                COMPACTIONS.c.state.in_(_STANDING),
                or_(*(instr(column, text) > 0 for column, text in some)),
            )
        )
        for number, compaction_id, summary, body in rows:
            # The names and signs of JSON are no text of the block.
            shown = [summary, *(_said(from_json(body)) if body is not None else ())]
            if any(stands_in(text, one) for one in shown for text in wanted):
                found[number] = compaction_id
    return [compaction_id for _, compaction_id in sorted(found.items())]


def _wanted(texts: Sequence[str]) -> list[str]:
    return sorted({well_formed(text) for text in texts} - {""})


def _escaped(text: str) -> str:
    return to_json(text)[1:-1]


def _holds(block: Mapping[str, Any], texts: Sequence[str]) -> bool:
    """Whether a text stands in what a block says; in what a tool says also as JSON writes it."""
    if block.get("type") == "tool_result":
        shown = [form for said in _said(block) for form in (said, _unescaped(said))]
    else:
        shown = list(_given(block)) if block.get("type") == "tool_use" else text_of([block])
    return any(stands_in(text, one) for one in shown for text in texts)


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)


def _said(block: Mapping[str, Any]) -> list[str]:
    """The texts of a result of a tool, or of the API's own summary."""
    content = block.get("content")
    if isinstance(content, str):
        return [content]
    return text_of(block for block in content or () if isinstance(block, Mapping))


def _given(call: Mapping[str, Any]) -> Iterator[str]:
    arguments = call.get("input")
    if call.get("name") in _WRITES and isinstance(arguments, Mapping):
        yield from (value for value in arguments.values() if isinstance(value, str))
