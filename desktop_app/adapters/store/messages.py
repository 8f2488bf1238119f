"""Messages as rows of a tree: the path, its branches, writing, streaming and finishing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import CTE, Row, Select, delete, insert, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations, message_notes, message_words, passages
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.tables import BLOCKS, MESSAGE_BLOCKS, MESSAGE_NOTES, MESSAGES, REQUESTS
from desktop_app.core.conversation import (
    Block,
    Message,
    MessageState,
    Origin,
    Role,
    from_json,
    now,
)
from desktop_app.core.errors import NotFound
from desktop_app.core.ports import Branches
from desktop_app.core.request_log import RequestState

# The columns a Message is made of, besides its blocks and notes, under the names of its fields.
_PLAIN = ("id", "conversation_id", "parent_id", "created_at", "model", "epoch", "request_id", "stop_reason", "seconds")
_MESSAGES: Select[Any] = select(
    *(MESSAGES.c[name] for name in ("number", "role", "origin", "state", *_PLAIN)),
    MESSAGE_NOTES.c.epoch.label("told_in"),
    MESSAGE_NOTES.c.notes,
).join(MESSAGE_NOTES, MESSAGE_NOTES.c.message_number == MESSAGES.c.number, isouter=True)


def path(session: Session, conversation_id: str) -> list[Message]:
    """The messages in use, root first."""
    head = conversations.row_of(session, conversation_id).head_id
    return path_to(session, head) if head is not None else []


def path_ids(session: Session, conversation_id: str) -> list[str]:
    """The ids of the messages in use, root first; no body is read."""
    up = upwards(conversations.row_of(session, conversation_id).head_id)
    ids = select(MESSAGES.c.id).join(up, up.c.number == MESSAGES.c.number).order_by(MESSAGES.c.number)
    return list(session.execute(ids).scalars())


def path_to(session: Session, message_id: str) -> list[Message]:
    """The messages down to one, root first."""
    up = upwards(message_id)
    rows = session.execute(_MESSAGES.join(up, up.c.number == MESSAGES.c.number).order_by(MESSAGES.c.number)).all()
    return _values(rows, session, _bodies().join(up, up.c.number == MESSAGE_BLOCKS.c.message_number))


def tail(session: Session, conversation_id: str, count: int) -> list[Message]:
    """The last messages in use, at most `count`, oldest first; its cost does not grow with the conversation."""
    node = conversations.row_of(session, conversation_id).head_id
    numbers: list[int] = []
    while node is not None and len(numbers) < count:
        row = session.execute(select(MESSAGES.c.number, MESSAGES.c.parent_id).where(MESSAGES.c.id == node)).one()
        numbers.append(row.number)
        node = row.parent_id
    return numbered(session, numbers)


def numbered(session: Session, numbers: Sequence[int]) -> list[Message]:
    """The messages of a few rows, oldest first."""
    rows = session.execute(_MESSAGES.where(MESSAGES.c.number.in_(numbers)).order_by(MESSAGES.c.number)).all()
    return _values(rows, session, _bodies().where(MESSAGE_BLOCKS.c.message_number.in_(numbers)))


def one(session: Session, message_id: str) -> Message:
    """A message by its id; raises NotFound."""
    row = session.execute(_MESSAGES.where(MESSAGES.c.id == message_id)).one_or_none()
    if row is None:
        raise NotFound(what="message")
    return _values([row], session, _bodies().where(MESSAGE_BLOCKS.c.message_number == row.number))[0]


def branches(session: Session, conversation_id: str) -> list[Branches]:
    """For each message of the path that has siblings (roots are siblings of each other)."""
    up = upwards(conversations.row_of(session, conversation_id).head_id)
    nodes = session.execute(
        select(MESSAGES.c.id, MESSAGES.c.parent_id)
        .where(MESSAGES.c.conversation_id == conversation_id)
        .order_by(MESSAGES.c.number)
    )
    children: dict[str | None, list[str]] = defaultdict(list)
    for node, parent in nodes:
        children[parent].append(node)
    used = session.execute(
        select(MESSAGES.c.id, MESSAGES.c.parent_id)
        .join(up, up.c.number == MESSAGES.c.number)
        .order_by(MESSAGES.c.number)
    )
    return [Branches(node, tuple(children[parent])) for node, parent in used if len(children[parent]) > 1]


def tip_below(session: Session, message_id: str) -> str:
    """The newest leaf below a message: a child is always newer than its parent, so the newest of all."""
    start = select(MESSAGES.c.number, MESSAGES.c.id).where(MESSAGES.c.id == message_id)
    down = start.cte("down", recursive=True)
    below = MESSAGES.alias("below")
    down = down.union(select(below.c.number, below.c.id).join(down, below.c.parent_id == down.c.id))
    tip = session.execute(select(down.c.id).order_by(down.c.number.desc()).limit(1)).scalar_one_or_none()
    if tip is None:
        raise NotFound(what="message")
    return str(tip)


def tips(session: Session, conversation_id: str) -> list[str]:
    """The leaves of the tree, newest first; raises NotFound."""
    conversations.row_of(session, conversation_id)
    below = MESSAGES.alias("below")
    leaves = (
        select(MESSAGES.c.id)
        .where(MESSAGES.c.conversation_id == conversation_id)
        .where(~select(below.c.id).where(below.c.parent_id == MESSAGES.c.id).exists())
        .order_by(MESSAGES.c.number.desc())
    )
    return list(session.execute(leaves).scalars())


def add(session: Session, key: bytes, message: Message, owner: str) -> Message:
    """Stores a message and makes it the head."""
    conversations.row_of(session, message.conversation_id)
    if message.parent_id is not None and message.parent_id not in _ids_in(session, message):
        raise NotFound(what="message")
    stored = replace(message, created_at=message.created_at or now())
    write(session, key, [stored], owner if stored.state is MessageState.STREAMING else None)
    if stored.notes is not None:
        message_notes.add(session, stored.id, stored.notes)
    conversations.set_head(session, stored.conversation_id, stored.id, used=True)
    return stored


def write(
    session: Session,
    key: bytes,
    messages: Sequence[Message],
    owner: str | None = None,
    sources: Sequence[dict[str, str]] = (),
) -> None:
    """Inserts messages, parents first, with new numbers; `sources` are further columns of each."""
    if not messages:
        return
    numbers = backend_of(session).take_numbers(session, "message", len(messages))
    rows = [
        {
            "number": number,
            "owner": owner,
            "role": message.role.value,
            "origin": message.origin.value,
            "state": message.state.value,
            **{name: getattr(message, name) for name in _PLAIN},
        }
        for number, message in zip(numbers, messages, strict=True)
    ]
    for row, source in zip(rows, sources, strict=False):
        row.update(source)
    session.execute(insert(MESSAGES), rows)
    ids = iter(blocks.keep(session, key, [block for message in messages for block in message.blocks]))
    links = [
        {"message_number": number, "position": position, "block_id": next(ids)}
        for number, message in zip(numbers, messages, strict=True)
        for position in range(len(message.blocks))
    ]
    if links:
        session.execute(insert(MESSAGE_BLOCKS), links)
    message_words.add(session, numbers, messages)
    passages.owe_cutting(session, numbers)


def move_head(session: Session, conversation_id: str, message_id: str | None) -> None:
    """Makes another message of the tree the head; raises NotFound when it is of another conversation."""
    conversations.row_of(session, conversation_id)
    if message_id is not None and one(session, message_id).conversation_id != conversation_id:
        raise NotFound(what="message")
    conversations.set_head(session, conversation_id, message_id)


def flush(session: Session, key: bytes, message: Message) -> None:
    """Replaces the blocks of a message that is still streaming; one that has ended stays as it is."""
    found = session.execute(
        select(MESSAGES.c.number, MESSAGES.c.state).where(MESSAGES.c.id == message.id)
    ).one_or_none()
    if found is None:
        raise NotFound(what="message")
    if found.state == MessageState.STREAMING.value:
        _replace_blocks(session, key, found.number, message.blocks)


def finish(session: Session, key: bytes, message: Message) -> None:
    """The message as it ended, blocks and all; it keeps the time it was first stored with."""
    number = session.execute(select(MESSAGES.c.number).where(MESSAGES.c.id == message.id)).scalar()
    if number is None:
        add(session, key, message, "")
        return
    ended = {
        "state": message.state.value,
        "model": message.model,
        "epoch": message.epoch,
        "request_id": message.request_id,
        "stop_reason": message.stop_reason,
        "seconds": message.seconds,
        "owner": None,
    }
    session.execute(update(MESSAGES).where(MESSAGES.c.number == number).values(**ended))
    _replace_blocks(session, key, number, message.blocks)
    message_words.replace(session, number, message.blocks)
    head = conversations.head_of(session, message.conversation_id)
    conversations.set_head(session, message.conversation_id, head, used=True)


def interrupt(session: Session, is_alive: Callable[[str | None], bool]) -> int:
    """Ends what processes that are gone left open; the number of messages."""
    count = 0
    for table, begun, ended in (
        (MESSAGES, MessageState.STREAMING.value, MessageState.INTERRUPTED.value),
        (REQUESTS, RequestState.SENT.value, RequestState.STOPPED.value),
    ):
        open_rows = session.execute(
            select(table.c.number, table.c.owner).where(table.c.owner.is_not(None), table.c.state == begun)
        )
        dead = [number for number, owner in open_rows if not is_alive(owner)]
        for some in blocks.chunks(dead):
            session.execute(update(table).where(table.c.number.in_(some)).values(state=ended, owner=None))
        if table is MESSAGES:
            count = len(dead)
            message_words.replace_stored(session, dead)
    return count


def _replace_blocks(session: Session, key: bytes, number: int, new: Sequence[Block]) -> None:
    mine = MESSAGE_BLOCKS.c.message_number == number
    before = set(session.execute(select(MESSAGE_BLOCKS.c.block_id).where(mine)).scalars())
    ids = blocks.keep(session, key, new)
    session.execute(delete(MESSAGE_BLOCKS).where(mine))
    if ids:
        session.execute(
            insert(MESSAGE_BLOCKS),
            [
                {"message_number": number, "position": position, "block_id": block_id}
                for position, block_id in enumerate(ids)
            ],
        )
    blocks.drop_orphans(session, before - set(ids))


def _ids_in(session: Session, message: Message) -> list[str]:
    """The parent's id if it is a message of the same conversation."""
    return list(
        session.execute(
            select(MESSAGES.c.id).where(
                MESSAGES.c.id == message.parent_id,
                MESSAGES.c.conversation_id == message.conversation_id,
            )
        ).scalars()
    )


def upwards(head_id: str | None) -> CTE:
    """Numbers of a message and all above it. UNION, not UNION ALL: even a broken tree ends."""
    start = select(MESSAGES.c.number, MESSAGES.c.parent_id).where(MESSAGES.c.id == head_id)
    up = start.cte("up", recursive=True)
    above = MESSAGES.alias("above")
    return up.union(select(above.c.number, above.c.parent_id).join(up, above.c.id == up.c.parent_id))


def _bodies() -> Select[Any]:
    return (
        select(MESSAGE_BLOCKS.c.message_number, BLOCKS.c.body)
        .join(BLOCKS, BLOCKS.c.id == MESSAGE_BLOCKS.c.block_id)
        .order_by(MESSAGE_BLOCKS.c.message_number, MESSAGE_BLOCKS.c.position)
    )


def _values(rows: Iterable[Row[Any]], session: Session, bodies: Select[Any]) -> list[Message]:
    parts: dict[int, list[Block]] = defaultdict(list)
    for number, body in session.execute(bodies):
        parts[number].append(from_json(body))
    return [
        Message(
            role=Role(row.role),
            origin=Origin(row.origin),
            state=MessageState(row.state),
            blocks=tuple(parts[row.number]),
            notes=message_notes.value_of(row.told_in, row.notes),
            **{name: getattr(row, name) for name in _PLAIN},
        )
        for row in rows
    ]
