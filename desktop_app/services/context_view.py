"""What the context panel and the `context` and `request` commands show: the next request, and past ones as sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from desktop_app.core import errors
from desktop_app.core.context_budget import Budget, make_budget
from desktop_app.core.conversation import Message, Origin, Role, is_blank, new_id, text_block, to_json
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord, plan_of
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A request as it was sent, with a budget whose blocks carry today's split of its exact totals."""

    record: RequestRecord
    request: Request
    budget: Budget


class ContextView:
    """Reads only; nothing here changes a conversation."""

    def __init__(self, store: ConversationStore, context: TurnContext) -> None:
        self._store = store
        self._context = context

    async def next_request(self, conversation_id: str | None, draft: str) -> Prepared | None:
        """The request that would leave now with this text; None when there is nothing to send at all."""
        path = await self._store.path(conversation_id) if conversation_id else []
        setting = await self.setting(conversation_id, path)
        return await self.with_draft(conversation_id, path, draft, setting)

    async def with_draft(
        self, conversation_id: str | None, path: list[Message], draft: str, setting: TurnSetting
    ) -> Prepared | None:
        """The same for a path and setting already at hand (a keystroke must not read the disk)."""
        if not is_blank(draft):
            path = [*path, _draft_message(conversation_id or "", path, draft)]
        if not path:
            return None
        if path[-1].opens_turn and (notes := await self._context.with_notes(path, setting)) is not None:
            path = [*path[:-1], replace(path[-1], notes=notes)]
        return await self._context.prepare(conversation_id, path, setting)

    async def setting(self, conversation_id: str | None, path: list[Message]) -> TurnSetting:
        """What the next turn on a path would be sent with."""
        return await self._context.setting_for_preview(conversation_id, path)

    async def requests(self, conversation_id: str) -> list[RequestRecord]:
        """The requests of a conversation's turns, oldest first."""
        return _of_turns(await self._store.requests(conversation_id))

    async def of_turn(self, conversation_id: str, turn: int | None) -> RequestRecord:
        """The last request of a turn of the path in use (of the last turn by default); raises NotFound."""
        on_path = {message.id for message in await self._store.path(conversation_id)}
        records = [record for record in await self.requests(conversation_id) if record.turn_id in on_path]
        if turn is not None:
            records = [record for record in records if record.turn == turn]
        if not records:
            raise errors.NotFound(what=f"turn {turn}" if turn is not None else "request")
        last_turn = records[-1].turn_id
        of_last = [record for record in records if record.turn_id == last_turn]
        return of_last[-1]

    async def past(self, request_id: str) -> PastRequest:
        """A request of the past; raises NotFound."""
        record, request = await self._store.request(request_id)
        sources = {
            to_json(block): message.id
            for message in await self._store.path(record.conversation_id)
            for block in message.blocks
        }
        return PastRequest(record, request, past_budget(record, request, sources))


def _of_turns(records: list[RequestRecord]) -> list[RequestRecord]:
    return [record for record in records if record.purpose is RequestPurpose.CHAT]


def past_budget(record: RequestRecord, request: Request, sources: Mapping[str, str]) -> Budget:
    """The rows as they were recorded, each split over its blocks by the general estimate."""
    plan = plan_of(request, record.spans, sources)
    split = make_budget(plan, TokenEstimator(), {}, reserve=record.reserve, window=record.window)
    stored = dict(record.rows)
    rows = tuple(row.with_figure(stored.get(row.segment, row.figure)) for row in split.rows)
    return replace(split, total=record.total, rows=rows, estimated_total=record.estimated)


def _draft_message(conversation_id: str, path: list[Message], draft: str) -> Message:
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=path[-1].id if path else None,
        role=Role.USER,
        blocks=(text_block(draft),),
        origin=Origin.TYPED,
    )
