"""When folding is due: the tokens in use against the threshold, and whether it happens by itself."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import FoldState
from desktop_app.ui.compaction.due_bar import DueBar
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class DueSection(QWidget):
    """`≈ 118,420 of 150,000 tokens · 79 %`, the bar, and what happens at its tick."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._state: FoldState | None = None
        self._folds = False
        self.big = PlainLabel()
        self.of_threshold = ElidedLabel(tone="muted")
        self.of_threshold.setContentsMargins(0, 0, 0, 4)
        self.tag = PlainLabel(tone="tag")
        self.bar = DueBar(theme)
        self.when = PlainLabel(tone="muted", wrap=True)
        self.tick = PlainLabel(tone="warning")
        self.stuck = PlainLabel(tone="warning", wrap=True)
        keep_font(self.big, theme, 23, QFont.Weight.DemiBold)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.big, 0, Qt.AlignmentFlag.AlignBottom)
        line.addWidget(self.of_threshold, 1, Qt.AlignmentFlag.AlignBottom)
        line.addWidget(self.tag, 0, Qt.AlignmentFlag.AlignVCenter)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.when, 1, Qt.AlignmentFlag.AlignTop)
        below.addWidget(self.tick, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(line)
        layout.addWidget(self.bar)
        layout.addLayout(below)
        layout.addWidget(self.stuck)
        language.changed.connect(self._say)

    def show_state(self, state: FoldState | None, *, folds: bool = False) -> None:
        """Shows when folding is due, or that it happens now; nothing before that is known."""
        self._state, self._folds = state, folds
        self.setVisible(state is not None and state.used is not None)
        self._say()

    def _say(self) -> None:
        state, language = self._state, self._language
        if state is None or state.used is None:
            return
        say = language.say
        self.bar.show_figures(state.used.tokens, state.threshold)
        self.big.setText(language.marked(state.used))
        threshold = language.number(state.threshold)
        share = language.percent(state.used.tokens / state.threshold)
        self.of_threshold.set_whole(say("compaction.due.of", threshold=threshold, share=share))
        self.tag.setText(say(f"context.known_{state.used.known}"))
        set_tooltip(self.tag, say(f"compaction.due.{state.used.known}_hint"))
        self.tick.setText(say("compaction.due.at", threshold=threshold))
        rests = language.number(state.rests_until or 0)
        word = "running" if self._folds else _when(state)
        self.when.setText(say(f"compaction.due.{word}", until=rests))
        self.tick.setVisible(word != "rests_until")  # its sentence needs the room, and the threshold stands above
        self.stuck.setVisible(bool(state.stuck))
        self.stuck.setText(say(state.stuck) if state.stuck else "")
        self.bar.setAccessibleName(say("compaction.due.bar", used=language.marked(state.used), threshold=threshold))


def _when(state: FoldState) -> str:
    """The catalogue id of what happens at the threshold."""
    if not state.automatic:
        return "off"
    if state.rests_until is not None:
        return "rests_until"
    if state.due:
        return "now_review" if state.review else "now"
    passed = state.used is not None and state.used.tokens >= state.threshold
    if passed:
        return "too_little"
    return "later_review" if state.review else "later"
