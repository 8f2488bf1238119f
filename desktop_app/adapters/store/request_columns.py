"""What is known of a request as the columns of its row, and back.

Thousands are read at once after each turn: columns instead of objects of tables, and no value is looked up twice.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields
from functools import lru_cache
from typing import Any

from desktop_app.adapters.store.tables import REQUESTS
from desktop_app.adapters.store.usage_columns import USAGE_COLUMNS, usage_from
from desktop_app.core.cache.diagnosis import CacheDiagnosis, DiagnosisKind
from desktop_app.core.cache.forecast import CacheForecast, CachePoint, Lifetime, PointPart
from desktop_app.core.conversation import from_json, to_json, well_formed
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known

_SHAPED = ("state", "purpose", "error", "rows", "spans", "points", "predicted", "diagnosis", "edits")
_OF_TWO = ("usage", "stop_details")
"""Fields of a record that have no column of their own name."""
# Fields of a record that are columns of the same name and type.
_PLAIN = tuple(part.name for part in fields(RequestRecord) if part.name not in (*_SHAPED, *_OF_TWO))
_STATES = {one.value: one for one in RequestState}
_PURPOSES = {one.value: one for one in RequestPurpose}
_SEGMENTS = {one.value: one for one in Segment}
_KNOWN = {one.value: one for one in Known}
_PARTS = {one.value: one for one in PointPart}

_SHARED = 1_000

RECORD = [REQUESTS.c[name] for name in (*_PLAIN, *_SHAPED, "sides", *USAGE_COLUMNS)]
"""The columns that `record_of` takes, in its order."""

# Of a record only what a replay of the cache needs; the others have no meaning there.
_REPLAYED = ("id", "conversation_id", "turn_id", "turn", "round", "sent_at", "host", "model", "answered_by")
_UNTOLD: dict[str, Any] = {"digest": "", "reserve": 0, "window": None, "estimated": 0}
REPLAYED = [REQUESTS.c[name] for name in (*_REPLAYED, "rows", "points", "sides", *USAGE_COLUMNS)]
"""The columns that `replayed` takes, in its order."""


def columns_of(record: RequestRecord) -> dict[str, Any]:
    """The values of its columns."""
    usage = record.usage
    rows = [[segment.value, figure.tokens, figure.known.value] for segment, figure in record.rows]
    spans = [
        [span.segment.value, span.message, span.first, span.count]
        for span in record.spans
        if span.segment is Segment.CURRENT
    ]
    return {
        **{name: getattr(record, name) for name in _PLAIN},
        "state": record.state.value,
        "purpose": record.purpose.value,
        "rows": to_json(rows),
        "spans": to_json(spans),
        # One column for what went wrong: the word of a failure, or the JSON object of a refusal.
        "error": to_json(record.stop_details) if record.stop_details else record.error,
        **{name: getattr(usage, name) if usage else None for name in USAGE_COLUMNS},
        "sides": to_json([list(astuple(side)) for side in usage.sides] if usage else []),
        "points": to_json([list(astuple(point)) for point in record.points]),
        "predicted": _predicted_text(record.predicted),
        "diagnosis": to_json(list(astuple(record.diagnosis))) if record.diagnosis else None,
        "edits": well_formed(to_json(list(record.edits))),
    }


def record_of(columns: Sequence[Any]) -> RequestRecord:
    """The record in the columns `RECORD`; of its spans only those of the current message."""
    shaped = len(_PLAIN)
    state, purpose, error, rows, spans, points, predicted, diagnosis, edits, sides, *usage = columns[shaped:]
    # One text is read sooner than six.
    told = from_json(f"[{rows},{spans},{points},{predicted or 'null'},{diagnosis or 'null'},{edits}]")
    details = error if error and error.startswith("{") else None
    return RequestRecord(
        **dict(zip(_PLAIN, columns[:shaped], strict=True)),
        state=_STATES[state],
        purpose=_PURPOSES[purpose],
        rows=_rows(told[0]),
        spans=tuple([SegmentSpan(_SEGMENTS[segment], *numbers) for segment, *numbers in told[1]]),
        usage=usage_from(usage, sides),
        error=error if details is None else None,
        stop_details=from_json(details) if details else None,
        points=_points(told[2]),
        predicted=CacheForecast(*told[3]) if told[3] else None,
        diagnosis=_diagnosis(*told[4]) if told[4] else None,
        edits=tuple(told[5]),
    )


def replayed(rows: Iterable[Sequence[Any]]) -> list[RequestRecord]:
    """The records of answered requests in rows of the columns `REPLAYED`."""
    with _uncollected():
        return [_replayed_of(row) for row in rows]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Records hold no cycles: looking through those made so far, again and again, took half of the time."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _replayed_of(columns: Sequence[Any]) -> RequestRecord:
    """Without rows where its marks tell of its head."""
    plain = len(_REPLAYED)
    rows, points, sides, *usage = columns[plain:]
    heads = _points([point for point in from_json(points) if point[-1] != PointPart.MESSAGES.value])
    return RequestRecord(
        **dict(zip(_REPLAYED, columns[:plain], strict=True)),
        **_UNTOLD,
        rows=() if heads else _rows(from_json(rows)),
        points=heads,
        usage=usage_from(usage, sides),
    )


class KnownRecords:
    """The records made last of rows: what was read a moment ago is not made again unless its row is another.

    Safe for threads that read at the same time.
    """

    def __init__(self, most: int = 20_000) -> None:
        self._most = most
        self._known: dict[str, tuple[tuple[Any, ...], RequestRecord]] = {}

    def of(self, rows: Iterable[Sequence[Any]]) -> list[RequestRecord]:
        """The records in rows of the columns `RECORD`."""
        with _uncollected():
            return [self._record(tuple(row)) for row in rows]

    def _record(self, columns: tuple[Any, ...]) -> RequestRecord:
        known = self._known.get(columns[0])
        if known is not None and known[0] == columns:
            return known[1]
        record = record_of(columns)
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[record.id] = (columns, record)
        return record


def _rows(told: Sequence[Any]) -> tuple[tuple[Segment, Figure], ...]:
    return tuple([_figure_of(*row) for row in told])


def _points(told: Sequence[Any]) -> tuple[CachePoint, ...]:
    return tuple([_point(*point) for point in told])


# From request to request most figures and the marks before the messages are the same.
@lru_cache(_SHARED)
def _figure_of(segment: str, tokens: int, known: str) -> tuple[Segment, Figure]:
    return _SEGMENTS[segment], Figure(tokens, _KNOWN[known])


@lru_cache(_SHARED)
def _point(place: int, digest: str, tokens: int, lifetime: Lifetime, part: str) -> CachePoint:
    return CachePoint(place, digest, tokens, lifetime, _PARTS[part])


def _predicted_text(forecast: CacheForecast | None) -> str | None:
    if forecast is None:
        return None
    return to_json([forecast.read, forecast.write_5m, forecast.write_1h, forecast.uncached])


@lru_cache(_SHARED)
def _diagnosis(kind: str, missed: int | None, told: str) -> CacheDiagnosis:
    return CacheDiagnosis(DiagnosisKind(kind), missed, told)
