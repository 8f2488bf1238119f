"""How full the context of a conversation is, against the threshold of compaction, and where it may be cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.boundary import Boundary, find_boundary
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.compaction.language import language_of
from desktop_app.core.context import unfolded
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Message
from desktop_app.core.ports import ConversationStore
from desktop_app.core.request_log import RequestPurpose
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting


@dataclass(frozen=True)
class ContextFill:
    """A path and what it is sent with; tokens in use, threshold, and what is to stay word for word at most.

    `budget` is that of the context without a new message, None of an empty path.
    """

    path: list[Message]
    setting: TurnSetting
    strategy: Strategy
    used: Figure
    threshold: int
    keep: int
    budget: Budget | None = None
    tokens: Counter[str] = field(default_factory=Counter)
    """Of each message as it is sent, by its id."""
    most: int | None = None
    """Messages that may stay at most."""

    @cached_property
    def language(self) -> str:
        """The one the person writes in: `en` or `ko`."""
        return language_of(self.path)

    @property
    def over(self) -> bool:
        """Whether the threshold is reached."""
        return trigger.due(self.used.tokens, self.threshold)

    def boundary(self, keep: int | None = None) -> Boundary | None:
        """Where the path is cut when at most `keep` tokens stay (as many as the profile wants by default)."""
        if not self.path:
            return None
        stays = self.keep if keep is None else keep
        large = min(stays, trigger.most_kept(self.threshold)) if keep is not None else trigger.most_kept(self.threshold)
        folded = len(self.path) - len(unfolded(self.path, self.setting.compaction))
        return find_boundary(self.path, self.tokens, keep=stays, large=large, after=folded, most=self.most)

    def at(self, moment: datetime) -> int:
        """Tokens of the context without the messages that came after a moment."""
        later = (message for message in self.path if message.created_at is not None and message.created_at > moment)
        return self.used.tokens - sum(self.tokens[message.id] for message in later)


class FillGauge:
    """Reads only; nothing here changes a conversation or sends anything."""

    def __init__(self, store: ConversationStore, context: TurnContext, settings: SettingsService) -> None:
        self._store = store
        self._context = context
        self._settings = settings

    async def preview(self, conversation_id: str, strategy: Strategy | None = None) -> ContextFill:
        """The fill as the next turn would find it."""
        path = await self._store.path(conversation_id)
        return await self.of(path, await self._context.setting_for_preview(conversation_id, path), strategy)

    async def of(self, path: list[Message], setting: TurnSetting, strategy: Strategy | None = None) -> ContextFill:
        """The fill of a path, for the profile's strategy or another one."""
        profile = self._settings.profile
        chosen = strategy or Strategy(profile.fold_strategy)
        threshold = trigger.threshold(setting.model.window, profile.fold_share, profile.fold_tokens)
        keep = min(profile.fold_keep, trigger.most_kept(threshold))
        most = profile.fold_messages if chosen is Strategy.WINDOW else None
        if not path:
            return ContextFill(path, setting, chosen, Figure(0, Known.ESTIMATED), threshold, keep)
        prepared = await self._context.prepare(path[0].conversation_id, path, setting)
        used = await self._measured(path, setting) or prepared.budget.total
        tokens = _tokens_by_message(prepared)
        return ContextFill(path, setting, chosen, used, threshold, keep, prepared.budget, tokens, most)

    async def after(self, fill: ContextFill, compaction: Compaction) -> Budget:
        """The context when a compaction is in use."""
        setting = await self._context.with_compaction(fill.setting, compaction)
        prepared = await self._context.prepare(compaction.conversation_id, fill.path, setting)
        return prepared.budget

    async def measured(self, fill: ContextFill, made: Compaction) -> Compaction:
        """A compaction with the tokens of the context and of its summary when it is in use, by our estimate."""
        budget = await self.after(fill, made)
        return replace(made, after=budget.total.tokens, summary_tokens=summary_tokens(budget))

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


def summary_tokens(budget: Budget) -> int:
    """Tokens of what stands for the past."""
    row = budget.row(Segment.SUMMARY)
    return row.figure.tokens if row else 0


def shares_of(budget: Budget | None, whole: int | None = None) -> tuple[tuple[Segment, int], ...]:
    """Tokens by segment; summed up to `whole` where that is known better."""
    if budget is None:
        return ()
    rows = budget.rows
    if whole is not None and budget.total.tokens:
        scale = whole / budget.total.tokens
        rows = tuple(replace(row, figure=Figure(round(row.figure.tokens * scale), row.figure.known)) for row in rows)
    return tuple((row.segment, row.figure.tokens) for row in rows)


def _tokens_by_message(prepared: Prepared) -> Counter[str]:
    """Tokens of each message as it is sent, what is told beside it included."""
    tokens: Counter[str] = Counter()
    for row in prepared.budget.rows:
        for part in row.blocks:
            if part.block.message_id is not None:
                tokens[part.block.message_id] += part.figure.tokens
    return tokens
