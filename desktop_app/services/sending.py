"""What every request has in common as it leaves and as it ends: prediction, diagnosis, usage, the line in the log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, replace

from desktop_app import __version__
from desktop_app.core import errors
from desktop_app.core.cache.forecast import LONGEST
from desktop_app.core.cache.left import last_on_path
from desktop_app.core.cache.prediction import points_of, predict
from desktop_app.core.conversation import now, well_formed_block
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.prompt import with_diagnosis
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState, rows_of
from desktop_app.core.request_rules import RequestFacts, check_request
from desktop_app.core.usage import Figure, Known
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting, record_of

_COUNT_SECONDS = 20.0
_DIAGNOSED = (EndpointKind.ANTHROPIC, EndpointKind.SIMULATOR)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it leaves, and its line in the log."""

    prepared: Prepared
    record: RequestRecord


class Sending:
    """Counts, checks and records requests; sends none itself."""

    def __init__(self, store: ConversationStore, access: EndpointAccess, context: TurnContext) -> None:
        self._store = store
        self._access = access
        self._context = context

    async def counted(self, prepared: Prepared, setting: TurnSetting, client: ModelEndpoint) -> Prepared | None:
        """The request with its counted total; None when counting failed, which is never an error of the turn."""
        try:
            async with asyncio.timeout(_COUNT_SECONDS):
                tokens = await client.count(prepared.request)
        except errors.EndpointError as error:
            self._access.counting_failed(setting.endpoint, error)
            return None
        except TimeoutError:
            return None
        return replace(await self._context.exact(prepared, Figure(tokens, Known.COUNTED), setting), counted=tokens)

    async def ready(
        self,
        prepared: Prepared,
        setting: TurnSetting,
        conversation_id: str,
        purpose: RequestPurpose = RequestPurpose.CHAT,
        *,
        least: int = 0,
        paused: bool = False,
    ) -> Prepared:
        """The request as it may leave: its reserve cut to what the window leaves, with all that is asked beside it.

        Where the API explains misses of the cache it is asked to, against the last answer of the conversation.
        Raises ContextTooLarge where less than `least` tokens are left, RequestRefused for what the API would not take.
        """
        fitted = self._context.fitted(prepared)
        if fitted is None or fitted.request.max_tokens < least:
            budget = prepared.budget
            raise errors.ContextTooLarge(tokens=budget.total.tokens, reserve=budget.reserve, window=budget.window or 0)
        if setting.features.caching and setting.endpoint.kind in _DIAGNOSED:
            chat = purpose is RequestPurpose.CHAT
            previous = await self._last_answer(conversation_id, setting.endpoint) if chat else None
            fitted = replace(fitted, request=with_diagnosis(fitted.request, previous))
        total = fitted.budget.total
        facts = RequestFacts(
            fitted.request.betas,
            window=setting.model.window,
            output_limit=setting.model.output_limit,
            input_tokens=total.tokens if total.known is not Known.ESTIMATED else None,
            paused=paused,
        )
        broken = check_request(fitted.request.body(), facts)
        if broken:
            raise errors.RequestRefused("; ".join(rule.text for rule in broken), rule=broken[0].text)
        return fitted

    async def leave(
        self,
        prepared: Prepared,
        setting: TurnSetting,
        ids: tuple[str, str],
        turn: int,
        number: int,
        purpose: RequestPurpose = RequestPurpose.CHAT,
    ) -> Outgoing:
        """Stores the request exactly as it is about to leave, with what is expected of the cache."""
        recent = await self._recent()
        stops = prepared.stops(setting.endpoint.identity)
        record = replace(
            record_of(prepared, setting, ids, turn, number, purpose),
            points=points_of(prepared.request, stops),
            app_version=__version__,
        )
        forecast = predict(prepared.request, stops, recent, record.sent_at, host=record.host)
        record = replace(record, predicted=forecast if forecast.read is not None else None)
        saving = asyncio.ensure_future(self._store.save_request(record, prepared.request))
        try:
            await asyncio.shield(saving)
        except asyncio.CancelledError:
            await asyncio.shield(self._call_back(saving, record))
            raise
        return Outgoing(prepared, record)

    async def _call_back(self, saving: Awaitable[None], record: RequestRecord) -> None:
        """Marks a request that was stopped while it was being stored."""
        with suppress(errors.StoreUnavailable):
            await saving
            await self._store.update_request(replace(record, state=RequestState.STOPPED))

    async def _last_answer(self, conversation_id: str, endpoint: Endpoint) -> str | None:
        """The id an endpoint gave its last answer on the path in use; None for one that is out of the cache since."""
        mine = [one for one in await self._recent() if one.conversation_id == conversation_id and one.remote_id]
        # The simulated assistant has another port at each start.
        same = endpoint.kind is EndpointKind.SIMULATOR
        told = [one for one in mine if same or one.host == endpoint.host]
        last = last_on_path(told, await self._store.path_ids(conversation_id)) if told else None
        return last.remote_id if last else None

    async def _recent(self) -> list[RequestRecord]:
        return await self._store.requests_since(now() - LONGEST)

    async def ended(
        self,
        outgoing: Outgoing,
        partial: PartialReply,
        setting: TurnSetting,
        state: RequestState,
        seconds: float,
        error: str | None = None,
    ) -> Outgoing:
        """The same with what came of it; it is not stored here, for a reply is stored with it."""
        prepared, usage, closed = outgoing.prepared, None, partial.closed
        if partial.anything:
            usage = partial.estimated_usage(await self._context.estimator(setting.endpoint, setting.model.id))
        if usage is not None and usage.input_total:
            measured = Figure(usage.input_total, Known.MEASURED)
            # Whoever pressed Stop does not wait for the estimator to be written.
            learn = state is not RequestState.STOPPED
            prepared = await self._context.exact(prepared, measured, setting, learn=learn)
        details = closed.stop_details if closed and state is RequestState.ANSWERED else None
        record = replace(
            outgoing.record,
            state=state,
            rows=rows_of(prepared.budget),
            usage=usage,
            answered_by=partial.model or None,
            stop_reason=closed.stop_reason if closed else None,
            remote_id=closed.remote_id if closed else None,
            error=error,
            stop_details=well_formed_block(details) if details else None,
            seconds=round(seconds, 3),
            diagnosis=partial.diagnosis,
            edits=closed.edits if closed else (),
            points=points_of(prepared.request, prepared.stops(setting.endpoint.identity)),
        )
        return Outgoing(prepared, record)
