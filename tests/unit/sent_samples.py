"""Requests as they were sent, with their records, for tests of what compares two of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.cache.forecast import CachePoint
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Epoch, Message
from desktop_app.core.models import Features
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord, RequestState, spans_of
from desktop_app.core.usage import Usage
from tests.unit.message_samples import EPOCH, MODEL

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOST = "api.anthropic.com"


def sent(
    path: Sequence[Message],
    epoch: Epoch = EPOCH,
    *,
    usage: Usage | None = None,
    minute: float = 0,
    memo: Compaction | None = None,
    choices: Choices | None = None,
    **record: Any,
) -> SentRequest:
    """The request that answers a path, sent so many minutes after noon."""
    plan = plan_context(path, epoch, memo)
    request = build_request(plan, choices or Choices(16_000, "high"), Features())
    return with_record(request, spans=spans_of(plan), usage=usage, minute=minute, **record)


def with_record(request: Request, *, usage: Usage | None = None, minute: float = 0, **record: Any) -> SentRequest:
    """A request with a record that says it was answered with this usage."""
    total = usage.input_total or 0 if usage else 0
    digests = request.prefix_digests(HOST)
    values: dict[str, Any] = {
        "id": f"r{minute:g}",
        "conversation_id": "c",
        "turn_id": "t",
        "turn": 1,
        "round": 1,
        "sent_at": NOON + timedelta(minutes=minute),
        "host": HOST,
        "model": request.model if "model" in request.params else MODEL,
        "digest": digests[-1] if digests else "",
        "reserve": 16_000,
        "window": None,
        "estimated": total,
        "rows": (),
        "state": RequestState.ANSWERED if usage else RequestState.SENT,
        "usage": usage,
        "points": tuple(CachePoint(n, digest, total) for n, digest in [*enumerate(digests, 1)][-1:] if request.marks),
    }
    return SentRequest(RequestRecord(**{**values, **record}), request)
