"""The attachments of a message in the chat: pictures as thumbnails, everything else as chips; each opens in full."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.entries import AttachmentPart
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.attachments import Attachment, AttachmentKind
from desktop_app.ui.chat.attachment_chip import AttachmentChip, Thumbnail, measure_text
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import set_tooltip

_TALLEST, _WIDEST, _LEAST = 150, 260, 56


class PictureTile(Thumbnail):
    """A picture of a message, small.

    Signals:
        opened(): it is to be shown in full.
    """

    opened = Signal()

    def __init__(self, theme: Theme, language: Language, attachment: Attachment, parent: QWidget | None = None) -> None:
        super().__init__(theme, "image", _tile_size(attachment), parent)
        self._language, self._attachment = language, attachment
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens."""
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture, and the ring of the keyboard."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.tokens.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
            painter.end()

    def _retranslate(self) -> None:
        words = f"{visible_line(self._attachment.name, 120)} · {measure_text(self._attachment, self._language)}"
        self.setAccessibleName(words)
        set_tooltip(self, words)


class AttachmentStrip(QWidget):
    """The attachments that stand beside each other in a message."""

    def __init__(
        self, theme: Theme, language: Language, parts: Sequence[AttachmentPart], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.parts = tuple(parts)
        self.shown: list[PictureTile | AttachmentChip] = []
        self._pictures, self._chips = QWidget(), QWidget()
        self._flows = {box: FlowLine(box, gap=8, line_gap=8) for box in (self._pictures, self._chips)}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in self.parts:
            self._add(part)
        for box, flow in self._flows.items():
            column.addWidget(box)
            box.setVisible(flow.count() > 0)

    def set_width(self, width: int) -> None:
        """The width of the column in pixels."""
        heights = [flow.heightForWidth(width) for flow in self._flows.values() if flow.count()]
        for box, flow in self._flows.items():
            box.setFixedHeight(flow.heightForWidth(width))
        self.setFixedSize(width, sum(heights) + 8 * (len(heights) - 1))

    def _add(self, part: AttachmentPart) -> None:
        one, data = part.attachment, content_of(part)
        shown: PictureTile | AttachmentChip
        if one.kind is AttachmentKind.IMAGE and one.width and one.height:
            shown = PictureTile(self._theme, self._language, one)
            shown.load(data)
            self._flows[self._pictures].addWidget(shown)
        else:
            shown = AttachmentChip(self._theme, self._language, one.name, removable=False)
            shown.set_attachment(one)
            self._flows[self._chips].addWidget(shown)
        shown.opened.connect(lambda: self._open(one, data))
        self.shown.append(shown)

    def _open(self, attachment: Attachment, data: str) -> None:
        from desktop_app.ui.chat.attachment_viewer import show_attachment

        show_attachment(attachment, data, self._theme, self._language, self.window())


def content_of(part: AttachmentPart) -> str:
    """The base64 or the text of an attachment; empty where the block holds none."""
    data = (part.block.get("source") or {}).get("data")
    return data if isinstance(data, str) else ""


def _tile_size(one: Attachment) -> QSize:
    size = QSize(one.width, one.height)
    if size.width() > _WIDEST or size.height() > _TALLEST:
        size = size.scaled(_WIDEST, _TALLEST, Qt.AspectRatioMode.KeepAspectRatio)
    return size.expandedTo(QSize(_LEAST, _LEAST))
