"""What was compacted before, newest first: what it saved and cost, what became of it, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.compaction.plan import CompactionLine
from desktop_app.core.errors import AppError
from desktop_app.core.money.pricing import dollars
from desktop_app.ui.compaction.summary_view import SummaryView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip

_FIRST, _MOST = 4, 40
"""Rows that are shown at first, and at most."""
_TARGET = 0.05
"""The share of a conversation's cost its compactions should stay below."""
_OVER = (CompactionState.UNDONE, CompactionState.REJECTED, CompactionState.FAILED)


class FoldRow(QWidget):
    """One compaction. `undoAsked(id)` takes it and all newer ones back."""

    undoAsked = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._line: CompactionLine | None = None
        self._newer = 0
        self.what = ElidedLabel()
        self.tag = PlainLabel(tone="tag")
        self.figures = PlainLabel(tone="muted", wrap=True)
        self.paid = PlainLabel(tone="muted", wrap=True)
        self.failure = PlainLabel(tone="warning", wrap=True)
        self.read = TextButton(kind="link")
        self.undo = TextButton(kind="link")
        self.summary: SummaryView | None = None
        self._arrange()
        self.read.clicked.connect(self._on_read)
        self.undo.clicked.connect(self._on_undo)

    def show_line(self, line: CompactionLine, *, in_use: bool, newer: int, busy: bool) -> None:
        """A line of the log: whether its summary stands in the context, how many newer ones an undo takes with it."""
        say, one = self._language.say, line.compaction
        other = self._line is not None and self._line.compaction.id != one.id
        self._line, self._newer = line, newer
        over = one.state in _OVER
        self.what.set_tone("muted" if over else "")
        self.what.set_whole(
            say(
                f"compaction.log.what_{one.cause}",
                number=line.number,
                when=self._language.when(one.created_at),
                strategy=say(f"compaction.strategy.{one.strategy}"),
            )
        )
        state = "in_use" if in_use else "earlier" if one.state is CompactionState.ACTIVE else one.state
        self.tag.setText(say(f"compaction.log.{state}"))
        self.figures.setText(self._figures(line))
        self.paid.setText(self._paid(line))
        failed = one.state is CompactionState.FAILED
        self.failure.setVisible(failed)
        self.failure.setText(self._failure(one) if failed else "")
        self.read.setVisible(bool(one.summary))
        self.undo.setVisible(one.state is CompactionState.ACTIVE)
        self.undo.setEnabled(not busy)
        self.undo.set_words(say("compaction.log.undo_n", n=newer) if newer else say("compaction.log.undo"))
        set_tooltip(self.undo, say("compaction.current.undo_hint"))
        if self.summary is not None and other:
            self.summary.hide()
        self._say_read()
        texts = (self.what.whole(), self.figures.text(), self.paid.text(), self.failure.text(), self.tag.text())
        self.setAccessibleName(", ".join(filter(None, texts)))

    def _figures(self, line: CompactionLine) -> str:
        say, language, one = self._language.say, self._language, line.compaction
        if one.state is CompactionState.FAILED:
            return say("compaction.log.nothing", before=language.number(one.before))
        measured = line.measured_after
        after = f"= {language.number(measured)}" if measured is not None else f"≈ {language.number(one.after)}"
        parts = [say("compaction.log.tokens", n=one.folded, before=language.number(one.before), after=after)]
        if one.folded_tokens:
            parts.append(say("compaction.log.saved", share=f"{round(100 * one.saved)} %"))
        if one.predicted is not None:
            parts.append(say("compaction.log.predicted", tokens=language.number(one.predicted)))
        return " · ".join(parts)

    def _paid(self, line: CompactionLine) -> str:
        say, language, one = self._language.say, self._language, line.compaction
        if not one.request_ids and not line.asked:
            return say("compaction.log.no_request")
        cost = dollars(line.cost) if line.cost is not None else say("compaction.ways.unknown")
        if line.share is not None:
            cost = say("compaction.log.share", cost=cost, share=language.percent(line.share))
        return " · ".join(filter(None, (cost, visible_line(one.model, 60), language.seconds(one.seconds))))

    def _failure(self, one: Compaction) -> str:
        """Why it came to nothing."""
        word, params = one.failed_of
        if word == "stopped":
            return self._language.say("compaction.log.stopped")
        if not self._language.words.has(f"errors.{word}"):
            return self._language.say("compaction.log.came_to_nothing")
        error = AppError(**params)
        error.word = word
        return self._language.explain(error)

    def _on_read(self) -> None:
        if self._line is None:
            return
        if self.summary is None:
            self.summary = SummaryView(self._theme, self._language)
            self._layout.insertWidget(self._layout.count() - 2, self.summary)
            self.summary.hide()
        self.summary.set_text(self._line.compaction.summary)
        self.summary.setAccessibleName(self._language.say("compaction.memo.title"))
        self.summary.setVisible(self.summary.isHidden())
        self._say_read()

    def _on_undo(self) -> None:
        if self._line is not None:
            self.undoAsked.emit(self._line.compaction.id)

    def _say_read(self) -> None:
        shown = self.summary is not None and not self.summary.isHidden()
        self.read.set_words(self._language.say(f"compaction.log.{'hide' if shown else 'read'}"))

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.what, 1)
        head.addWidget(self.tag)
        acts = QHBoxLayout()
        acts.setSpacing(12)
        acts.addWidget(self.read)
        acts.addWidget(self.undo)
        acts.addStretch()
        hair = QFrame()
        hair.setProperty("role", "hair")
        hair.setFixedHeight(1)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(head)
        for widget in (self.figures, self.paid, self.failure):
            layout.addWidget(widget)
        layout.addLayout(acts)
        layout.addSpacing(4)
        layout.addWidget(hair)


class FoldLog(QWidget):
    """The last compactions of a conversation, a few until more are wanted. `undoAsked(id)`."""

    undoAsked = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._shown: tuple[tuple[CompactionLine, ...], str | None, bool] = ((), None, False)
        self._whole = False
        self.rows: list[FoldRow] = []
        self.title = PlainLabel(tone="heading")
        self.sum = PlainLabel(tone="muted", wrap=True)
        self.older = TextButton(kind="link")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._layout.addWidget(self.title)
        self._layout.addWidget(self.sum)
        self._layout.addWidget(self.older, 0, Qt.AlignmentFlag.AlignLeft)
        self.older.clicked.connect(self._on_older)
        language.changed.connect(self._say)
        self._say()

    def show_log(self, log: Sequence[CompactionLine], in_use: str | None, *, busy: bool = False) -> None:
        """All lines, oldest first, and the id of the one in use."""
        if (tuple(log), in_use, busy) != self._shown:
            self._shown = (tuple(log), in_use, busy)
            self._say()

    def forget(self) -> None:
        """Another conversation: a few rows again."""
        self._whole = False
        self._say()

    def _say(self) -> None:
        log, in_use, busy = self._shown
        newest = list(reversed(log))[: _MOST if self._whole else _FIRST]
        self.setVisible(bool(newest))
        self.title.setText(self._language.say("compaction.log.title"))
        self.sum.setText(self._sum(log))
        while len(self.rows) < len(newest):
            row = FoldRow(self._theme, self._language)
            row.undoAsked.connect(self.undoAsked)
            self.rows.append(row)
            self._layout.insertWidget(self._layout.count() - 1, row)
        while len(self.rows) > len(newest):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        further = min(len(log), _MOST) - len(newest)
        self.older.setVisible(further > 0)
        self.older.set_words(self._language.say("compaction.log.older", n=further))
        newer = 0
        for row, line in zip(self.rows, newest, strict=True):
            row.show_line(line, in_use=line.compaction.id == in_use, newer=newer, busy=busy)
            newer += line.compaction.state is CompactionState.ACTIVE

    def _on_older(self) -> None:
        self._whole = True
        self._say()

    def _sum(self, log: Sequence[CompactionLine]) -> str:
        """What all of them cost, of the whole conversation."""
        say, costs = self._language.say, [line.cost for line in log if line.cost is not None]
        shares = [line.share for line in log if line.share is not None]
        if not costs:
            return say("compaction.log.count", n=len(log))
        total, share = dollars(sum(costs, Decimal(0))), sum(shares)
        word = "sum" if share < _TARGET else "sum_over"
        return say(
            f"compaction.log.{word}",
            n=len(log),
            cost=total,
            share=self._language.percent(share),
            target=f"{round(100 * _TARGET)} %",
        )
