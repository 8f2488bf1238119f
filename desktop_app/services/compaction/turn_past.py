"""What one turn may do to the past it stands on: let the API compact, or make room, once."""

from __future__ import annotations

import asyncio

from desktop_app.core import errors
from desktop_app.core.compaction.compaction import Compaction, CompactionCause
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Block, Message
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.compaction.service import CompactionService
from desktop_app.services.reply_writing import Emit
from desktop_app.services.turn_context import TurnSetting


class TurnPast:
    """Fulfils `services.turn.PastCompaction`. `used` once anything was compacted or tried: one automatic compaction a
    turn. `automatic`: whether the profile wants any by itself, without looking at it first."""

    def __init__(
        self,
        service: CompactionService,
        conversation_id: str,
        emit: Emit,
        hurry: asyncio.Event,
        *,
        automatic: bool,
        threshold: int | None,
    ) -> None:
        self._service = service
        self._conversation_id = conversation_id
        self._emit = emit
        self._hurry = hurry
        self._automatic = automatic
        self._threshold = threshold
        self.used = False

    @property
    def threshold(self) -> int | None:
        """Tokens at which the API compacts by itself; None where it is not to."""
        return None if self.used else self._threshold

    async def adopt(
        self, path: list[Message], setting: TurnSetting, block: Block, record: RequestRecord
    ) -> Compaction | None:
        """Puts the API's own block to use."""
        self.used = True
        return await self._service.adopt(path, setting, block, record, self._emit)

    async def make_room(self) -> bool:
        """Compacts the closed turns before a request that does not fit."""
        if self.used or not self._automatic:
            return False
        try:
            await self._service.plan(self._conversation_id)  # where nothing can be folded, nothing is told of it
        except errors.AppError:
            return False
        self.used = True
        try:
            await self._service.fold(
                self._conversation_id, FoldOrder(CompactionCause.AUTOMATIC), self._emit, self._hurry
            )
        except errors.AppError:
            return False  # told as an event; the turn says what does not fit
        return True
