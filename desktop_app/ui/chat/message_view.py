"""One message of the chat: who and when, its parts, how it ended, and the row of actions."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QGraphicsOpacityEffect, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.entries import AttachmentPart, Entry, Fold, TextPart
from desktop_app.core.conversation import MessageState, Origin, Role
from desktop_app.ui.chat.column_width import RING
from desktop_app.ui.chat.fold_marker import FoldMarker
from desktop_app.ui.chat.message_actions import FLOATING_GAP, MessageActions
from desktop_app.ui.chat.message_editor import MessageEditor
from desktop_app.ui.chat.message_notice import MessageNotice, message_of
from desktop_app.ui.chat.message_parts import MessageParts
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

REVEAL_MS = 1600
_SPOKEN = 200
GUTTER = 3
"""Pixels of the strip beside a message that is folded."""
_DASH = 9
"""Pixels from dash to dash of the strip beside a message that would fold."""


class MessageView(QWidget):
    """Shows an Entry.

    Signals:
        editRequested(str, str): id and changed text of a person's message.
        regenerateRequested(str), contextAsked(str): id.
        branchRequested(str, int): id and -1 or +1.
        continueRequested(): the rest of a cut reply is wanted.
        targetChosen(str): a link was activated.
        foldAsked(): what was folded, or is being folded, is wanted.
        notesAsked(str): id of a question; the memories told beside it are wanted.
        stepRequested(int): -1 or +1, the keyboard goes to the message before or after.
        heightChanged(): it needs another height.
    """

    editRequested = Signal(str, str)
    regenerateRequested = Signal(str)
    contextAsked = Signal(str)
    branchRequested = Signal(str, int)
    continueRequested = Signal()
    targetChosen = Signal(str)
    foldAsked = Signal()
    notesAsked = Signal(str)
    stepRequested = Signal(int)
    heightChanged = Signal()

    def __init__(
        self, theme: Theme, language: Language, entry: Entry, usual_model: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.entry = entry
        self._model: str | None = None
        self._last = self._busy = self._revealed = self._ringed = False
        self.editor: MessageEditor | None = None
        self.name = PlainLabel(tone="muted-heading")
        self.model: PlainLabel | None = None
        self.simulated: PlainLabel | None = None
        self.notice: MessageNotice | None = None
        self.marker: FoldMarker | None = None
        self.time = PlainLabel(tone="muted")
        self.parts = MessageParts(theme, language)
        self.actions_row = MessageActions(theme, language)
        self._arrange()
        self._connect()
        self._refont()
        self.set_entry(entry, usual_model)

    def set_entry(self, entry: Entry, usual_model: str = "") -> None:
        """The message as it stands now; `usual_model` is the one that needs no mention."""
        before, self.entry = self.entry, entry
        self._show_fold()
        if usual_model == self._model and replace(before, fold=entry.fold, fold_end=entry.fold_end) == entry:
            return  # folding changes many messages at once, and of each of them nothing but this
        self._model = usual_model
        self.parts.show_entry(entry)
        self._retranslate()
        self._show_state()

    def set_context(self, *, last: bool, busy: bool) -> None:
        """Whether it is the last message, and whether an answer is under way."""
        if (last, busy) != (self._last, self._busy):
            self._last, self._busy = last, busy
            self._show_state()

    def set_width(self, width: int) -> None:
        """The width of the column in pixels."""
        self.setFixedWidth(width + 2 * RING)
        self.parts.set_width(width)

    def reveal(self) -> None:
        """Outlines the message for a moment."""
        self._revealed = True
        self._reveal_timer.start()
        self.update()

    def text(self) -> str:
        """What Copy takes: the texts as they were written."""
        return "\n\n".join(part.text for part in self.entry.parts if isinstance(part, TextPart))

    def begin_edit(self) -> None:
        """Turns the message into a box to change it."""
        if self.editor is not None or self.entry.origin is not Origin.TYPED:
            return
        attached = any(isinstance(part, AttachmentPart) for part in self.entry.parts)
        self.editor = MessageEditor(self._theme, self._language, self.text(), needs_text=not attached)
        self.editor.sent.connect(self._send_edit)
        self.editor.cancelled.connect(self.end_edit)
        self._body.insertWidget(self._body.indexOf(self.parts) + 1, self.editor)
        self.parts.set_edited(True)
        self.actions_row.allow(False)
        self.editor.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.heightChanged.emit()

    def end_edit(self) -> None:
        """Back to the message as it was."""
        if self.editor is not None:
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
            self.parts.set_edited(False)
            self.actions_row.allow(True)
            self.heightChanged.emit()

    # -- what the person does

    def enterEvent(self, _event: QEnterEvent) -> None:
        """The buttons come with the pointer."""
        self._open_actions()

    def leaveEvent(self, _event: QEvent) -> None:
        """They go with it, unless the keyboard is here."""
        self._open_actions()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The buttons come with the keyboard, the ring only where no pointer showed the way."""
        self._ringed = event.reason() is not Qt.FocusReason.MouseFocusReason
        self._open_actions()
        self.update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """They stay while the keyboard is on one of them."""
        self._open_actions()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down go to the neighbours."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self.hasFocus():
            super().keyPressEvent(event)
            return
        self.stepRequested.emit(step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The floating row stays at its edge."""
        super().resizeEvent(event)
        self.actions_row.place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The strip of what is folded, the ring of the keyboard or of a message that was asked for."""
        if self.entry.fold is not Fold.NONE:
            self._paint_strip(self.gutter_height())
        if (self.hasFocus() and self._ringed) or self._revealed:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.tokens.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 4, -1, -1), 8, 8)
            painter.end()

    def _paint_strip(self, height: int) -> None:
        """A line beside what is folded or being folded, dashes beside what would be."""
        painter, colour = QPainter(self), self._theme.tokens.color("warning_mark")
        if self.entry.fold is Fold.PLANNED:
            for top in range(0, height, _DASH):
                painter.fillRect(QRect(0, top, GUTTER, min(_DASH * 2 // 3, height - top)), colour)
        else:
            painter.fillRect(QRect(0, 0, GUTTER, height), colour)
        painter.end()

    def gutter_height(self) -> int:
        """How far the strip of a folded message reaches down: to the line that ends what is folded."""
        if self.entry.fold_end is None or self.marker is None:
            return self.height()
        return self.marker.mapTo(self, self.marker.rect().center()).y()

    def _open_actions(self, *_: object) -> None:
        focus = QApplication.focusWidget()
        inside = focus is not None and (focus is self or self.isAncestorOf(focus))
        self.actions_row.set_open(inside or self.underMouse())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text())
        self.actions_row.tools.copy.set_icon("check", "good")
        self._copied_timer.start()

    def _send_edit(self, text: str) -> None:
        self.end_edit()
        self.editRequested.emit(self.entry.id, text)

    # -- building

    def _arrange(self) -> None:
        self.head = QWidget()
        head = self._head_line = QHBoxLayout(self.head)
        head.setContentsMargins(0, 8, 0, 5)
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addStretch(1)
        head.addWidget(self.time)
        self._body = QVBoxLayout(self)
        self._body.setContentsMargins(RING, 0, RING, 0)
        self._body.setSpacing(0)
        for widget in (self.head, self.parts, self.actions_row):
            self._body.addWidget(widget)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def _connect(self) -> None:
        self._reveal_timer = self._timer(REVEAL_MS)
        self._reveal_timer.timeout.connect(self._end_reveal)
        self._copied_timer = self._timer(1200)
        self._copied_timer.timeout.connect(self._end_copied)
        row = self.actions_row
        row.copyAsked.connect(self._copy)
        row.editAsked.connect(self.begin_edit)
        row.regenerateAsked.connect(lambda: self.regenerateRequested.emit(self.entry.id))
        row.contextAsked.connect(lambda: self.contextAsked.emit(self.entry.id))
        row.notesAsked.connect(lambda: self.notesAsked.emit(self.entry.question))
        row.branchAsked.connect(lambda step: self.branchRequested.emit(self.entry.id, step))
        self.parts.targetChosen.connect(self.targetChosen)
        self.parts.heightChanged.connect(self.heightChanged)
        self._theme.changed.connect(self._refont)
        self._language.changed.connect(self._retranslate)

    def _timer(self, milliseconds: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        return timer

    def _end_reveal(self) -> None:
        self._revealed = False
        self.update()

    def _end_copied(self) -> None:
        self.actions_row.tools.copy.set_icon("copy", "muted")

    def _show_state(self) -> None:
        entry = self.entry
        self.head.setVisible(entry.headed)
        self._float_actions(entry.role is Role.USER and entry.branch is None)
        below = FLOATING_GAP if self.actions_row.floating else 0
        self._body.setContentsMargins(RING, 0 if entry.headed else 9, RING, below)
        self._show_notice()
        self._show_marker()
        self.actions_row.show_entry(entry, busy=self._busy)
        on_the_way = entry.stop_reason == "tool_use" and not entry.branch
        self.actions_row.allow(self.editor is None and not on_the_way)
        self._fade(entry.left_out)

    def _float_actions(self, floating: bool) -> None:
        row = self.actions_row
        if floating == row.floating:
            return
        if floating:
            self._body.removeWidget(row)
        else:
            self._body.addWidget(row)
        row.set_floating(floating)

    def _show_notice(self) -> None:
        if self.notice is None:
            if not message_of(self.entry):
                return
            self.notice = MessageNotice(self._theme, self._language)
            self.notice.continueAsked.connect(self.continueRequested)
            self._body.insertWidget(self._body.indexOf(self.parts) + 1, self.notice)
        self.notice.show_entry(self.entry, last=self._last, busy=self._busy)

    def _show_fold(self) -> None:
        """Strip, quieter words and the line at the end of what is folded."""
        self.parts.set_muted(self.entry.fold is Fold.FOLDED)
        self._say_fold()
        self._show_marker()
        self.update()

    def _say_fold(self) -> None:
        fold = self.entry.fold
        self.setAccessibleDescription(self._language.say(f"compaction.gutter.{fold}") if fold is not Fold.NONE else "")

    def _show_marker(self) -> None:
        if self.marker is None:
            if self.entry.fold_end is None:
                return
            self.marker = FoldMarker(self._theme, self._language)
            self.marker.clicked.connect(self.foldAsked)
        if self._body.indexOf(self.marker) != self._body.count() - 1:
            self._body.addWidget(self.marker)  # what was put in later stands above it
        self.marker.show_end(self.entry.fold_end)

    def _show_origin(self) -> None:
        """The model where it is another than before, and the mark of the simulated assistant."""
        entry, say = self.entry, self._language.say
        differs = entry.model and entry.role is Role.ASSISTANT and entry.model != self._model
        if differs and self.model is None:
            self.model = self._small_label("muted")
            self._head_line.insertWidget(1, self.model)
        if self.model is not None:
            self.model.setText(str(entry.model) if differs else "")
            self.model.setVisible(bool(differs))
        if entry.simulated and self.simulated is None:
            self.simulated = self._small_label("tag")
            self._head_line.insertWidget(self._head_line.count() - 2, self.simulated)
        if self.simulated is not None:
            self.simulated.setText(say("chat.simulated"))
            set_tooltip(self.simulated, say("chat.simulated_hint"))
            self.simulated.setVisible(entry.simulated)

    def _small_label(self, tone: str) -> PlainLabel:
        label = PlainLabel(tone=tone)
        label.setFont(self._theme.panel_font(size=SMALL))
        return label

    def _fade(self, faded: bool) -> None:
        """Greys what is not sent any more."""
        if faded and self.parts.graphicsEffect() is None:
            effect = QGraphicsOpacityEffect(self.parts)
            effect.setOpacity(0.65)
            self.parts.setGraphicsEffect(effect)
        elif not faded:
            self.parts.setGraphicsEffect(None)  # type: ignore[arg-type]

    def _retranslate(self) -> None:
        entry, say = self.entry, self._language.say
        name = say("chat.you" if entry.role is Role.USER else "chat.assistant")
        self.name.setText(name)
        self._show_origin()
        self.actions_row.retranslate()
        when = self._language.when(entry.created_at)
        streaming = entry.state is MessageState.STREAMING
        self.time.setText("" if streaming and entry.created_at is None else when)
        beginning = " ".join(self.text()[:_SPOKEN].split())
        self.setAccessibleName(say("chat.message_name", name=name, time=when, text=beginning))
        self._say_fold()

    def _refont(self) -> None:
        small = self._theme.panel_font(size=SMALL)
        self.actions_row.retranslate()
        self.name.setFont(self._theme.panel_font(QFont.Weight.DemiBold, SMALL))
        for label in (self.model, self.time, self.simulated):
            if label is not None:
                label.setFont(small)
