"""Rows of the conversation list: making, naming, deleting, and the excerpt that is kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.store import blocks, message_words, passages, spending
from desktop_app.adapters.store.tables import (
    BLOCKS,
    CONVERSATIONS,
    MESSAGE_BLOCKS,
    MESSAGES,
    ConversationRow,
)
from desktop_app.core.attachment_label import without_labels
from desktop_app.core.attachments import attached_names
from desktop_app.core.conversation import Conversation, from_json, is_blank, new_id, now, text_of
from desktop_app.core.errors import Busy, NotFound
from desktop_app.core.secrets.fact_text import masked_text

RESTORABLE = timedelta(days=30)
_EXCERPT_LENGTH = 120
_EXCERPT_SOURCE = 4000
_find = SecretDetector().find


def row_of(session: Session, conversation_id: str) -> ConversationRow:
    """The row; raises NotFound."""
    row = session.get(ConversationRow, conversation_id)
    if row is None:
        raise NotFound(what="conversation")
    return row


def one(session: Session, conversation_id: str) -> Conversation:
    """One, also a deleted one; raises NotFound."""
    return value_of(row_of(session, conversation_id))


def value_of(row: ConversationRow) -> Conversation:
    """The value of a row."""
    return Conversation(
        id=row.id,
        profile=row.profile,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        head_id=row.head_id,
        excerpt=row.excerpt,
        imported=row.imported,
        simulated=row.simulated,
    )


def listed(session: Session, profile: str) -> list[Conversation]:
    """Those not deleted, last used first, unknown times last."""
    rows = session.execute(
        select(ConversationRow)
        .where(CONVERSATIONS.c.profile == profile, CONVERSATIONS.c.deleted_at.is_(None))
        .order_by(CONVERSATIONS.c.updated_at.desc().nulls_last(), CONVERSATIONS.c.id)
    )
    return [value_of(row) for row in rows.scalars()]


def deleted(session: Session, profile: str) -> list[Conversation]:
    """Those that can be restored, last deleted first."""
    rows = session.execute(
        select(ConversationRow)
        .where(CONVERSATIONS.c.profile == profile, CONVERSATIONS.c.deleted_at.is_not(None))
        .order_by(CONVERSATIONS.c.deleted_at.desc(), CONVERSATIONS.c.id)
    )
    return [value_of(row) for row in rows.scalars()]


def create(session: Session, profile: str, title: str, simulated: bool) -> Conversation:
    """A new, empty one."""
    moment = now()
    row = ConversationRow(
        id=new_id(),
        profile=profile,
        title=without_secrets(title),
        created_at=moment,
        updated_at=moment,
        simulated=simulated,
    )
    session.add(row)
    session.flush()
    return value_of(row)


def rename(session: Session, conversation_id: str, title: str) -> None:
    """Gives it a title."""
    row_of(session, conversation_id).title = without_secrets(title)


def claim(session: Session, conversation_id: str, owner: str, alive: Callable[[str], bool]) -> None:
    """Takes the conversation for a turn; raises Busy while a turn of another living process runs in it."""
    row = row_of(session, conversation_id)
    if row.owner is not None and row.owner != owner and alive(row.owner):
        raise Busy()
    row.owner = owner


def release(session: Session, conversation_id: str, owner: str) -> None:
    """Lets others have it."""
    row = session.get(ConversationRow, conversation_id)
    if row is not None and row.owner == owner:
        row.owner = None


def mark_deleted(session: Session, conversation_id: str) -> None:
    """Takes it out of the list; a second deletion does not prolong its time."""
    row = row_of(session, conversation_id)
    row.deleted_at = row.deleted_at or now()
    passages.owe_conversation(session, conversation_id)


def restore(session: Session, conversation_id: str) -> None:
    """Undoes a deletion."""
    row_of(session, conversation_id).deleted_at = None
    passages.owe_conversation(session, conversation_id)


def long_deleted(session: Session) -> list[str]:
    """Ids of those that can no longer be restored."""
    gone = CONVERSATIONS.c.deleted_at < now() - RESTORABLE
    return list(session.execute(select(CONVERSATIONS.c.id).where(gone)).scalars())


def purge(session: Session) -> None:
    """Removes what was deleted too long ago, with every block nothing else holds; what it cost is kept."""
    if doomed := long_deleted(session):
        spending.keep_spent(session, doomed)
        message_words.forget(session, doomed)
        for some in blocks.chunks(doomed):
            session.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id.in_(some)))
        blocks.drop_orphans(session)


def set_head(session: Session, conversation_id: str, message_id: str | None, *, used: bool = False) -> None:
    """Makes a message the end of the path in use; `used` brings the conversation to the top of the list."""
    fresh: dict[str, object] = {"head_id": message_id, "excerpt": excerpt(session, message_id)}
    if used:
        fresh["updated_at"] = now()
    session.execute(update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id).values(**fresh))


def head_of(session: Session, conversation_id: str) -> str | None:
    """The end of the path in use."""
    head: str | None = session.execute(
        select(CONVERSATIONS.c.head_id).where(CONVERSATIONS.c.id == conversation_id)
    ).scalar_one()
    return head


def excerpt(session: Session, head_id: str | None) -> str:
    """The start of the last visible text on the path that ends in `head_id`, on one line."""
    node = head_id
    while node is not None:
        bodies = session.execute(
            select(BLOCKS.c.body)
            .join(MESSAGE_BLOCKS, MESSAGE_BLOCKS.c.block_id == BLOCKS.c.id)
            .join(MESSAGES, MESSAGES.c.number == MESSAGE_BLOCKS.c.message_number)
            .where(MESSAGES.c.id == node)
            .order_by(MESSAGE_BLOCKS.c.position)
        ).scalars()
        parts = [from_json(body) for body in bodies]
        if texts := text_of(without_labels(parts)) or attached_names(parts):
            return one_line(texts[0])
        node = session.execute(select(MESSAGES.c.parent_id).where(MESSAGES.c.id == node)).scalar_one()
    return ""


def one_line(text: str) -> str:
    """The first visible characters of a text, white space as single spaces, its secrets masked."""
    words = text.lstrip()[:_EXCERPT_SOURCE].split()
    return without_secrets(" ".join(word for word in words if not is_blank(word)))[:_EXCERPT_LENGTH]


def without_secrets(text: str) -> str:
    """A text as it may be kept beside the message it comes from: in a title, in an excerpt."""
    return masked_text(text, _find)
