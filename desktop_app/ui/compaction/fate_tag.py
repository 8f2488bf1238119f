"""A small chip that says how many values met one fate: the legend of the chips."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.bridge.value_models import SIGNS
from desktop_app.core.compaction.value_check import Fate
from desktop_app.ui.compaction.fate_look import fate_look
from desktop_app.ui.compaction.value_chips import paint_chip
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme


class FateTag(QWidget):
    """`✗ lost 2`; hidden for none."""

    def __init__(self, fate: Fate, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fate, self._theme, self._language = fate, theme, language
        self.count = 0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)
        language.changed.connect(self._say)

    def show_count(self, count: int) -> None:
        """Another number."""
        self.count = count
        self.setVisible(count > 0)
        self._say()

    @property
    def words(self) -> str:
        """What it says."""
        return f"{SIGNS[self._fate]} {self._language.say(f'compaction.fate.{self._fate}')} {self.count}"

    def sizeHint(self) -> QSize:
        """As wide as its words."""
        metrics = QFontMetrics(self._theme.panel_font(size=11.5))
        return QSize(metrics.horizontalAdvance(self.words) + 14, metrics.height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The chip."""
        painter = QPainter(self)
        painter.setFont(self._theme.panel_font(size=11.5))
        look = fate_look(self._fate, dark=self._theme.tokens.dark)
        paint_chip(painter, QRectF(self.rect()), self.words, look)
        painter.end()

    def _say(self) -> None:
        self.setAccessibleName(self.words)
        self.updateGeometry()
        self.update()
