"""An attachment in full, in a window of this program: a picture fitted to it, a text to read, the facts of a PDF."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.attachments import Attachment, AttachmentKind
from desktop_app.ui.chat.attachment_chip import measure_text
from desktop_app.ui.chat.pictures import picture_room
from desktop_app.ui.chat.plain_view import display_lines
from desktop_app.ui.context.raw_request import JsonText
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_LONGEST = 2_600
_SHOWN_TEXT = 400_000


class FittedPicture(QWidget):
    """A picture as large as fits, never larger than it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: QPixmap | None = None
        self.setMinimumSize(320, 240)

    def set_picture(self, picture: QImage) -> None:
        """What was decoded."""
        self.picture = QPixmap.fromImage(picture)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """In the middle of the room there is."""
        if self.picture is None:
            return
        size = self.picture.size()
        if size.width() > self.width() or size.height() > self.height():
            size = size.scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        corner = QPoint((self.width() - size.width()) // 2, (self.height() - size.height()) // 2)
        painter.drawPixmap(corner.x(), corner.y(), size.width(), size.height(), self.picture)
        painter.end()


class AttachmentViewer(QDialog):
    """Shows one attachment; `data` is the base64 of a picture or PDF, or the text. Nothing else is opened by it."""

    def __init__(
        self, attachment: Attachment, data: str, theme: Theme, language: Language, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._language, self._attachment = theme, language, attachment
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.about = PlainLabel(tone="muted")
        self.note = PlainLabel(tone="muted", wrap=True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.leave = TextButton()
        self.picture: FittedPicture | None = None
        self.text: JsonText | None = None
        self._failed = False
        body = self._body(data)
        below = QHBoxLayout()
        below.addWidget(self.about, 1)
        below.addWidget(self.leave)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(12)
        layout.addWidget(body, 1)
        layout.addLayout(below)
        self.leave.clicked.connect(self.close)
        language.changed.connect(self._say)
        self._say()
        self.resize(self._first_size())

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge, for where the system draws none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self._theme.tokens.color("line"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _body(self, data: str) -> QWidget:
        if self._attachment.kind is AttachmentKind.IMAGE:
            self.picture = FittedPicture()
            picture_room().decode(data, _LONGEST, self._show_picture)
            box = QVBoxLayout(self.picture)
            box.addWidget(self.note)
            self.note.hide()
            return self.picture
        if self._attachment.kind is AttachmentKind.TEXT:
            self.text = JsonText(self._theme)
            self.text.setTabChangesFocus(True)
            self.text.show_text("\n".join(display_lines(data[:_SHOWN_TEXT])))
            return self.text
        return self.note

    def _show_picture(self, picture: QImage | None) -> None:
        if picture is not None and self.picture is not None:
            self.picture.set_picture(picture)
        else:
            self._failed = True
            self.note.show()
            self._say()

    def _first_size(self) -> QSize:
        parent = self.parentWidget()
        room = parent.size() - QSize(80, 80) if parent is not None else QSize(1100, 800)
        if self._attachment.kind is AttachmentKind.IMAGE:
            wanted = QSize(max(self._attachment.width, 320) + 32, max(self._attachment.height, 240) + 90)
        elif self._attachment.kind is AttachmentKind.TEXT:
            wanted = QSize(760, 640)
        else:
            wanted = QSize(460, 200)
        return wanted.boundedTo(room).expandedTo(QSize(360, 180))

    def _say(self) -> None:
        say, one = self._language.say, self._attachment
        name = visible_line(one.name, 120)
        self.setWindowTitle(name)
        self.about.setText(measure_text(one, self._language))
        self.leave.set_words(say("attachments.close"))
        if one.kind is AttachmentKind.PDF:
            self.note.setText(f"{name}\n\n{say('attachments.no_pages')}")
        elif self._failed:
            self.note.setText(say("attachments.no_picture"))
        if self.text is not None:
            self.text.setAccessibleName(name)
        if self.picture is not None:
            self.picture.setAccessibleName(name)


def show_attachment(
    attachment: Attachment, data: str, theme: Theme, language: Language, parent: QWidget
) -> AttachmentViewer:
    """Opens the window of an attachment over another one."""
    viewer = AttachmentViewer(attachment, data, theme, language, parent)
    viewer.open()
    return viewer
