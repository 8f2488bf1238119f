"""A row of joined buttons of which one is pressed: few choices, all seen at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import set_tooltip


class _Part(QPushButton):
    """One of the joined buttons, painted by hand so that neighbours share their border."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        font = self._theme.panel_font(weight=QFont.Weight.DemiBold)
        return QSize(QFontMetrics(font).horizontalAdvance(self.text()) + 26, 28)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(2, 2, -2, -2)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isChecked():
            painter.setBrush(tokens.color("raised"))
            painter.setPen(QPen(tokens.color("line"), 1))
            painter.drawRoundedRect(box.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        elif self.underMouse() and self.isEnabled():
            painter.setBrush(tokens.color("hover"))
            painter.drawRoundedRect(box, 5, 5)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.drawRoundedRect(box.toRectF(), 5, 5)
        weight = QFont.Weight.DemiBold if self.isChecked() else QFont.Weight.Normal
        painter.setFont(self._theme.panel_font(weight=weight))
        painter.setPen(tokens.color("text" if self.isChecked() else "muted"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())


class Segmented(QWidget):
    """`chosen(value)` when another part is pressed by mouse, Space or arrow keys."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: dict[Hashable, _Part] = {}
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._refit)

    @property
    def value(self) -> Hashable:
        """The value of the pressed part, None when none is."""
        return next((value for value, part in self._parts.items() if part.isChecked()), None)

    def set_choices(self, choices: Sequence[tuple[Hashable, str]], value: Hashable, name: str = "") -> None:
        """Sets the parts as (value, words) and which is pressed; a value that is no part presses none."""
        if list(self._parts) != [one for one, _ in choices]:
            self._build([one for one, _ in choices])
        self.setAccessibleName(name)
        for one, words in choices:
            part = self._parts[one]
            part.setText(words)
            part.setAccessibleName(f"{name}: {words}" if name else words)
            part.updateGeometry()
        self.set_value(value)

    def set_value(self, value: Hashable) -> None:
        """Presses the part of a value without a signal."""
        for one, part in self._parts.items():
            part.setAutoExclusive(False)
            part.setChecked(one == value)
            part.setAutoExclusive(True)
            part.update()

    def set_hint(self, value: Hashable, text: str) -> None:
        """The tool tip of one part."""
        set_tooltip(self._parts[value], text)

    def take(self, value: Hashable) -> None:
        """Presses a part as a click does."""
        self._parts[value].click()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The trough the parts lie in."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.tokens.color("track"))
        painter.drawRoundedRect(self.rect(), 7, 7)

    def _build(self, values: list[Hashable]) -> None:
        for part in self._parts.values():
            self._layout.removeWidget(part)
            part.deleteLater()
        self._parts = {}
        for value in values:
            part = _Part(self._theme, self)
            part.clicked.connect(self._on_clicked)
            self._layout.addWidget(part)
            self._parts[value] = part

    def _on_clicked(self) -> None:
        self.update()
        self.chosen.emit(self.value)

    def _refit(self) -> None:
        for part in self._parts.values():
            part.updateGeometry()
            part.update()
        self.update()
