"""How full the context of a conversation is, against the threshold of folding, and where it may be cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.boundary import Boundary, find_boundary
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import unfolded
from desktop_app.core.conversation import Message
from desktop_app.core.errors import NothingToFold
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request_log import RequestPurpose
from desktop_app.core.usage import Figure, Known
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting


@dataclass(frozen=True, slots=True)
class ContextFill:
    """A path and what it is sent with; tokens in use, threshold, and what is to stay word for word at most."""

    path: list[Message]
    setting: TurnSetting
    used: Figure
    threshold: int
    keep: int
    boundary: Boundary | None
    tokens: Counter[str] = field(default_factory=Counter)
    """Of each message as it is sent, by its id."""

    @property
    def over(self) -> bool:
        """Whether the threshold is reached and enough lies before the boundary to be worth a memo."""
        enough = self.boundary is not None and self.boundary.folded_tokens >= trigger.least_folded(self.threshold)
        return enough and trigger.due(self.used.tokens, self.threshold)

    def at(self, moment: datetime) -> int:
        """Tokens of the context without the messages that came after a moment."""
        later = (message for message in self.path if message.created_at is not None and message.created_at > moment)
        return self.used.tokens - sum(self.tokens[message.id] for message in later)

    def cut(self) -> Boundary:
        """Where the path is cut; raises NothingToFold."""
        if self.boundary is None:
            raise NothingToFold(tokens=self.keep)
        return self.boundary


class FillGauge:
    """Reads only; nothing here changes a conversation or sends anything."""

    def __init__(self, store: ConversationStore, context: TurnContext, settings: SettingsService) -> None:
        self._store = store
        self._context = context
        self._settings = settings

    async def preview(self, conversation_id: str) -> ContextFill:
        """The fill as the next turn would find it."""
        path = await self._store.path(conversation_id)
        return await self.of(path, await self._context.setting_for_preview(conversation_id, path))

    async def of(self, path: list[Message], setting: TurnSetting) -> ContextFill:
        """The fill of a path."""
        profile = self._settings.profile
        threshold = trigger.threshold(setting.model.window, profile.fold_share, profile.fold_tokens)
        large = trigger.most_kept(threshold)
        keep = min(profile.fold_keep, large)
        if not path:
            return ContextFill(path, setting, Figure(0, Known.ESTIMATED), threshold, keep, None)
        prepared = await self._context.prepare(path[0].conversation_id, path, setting)
        folded = len(path) - len(unfolded(path, setting.compaction))
        tokens = _tokens_by_message(prepared)
        boundary = find_boundary(path, tokens, keep=keep, large=large, after=folded)
        used = await self._measured(path, setting) or prepared.budget.total
        return ContextFill(path, setting, used, threshold, keep, boundary, tokens)

    async def after(self, fill: ContextFill, compaction: Compaction) -> int:
        """Tokens of the context when a compaction is in use."""
        epoch = replace(fill.setting.epoch, number=fill.setting.epoch.number + 1, compaction_id=compaction.id)
        setting = replace(fill.setting, epoch=epoch, compaction=compaction)
        prepared = await self._context.prepare(compaction.conversation_id, fill.path, setting)
        return prepared.budget.total.tokens

    async def _measured(self, path: Sequence[Message], setting: TurnSetting) -> Figure | None:
        """What the last request and its answer were measured to hold; None where the next one begins otherwise."""
        last = path[-1]
        if last.request_id is None or last.epoch != setting.epoch.number:
            return None
        records = await self._store.requests(last.conversation_id)
        record = next((one for one in records if one.id == last.request_id), None)
        usage = record.usage if record and record.purpose is RequestPurpose.CHAT else None
        if usage is None or not usage.input_total or usage.output is None or usage.output_estimated:
            return None
        return Figure(usage.input_total + usage.output, Known.MEASURED)


def _tokens_by_message(prepared: Prepared) -> Counter[str]:
    """Tokens of each message as it is sent, what is told beside it included."""
    tokens: Counter[str] = Counter()
    for row in prepared.budget.rows:
        for part in row.blocks:
            if part.block.message_id is not None:
                tokens[part.block.message_id] += part.figure.tokens
    return tokens
