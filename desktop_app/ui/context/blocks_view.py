"""What is inside one row: its blocks with kind, first words, tokens, cache; a click leads to the message."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.context_models import BlocksModel
from desktop_app.core.cache.heat import HeatMap
from desktop_app.core.context_budget import BudgetRow
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.context.heat_sign import INDENT, paint_heat
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_MOST_ROWS = 14


class _BlockDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        return "muted" if index.column() in (BlocksModel.KIND, BlocksModel.SIGN, BlocksModel.CACHE) else "text"

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        heat = index.data(BlocksModel.HeatRole)
        if index.column() == BlocksModel.CACHE and heat is not None:
            paint_heat(painter, self.theme, heat, box)


class BlocksView(QWidget):
    """`messageChosen(id)` for a block of a message, `closed` for the way back."""

    messageChosen = Signal(str)
    closed = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._row: BudgetRow | None = None
        self.model = BlocksModel(language.words, self)
        self.back = TextButton(kind="link")
        self.title = PlainLabel(tone="heading")
        self.count = PlainLabel(tone="muted")
        self.hint = PlainLabel(tone="muted", wrap=True)
        self.table = FlatTable(theme)
        self.table.horizontalHeader().hide()
        self.table.setModel(self.model)
        delegate = _BlockDelegate(theme, self.table)
        delegate.indents = {BlocksModel.CACHE: INDENT}
        self.table.setItemDelegate(delegate)
        widths = {BlocksModel.KIND: 84, BlocksModel.SIGN: 24, BlocksModel.TOKENS: 68, BlocksModel.CACHE: 62}
        self.table.fit_columns(BlocksModel.WORDS, widths)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._arrange()
        self.back.clicked.connect(self.closed)
        self.table.opened.connect(self._open)
        language.changed.connect(self._on_language)
        self._say()

    def show_row(self, row: BudgetRow | None, heat: HeatMap | None = None) -> None:
        """Shows the blocks of a row, and what of each the cache holds where that is known."""
        self._row = row
        self.model.show(row, heat)
        self.table.setColumnHidden(BlocksModel.CACHE, heat is None)
        rows = min(self.model.rowCount(), _MOST_ROWS)
        self.table.setFixedHeight(max(rows, 1) * ROW + 2)
        self._say()

    def select_message(self, message_id: str) -> bool:
        """Marks the first block of a message; False when none is in this row."""
        place = self.model.place_of_message(message_id)
        if place is None:
            return False
        self.table.selectRow(place)
        self.table.scrollTo(self.model.index(place, 0))
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape and Backspace go back to the rows."""
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Backspace):
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addWidget(self.count)
        head.addStretch()
        head.addWidget(self.back)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.table)
        layout.addWidget(self.hint)

    def _open(self, place: int) -> None:
        message = self.model.index(place, 0).data(BlocksModel.MessageRole)
        if message:
            self.messageChosen.emit(message)
        else:
            self.hint.setText(self._language.say("context.no_message"))

    def _on_language(self) -> None:
        self.model.set_words(self._language.words)
        self._say()

    def _say(self) -> None:
        say = self._language.say
        self.back.set_words(say("context.back"))
        self.hint.setText(say("context.jump_hint"))
        if self._row is None:
            return
        name = say(f"context.segment.{self._row.segment}")
        tokens = self._language.marked(self._row.figure)
        self.title.setText(say("context.blocks_title", segment=name, tokens=tokens))
        self.count.setText(say("context.blocks_count", n=len(self._row.blocks)))
        self.table.setAccessibleName(say("context.blocks_name", segment=name))
