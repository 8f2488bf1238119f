"""Spending as a table for a spreadsheet: UTF-8 with a byte order mark, one line for each request, oldest first.

Columns: `sent_at` (with the zone of the person), `profile`, `conversation` (title), `conversation_id`, `turn`, `round`,
`spent_on` (SpentOn), `state` (RequestState), `host`, `model` (that answered, else that was asked), tokens `uncached`,
`write_5m`, `write_1h`, `read`, `output`, `thinking`, `side_input` and `side_output` (passes of a server beside the
answer), `cost_usd` (every digit, all of it), `side_usd` (the part of it that was for those passes), `estimated` and
`simulated` (yes or no), `request_id`. What is unknown is an empty cell, never 0.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from datetime import tzinfo

from desktop_app.core.money.spent_cost import PricedRequest
from desktop_app.core.usage import Usage

COLUMNS = (
    *("sent_at", "profile", "conversation", "conversation_id", "turn", "round", "spent_on", "state", "host", "model"),
    *("uncached", "write_5m", "write_1h", "read", "output", "thinking", "side_input", "side_output"),
    *("cost_usd", "side_usd", "estimated", "simulated", "request_id"),
)
# What makes a spreadsheet compute a cell, also behind what some of them take for the end of a cell.
_FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@＝＋－＠])")
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def spending_csv(found: Sequence[PricedRequest], zone: tzinfo | None = None) -> bytes:
    """The file as it is written."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\r\n")
    lines.writerow(COLUMNS)
    lines.writerows(_row(one, zone) for one in found)
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _row(one: PricedRequest, zone: tzinfo | None) -> list[str]:
    request, usage, cost = one.request, one.usage or Usage(), one.cost
    record = request.record
    tokens = (usage.uncached, usage.write_5m, usage.write_1h, usage.read, usage.output, usage.thinking)
    sides: tuple[int | None, int | None] = (None, None)
    if usage.sides:
        sides = (sum(side.input_total for side in usage.sides), sum(side.output for side in usage.sides))
    return [
        record.sent_at.astimezone(zone).isoformat(timespec="seconds"),
        *map(_text, (request.profile, request.title, record.conversation_id)),
        str(record.turn),
        str(record.round),
        one.on.value,
        record.state.value,
        *map(_text, (record.host, record.answered_by or record.model)),
        *("" if figure is None else str(figure) for figure in (*tokens, *sides)),
        format(cost.total, "f") if cost else "",
        format(cost.sides, "f") if cost and usage.sides else "",
        "yes" if cost is not None and cost.estimated else "no",
        "yes" if request.simulated else "no",
        _text(record.id),
    ]


def _text(text: str) -> str:
    """A text on one line that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1\2'", _BREAKS.sub(" ", text))
