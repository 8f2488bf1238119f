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
    ) -> None:
        self._service = service
        self._conversation_id = conversation_id
        self._emit = emit
        self._hurry = hurry
        self._automatic = automatic
        self._threshold: int | None = None
        self.used = False

    async def look(self) -> None:
        """Finds out whether the API is to compact in this turn."""
        if self._automatic:
            self._threshold = await self._service.threshold_of_api(self._conversation_id)

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

    async def broke_off(self, path: list[Message], setting: TurnSetting, record: RequestRecord, word: str) -> None:
        """Keeps in the log that the API's compaction did not come to its end."""
        self.used = True
        await self._service.broke_off(path, setting, record, word, self._emit)

    async def make_room(self, path: list[Message]) -> bool:
        """Compacts the closed turns of a path before a request that does not fit, where that helps."""
        if self.used or not self._automatic or not await self._service.makes_room(path):
            return False
        self.used = True
        order = FoldOrder(CompactionCause.AUTOMATIC)
        try:
            await self._service.fold(self._conversation_id, order, self._emit, self._hurry, path=path)
        except errors.AppError:
            return False  # told as an event; the turn says what does not fit
        return True
