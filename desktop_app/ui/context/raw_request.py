"""A request exactly as it was sent, to read, search and copy; long lines are broken for the eye only."""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QPaintEvent, QShortcut, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.figures import clock
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.switch import Switch
from desktop_app.ui.widgets.text_field import TextField

_LINE = 4_000
_CHUNK = 48_000


class JsonText(TextField):
    """Read-only text of any length. Lines over 4,000 characters are broken; what is copied holds no such break."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self._breaks: list[int] = []
        self._pending: list[str] = []
        self._loaded = 0
        self._wide = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._load_more)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        keep_font(self, theme, mono=True)

    def show_text(self, text: str) -> None:
        """Shows a text, the beginning at once and the rest piece by piece."""
        self._timer.stop()
        self.clear()
        self.text, self._breaks, self._loaded = text, [], 0
        self._wide = self._units(text) != len(text)
        lines, offset = [], 0
        for line in text.split("\n"):
            pieces = [line[at : at + _LINE] for at in range(0, len(line), _LINE)] or [""]
            for piece in pieces[:-1]:
                offset += len(piece)
                self._breaks.append(offset)
            offset += len(pieces[-1]) + 1
            lines += pieces
        shown = "\n".join(lines)
        self._pending = [shown[at : at + _CHUNK] for at in range(0, len(shown), _CHUNK)]
        self._pending.reverse()
        self._load_more()
        if self._pending:
            self._timer.start()

    @property
    def share(self) -> float:
        """How much is loaded, 0 to 1."""
        whole = self._loaded + sum(len(piece) for piece in self._pending)
        return self._loaded / whole if whole else 1.0

    def mark(self, start: int, length: int) -> None:
        """Selects a stretch of the text as sent and scrolls to it; loads what is still missing."""
        while self._pending:
            self._load_more()
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._place(start))
        cursor.setPosition(self._place(start + length), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()

    def createMimeDataFromSelection(self) -> QMimeData:
        """The selected stretch as it was sent, without the breaks put in for the eye."""
        cursor = self.textCursor()
        data = QMimeData()
        data.setText(self.text[self._offset(cursor.selectionStart()) : self._offset(cursor.selectionEnd())])
        return data

    def _place(self, offset: int) -> int:
        """Where a character of the text (by its offset) stands in the document, which counts UTF-16 units."""
        before = bisect_right(self._breaks, offset - 1)
        return (self._units(self.text[:offset]) if self._wide else offset) + before

    def _offset(self, place: int) -> int:
        """The inverse of `_place`."""
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high) // 2
            if self._place(middle) < place:
                low = middle + 1
            else:
                high = middle
        return low

    @staticmethod
    def _units(text: str) -> int:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def _load_more(self) -> None:
        if not self._pending:
            self._timer.stop()
            return
        piece = self._pending.pop()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(piece)
        self._loaded += len(piece)
        if not self._pending:
            self._timer.stop()


class RawRequest(QDialog):
    """The window with the JSON of one request; `simulated` where the simulated assistant got it.

    `saveAsked`: it is to be written into a file.
    """

    saveAsked = Signal()

    def __init__(
        self,
        shown: ShownRequest,
        theme: Theme,
        language: Language,
        parent: QWidget | None = None,
        *,
        simulated: bool = False,
    ) -> None:
        super().__init__(parent)
        self._shown, self._theme, self._language = shown, theme, language
        self._sent = shown.sent
        self._simulated = simulated
        self._hits: list[int] = []
        self._place = -1
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 680)
        self.text = JsonText(theme)
        self.note = PlainLabel(tone="muted", wrap=True)
        self.wanted = QLineEdit()
        self.wanted.setClearButtonEnabled(True)
        self.found = PlainLabel(tone="muted")
        self.previous = IconButton(theme, "chevron-up")
        self.following = IconButton(theme, "chevron-down")
        self.indent = Switch(theme)
        self.copy_all, self.save = TextButton(), TextButton()
        self.leave = TextButton()
        self._arrange()
        self._connect()
        self._say()
        self.text.show_text(self._sent)

    def paintEvent(self, event: QPaintEvent) -> None:
        """An edge, for where the system draws none."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self._theme.tokens.color("line"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.wanted, 1)
        for widget in (self.found, self.previous, self.following):
            top.addWidget(widget)
        top.addSpacing(16)
        top.addWidget(self.indent)
        below = QHBoxLayout()
        below.addWidget(self.note, 1)
        below.addWidget(self.save)
        below.addWidget(self.copy_all)
        below.addWidget(self.leave)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(top)
        layout.addWidget(self.text, 1)
        layout.addLayout(below)

    def _connect(self) -> None:
        self.wanted.textChanged.connect(self._search)
        self.wanted.returnPressed.connect(self._next)
        self.following.clicked.connect(self._next)
        self.previous.clicked.connect(self._back)
        self.indent.toggled.connect(self._on_indent)
        self.copy_all.clicked.connect(self._copy)
        self.save.clicked.connect(self.saveAsked)
        self.leave.clicked.connect(self.close)
        self._language.changed.connect(self._say)
        finder = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        finder.activated.connect(self._focus_find)

    def _focus_find(self) -> None:
        self.wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.wanted.selectAll()

    def _on_indent(self, on: bool) -> None:
        self.text.show_text(self._shown.body if on else self._sent)
        self._search()
        self._say()

    def _search(self) -> None:
        wanted, text = self.wanted.text().casefold(), self.text.text
        self._hits = []
        # Folding may change lengths (ß, İ): where it does, letters are compared as they are.
        folded = text.casefold()
        folded, wanted = (folded, wanted) if len(folded) == len(text) else (text, self.wanted.text())
        at = folded.find(wanted) if wanted else -1
        while at >= 0:
            self._hits.append(at)
            at = folded.find(wanted, at + len(wanted))
        self._place = -1
        self._next()

    def _next(self) -> None:
        self._go(1)

    def _back(self) -> None:
        self._go(-1)

    def _go(self, step: int) -> None:
        self.following.setEnabled(len(self._hits) > 1)
        self.previous.setEnabled(len(self._hits) > 1)
        if not self._hits:
            self.found.setText(self._language.say("context.request.not_found") if self.wanted.text() else "")
            return
        self._place = (self._place + step) % len(self._hits)
        self.text.mark(self._hits[self._place], len(self.wanted.text()))
        number = self._language.number
        self.found.setText(
            self._language.say("context.request.found", place=number(self._place + 1), n=number(len(self._hits)))
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._sent)
        self.copy_all.set_words(self._language.say("context.request.copied"))

    def _say(self) -> None:
        say, record = self._language.say, self._shown.record
        self.setWindowTitle(say("context.request.title", turn=record.turn, time=clock(record.sent_at)))
        characters = self._language.number(len(self._sent))
        if self.indent.isChecked():
            self.note.setText(say("context.request.indented_note"))
        elif self._simulated:
            self.note.setText(say("context.request.note_simulated", model=record.model, characters=characters))
        else:
            self.note.setText(say("context.request.note", host=record.host, model=record.model, characters=characters))
        self.wanted.setPlaceholderText(say("context.request.find"))
        self.wanted.setAccessibleName(say("context.request.find"))
        self.previous.set_name(say("context.request.previous"))
        self.following.set_name(say("context.request.next"))
        self.indent.setText(say("context.request.indent"))
        self.indent.setAccessibleName(say("context.request.indent"))
        self.copy_all.set_words(say("context.request.copy"))
        self.save.set_words(say("context.request.save"))
        self.leave.set_words(say("context.request.close"))
        self.text.setAccessibleName(say("context.request.text_name"))
