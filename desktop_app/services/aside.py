"""A request beside the conversation: sent, kept in the log with what came of it; its answer is no message."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from desktop_app.core import errors
from desktop_app.core.conversation import Block, Epoch, Message, Origin, Role, new_id, text_block, text_of
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.models import CHEAP_MODEL, ModelInfo
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.prompt import Choices
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.settings import ProfileInUse
from desktop_app.core.stream import StreamEvent
from desktop_app.services.endpoint_access import EndpointAccess
from desktop_app.services.sending import Outgoing, Sending
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import TurnContext, TurnSetting

HOUSE = (EndpointKind.ANTHROPIC, EndpointKind.SIMULATOR)
"""Endpoints that have the cheapest model of the house."""
_EFFORT = "low"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: its blocks, and the record of its request."""

    blocks: tuple[Block, ...]
    record: RequestRecord

    @property
    def text(self) -> str:
        """All its text."""
        return "\n\n".join(text_of(self.blocks))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a cheap model is asked: `texts` behind a system prompt, the form of its answer, and its most tokens."""

    purpose: RequestPurpose
    system: str
    texts: Sequence[str]
    schema: Mapping[str, Any]
    most: int


async def answered(
    store: ConversationStore,
    sending: Sending,
    client: ModelEndpoint,
    out: Outgoing,
    setting: TurnSetting,
    partial: PartialReply,
    tell: Callable[[StreamEvent], None],
    keep: Callable[[RequestRecord], None],
) -> Answer:
    """Streams the answer to a request that left, and records what came of it, also after a stop, a failure or a fault.

    `partial` takes what arrives, `keep` the record as it ends. Raises EndpointError.
    """
    began = time.monotonic()

    async def close(state: RequestState, error: str | None = None) -> RequestRecord:
        ended = await sending.ended(out, partial, setting, state, time.monotonic() - began, error)
        await store.update_request(ended.record)
        keep(ended.record)
        return ended.record

    try:
        async with client.stream(out.prepared.request) as events:
            async for event in events:
                partial.take(event)
                tell(event)
        if partial.closed is None or partial.closed.stop_reason is None:
            raise errors.StreamBroken("the stream ended without its last event")
    except asyncio.CancelledError:
        await asyncio.shield(close(RequestState.STOPPED))
        raise
    except Exception as error:
        await close(RequestState.FAILED, error.word if isinstance(error, errors.AppError) else "unexpected")
        raise
    return Answer(partial.blocks(), await close(RequestState.ANSWERED))


def question(conversation_id: str, parent_id: str | None, texts: Sequence[str], epoch: int) -> Message:
    """Texts of the app as a message of its own; it is sent but never stored."""
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=parent_id,
        role=Role.USER,
        blocks=tuple(text_block(text) for text in texts),
        origin=Origin.TYPED,
        notes=MessageNotes(epoch),
    )


class Aside:
    """Asks a cheap model about facts: no tools, no cache, no thinking, one attempt."""

    def __init__(
        self,
        store: ConversationStore,
        access: EndpointAccess,
        context: TurnContext,
        sending: Sending,
        settings: SettingsService,
    ) -> None:
        self._store = store
        self._access = access
        self._context = context
        self._sending = sending
        self._settings = settings

    async def ask(self, profile: str, ids: tuple[str, str], asked: Asked) -> Answer:
        """The answer; `ids` are the conversation and the turn it is asked for.

        Raises ProfileChanged where another profile is in use, EndpointError, ContextTooLarge, RequestRefused.
        """
        setting = await self._setting(profile, asked)
        client = await self._access.client()
        if client.endpoint != setting.endpoint:
            raise errors.ProfileChanged()
        path = [question(ids[0], None, asked.texts, setting.epoch.number)]
        prepared = await self._context.prepare(ids[0], path, setting)
        prepared = await self._sending.ready(prepared, setting, ids[0], asked.purpose)
        turn = sum(1 for message in await self._store.path_to(ids[1]) if message.opens_turn)
        out = await self._sending.leave(prepared, setting, ids, turn, 1, asked.purpose)
        return await answered(
            self._store, self._sending, client, out, setting, PartialReply(), lambda _: None, lambda _: None
        )

    async def _setting(self, profile: str, asked: Asked) -> TurnSetting:
        if self._settings.settings.profile != profile:
            raise errors.ProfileChanged()
        in_use = ProfileInUse(profile, self._settings.profile)
        endpoint = await self._access.endpoint()
        model = await self._model(endpoint, in_use)
        features = await self._access.features(model)
        effort = features.effort and model.takes_effort(_EFFORT)
        features = replace(features, thinking=False, caching=False, tools=False, effort=effort)
        epoch = Epoch(0, model.id, asked.system, endpoint=endpoint.identity, facts_upto=-1)
        limit = min(asked.most, model.output_limit or asked.most)
        choices = Choices(limit, _EFFORT, show_thinking=False, continues=False, schema=asked.schema)
        return TurnSetting(endpoint, model, features, epoch, choices, in_use)

    async def _model(self, endpoint: Endpoint, profile: ProfileInUse) -> ModelInfo:
        """The model of the settings, else the cheapest of the house, else that of the chat."""
        chosen = profile.settings.extract_model
        if not chosen and endpoint.kind in HOUSE:
            try:
                return await self._access.model(CHEAP_MODEL)
            except errors.ModelUnknown:
                pass  # an account without the cheap one
        return await self._access.model(chosen or profile.settings.model)
