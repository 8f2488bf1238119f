"""Which stored message each block of a sent request came from, found by the ids of blocks alone: no body is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import messages, requests
from desktop_app.adapters.store.tables import MESSAGE_BLOCKS, MESSAGES, REQUEST_BLOCKS, REQUESTS
from desktop_app.core.errors import NotFound


def of_request(session: Session, request_id: str) -> Mapping[tuple[int, int], str]:
    """By number of a message in the request and place of a block in it: the id of the stored message.

    Blocks that no message holds as they were sent (facts, a memo, what was mended) are left out. A block that
    stands in several messages goes to the last of them first, the one before it to the next, and so on.
    """
    columns = [REQUESTS.c[name] for name in ("number", "conversation_id", "turn_id")]
    found = session.execute(select(*columns).where(REQUESTS.c.id == request_id)).one_or_none()
    if found is None:
        raise NotFound(what="request")
    number, conversation_id, turn_id = found
    holders = _holders(session, _last_message(session, conversation_id, request_id, turn_id))
    link = requests.chain(number)
    rows = session.execute(
        select(REQUEST_BLOCKS.c.slot, REQUEST_BLOCKS.c.block_id)
        .join(link, link.c.number == REQUEST_BLOCKS.c.request_number)
        .where(REQUEST_BLOCKS.c.position < link.c.upto, REQUEST_BLOCKS.c.slot >= 0)
        .order_by(REQUEST_BLOCKS.c.position)
    ).all()
    places: dict[tuple[int, int], str] = {}
    counts: dict[int, int] = defaultdict(int)
    for slot, block_id in rows:
        places[slot, counts[slot]] = block_id
        counts[slot] += 1
    sources: dict[tuple[int, int], str] = {}
    for place, block_id in reversed(places.items()):
        if among := holders.get(block_id):
            sources[place] = among.pop() if len(among) > 1 else among[0]
    return sources


def _last_message(session: Session, conversation_id: str, request_id: str, turn_id: str) -> str:
    """The message the request ended with: what stands above its answer, else the end of what grew below its turn."""
    above: str | None = session.execute(
        select(MESSAGES.c.parent_id)
        .where(MESSAGES.c.conversation_id == conversation_id, MESSAGES.c.request_id == request_id)
        .limit(1)
    ).scalar()
    if above is not None:
        return above
    try:
        return messages.tip_below(session, turn_id)
    except NotFound:
        return turn_id


def _holders(session: Session, message_id: str) -> dict[str, list[str]]:
    """By block: the messages down to one that hold it, root first."""
    up = messages.upwards(message_id)
    rows = session.execute(
        select(MESSAGE_BLOCKS.c.block_id, MESSAGES.c.id)
        .join(up, up.c.number == MESSAGE_BLOCKS.c.message_number)
        .join(MESSAGES, MESSAGES.c.number == up.c.number)
        .order_by(MESSAGE_BLOCKS.c.message_number, MESSAGE_BLOCKS.c.position)
    )
    holders: dict[str, list[str]] = defaultdict(list)
    for block_id, holder in rows:
        holders[block_id].append(holder)
    return holders
