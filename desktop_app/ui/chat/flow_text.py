"""Selectable text as tall as its content, for use inside a scrolling column; it loads nothing and opens nothing."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QGuiApplication, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QWidget

from desktop_app.ui.chat.safe_document import SafeDocument
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme


class FlowText(QTextBrowser):
    """Read-only text whose width is given and whose height follows.

    Signals:
        targetChosen(str): a link was activated; nothing was opened.
        heightChanged(): the text needs another height.
    """

    targetChosen = Signal(str)
    heightChanged = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.setDocument(SafeDocument(self))
        self.setProperty("flow", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.viewport().setAutoFillBackground(False)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)
        self.anchorClicked.connect(self._on_anchor)

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Answers every request for a picture, sheet or file with nothing."""

    def set_width(self, width: int) -> None:
        """Lays the text out for this width in pixels and takes the height it needs."""
        if width != self.document().textWidth():
            self.document().setTextWidth(width)
        self.setFixedWidth(width)
        self.fit()

    def set_text_font(self, font: QFont) -> None:
        """The font of everything that has no font of its own."""
        if font != self.document().defaultFont():
            self.document().setDefaultFont(font)
            self.setFont(font)
            self.fit()

    def set_muted(self, muted: bool) -> None:
        """Whether letters without a colour of their own step back."""
        if bool(self.property("muted")) == muted:
            return
        self.setProperty("muted", muted)
        if self.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
            font = self.document().defaultFont()
            self.style().unpolish(self)
            self.style().polish(self)
            if self.document().defaultFont() != font:  # polishing may drop it
                self.document().setDefaultFont(font)
            self.viewport().update()

    def fit(self) -> None:
        """Takes the height the text needs."""
        height = ceil(self.document().size().height()) + self.extra_height()
        if height != self.height():
            self.setFixedHeight(height)
            self.heightChanged.emit()

    def extra_height(self) -> int:
        """Room below the last line."""
        return 0

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The column around it scrolls."""
        event.ignore()

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copies letters only."""
        data = QMimeData()
        data.setText(self.textCursor().selection().toPlainText())
        return data

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy, copy address, select all."""
        say = self._language.say
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(say("markdown.copy"), self.copy)
        copy.setEnabled(self.textCursor().hasSelection())
        target = self.anchorAt(event.pos())
        if target:
            menu.addAction(say("markdown.copy_link"), lambda: QGuiApplication.clipboard().setText(target))
        menu.addAction(say("markdown.select_all"), self.selectAll)
        menu.popup(event.globalPos())

    def _on_anchor(self, url: QUrl) -> None:
        self.targetChosen.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
