"""The log of compactions: what each folded, saved and cost, and how near our prediction came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.plan import CompactionLine
from desktop_app.core.conversation import Epoch, Message
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.money.spent_cost import cost_of
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known

_NEW = (Segment.CURRENT, Segment.RECALLED)
"""What a request holds besides the context it found."""


def log_lines(
    compactions: Sequence[Compaction],
    records: Sequence[RequestRecord],
    epochs: Sequence[Epoch],
    path: Sequence[Message],
    prices: PriceList | None,
) -> list[CompactionLine]:
    """One line for each compaction, oldest first; without prices (a simulated conversation) nothing has a cost."""
    by_id = {record.id: record for record in records}
    costs: dict[str, Decimal] = {}
    for record in records if prices else ():
        priced = cost_of(record, prices) if prices else None
        if priced is not None:
            costs[record.id] = priced.total
    whole = sum(costs.values(), Decimal(0))
    after = _first_replies(path, epochs, by_id)
    lines = []
    for number, one in enumerate(compactions, 1):
        cost = sum((costs[name] for name in one.request_ids if name in costs), Decimal(0)) if prices else None
        if one.request_ids and not any(name in costs for name in one.request_ids):
            cost = None
        share = float(cost / whole) if cost is not None and whole else None
        found = _found(after.get(one.id))
        lines.append(CompactionLine(number, one, cost, share, found, len(one.request_ids)))
    return lines


def _first_replies(
    path: Sequence[Message], epochs: Sequence[Epoch], by_id: Mapping[str, RequestRecord]
) -> dict[str, RequestRecord]:
    """By compaction the request of the first reply that was sent with it."""
    in_use = {epoch.number: epoch.compaction_id for epoch in epochs if epoch.compaction_id}
    found: dict[str, RequestRecord] = {}
    for message in path:
        name = in_use.get(message.epoch) if message.epoch is not None else None
        record = by_id.get(message.request_id or "")
        if name and record is not None and record.purpose is RequestPurpose.CHAT and name not in found:
            found[name] = record
    return found


def _found(record: RequestRecord | None) -> int | None:
    """The measured tokens of a context before its new message."""
    if record is None or record.total.known is not Known.MEASURED:
        return None
    return sum(figure.tokens for segment, figure in record.rows if segment not in _NEW)
