"""What is attached to the message being written: chips, and a line for each file that cannot be."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.draft_files import DraftFile
from desktop_app.core.attachments import AttachmentKind
from desktop_app.ui.chat.attachment_chip import AttachmentChip
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel, themed_icon_label


class UnusableFile(QFrame):
    """Says why a file is not attached; `removed` by its cross."""

    removed = Signal()

    def __init__(self, theme: Theme, language: Language, file: DraftFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language, self._file = language, file
        self.setProperty("role", "danger")
        self.words = PlainLabel(wrap=True)
        self.cross = IconButton(theme, "x")
        self.cross.clicked.connect(self.removed)
        line = QHBoxLayout(self)
        line.setContentsMargins(11, 6, 4, 6)
        line.setSpacing(8)
        line.addWidget(themed_icon_label(theme, "triangle-alert", "danger"), 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.words, 1)
        line.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignVCenter)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _retranslate(self) -> None:
        if self._file.error is not None:
            self.words.setText(self._language.explain(self._file.error))
        self.setAccessibleName(self.words.text())
        self.cross.set_name(self._language.say("attachments.remove", name=self._file.name))


class AttachmentRow(QWidget):
    """Shows draft files; hidden while there are none.

    Signals:
        removed(int): the file of this number is to be taken away.
    """

    removed = Signal(int)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.files: tuple[DraftFile, ...] = ()
        self.chips: dict[int, AttachmentChip] = {}
        self.unusable: dict[int, UnusableFile] = {}
        self._taken: tuple[str, bool, bool] = ("", True, True)
        self.note = PlainLabel(tone="warning", wrap=True)
        self._chip_box = QWidget()
        self._flow = FlowLine(self._chip_box, gap=8, line_gap=8)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self._chip_box)
        self._column.addWidget(self.note)
        language.changed.connect(self._say_note)
        theme.changed.connect(self._refont)
        self._refont()
        self._settle()

    @property
    def waiting(self) -> bool:
        """Whether a file is still being read, or cannot be used."""
        return any(file.file is None for file in self.files)

    @property
    def ready(self) -> bool:
        """Whether there is something to send."""
        return any(file.file is not None for file in self.files)

    def show_files(self, files: tuple[DraftFile, ...]) -> None:
        """Brings the chips in line; the keyboard stays beside what was taken away."""
        numbers = [file.number for file in files]
        focused = next((place for place, chip in enumerate(self.chips.values()) if _has_keyboard(chip)), -1)
        self.files = files
        for kept in (self.chips, self.unusable):
            for number in [number for number in kept if number not in numbers]:
                _drop(kept.pop(number))
        for file in files:
            self._show(file)
        if focused >= 0 and self.chips and not any(_has_keyboard(chip) for chip in self.chips.values()):
            list(self.chips.values())[min(focused, len(self.chips) - 1)].setFocus()
        self._settle()

    def show_taken(self, model: str, *, images: bool, pdfs: bool) -> None:
        """What the model in use reads of what can be attached."""
        self._taken = (model, images, pdfs)
        self._settle()

    def focus_unusable(self) -> None:
        """Leads to what keeps the message from being sent."""
        for line in self.unusable.values():
            line.cross.setFocus(Qt.FocusReason.OtherFocusReason)
            return

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Chips go on in the next line where there is no room."""
        super().resizeEvent(event)
        self._fit()

    def _show(self, file: DraftFile) -> None:
        if file.error is not None:
            if (chip := self.chips.pop(file.number, None)) is not None:
                _drop(chip)
            if file.number not in self.unusable:
                line = self.unusable[file.number] = UnusableFile(self._theme, self._language, file)
                line.removed.connect(lambda: self.removed.emit(file.number))
                self._column.addWidget(line)
            return
        chip = self.chips.get(file.number)
        if chip is None:
            chip = self.chips[file.number] = AttachmentChip(self._theme, self._language, file.name, removable=True)
            chip.removed.connect(lambda: self.removed.emit(file.number))
            chip.opened.connect(lambda: self._open(file.number))
            self._flow.addWidget(chip)
        if file.file is not None:
            chip.set_attachment(file.file.attachment, file.file.data)

    def _open(self, number: int) -> None:
        from desktop_app.ui.chat.attachment_viewer import show_attachment  # not needed to start

        file = next((one.file for one in self.files if one.number == number), None)
        if file is not None:
            show_attachment(file.attachment, file.data, self._theme, self._language, self.window())

    def _settle(self) -> None:
        self.setVisible(bool(self.files))
        self._chip_box.setVisible(bool(self.chips))
        self._say_note()
        self._fit()

    def _fit(self) -> None:
        if self.chips:
            self._chip_box.setFixedHeight(self._flow.heightForWidth(max(self.width(), 1)))

    def _say_note(self) -> None:
        model, images, pdfs = self._taken
        kinds = {file.file.attachment.kind for file in self.files if file.file is not None}
        lines = []
        if AttachmentKind.IMAGE in kinds and not images:
            lines.append(self._language.say("attachments.images_not_taken", model=model))
        if AttachmentKind.PDF in kinds and not pdfs:
            lines.append(self._language.say("attachments.pdfs_not_taken", model=model))
        self.note.setText("\n".join(lines))
        self.note.setVisible(bool(lines))

    def _refont(self) -> None:
        self.note.setFont(self._theme.panel_font())


def _has_keyboard(chip: AttachmentChip) -> bool:
    return chip.hasFocus() or (chip.cross is not None and chip.cross.hasFocus())


def _drop(widget: QWidget) -> None:
    widget.hide()
    widget.deleteLater()
