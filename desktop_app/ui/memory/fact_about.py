"""What is known about a fact beside its text: tokens and place, where it comes from, what was done to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.fact_detail import FactDetail
from desktop_app.bridge.fact_words import day_word, history_line, origin_word
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.facts import Fact, FactState
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import ShorteningButton, TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_SIDE_BY_SIDE = 450
"""From this width on source and history stand beside each other."""
_MOST_HISTORY = 12
_MOST_QUOTE = 300


class FactAbout(QWidget):
    """Signals: sourceAsked() for the message it comes from, undoAsked() for the last change."""

    sourceAsked = Signal()
    undoAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.meta = PlainLabel(tone="muted", wrap=True)
        self.source_head, self.history_head = PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.quote = PlainLabel(wrap=True)
        self.source_link = ShorteningButton(kind="link")
        self.source_note = PlainLabel(tone="muted", wrap=True)
        self.history = PlainLabel(wrap=True)
        self.undo = TextButton(kind="link")
        for head in (self.source_head, self.history_head):
            keep_font(head, theme, 11.5)
        self._arrange()
        self.source_link.clicked.connect(self.sourceAsked)
        self.undo.clicked.connect(self.undoAsked)

    def show_detail(
        self,
        detail: FactDetail,
        source_title: str | None,
        scope_title: str | None = None,
        title_of: Callable[[str], str | None] | None = None,
        *,
        paused: bool,
    ) -> None:
        """Tells about a fact; `source_title` and `scope_title` are None where those conversations are not listed,
        `title_of` finds those its history names."""
        self._show_meta(detail, scope_title, paused=paused)
        self._show_source(detail.fact, source_title)
        self._show_history(detail, title_of or (lambda _: None))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turns source and history beside or below each other."""
        super().resizeEvent(event)
        wide = self.width() >= _SIDE_BY_SIDE
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._sides.setDirection(way)
        self._sides.setSpacing(24 if wide else 8)

    def _arrange(self) -> None:
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._sides.setSpacing(8)
        for parts in (
            (self.source_head, self.quote, self.source_link, self.source_note),
            (self.history_head, self.history, self.undo),
        ):
            column = QVBoxLayout()
            column.setSpacing(2)
            for widget in parts:
                link = isinstance(widget, TextButton)
                column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft if link else Qt.AlignmentFlag(0))
            column.addStretch()
            self._sides.addLayout(column, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.meta)
        layout.addLayout(self._sides)

    def _show_meta(self, detail: FactDetail, scope: str | None, *, paused: bool) -> None:
        say, words, fact = self._language.say, self._language.words, detail.fact
        where = "paused" if paused else "in_prompt" if detail.in_prompt else "recalled"
        active = fact.state is FactState.ACTIVE
        told = say(f"memory.where_{where}" if active else f"memory.state.{fact.state}")
        line = [told]
        if active or detail.tokens:
            line = [say("memory.meta", tokens=self._language.number(detail.tokens), where=told)]
        line.append(say("memory.row_origin", who=origin_word(words, fact.origin)))
        if fact.scope:
            line.append(say("memory.scope", title=visible_line(scope or "", 60) or say("memory.untitled")))
        if fact.expires_at is not None:
            line.append(say("memory.expires", day=day_word(words, fact.expires_at)))
        self.meta.setText(" · ".join(line))
        set_tooltip(self.meta, say(f"memory.where_{where}_hint") if active else "")

    def _show_source(self, fact: Fact, title: str | None) -> None:
        say, source = self._language.say, fact.source
        self.source_head.setText(say("memory.source"))
        quote = visible_line(source.quote, _MOST_QUOTE) if source else ""
        self.quote.setText(say("memory.quote", text=quote) if quote else "")
        self.quote.setVisible(bool(quote))
        self.source_link.setVisible(title is not None)
        shown = visible_line(title or "", 60) or say("memory.untitled")
        self.source_link.set_words(say("memory.source_link", title=shown))
        self.source_note.setVisible(title is None)
        self.source_note.setText(say("memory.source_gone" if source else "memory.source_none"))

    def _show_history(self, detail: FactDetail, title_of: Callable[[str], str | None]) -> None:
        say, words = self._language.say, self._language.words
        self.history_head.setText(say("memory.history"))
        lines = [history_line(words, change, title_of=title_of) for change in reversed(detail.history)]
        if len(lines) > _MOST_HISTORY:
            lines = [*lines[: _MOST_HISTORY - 1], say("memory.history_more", n=len(lines) - _MOST_HISTORY + 1)]
        self.history.setText("\n".join(lines) or "…")
        self.undo.set_words(say("memory.undo_last"))
        self.undo.setVisible(len(detail.history) > 1 and detail.last_change is not None)
