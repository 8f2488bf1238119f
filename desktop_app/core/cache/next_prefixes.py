"""What of the cache the next request on a path begins with, as long as nothing is changed in its settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from desktop_app.core.cache.prediction import Stop, WarmPoint, predict, prefix_tokens, stops_of, warm_points
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import ContextPlan, plan_context
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Epoch, Message, Origin, Role, text_block
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Figure, Known

_SOMETHING = "…"
"""Stands for what the person will say next: only that it comes behind all else matters."""


def warm_prefixes(
    last: Request, path: Sequence[Message], epoch: Epoch, memo: Compaction | None, warm: Mapping[str, WarmPoint]
) -> list[tuple[Stop, WarmPoint]]:
    """The places of the next request down to which something is warm (`warm_points`), in the order of the prefix.

    It goes on from `last` with the same settings, tools and system; its messages are those of the path, whatever other
    versions were sent since, and `memo` stands in place of what it folds. The tokens are those of the warm point.
    """
    plan = plan_context([*path, coming_message(path)], epoch, memo)
    messages = (RequestMessage(one.role.value, tuple([part.block for part in one.blocks])) for one in plan.messages)
    coming = replace(last, messages=tuple(messages), marks=())
    nothing = Budget(coming.model, Figure(0, Known.ESTIMATED), (), 0, None, 0)
    stops = stops_of(coming, plan, nothing, coming.prefix_digests(epoch.endpoint), epoch.endpoint)
    return [(stop, warm[stop.point.digest]) for stop in stops if stop.point.digest in warm]


def reads_over_time(
    request: Request, stops: Sequence[Stop], records: Sequence[RequestRecord], at: datetime, *, host: str
) -> tuple[tuple[datetime, int], ...]:
    """How many tokens of a request would be read from each moment on, from `at` until nothing is warm any more."""
    warm = warm_points(records, at)
    ends = {warm[stop.point.digest].until for stop in stops if stop.point.digest in warm}
    moments = [at, *sorted(ends)]
    return tuple((one, predict(request, stops, records, one, host=host).read or 0) for one in moments)


def sent_before(plan: ContextPlan, budget: Budget, before: Request) -> int:
    """Tokens of a plan down to where the request before it ended: all that could have been kept of it."""
    return prefix_tokens(plan, budget)[min(len(before.messages), len(plan.messages))]


def coming_message(path: Sequence[Message]) -> Message:
    """A message that stands for what the person will say next on a path."""
    last = path[-1] if path else None
    blocks = (text_block(_SOMETHING),)
    return Message("", last.conversation_id if last else "", last.id if last else None, Role.USER, blocks, Origin.TYPED)
