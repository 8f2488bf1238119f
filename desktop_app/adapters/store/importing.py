"""Adds exported conversations: what is new grows the tree, what is here is never changed, removed or brought back."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations, messages
from desktop_app.adapters.store.tables import MESSAGES, ConversationRow, ImportSourceRow
from desktop_app.core.conversation import Block, Message, Origin, Role, new_id, text_of, title_from
from desktop_app.core.importing import ImportedConversation, ImportedMessage


class Outcome(StrEnum):
    """What became of one conversation."""

    ADDED = "added"
    GROWN = "grown"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class _Node(NamedTuple):
    """Identity of an imported message below its parent: its place in the export and what it said."""

    parent_id: str | None
    source_id: str
    source_hash: str


def add(session: Session, key: bytes, profile: str, exported: ImportedConversation) -> tuple[Outcome, int]:
    """Adds a conversation or its new messages; the outcome and how many messages came."""
    source = session.get(ImportSourceRow, (profile, exported.source_id))
    if source is None:
        row = _new_conversation(session, profile, exported)
        outcome = Outcome.ADDED
    else:
        found = session.get(ConversationRow, source.conversation_id) if source.conversation_id else None
        if found is None or found.deleted_at is not None:
            return Outcome.SKIPPED, 0
        row, outcome = found, Outcome.GROWN
    tip, rest = _common_prefix(session, key, row.id, exported.messages)
    if outcome is Outcome.GROWN and not rest:
        return Outcome.UNCHANGED, 0
    _append(session, key, row, tip, rest)
    return outcome, len(rest)


def _new_conversation(session: Session, profile: str, exported: ImportedConversation) -> ConversationRow:
    title = exported.title or next((text for message in exported.messages if (text := title_from(_text(message)))), "")
    created_at = exported.created_at or next(
        (message.created_at for message in exported.messages if message.created_at), None
    )
    row = ConversationRow(
        id=new_id(),
        profile=profile,
        title=conversations.without_secrets(title),
        created_at=created_at,
        updated_at=created_at,
        imported=True,
    )
    session.add(row)
    session.flush()
    session.add(ImportSourceRow(profile=profile, source_id=exported.source_id, conversation_id=row.id))
    session.flush()
    return row


def _common_prefix(
    session: Session, key: bytes, conversation_id: str, exported: Sequence[ImportedMessage]
) -> tuple[str | None, Sequence[ImportedMessage]]:
    """The last message that is already here, and those that follow it in the export."""
    columns = (MESSAGES.c.id, MESSAGES.c.parent_id, MESSAGES.c.source_id, MESSAGES.c.source_hash)
    mine = MESSAGES.c.conversation_id == conversation_id
    rows = session.execute(select(*columns).where(mine, MESSAGES.c.source_id.is_not(None)))
    here = {_Node(row.parent_id, row.source_id, row.source_hash): row.id for row in rows}
    tip: str | None = None
    for place, message in enumerate(exported):
        found = here.get(_Node(tip, message.source_id, _hash(key, message)))
        if found is None:
            return tip, exported[place:]
        tip = found
    return tip, ()


def _append(
    session: Session,
    key: bytes,
    row: ConversationRow,
    tip: str | None,
    rest: Sequence[ImportedMessage],
) -> None:
    """Adds messages below `tip`; the head follows only if it stood there with nothing below it."""
    follows = row.head_id == tip and not _has_children(session, row.id, tip)
    new: list[Message] = []
    for message in rest:
        parent_id = new[-1].id if new else tip
        new.append(_message(row.id, parent_id, message))
    sources: list[dict[str, Any]] = [
        {"source_id": message.source_id, "source_hash": _hash(key, message)} for message in rest
    ]
    messages.write(session, key, new, sources=sources)
    if follows and new:
        conversations.set_head(session, row.id, new[-1].id)
    session.refresh(row)
    times = [message.created_at for message in rest if message.created_at is not None]
    row.updated_at = max([*times, *([row.updated_at] if row.updated_at else [])], default=None)


def _has_children(session: Session, conversation_id: str, message_id: str | None) -> bool:
    children = select(MESSAGES.c.id).where(
        MESSAGES.c.conversation_id == conversation_id, MESSAGES.c.parent_id.is_not_distinct_from(message_id)
    )
    return session.execute(children.limit(1)).first() is not None


def _message(conversation_id: str, parent_id: str | None, exported: ImportedMessage) -> Message:
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=parent_id,
        role=exported.role,
        blocks=_stored(exported),
        origin=_origin(exported),
        created_at=exported.created_at,
    )


def _origin(exported: ImportedMessage) -> Origin:
    if exported.role is Role.ASSISTANT:
        return Origin.REPLY
    kinds = {block.get("type") for block in exported.blocks}
    return Origin.TOOL_RESULTS if kinds == {"tool_result"} else Origin.TYPED


def _stored(exported: ImportedMessage) -> tuple[Block, ...]:
    """Its blocks without the cache marks of whoever sent them before."""
    return tuple(_unmarked(block) for block in exported.blocks)


def _unmarked(block: Block) -> Block:
    kept = {name: value for name, value in block.items() if name != "cache_control"}
    if isinstance(kept.get("content"), list):
        kept["content"] = [_unmarked(part) if isinstance(part, dict) else part for part in kept["content"]]
    return kept


def _hash(key: bytes, exported: ImportedMessage) -> str:
    said = blocks.encoded({"role": exported.role.value, "content": list(_stored(exported))})
    return blocks.digest(key, said).hex()


def _text(exported: ImportedMessage) -> str:
    return "\n".join(text_of(exported.blocks))
