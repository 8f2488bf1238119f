"""The box a message is written in, with what the next request would hold and where the answer stands."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import Forecast
from desktop_app.bridge.draft_files import DraftFile
from desktop_app.bridge.session_state import EndpointState, Phase, SessionState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import is_blank
from desktop_app.core.secrets.finding import holds_key
from desktop_app.ui.chat.attachment_row import AttachmentRow
from desktop_app.ui.chat.column_width import COLUMN, SIDE
from desktop_app.ui.chat.composer_chips import KeyWarning, PasteChip, QueuedChip
from desktop_app.ui.chat.forecast_line import ForecastLine
from desktop_app.ui.chat.given_files import FileDrops, local_files, picture_of
from desktop_app.ui.chat.growing_edit import EditBox, GrowingEdit
from desktop_app.ui.chat.pictures import picture_room
from desktop_app.ui.chat.review_line import ReviewLine
from desktop_app.ui.chat.secret_line import SecretLine
from desktop_app.ui.chat.spoilt_line import SpoiltLine
from desktop_app.ui.chat.state_line import StateLine
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.budget_bar import BudgetBar
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

PASTE_LIMIT = 20_000
"""Bytes of UTF-8 from which on a paste becomes a chip."""


class Composer(QWidget):
    """Takes a message.

    Signals:
        submitted(str): the whole text; the box is empty afterwards.
        textEdited(str): what would be sent now.
        stopRequested(), retryRequested(), keyRequested(): the acts of a state.
        queueDropped(): the waiting message is to come back (`put_back`).
        nowRequested(): the waiting message is to be sent without the folding it waits for.
        filesChosen(list[Path]): files are to be attached.
        pictureGiven(str, bytes): a picture that was pasted is to be attached under a name.
        reviewRequested(): the summary that waits is to be shown.
        unusableRemoved(): the files that cannot be used are to be taken away.
        fileRemoved(int): an attached file, by its number, is to be taken away.
    """

    submitted = Signal(str)
    textEdited = Signal(str)
    stopRequested = Signal()
    retryRequested = Signal()
    keyRequested = Signal()
    queueDropped = Signal()
    nowRequested = Signal()
    filesChosen = Signal(object)
    pictureGiven = Signal(str, object)
    fileRemoved = Signal(int)
    unusableRemoved = Signal()
    reviewRequested = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._state = SessionState()
        self._setting = False
        self.pastes: list[PasteChip] = []
        self.state_line = StateLine(theme, language)
        self.bar = BudgetBar(theme, language)
        self.review = ReviewLine(theme, language)
        self.queued = QueuedChip(theme, language)
        self.warning = KeyWarning(theme, language)
        self.edit = GrowingEdit(theme, paste_limit=PASTE_LIMIT, takes_files=True)
        self.attached = AttachmentRow(theme, language)
        self.attach = IconButton(theme, "paperclip")
        self.drops = FileDrops(self)
        self.hint = PlainLabel(tone="warning", wrap=True)
        self.forecast = ForecastLine(theme, language)
        self.spoilt = SpoiltLine(theme, language)
        self.secret = SecretLine(theme, language, self._parts)
        self.send = TextButton(kind="primary")
        self.box = EditBox(self.edit)
        self._arrange()
        self._connect()
        self._retranslate()

    # -- what it shows

    def show_state(self, state: SessionState) -> None:
        """Where the answer stands."""
        self._state = state
        self.state_line.show_state(state)
        folding = state.phase is Phase.FOLDING
        self.queued.set_text(state.queued, files=len(state.queued_files), folding=folding, ending=state.ending)
        self._weigh()

    def show_preview(self, budget: Budget | None) -> None:
        """The request the text would make."""
        self.bar.set_budget(budget)
        self.forecast.set_budget(budget)

    def show_forecast(self, forecast: Forecast | None) -> None:
        """What of it will come from the cache, and its price."""
        self.forecast.set_forecast(forecast)
        self.spoilt.set_forecast(forecast)

    def show_files(self, files: tuple[DraftFile, ...]) -> None:
        """What is attached to the message being written."""
        self.attached.show_files(files)
        if not self.attached.waiting:
            self.hint.hide()
        self._weigh()

    def show_endpoint(self, endpoint: EndpointState | None) -> None:
        """What the model in use can read, and where it is."""
        self.secret.set_endpoint(endpoint)
        if endpoint is not None and endpoint.model is not None:
            features, name = endpoint.features, visible_line(endpoint.model.name, 60)
            self.attached.show_taken(name, images=features.images, pdfs=features.pdfs)

    def text(self) -> str:
        """What would be sent: the words typed, then the pastes, parted by blank lines."""
        typed, *pastes = self._parts()
        return "\n\n".join(pastes if is_blank(typed) and pastes else [typed, *pastes])

    def _parts(self) -> list[str]:
        return [self.edit.toPlainText(), *(chip.text for chip in self.pastes)]

    def set_text(self, text: str) -> None:
        """Puts a draft into the box; nothing is emitted. A long one becomes a chip."""
        self._setting = True
        for chip in list(self.pastes):
            self._drop_paste(chip)
        long = len(text.encode("utf-8", "replace")) > PASTE_LIMIT
        self.edit.setPlainText("" if long else text)
        if long:
            self._add_paste(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        self._setting = False
        self.warning.hide()
        self.secret.look_soon()
        self._weigh()

    def put_back(self, text: str) -> None:
        """Puts a message that was not sent in front of what is written."""
        if not is_blank(text):
            now = self.text()
            self.set_text(text if is_blank(now) else f"{text}\n\n{now}")
            self._on_edited()

    def focus_text(self) -> None:
        """Leads the keyboard to the text."""
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- what the person does

    def submit(self) -> None:
        """Sends, or says why not yet."""
        self.edit.settle()
        text = self.text()
        if is_blank(text) and not self.attached.files:
            return
        if self.attached.waiting:
            self._say_waiting()
            return
        if self._state.queued is not None:
            set_tooltip(self.queued, self._language.say("composer.queue_full"))
            self.queued.focus_way_out()
            return
        if holds_key(text):
            self.warning.show()
            return
        self._submit(text)

    def _say_waiting(self) -> None:
        """Nothing is sent without a file the person believes to be with it."""
        word = "unusable_first" if self.attached.unusable.count else "still_reading"
        self.hint.setText(self._language.say(f"attachments.{word}"))
        self.hint.show()
        self.attached.focus_unusable()

    def choose_files(self) -> None:
        """Asks for files of this machine."""
        say = self._language.say
        dialog = QFileDialog(self.window(), say("attachments.choose"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._on_files)
        dialog.open()

    def _on_files(self, names: list[str]) -> None:
        self.filesChosen.emit([Path(name) for name in names])
        self.focus_text()

    def _on_given(self, source: QMimeData) -> None:
        """Files or a picture were pasted or dropped."""
        if files := local_files(source):
            self.filesChosen.emit(files)
            return
        picture = picture_of(source)
        if isinstance(picture, QImage):
            picture_room().encode(picture, self._on_picture)
        elif picture:
            self._on_picture(picture)

    def _on_picture(self, data: bytes) -> None:
        ending = {b"\xff\xd8": "jpg", b"GI": "gif", b"RI": "webp"}.get(data[:2], "png")
        if data:
            self.pictureGiven.emit(f"{self._language.say('attachments.pasted')}.{ending}", data)

    def _on_over(self, over: bool) -> None:
        self.box.mark(over)

    def _submit(self, text: str) -> None:
        self.warning.hide()
        self.set_text("")
        self.submitted.emit(text)
        self.textEdited.emit("")

    def _send_anyway(self) -> None:
        self.edit.settle()
        text = self.text()
        self.focus_text()
        if not is_blank(text) and not self.attached.waiting:
            self._submit(text)

    def _on_send(self) -> None:
        if self._state.answering:
            self.stopRequested.emit()
        else:
            self.submit()
        self.focus_text()

    def _on_edited(self) -> None:
        if self._setting:
            return
        self._weigh()
        text = self.text()
        if not self.warning.isHidden() and not holds_key(text):
            self.warning.hide()
        self.secret.look_soon()
        self.textEdited.emit(text)

    def _add_paste(self, text: str) -> None:
        chip = PasteChip(self._theme, self._language, text)
        chip.removed.connect(self._on_paste_removed)
        self.pastes.append(chip)
        self._inside.insertWidget(self._inside.indexOf(self.edit), chip)
        self._on_edited()

    def _on_paste_removed(self) -> None:
        chip = self.sender()
        if isinstance(chip, PasteChip):
            self._drop_paste(chip)
            self.focus_text()
            self._on_edited()

    def _drop_paste(self, chip: PasteChip) -> None:
        self.pastes.remove(chip)
        self._inside.removeWidget(chip)
        chip.hide()
        chip.deleteLater()

    # -- looks

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Keeps the box in the middle, as wide as the column of messages."""
        self.state_line.set_width(min(COLUMN, self.width() - 2 * SIDE))

    def _weigh(self) -> None:
        busy = self._state.answering
        self.send.set_kind("stop" if busy else "primary")
        words = self._language.say("composer.stop" if busy else "composer.send")
        self.send.set_words(words)
        self.send.setText(f"{words}\u2005")  # a little room before the icon
        icon, colour = ("square", "text") if busy else ("corner-down-left", "on_accent")
        can_send = busy or not is_blank(self.text()) or self.attached.ready
        self.send.setIcon(self._theme.icon(icon, colour, disabled="muted"))
        self.send.setEnabled(can_send)

    def _arrange(self) -> None:
        self.warning.hide()
        self.hint.hide()
        below = QHBoxLayout()
        below.setSpacing(10)
        below.addWidget(self.forecast, 1)
        below.addWidget(self.attach)
        below.addWidget(self.send)
        self.send.setIconSize(QSize(14, 14))
        self.send.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._inside = QVBoxLayout(self.box)
        self._inside.setContentsMargins(12, 10, 10, 9)
        self._inside.setSpacing(8)
        self._inside.addWidget(self.attached)
        self._inside.addWidget(self.edit)
        self._inside.addWidget(self.hint)
        self._inside.addWidget(self.secret)
        self._inside.addLayout(below)
        self._inside.addWidget(self.spoilt)
        middle = QWidget()
        middle.setMaximumWidth(COLUMN)
        line = QHBoxLayout(self)
        line.setContentsMargins(SIDE, 6, SIDE, 14)
        line.addStretch(1)
        line.addWidget(middle, 100)
        line.addStretch(1)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (self.review, self.state_line, self.bar, self.queued, self.warning, self.box):
            column.addWidget(widget)
        self.setFocusProxy(self.edit)

    def _connect(self) -> None:
        self.edit.entered.connect(self.submit)
        self.edit.textChanged.connect(self._on_edited)
        self.edit.pasted.connect(self._add_paste)
        self.edit.given.connect(self._on_given)
        self.attach.clicked.connect(self.choose_files)
        self.attached.removed.connect(self.fileRemoved)
        self.attached.unusableRemoved.connect(self.unusableRemoved)
        self.review.showAsked.connect(self.reviewRequested)
        self.drops.dropped.connect(self._on_given)
        self.drops.over.connect(self._on_over)
        self.drops.watch(self)
        self.send.clicked.connect(self._on_send)
        self.warning.sendAnyway.connect(self._send_anyway)
        self.queued.removed.connect(self.queueDropped)
        self.queued.nowAsked.connect(self.nowRequested)
        self.state_line.retryRequested.connect(self.retryRequested)
        self.state_line.stopRequested.connect(self.stopRequested)
        self.state_line.keyRequested.connect(self.keyRequested)
        self._theme.changed.connect(self._weigh)
        self._language.changed.connect(self._retranslate)

    def _retranslate(self) -> None:
        say = self._language.say
        self.edit.setPlaceholderText(say("composer.placeholder"))
        self.edit.setAccessibleName(say("composer.name"))
        self.attach.set_name(say("attachments.add"))
        set_tooltip(self.attach, say("attachments.add_hint"))
        self._weigh()
