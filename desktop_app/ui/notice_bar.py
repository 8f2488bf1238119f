"""What just happened and can be undone: one line for each notice, gone by itself or by hand."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.errors import AppError
from desktop_app.ui.chat.column_width import COLUMN, SIDE
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label
from desktop_app.ui.widgets.text_field import TextField

INFO_MS = 8_000
_MOST = 3
_LOOK = {
    Level.INFO: ("info", "accent", "card"),
    Level.WARNING: ("triangle-alert", "warning", "warning"),
    Level.ERROR: ("triangle-alert", "danger", "danger"),
}


class NoticeRow(QFrame):
    """One notice.

    `closed` when it goes, `undoAsked(Notice.undo)` or `acted(act, Notice.conversation_id)` when a button is pressed.
    """

    closed = Signal()
    undoAsked = Signal(object)
    acted = Signal(str, str)

    def __init__(self, notice: Notice, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notice, self._language = notice, language
        icon, colour, role = _LOOK[notice.level]
        self.setProperty("role", role)
        self.text = PlainLabel(wrap=True)
        self.undo = TextButton(kind="link")
        self.acts = {act: TextButton(kind="link") for act in notice.acts}
        self.more = TextButton(kind="link")
        self.close_button = IconButton(theme, "x")
        self.details = TextField()
        self.details.setPlainText(visible_details(notice.details))
        self.details.setReadOnly(True)
        self.details.setFixedHeight(96)
        self.details.hide()
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(themed_icon_label(theme, icon, colour))
        line.addWidget(self.text, 1)
        for act, act_button in self.acts.items():
            act_button.clicked.connect(partial(self._act, act))
        for button in (self.undo, *self.acts.values(), self.more, self.close_button):
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.addLayout(line)
        layout.addWidget(self.details)
        self.undo.setVisible(notice.undo is not None)
        self.more.setVisible(bool(notice.details))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INFO_MS)
        self._timer.timeout.connect(self.closed)
        self.close_button.clicked.connect(self.closed)
        self.more.clicked.connect(self._toggle)
        self.undo.clicked.connect(self.ask_undo)
        language.changed.connect(self._say)
        self._say()
        self._start()

    def ask_undo(self) -> None:
        """Undoes what the notice tells of."""
        if self.notice.undo is not None:
            self.undoAsked.emit(self.notice.undo)
            self.closed.emit()

    def _act(self, act: str, _checked: bool = False) -> None:
        self.acted.emit(act, self.notice.conversation_id)
        self.closed.emit()

    def enterEvent(self, event: QEnterEvent) -> None:
        """A notice that is read does not go away."""
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Its time runs again."""
        self._start()
        super().leaveEvent(event)

    def _start(self) -> None:
        if self.notice.level is Level.INFO and self.details.isHidden():
            self._timer.start()

    def _toggle(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self._timer.stop()
        self._say()

    def _say(self) -> None:
        say = self._language.say
        text = notice_text(self._language, self.notice)
        self.text.setText(text)
        self.setAccessibleName(f"{say(f'notices.{self.notice.level}')}: {text}")
        self.undo.set_words(say("notices.undo"))
        for act, button in self.acts.items():
            button.set_words(say(f"notices.{act}"))
        self.more.set_words(say("notices.details" if self.details.isHidden() else "notices.hide_details"))
        self.details.setAccessibleName(say("notices.details"))
        self.close_button.set_name(say("notices.close"))


class NoticeBar(QWidget):
    """The last three notices, the newest below. `undoAsked(Notice.undo)`, `acted(act, conversation id)`,
    `undoChanged(possible)`."""

    undoAsked = Signal(object)
    acted = Signal(str, str)
    undoChanged = Signal(bool)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.rows: list[NoticeRow] = []
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(6)
        self.hide()

    def show_notice(self, notice: Notice) -> None:
        """Adds a notice; the same one again takes the place of the first."""
        for row in [row for row in self.rows if row.notice == notice]:
            self._drop(row)
        while len(self.rows) >= _MOST:
            self._drop(self.rows[0])
        row = NoticeRow(notice, self._theme, self._language)
        row.closed.connect(self._on_closed)
        row.undoAsked.connect(self.undoAsked)
        row.acted.connect(self.acted)
        self.rows.append(row)
        self._layout.addWidget(row)
        self._changed()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The notices stand over the composer, as wide as it is."""
        side = max(SIDE, (self.width() - COLUMN) // 2)
        self._layout.setContentsMargins(side, 8, side, 8)
        super().resizeEvent(event)

    def undo_last(self) -> None:
        """Undoes the newest notice that can be."""
        for row in reversed(self.rows):
            if row.notice.undo is not None:
                row.ask_undo()
                return

    def drop_undo(self) -> None:
        """Takes away what offers to undo: it is no longer possible where the person is now."""
        for row in [row for row in self.rows if row.notice.undo is not None]:
            self._drop(row)
        self._changed()

    def _on_closed(self) -> None:
        row = self.sender()
        if isinstance(row, NoticeRow):
            self._drop(row)
            self._changed()

    def _drop(self, row: NoticeRow) -> None:
        if row in self.rows:
            self.rows.remove(row)
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()

    def _changed(self) -> None:
        self.setVisible(bool(self.rows))
        self.undoChanged.emit(any(row.notice.undo is not None for row in self.rows))


def notice_text(language: Language, notice: Notice) -> str:
    """The sentence of a notice, what came from outside made visible; an unknown id reads as an unknown error."""
    params = {
        name: visible_line(value, 120) if isinstance(value, str) else value for name, value in notice.params.items()
    }
    if notice.message_id.startswith("errors."):
        error = AppError(**params)
        error.word = notice.message_id.removeprefix("errors.")
        return language.explain(error)
    if notice.cause is not None:
        params["cause"] = language.explain(notice.cause)
    return language.say(notice.message_id, **params)


def visible_details(details: str) -> str:
    """Details line by line, nothing hidden in them."""
    return "\n".join(visible_line(line, 2_000) for line in details.splitlines()[:200])
