"""What the context panel and the `context` and `request` commands show: the next request, and past ones as sent."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.core import errors
from desktop_app.core.attachments import AttachedFile, message_blocks
from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Block, Message, Origin, Role, new_id
from desktop_app.core.past_budget import past_budget
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request import Request
from desktop_app.core.request_diff import RequestDiff, diff_requests
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A request as it was sent, with a budget whose blocks carry an estimated split of its recorded rows."""

    record: RequestRecord
    request: Request
    budget: Budget


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two requests and what differs from the first to the second."""

    before: SentRequest
    after: SentRequest
    diff: RequestDiff


class ContextView:
    """Reads only; nothing here changes a conversation."""

    def __init__(self, store: ConversationStore, context: TurnContext) -> None:
        self._store = store
        self._context = context

    async def next_request(
        self, conversation_id: str | None, draft: str, attachments: Sequence[AttachedFile] = ()
    ) -> Prepared | None:
        """The request that would leave now with this text and attachments; None when there is nothing to send at all.

        Raises AttachmentUnusable where these are too large together.
        """
        path = await self._store.path(conversation_id) if conversation_id else []
        setting = await self.setting(conversation_id, path)
        return await self.with_draft(conversation_id, path, draft, setting, attachments)

    async def with_draft(
        self,
        conversation_id: str | None,
        path: list[Message],
        draft: str,
        setting: TurnSetting,
        attachments: Sequence[AttachedFile] = (),
    ) -> Prepared | None:
        """The same for a path and setting already at hand (a keystroke must not read the disk)."""
        blocks = message_blocks(draft, attachments)
        if blocks:
            path = [*path, _draft_message(conversation_id or "", path, blocks)]
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
        return of_turns(await self._store.requests(conversation_id))

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
        (record, request), sources = await asyncio.gather(
            self._store.request(request_id), self._store.sources(request_id)
        )
        return PastRequest(record, request, past_budget(record, request, sources))

    async def compare(self, before_id: str, after_id: str) -> Comparison:
        """Two requests side by side, of one conversation or of two; raises NotFound."""
        before, after = await asyncio.gather(self._sent(before_id), self._sent(after_id))
        return Comparison(before, after, diff_requests(before, after))

    async def _sent(self, request_id: str) -> SentRequest:
        return SentRequest(*await self._store.request(request_id))


def of_turns(records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """Those that answer a person: not those that write a memo."""
    return [record for record in records if record.purpose is RequestPurpose.CHAT]


def _draft_message(conversation_id: str, path: list[Message], blocks: tuple[Block, ...]) -> Message:
    return Message(
        id=new_id(),
        conversation_id=conversation_id,
        parent_id=path[-1].id if path else None,
        role=Role.USER,
        blocks=blocks,
        origin=Origin.TYPED,
    )
