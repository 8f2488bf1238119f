"""Searching what was said in this conversation, folded or not: the originals are always here."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QToolButton, QVBoxLayout, QWidget

from desktop_app.bridge.archive_models import ArchiveModel
from desktop_app.bridge.archive_search import ArchiveSearch
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.search_field import SearchField

_MOST_ROWS = 8


class _HitDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        return "muted" if index.column() == ArchiveModel.WHO else "text"


class ArchiveSection(QWidget):
    """`messageChosen(id)`, `factChosen(id)`: a message or a fact that was found is to be shown."""

    messageChosen = Signal(str)
    factChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._search: ArchiveSearch | None = None
        self.title = PlainLabel(tone="heading")
        self.field = SearchField()
        self.field.setClearButtonEnabled(True)
        self._icon = QAction(self.field)
        self.field.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        self.model = ArchiveModel(language.words, self)
        self.table = FlatTable(theme)
        self.table.horizontalHeader().hide()
        self.table.setModel(self.model)
        self.table.setItemDelegate(_HitDelegate(theme, self.table))
        self.table.fit_columns(ArchiveModel.WORDS, {ArchiveModel.WHO: 152})
        self.note = PlainLabel(tone="muted", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for widget in (self.title, self.field, self.table, self.note):
            layout.addWidget(widget)
        self.field.textChanged.connect(self._on_typed)
        self.field.downPressed.connect(self._on_down)
        self.table.opened.connect(self._open)
        theme.changed.connect(self._paint)
        language.changed.connect(self._on_language)
        self._paint()
        self._show()

    def set_search(self, search: ArchiveSearch | None) -> None:
        """Searches another conversation."""
        if self._search is not None:
            self._search.changed.disconnect(self._show)
        self._search = None
        self.field.setText(search.query if search is not None else "")
        self._search = search
        if search is not None:
            search.changed.connect(self._show)
        self._show()

    def _on_typed(self, text: str) -> None:
        if self._search is not None:
            self._search.search(text)
            self._show()

    def _on_down(self) -> None:
        if self.model.rowCount():
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            self.table.selectRow(0)

    def _open(self, place: int) -> None:
        if fact_id := self.model.index(place, 0).data(ArchiveModel.FactRole):
            self.factChosen.emit(fact_id)
            return
        hit = self.model.index(place, 0).data(ArchiveModel.HitRole)
        message_id = self._search.shown_id(hit) if hit is not None and self._search is not None else None
        if message_id:
            self.messageChosen.emit(message_id)

    def _show(self) -> None:
        search, say = self._search, self._language.say
        found = search.found if search is not None and search.query else None
        self.model.show(found)
        rows = self.model.rowCount()
        self.table.setVisible(rows > 0)
        self.table.setFixedHeight(min(max(rows, 1), _MOST_ROWS) * ROW + 2)
        self.title.setText(say("compaction.archive.title"))
        self.field.setPlaceholderText(say("compaction.archive.field"))
        self.field.setAccessibleName(say("compaction.archive.field"))
        for button in self.field.findChildren(QToolButton):
            button.setAccessibleName(say("compaction.archive.clear"))
        self.table.setAccessibleName(say("compaction.archive.found"))
        self.note.setText(self._note(rows))

    def _note(self, rows: int) -> str:
        say, search = self._language.say, self._search
        if search is None or not search.query:
            return say("compaction.archive.hint")
        if search.error is not None:
            return self._language.explain(search.error)
        if search.found is None:
            return say("compaction.archive.searching")
        return say("compaction.archive.enter", n=rows) if rows else say("compaction.archive.none")

    def _paint(self) -> None:
        self._icon.setIcon(self._theme.icon("search"))

    def _on_language(self) -> None:
        self.model.set_words(self._language.words)
        self._show()
