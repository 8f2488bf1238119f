"""A scrolling area that asks for the height of all it holds."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget


class TallArea(QScrollArea):
    """Scrolls only what finds no room. The ground of its page is that of what it stands on."""

    def __init__(self, page: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = page
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.viewport().setAutoFillBackground(False)
        self.setWidget(page)
        page.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """As tall as its page would be in the present width."""
        hint, layout = super().sizeHint(), self._page.layout()
        if layout is None:
            return hint
        tall = layout.totalHeightForWidth(self.width()) if layout.hasHeightForWidth() else -1
        return QSize(hint.width(), tall if tall >= 0 else layout.totalSizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Another content of the page asks for another height."""
        done = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done

    def resizeEvent(self, event: QResizeEvent) -> None:
        """So does another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
