"""What the window shows of folding a conversation: when it is due, what runs, what is folded, what was before.

Signals:
    changed(): anything but the arriving memo is another.
    memoArrived(str): a further piece of the memo.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.session_state import Notice
from desktop_app.core.compaction.compaction import Compaction, CompactionCause
from desktop_app.core.conversation import Message
from desktop_app.core.errors import AppError
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Figure, Known


@dataclass(frozen=True, slots=True)
class FoldState:
    """When folding is due. Tokens; `used` by the whole context so far, None in an empty conversation.

    `automatic`: it happens by itself once it is due.
    """

    threshold: int
    used: Figure | None
    due: bool
    automatic: bool


@dataclass(frozen=True, slots=True)
class FoldOffer:
    """What would be folded now: messages, the first and the last of their turns (from 1), and tokens.

    `kept` tokens at the end stay word for word; `before` and `after` are of the whole context.
    """

    messages: int
    turns: tuple[int, int]
    kept: int
    before: Figure
    after: Figure


@dataclass(frozen=True, slots=True)
class RunningFold:
    """A folding under way. `attempt` counts the memos asked for, from 1."""

    message_ids: tuple[str, ...]
    turns: tuple[int, int]
    before: Figure
    cause: CompactionCause
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Folded:
    """The compaction in use, the messages of the path it stands for, their turns, and its figures as they are known."""

    compaction: Compaction
    message_ids: frozenset[str]
    turns: tuple[int, int]
    before: Figure
    after: Figure


class ShownFolding(QObject):
    """Holds the values of one conversation.

    `log` are all its compactions, oldest first, undone ones too. `refused` says why nothing can be folded now,
    `failed` why the last folding came to nothing; None where there is no such reason. `planning` while it is
    found out what could be. `path` are its messages, `memo` is what has arrived of the memo that is being written.
    """

    changed = Signal()
    memoArrived = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: FoldState | None = None
        self.offer: FoldOffer | None = None
        self.refused: AppError | None = None
        self.planning = False
        self.running: RunningFold | None = None
        self.failed: Notice | None = None
        self.folded: Folded | None = None
        self.log: tuple[Compaction, ...] = ()
        self.path: Sequence[Message] = ()
        self.memo = ""

    def show(self, **values: Any) -> None:
        """Other values; told once, and only where one of them is another."""
        changed = {name: value for name, value in values.items() if getattr(self, name) != value}
        for name, value in changed.items():
            setattr(self, name, value)
        if changed:
            self.changed.emit()

    def arrive(self, text: str) -> None:
        """A further piece of the memo."""
        self.memo += text
        self.memoArrived.emit(text)


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
