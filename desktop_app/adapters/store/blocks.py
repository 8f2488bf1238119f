"""Content blocks, each body stored once and found again by a keyed hash."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from sqlalchemy import delete, exists, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store.tables import BLOCKS, MESSAGE_BLOCKS, REQUEST_BLOCKS, InstallRow
from desktop_app.core.conversation import Block, new_id, to_json, well_formed

_CHUNK = 500
_Value = TypeVar("_Value")


def install_key(session: Session) -> bytes:
    """The key of this installation's hashes."""
    return session.execute(select(InstallRow)).scalar_one().block_key


def keep(session: Session, key: bytes, blocks: Sequence[Block]) -> list[str]:
    """Stores what is not there yet; the ids of the blocks in their order."""
    bodies = [encoded(block) for block in blocks]
    hashes = [digest(key, body) for body in bodies]
    ids = _known(session, set(hashes))
    fresh = {hashed: body for hashed, body in zip(hashes, bodies, strict=True) if hashed not in ids}
    if fresh:
        new = {hashed: new_id() for hashed in fresh}
        session.execute(
            insert(BLOCKS),
            [{"id": new[hashed], "hmac": hashed, "body": body} for hashed, body in fresh.items()],
        )
        ids |= new
    return [ids[hashed] for hashed in hashes]


def encoded(block: Block) -> str:
    """The block as it is sent. Half a surrogate pair cannot be sent or stored and becomes U+FFFD."""
    return well_formed(to_json(block))


def digest(key: bytes, body: str) -> bytes:
    """The keyed hash a body is found by."""
    return hmac.digest(key, body.encode(), "sha256")


def drop_orphans(session: Session, ids: Iterable[str] | None = None) -> None:
    """Deletes the blocks that neither a message nor a request holds: among `ids`, or anywhere."""
    unused = delete(BLOCKS).where(
        ~exists().where(MESSAGE_BLOCKS.c.block_id == BLOCKS.c.id),
        ~exists().where(REQUEST_BLOCKS.c.block_id == BLOCKS.c.id),
    )
    if ids is None:
        session.execute(unused)
        return
    for some in chunks(sorted(ids)):
        session.execute(unused.where(BLOCKS.c.id.in_(some)))


def chunks(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    """Runs of values short enough for one statement."""
    return (values[start : start + _CHUNK] for start in range(0, len(values), _CHUNK))


def _known(session: Session, hashes: set[bytes]) -> dict[bytes, str]:
    found: dict[bytes, str] = {}
    for some in chunks(sorted(hashes)):
        rows = session.execute(select(BLOCKS.c.hmac, BLOCKS.c.id).where(BLOCKS.c.hmac.in_(some)))
        found.update({row.hmac: row.id for row in rows})
    return found
