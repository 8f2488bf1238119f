"""One attachment: a thumbnail or an icon, its name and its measure; opens on a click, and can be taken away."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.attachments import Attachment, AttachmentKind, size_text
from desktop_app.ui.chat.pictures import picture_room
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.icons import line_pixmap
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.plain_label import ElidedLabel

WIDTH = 200
_THUMB = 36
_RADIUS = 5.0
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_REMOVING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class Thumbnail(QWidget):
    """A small picture in the middle of a field, or an icon until there is one."""

    def __init__(self, theme: Theme, icon: str, size: QSize, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon = theme, icon
        self.picture: QPixmap | None = None
        self.setFixedSize(size)
        theme.changed.connect(self.update)

    def load(self, data: str) -> None:
        """Decodes base64 off the GUI thread and shows it."""
        longest = round(max(self.width(), self.height()) * 2 * self.devicePixelRatioF())
        picture_room().decode(data, longest, self._show)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The picture fills its field, what is too long of it is cut."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        edge = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path = QPainterPath()
        path.addRoundedRect(edge, _RADIUS, _RADIUS)
        painter.fillPath(path, self._theme.tokens.color("raised"))
        if self.picture is not None:
            painter.setClipPath(path)
            whole = self.picture.size()
            shown = self.size().scaled(whole, Qt.AspectRatioMode.KeepAspectRatio)
            left, top = (whole.width() - shown.width()) / 2, (whole.height() - shown.height()) / 2
            painter.drawPixmap(QRectF(self.rect()), self.picture, QRectF(left, top, shown.width(), shown.height()))
            painter.setClipping(False)
        else:
            icon = line_pixmap(self._icon, self._theme.tokens.muted, 18, self.devicePixelRatioF())
            painter.drawPixmap((self.width() - 18) // 2, (self.height() - 18) // 2, icon)
        painter.setPen(QPen(self._theme.tokens.color("line"), 1))
        painter.drawPath(path)
        painter.end()

    def _show(self, picture: QImage | None) -> None:
        if picture is not None:
            self.picture = QPixmap.fromImage(picture)
            self.update()


class AttachmentChip(QFrame):
    """Shows an attachment; without one (`set_attachment`) the file of that name is still being read.

    Signals:
        opened(): it is to be shown in full.
        removed(): it is to be taken away.
    """

    opened = Signal()
    removed = Signal()

    def __init__(
        self, theme: Theme, language: Language, name: str, *, removable: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._name, self._attachment = name, None
        self.setProperty("role", "chip")
        self.setFixedWidth(WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.thumbnail: Thumbnail | None = None
        self.title = ElidedLabel()
        self.about = ElidedLabel(tone="muted")
        self.cross = IconButton(theme, "x") if removable else None
        self._arrange()
        theme.changed.connect(self._refont)
        language.changed.connect(self.retranslate)
        self._refont()
        self.retranslate()

    _attachment: Attachment | None

    @property
    def attachment(self) -> Attachment | None:
        """What is shown; None while it is read."""
        return self._attachment

    def set_attachment(self, attachment: Attachment, data: str = "") -> None:
        """What was read; `data` is the base64 of a picture."""
        if attachment == self._attachment:
            return
        self._attachment, self._name = attachment, attachment.name
        picture = attachment.kind is AttachmentKind.IMAGE
        self._set_thumbnail("image" if picture else "file-text")
        if picture and data and self.thumbnail is not None:
            self.thumbnail.load(data)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.retranslate()

    # -- what the person does

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click opens."""
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete takes away."""
        if event.key() in _OPENING:
            self._open()
        elif event.key() in _REMOVING and self.cross is not None:
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The ring of the keyboard."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """It goes with it."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ring around the chip that has the keyboard."""
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.tokens.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 6, 6)
            painter.end()

    def _open(self) -> None:
        if self._attachment is not None:
            self.opened.emit()

    # -- looks

    def _arrange(self) -> None:
        words = QVBoxLayout()
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(self.title)
        words.addWidget(self.about)
        words.addStretch(1)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(6, 6, 4 if self.cross is not None else 10, 6)
        self._line.setSpacing(9)
        self._line.addLayout(words, 1)
        if self.cross is not None:
            self.cross.clicked.connect(self.removed)
            self._line.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignVCenter)
        self._set_thumbnail("paperclip")

    def _set_thumbnail(self, icon: str) -> None:
        if self.thumbnail is not None:
            self._line.removeWidget(self.thumbnail)
            self.thumbnail.hide()
            self.thumbnail.deleteLater()
        self.thumbnail = Thumbnail(self._theme, icon, QSize(_THUMB, _THUMB))
        self._line.insertWidget(0, self.thumbnail)

    def retranslate(self) -> None:
        """Says its words anew."""
        name, say = visible_line(self._name, 120), self._language.say
        self.title.set_whole(name)
        one = self._attachment
        self.about.set_whole(say("attachments.reading") if one is None else measure_text(one, self._language))
        self.setAccessibleName(f"{name}, {self.about.whole()}")
        if self.cross is not None:
            self.cross.set_name(say("attachments.remove", name=name))

    def _refont(self) -> None:
        self.title.setFont(self._theme.panel_font())
        self.about.setFont(self._theme.panel_font(size=SMALL))


def measure_text(one: Attachment, language: Language) -> str:
    """What it is and how large: `720 × 720 · 1.6 MB`."""
    size, number = size_text(one.size), language.number
    match one.kind:
        case AttachmentKind.IMAGE:
            return language.say("attachments.image", width=number(one.width), height=number(one.height), size=size)
        case AttachmentKind.PDF if one.pages:
            return language.say("attachments.pdf", n=one.pages, size=size)
        case AttachmentKind.PDF:
            return language.say("attachments.pdf_unknown", size=size)
        case AttachmentKind.TEXT:
            return language.say("attachments.text", count=number(one.characters), size=size)
