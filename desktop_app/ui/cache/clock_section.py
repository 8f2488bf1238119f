"""What the marks of the last request still hold in the cache, each with the time it has left."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.truth_models import MarkClocksModel
from desktop_app.core.cache.mark_clock import MarkClock
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel


class _ClockDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        model = index.model()
        gone = isinstance(model, MarkClocksModel) and not model.is_warm(index.row())
        return "muted" if gone or index.column() == MarkClocksModel.LIFETIME else "text"


class ClockSection(QWidget):
    """Hidden while nothing was sent."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.title = PlainLabel(tone="heading")
        self.hint = ElidedLabel(tone="muted")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.model = MarkClocksModel(language.words, self)
        self.table = FlatTable(theme)
        self.table.setModel(self.model)
        self.table.setItemDelegate(_ClockDelegate(theme, self.table))
        widths = {self.model.TOKENS: 84, self.model.LIFETIME: 62, self.model.LEFT: 78}
        self.table.fit_columns(self.model.HOLDS, widths)
        self.table.unsetCursor()
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        heading = QHBoxLayout()
        heading.addWidget(self.title)
        heading.addWidget(self.hint, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        layout.addWidget(self.table)

    def show_clocks(self, clocks: tuple[MarkClock, ...], now: datetime) -> None:
        """Shows the marks of the last request."""
        self.setVisible(bool(clocks))
        self.model.show(clocks, now)
        self.table.setFixedHeight(len(clocks) * ROW + self.table.horizontalHeader().height() + 2)

    def say(self) -> None:
        """Everything in the language in use."""
        say = self._language.say
        self.title.setText(say("cache.clock.title"))
        self.hint.set_whole(say("cache.clock.hint"))
        self.table.setAccessibleName(say("cache.clock.title"))
        self.model.set_words(self._language.words)
