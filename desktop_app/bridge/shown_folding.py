"""What the window shows of compacting a conversation: when it is due, what runs, what is folded, what was before.

Signals:
    changed(): anything but the arriving text is another.
    textArrived(str): a further piece of the summary that is being written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.session_state import Notice
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy
from desktop_app.core.compaction.plan import CompactionLine, FoldPlan
from desktop_app.core.conversation import Message
from desktop_app.core.errors import AppError
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Figure, Known


@dataclass(frozen=True, slots=True)
class FoldState:
    """When folding is due. Tokens; `used` by the whole context so far, None in an empty conversation.

    `automatic`: it happens by itself once it is due; `review`: it then waits for the person. `rests_until` tokens it
    is left alone; `stuck` names by its catalogue id what is too big to get below the threshold. `strategy` is the
    profile's.
    """

    threshold: int
    used: Figure | None
    due: bool
    automatic: bool
    review: bool = False
    rests_until: int | None = None
    stuck: str = ""
    strategy: Strategy = Strategy.MEMO


@dataclass(frozen=True, slots=True)
class RunningFold:
    """A folding under way. `attempt` counts the summaries asked for, from 1; `began` is of the monotonic clock."""

    message_ids: tuple[str, ...]
    turns: tuple[int, int]
    before: Figure
    cause: CompactionCause
    attempt: int = 1
    strategy: Strategy = Strategy.MEMO
    began: float = 0.0


@dataclass(frozen=True, slots=True)
class Folded:
    """A compaction, the messages of the path it stands for, their turns, and its figures as they are known."""

    compaction: Compaction
    message_ids: frozenset[str]
    turns: tuple[int, int]
    before: Figure
    after: Figure


class ShownFolding(QObject):
    """Holds the values of one conversation.

    `log` are all its compactions, oldest first, failed and undone ones too. `refused` says why nothing can be folded
    now, `failed` why the last folding came to nothing; None where there is no such reason. `planning` while it is
    found out what could be. `strategies` are all, each with the catalogue id of why the endpoint cannot do it.
    `folded` is in use, `proposed` waits for the person. `path` are the messages, `arriving` is what has come of the
    summary that is being written.
    """

    changed = Signal()
    textArrived = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: FoldState | None = None
        self.plan: FoldPlan | None = None
        self.refused: AppError | None = None
        self.planning = False
        self.running: RunningFold | None = None
        self.failed: Notice | None = None
        self.folded: Folded | None = None
        self.proposed: Folded | None = None
        self.log: tuple[CompactionLine, ...] = ()
        self.strategies: tuple[tuple[Strategy, str], ...] = ()
        self.path: Sequence[Message] = ()
        self.arriving = ""

    def show(self, **values: Any) -> None:
        """Other values; told once, and only where one of them is another."""
        changed = {name: value for name, value in values.items() if getattr(self, name) != value}
        for name, value in changed.items():
            setattr(self, name, value)
        if changed:
            self.changed.emit()

    def arrive(self, text: str) -> None:
        """A further piece of the summary."""
        self.arriving += text
        self.textArrived.emit(text)


def turns_of(path: Sequence[Message], message_ids: Collection[str]) -> tuple[int, int]:
    """The first and the last turn some messages of a path belong to, counted from 1; (0, 0) for none."""
    turn, found = 0, []
    for message in path:
        turn += message.opens_turn
        if message.id in message_ids:
            found.append(max(turn, 1))
    return (found[0], found[-1]) if found else (0, 0)


def folded_of(
    path: Sequence[Message], compaction: Compaction | None, records: Sequence[RequestRecord]
) -> Folded | None:
    """What a compaction folds of a path; `records` tell which of its figures a reply has measured."""
    if compaction is None:
        return None
    place = next((at for at, message in enumerate(path, 1) if message.id == compaction.until_message_id), 0)
    ids = frozenset(message.id for message in path[:place])
    usages = [record.usage for record in records if record.usage is not None and record.usage.input_total]
    measured = {(usage.input_total or 0) + output for usage in usages for output in (0, usage.output or 0)}
    before, after = (
        Figure(tokens, Known.MEASURED if tokens in measured else Known.ESTIMATED)
        for tokens in (compaction.before, compaction.after)
    )
    return Folded(compaction, ids, turns_of(path, ids), before, after)
