"""The words messages are found by, with the turn and the place of each: both never change, for a tree only grows.

Every message has a row in `message_words` from the moment it is written, an empty one while it streams. Those written
before that table was there stand in `message_unindexed` until their turn has come, and so does what follows them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.tables import BLOCKS, MESSAGE_BLOCKS, MESSAGES, MESSAGES_UNINDEXED
from desktop_app.core.archive import searchable_text
from desktop_app.core.conversation import Block, Message, MessageState, Origin, from_json
from desktop_app.core.search_words import search_words

_TABLE = "message_words"
_STANDING = sql(
    "SELECT kept.turn, kept.place FROM message JOIN {kept:message_words} ON kept.number = message.number "
    "WHERE message.id = :id"
)
_OPENING = (Origin.TYPED, Origin.CONTINUE)
_Standing = tuple[int, int]
"""Of a message: the number of its turn, and its own on its path, both from 1."""


def add(session: Session, numbers: Iterable[int], messages: Sequence[Message]) -> None:
    """Gives new messages, parents first, their words; what is still streaming gets them at its end."""
    standing: dict[str | None, _Standing | None] = {None: (0, 0)}
    rows, owed = [], []
    for number, message in zip(numbers, messages, strict=True):
        if message.parent_id not in standing:
            standing[message.parent_id] = _standing_of(session, message.parent_id)
        mine = _below(standing[message.parent_id], message.origin)
        standing[message.id] = mine
        if mine is None:
            owed.append({"message_number": number})
        else:
            words = "" if message.state is MessageState.STREAMING else _words(message.blocks)
            rows.append({"number": number, "turn": mine[0], "place": mine[1], "words": words})
    backend_of(session).put_words(session, _TABLE, rows)
    if owed:
        session.execute(insert(MESSAGES_UNINDEXED), owed)


def replace(session: Session, number: int, new: Sequence[Block]) -> None:
    """A message has ended with these blocks. One that has no row yet will get its words with it."""
    backend_of(session).replace_words(session, _TABLE, number, _words(new))


def replace_stored(session: Session, numbers: Sequence[int]) -> None:
    """Messages have ended with the blocks that are stored."""
    for number, stored in _stored(session, numbers).items():
        replace(session, number, stored)


def index(session: Session, limit: int) -> int:
    """Gives the oldest messages without a row theirs, at most `limit`; how many are left."""
    waiting = select(MESSAGES_UNINDEXED.c.message_number).order_by(MESSAGES_UNINDEXED.c.message_number).limit(limit)
    numbers = list(session.execute(waiting).scalars())
    stored = _stored(session, numbers)
    for some in blocks.chunks(numbers):
        session.execute(MESSAGES_UNINDEXED.delete().where(MESSAGES_UNINDEXED.c.message_number.in_(some)))
        columns = (MESSAGES.c[name] for name in ("number", "id", "parent_id", "origin", "state"))
        found = session.execute(select(*columns).where(MESSAGES.c.number.in_(some)).order_by(MESSAGES.c.number)).all()
        standing: dict[str | None, _Standing | None] = {None: (0, 0)}
        rows = []
        for row in found:
            if row.parent_id not in standing:
                standing[row.parent_id] = _standing_of(session, row.parent_id)
            # A parent is older than its children, so it has its row; a broken tree begins anew.
            turn, place = _below(standing[row.parent_id] or (0, 0), Origin(row.origin)) or (0, 0)
            standing[row.id] = (turn, place)
            words = "" if row.state == MessageState.STREAMING.value else _words(stored.get(row.number, ()))
            rows.append({"number": row.number, "turn": turn, "place": place, "words": words})
        backend_of(session).put_words(session, _TABLE, rows)
    return left(session)


def left(session: Session) -> int:
    """How many messages are not found yet."""
    return int(session.execute(select(func.count()).select_from(MESSAGES_UNINDEXED)).scalar_one())


def forget(session: Session, conversation_ids: Sequence[str]) -> None:
    """Takes the words of conversations away before these go, from the index as well: it keeps them until it is
    rewritten."""
    gone: list[int] = []
    for some in blocks.chunks(conversation_ids):
        gone += session.execute(select(MESSAGES.c.number).where(MESSAGES.c.conversation_id.in_(some))).scalars()
    if gone:
        backend_of(session).remove_words(session, _TABLE, gone)
        backend_of(session).tidy_words(session, _TABLE)


def _words(said: Sequence[Block]) -> str:
    return " ".join(search_words(searchable_text(said)))


def _below(parent: _Standing | None, origin: Origin) -> _Standing | None:
    return None if parent is None else (parent[0] + (origin in _OPENING), parent[1] + 1)


def _standing_of(session: Session, message_id: str | None) -> _Standing | None:
    row = session.execute(_STANDING, {"id": message_id}).one_or_none()
    return None if row is None else (row[0], row[1])


def _stored(session: Session, numbers: Sequence[int]) -> dict[int, list[Block]]:
    found: dict[int, list[Block]] = defaultdict(list)
    for some in blocks.chunks(numbers):
        bodies = (
            select(MESSAGE_BLOCKS.c.message_number, BLOCKS.c.body)
            .join(BLOCKS, BLOCKS.c.id == MESSAGE_BLOCKS.c.block_id)
            .where(MESSAGE_BLOCKS.c.message_number.in_(some))
            .order_by(MESSAGE_BLOCKS.c.message_number, MESSAGE_BLOCKS.c.position)
        )
        for number, body in session.execute(bodies):
            found[number].append(from_json(body))
    return found
