"""What is attached to the message being written: chips, and a line for each file that cannot be."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.bridge.draft_files import DraftFile
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.attachments import AttachmentKind
from desktop_app.ui.chat.attachment_chip import AttachmentChip
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip, themed_icon_label

_GAP = 8
_NAMES = 80
_ROWS = ((560, 1), (760, 2))
"""Heights of the window in pixels below which no more rows of chips stand at once."""
_MOST_ROWS = 4


class UnusableFiles(QFrame):
    """Says which files are not attached and why, in one line; `removed` by its cross, which takes all of them away."""

    removed = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._files: tuple[DraftFile, ...] = ()
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
        language.changed.connect(self._say)
        self.hide()

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._files)

    def show_files(self, files: tuple[DraftFile, ...]) -> None:
        """Other files; hidden where there are none."""
        self._files = files
        self.setVisible(bool(files))
        self._say()

    def _say(self) -> None:
        say, files = self._language.say, self._files
        reasons = [self._language.explain(one.error) for one in files if one.error is not None]
        if len(reasons) == 1:
            self.words.setText(reasons[0])
            self.cross.set_name(say("attachments.remove", name=files[0].name))
        elif reasons:
            names = visible_line(", ".join(one.name for one in files), _NAMES)
            self.words.setText(say("attachments.unusable", n=len(reasons), names=names))
            self.cross.set_name(say("attachments.remove_unusable", n=len(reasons)))
        set_tooltip(self, "\n".join(reasons) if len(reasons) > 1 else "")
        self.setAccessibleName(self.words.text())
        self.setAccessibleDescription(" ".join(reasons) if len(reasons) > 1 else "")


class AttachmentRow(QWidget):
    """Shows draft files; hidden while there are none.

    Signals:
        removed(int): the file of this number is to be taken away. unusableRemoved(): all that cannot be used are.
    """

    removed = Signal(int)
    unusableRemoved = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.files: tuple[DraftFile, ...] = ()
        self.chips: dict[int, AttachmentChip] = {}
        self.unusable = UnusableFiles(theme, language)
        self._room = 0
        self._taken: tuple[str, bool, bool] = ("", True, True)
        self.note = PlainLabel(tone="warning", wrap=True)
        self._chip_box = QWidget()
        self._flow = FlowLine(self._chip_box, gap=_GAP, line_gap=_GAP)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._chip_box)
        for ground in (self._scroll.viewport(), self._chip_box):
            ground.setAutoFillBackground(False)
        self._chip_box.installEventFilter(self)
        self._column.addWidget(self._scroll)
        self._column.addWidget(self.unusable)
        self.unusable.removed.connect(self.unusableRemoved)
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
        for number in [number for number in self.chips if number not in numbers]:
            _drop(self.chips.pop(number))
        self.unusable.show_files(tuple(file for file in files if file.error is not None))
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
        if self.unusable.count:
            self.unusable.cross.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_room(self, height: int) -> None:
        """The height of the window in pixels: in a low one fewer rows of chips stand, the others are scrolled to."""
        self._room = height
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Chips go on in the next line where there is no room."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A chip may need another height once it has its words and its font."""
        if watched is self._chip_box and event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _show(self, file: DraftFile) -> None:
        if file.error is not None:
            if (chip := self.chips.pop(file.number, None)) is not None:
                _drop(chip)
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
        self._scroll.setVisible(bool(self.chips))
        self._say_note()
        self._fit()

    def _fit(self) -> None:
        if not self.chips:
            return
        row = max(chip.sizeHint().height() for chip in self.chips.values())
        rows = next((rows for below, rows in _ROWS if self._room < below), _MOST_ROWS)
        shown = rows * (row + _GAP) - _GAP
        bar = self._scroll.verticalScrollBar().sizeHint().width()
        width = max(self.width(), 1)
        whole = self._flow.heightForWidth(width)
        if whole > shown:
            width = max(width - bar, 1)
            whole = self._flow.heightForWidth(width)
        self._chip_box.setFixedSize(width, whole)
        self._scroll.setFixedHeight(min(whole, shown))

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
