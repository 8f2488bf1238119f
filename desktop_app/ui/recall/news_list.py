"""Facts told beside a question because they are new, or changed, since the conversation began: no search found them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.fact_notes import FactNote
from desktop_app.core.passages import PassageKind
from desktop_app.ui.language import Language
from desktop_app.ui.recall.kind_look import KindMark
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel

_LINE = 300


class NewsList(QWidget):
    """Hidden without notes. `factChosen(id)`: a fact is to be shown."""

    factChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._notes: tuple[FactNote, ...] = ()
        self._rows: list[QWidget] = []
        self.title = PlainLabel(tone="heading", wrap=True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.title)

    def show_notes(self, notes: Sequence[FactNote]) -> None:
        """Other notes."""
        self._notes = tuple(notes)
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        self.setVisible(bool(self._notes))
        self.title.setText(self._language.say("recall.panel.news"))
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(note) for note in self._notes]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, note: FactNote) -> QWidget:
        row, mark = QWidget(), KindMark(self._theme)
        mark.show_kind(PassageKind.FACT)
        text = ElidedLabel(visible_line(note.line.removeprefix("- "), _LINE))
        show = TextButton(self._language.say("recall.panel.show_fact"), kind="link")
        show.setAccessibleDescription(text.whole())
        show.clicked.connect(lambda: self.factChosen.emit(note.fact_id))
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(7)
        line.addWidget(mark)
        line.addWidget(text, 1)
        line.addWidget(show)
        return row
