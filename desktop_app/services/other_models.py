"""A conversation as models it was not last sent to would take it: what they would read of it, and write anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.cache.next_prefixes import coming_message, reads_over_time, sent_before
from desktop_app.core.context_budget import make_budget
from desktop_app.core.conversation import Message, now
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting


@dataclass(frozen=True, slots=True)
class OtherModel:
    """The conversation with another model: the tokens sent so far as it counts them, and what of them it would read
    from each moment on, oldest first."""

    tokens: int
    reads: tuple[tuple[datetime, int], ...] = ()

    def read(self, at: datetime) -> int:
        """Tokens that are kept for it at a moment."""
        return next((read for since, read in reversed(self.reads) if since <= at), 0)


async def other_models(
    context: TurnContext,
    names: Iterable[str],
    path: Sequence[Message],
    last: SentRequest,
    recent: Sequence[RequestRecord],
) -> dict[str, OtherModel]:
    """The conversation with every model of these names and of the `recent` requests but that of the `last`."""
    used = {record.model for record in recent if record.host == last.record.host}
    found: dict[str, OtherModel] = {}
    seen: tuple[Prepared, TurnSetting] | None = None
    for name in dict.fromkeys((*names, *sorted(used))):
        if name == last.record.model:
            continue
        if name in used or seen is None:
            # Only a model that was used of late may have it in its cache.
            prepared, setting = seen = await _next(context, name, path, last.record.conversation_id)
            stops, host = prepared.stops(setting.endpoint.identity), setting.endpoint.host
            reads = await asyncio.to_thread(reads_over_time, prepared.request, stops, recent, now(), host=host)
            found[name] = OtherModel(sent_before(prepared.plan, prepared.budget, last.request), reads)
        else:
            # The same blocks, as this one counts them.
            plan, estimator = seen[0].plan, await context.estimator(seen[1].endpoint, name)
            budget = await asyncio.to_thread(make_budget, plan, estimator, {}, reserve=0, window=None)
            found[name] = OtherModel(sent_before(plan, budget, last.request))
    return found


async def _next(
    context: TurnContext, name: str, path: Sequence[Message], conversation_id: str
) -> tuple[Prepared, TurnSetting]:
    """The next request with another model."""
    setting = await context.setting_for_preview(conversation_id, path, name)
    return await context.prepare(conversation_id, [*path, coming_message(path)], setting), setting
