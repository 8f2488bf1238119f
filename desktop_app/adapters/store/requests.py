"""Requests exactly as they were sent, each kept as what it adds to an earlier one of its conversation.

A conversation grows at its end, so a request stores the number of leading blocks it shares with the
latest request and the ids of the rest: n turns cost O(n) on disk. A base that adds nothing to the
shared part is passed over for its own base; every link of a chain thus holds blocks of the request,
and one recursive query reads it in O(blocks).

A segment that a block keeps from request to request (facts told, a memo) stands with the block. What is
the current message changes with each turn; its span stands in the row of the request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Literal, NamedTuple

from sqlalchemy import CTE, func, insert, literal, or_, select, update
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, conversations
from desktop_app.adapters.store.request_columns import (
    RECORD,
    REPLAYED,
    KnownRecords,
    columns_of,
    record_of,
    replayed,
)
from desktop_app.adapters.store.tables import BLOCKS, REQUEST_BLOCKS, REQUESTS, RequestRow
from desktop_app.adapters.store.usage_columns import USAGE_COLUMNS, usage_of
from desktop_app.core.conversation import Block, from_json, to_json
from desktop_app.core.errors import NotFound
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, exact_total

_TOOLS, _SYSTEM = -2, -1


class _Place(NamedTuple):
    """A block of a request where it stands."""

    slot: int
    role: str | None
    block_id: str | None
    segment: str | None = None


_PLACE = [REQUEST_BLOCKS.c[name] for name in _Place._fields]


def save(session: Session, key: bytes, record: RequestRecord, request: Request, owner: str) -> None:
    """Stores a request and what is known of it."""
    conversations.row_of(session, record.conversation_id)
    places = _places(session, key, request, record.spans)
    base, shared = _base(session, record.conversation_id, places)
    row = RequestRow(
        base=base,
        shared=shared,
        params=to_json(dict(request.params)),
        marks=to_json([[mark.part, mark.block, mark.ttl] for mark in request.marks]),
        betas=to_json(list(request.betas)),
        owner=owner if record.state is RequestState.SENT else None,
        **columns_of(record),
    )
    session.add(row)
    session.flush()
    rest = [
        {"request_number": row.number, "position": position, **place._asdict()}
        for position, place in enumerate(places[shared:], start=shared)
    ]
    if rest:
        session.execute(insert(REQUEST_BLOCKS), rest)


def replace_record(session: Session, record: RequestRecord) -> None:
    """Replaces what is known of a request; raises NotFound."""
    values = columns_of(record)
    if record.state is not RequestState.SENT:
        values["owner"] = None
    changed = session.execute(
        update(REQUESTS).where(REQUESTS.c.id == record.id).values(**values).returning(REQUESTS.c.number)
    )
    if changed.first() is None:
        raise NotFound(what="request")


def records(session: Session, conversation_id: str, known: KnownRecords) -> list[RequestRecord]:
    """All of a conversation for every purpose, oldest first; of their spans only those of the current message."""
    conversations.row_of(session, conversation_id)
    rows = session.execute(
        select(*RECORD).where(REQUESTS.c.conversation_id == conversation_id).order_by(REQUESTS.c.number)
    )
    return known.of(rows)


def since(session: Session, moment: datetime, known: KnownRecords) -> list[RequestRecord]:
    """Those of every conversation and profile sent after a moment, oldest first."""
    rows = session.execute(select(*RECORD).where(REQUESTS.c.sent_at > moment).order_by(REQUESTS.c.number))
    return known.of(rows)


def replayable(session: Session, moment: datetime) -> list[RequestRecord]:
    """Those of turns sent after a moment that were answered with figures of the cache, whatever their conversation,
    oldest first: of each only what a replay of the cache needs."""
    told = or_(*(REQUESTS.c[name].is_not(None) for name in ("read", "write_5m", "write_1h")))
    rows = session.execute(
        select(*REPLAYED)
        .where(REQUESTS.c.sent_at > moment, REQUESTS.c.purpose == RequestPurpose.CHAT.value)
        .where(REQUESTS.c.uncached.is_not(None), told)
        .order_by(REQUESTS.c.number)
    )
    return replayed(rows)


def one(session: Session, request_id: str) -> tuple[RequestRecord, Request]:
    """A request as it was sent; raises NotFound."""
    columns = [REQUESTS.c[name] for name in ("number", "params", "marks", "betas")]
    row = session.execute(select(*columns, *RECORD).where(REQUESTS.c.id == request_id)).one_or_none()
    if row is None:
        raise NotFound(what="request")
    number, params, marks, betas, *known = row
    placed = _read_blocks(session, number)
    return _with_spans(record_of(known), [place for place, _ in placed]), _request(params, marks, betas, placed)


def known_totals(session: Session, conversation_id: str, digests: Sequence[str]) -> Mapping[str, Figure]:
    """The newest measured, else the newest counted total for each digest that has one."""
    columns = [REQUESTS.c[name] for name in ("digest", "counted", "sides", *USAGE_COLUMNS)]
    totals: dict[str, Figure] = {}
    for some in blocks.chunks(digests):
        rows = session.execute(
            select(*columns)
            .where(REQUESTS.c.conversation_id == conversation_id, REQUESTS.c.digest.in_(some))
            .order_by(REQUESTS.c.number)
        )
        for row in rows:
            total, before = exact_total(usage_of(row), row.counted), totals.get(row.digest)
            if total and not (total.known is Known.COUNTED and before and before.known is Known.MEASURED):
                totals[row.digest] = total
    return totals


def _places(session: Session, key: bytes, request: Request, spans: Sequence[SegmentSpan]) -> list[_Place]:
    parts: list[tuple[int, str | None, tuple[Block, ...]]] = [
        (_TOOLS, None, request.tools),
        (_SYSTEM, None, request.system),
        *((number, entry.role, entry.blocks) for number, entry in enumerate(request.messages)),
    ]
    ids = iter(blocks.keep(session, key, [block for _, _, inside in parts for block in inside]))
    segments = {
        (span.message, place): span.segment.value
        for span in spans
        if span.segment is not Segment.CURRENT
        for place in range(span.first, span.first + span.count)
    }
    places = []
    for slot, role, inside in parts:
        places += [_Place(slot, role, next(ids), segments.get((slot, number))) for number in range(len(inside))]
        if slot >= 0 and not inside:
            places.append(_Place(slot, role, None))
    return places


def _base(session: Session, conversation_id: str, places: Sequence[_Place]) -> tuple[int | None, int]:
    """The request to build on and how many leading places are its own."""
    latest: int | None = session.execute(
        select(func.max(REQUESTS.c.number)).where(REQUESTS.c.conversation_id == conversation_id)
    ).scalar()
    if latest is None:
        return None, 0
    link = chain(latest)
    rows = session.execute(
        select(*_PLACE)
        .join(link, link.c.number == REQUEST_BLOCKS.c.request_number)
        .where(REQUEST_BLOCKS.c.position < link.c.upto)
        .order_by(REQUEST_BLOCKS.c.position)
    )
    shared = 0
    for place, other in zip(places, rows, strict=False):
        if place != _Place(*other):
            break
        shared += 1
    # The link that holds the last shared place; what lies behind it adds nothing.
    base = session.execute(select(link.c.number).where(link.c.shared < shared, link.c.upto >= shared).limit(1)).scalar()
    return base, shared if base is not None else 0


def chain(number: int) -> CTE:
    """The requests a request is made of: each with the places `shared` ≤ position < `upto` it gives."""
    everything = literal(2**62)
    start = select(REQUESTS.c.number, REQUESTS.c.base, REQUESTS.c.shared, everything.label("upto"))
    link = start.where(REQUESTS.c.number == number).cte("link", recursive=True)
    before = REQUESTS.alias("before")
    return link.union_all(
        select(before.c.number, before.c.base, before.c.shared, link.c.shared).join(
            link, before.c.number == link.c.base
        )
    )


def _read_blocks(session: Session, number: int) -> list[tuple[_Place, Block | None]]:
    link = chain(number)
    rows = session.execute(
        select(*_PLACE, BLOCKS.c.body)
        .join(link, link.c.number == REQUEST_BLOCKS.c.request_number)
        .join(BLOCKS, BLOCKS.c.id == REQUEST_BLOCKS.c.block_id, isouter=True)
        .where(REQUEST_BLOCKS.c.position < link.c.upto)
        .order_by(REQUEST_BLOCKS.c.position)
    )
    return [(_Place(*place), None if body is None else from_json(body)) for *place, body in rows]


def _with_spans(record: RequestRecord, places: Sequence[_Place]) -> RequestRecord:
    """The record with the spans that stand with its blocks, in the order of the prefix."""
    spans = list(record.spans)
    for slot, inside in groupby(places, key=lambda place: place.slot):
        first = 0
        for segment, run in groupby(inside, key=lambda place: place.segment):
            count = len(list(run))
            if segment is not None:
                spans.append(SegmentSpan(Segment(segment), slot, first, count))
            first += count
    return replace(record, spans=tuple(sorted(spans, key=lambda span: (span.message, span.first))))


def _request(params: str, marks: str, betas: str, placed: Sequence[tuple[_Place, Block | None]]) -> Request:
    parts: dict[int, tuple[Block, ...]] = {}
    messages = []
    for slot, group in groupby(placed, key=lambda item: item[0].slot):
        inside = list(group)
        parts[slot] = tuple(block for _, block in inside if block is not None)
        if slot >= 0:
            messages.append(RequestMessage(inside[0][0].role or "", parts[slot]))
    return Request(
        params=from_json(params),
        tools=parts.get(_TOOLS, ()),
        system=parts.get(_SYSTEM, ()),
        messages=tuple(messages),
        marks=tuple(_mark(*mark) for mark in from_json(marks)),
        betas=tuple(from_json(betas)),
    )


def _mark(part: Literal["tools", "system"] | int, block: int, ttl: Literal["5m", "1h"]) -> Mark:
    return Mark(part, block, ttl)
