"""What stands above the text in the box: a long paste, the message that waits, a warning about a key."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.token_estimate import TokenEstimator, text_features
from desktop_app.ui.chat.plain_view import display_lines
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip, themed_icon_label

_SAMPLE = 20_000
_PREVIEW = 20_000


class Chip(QFrame):
    """One line with an icon and words; `removed` by its cross."""

    removed = Signal()

    def __init__(self, theme: Theme, language: Language, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.setProperty("role", "chip")
        self.words = ElidedLabel(tone="muted")
        self.cross = IconButton(theme, "x")
        self.cross.clicked.connect(self.removed)
        self.line = QHBoxLayout()
        self.line.setContentsMargins(10, 2, 3, 2)
        self.line.setSpacing(8)
        self.line.addWidget(themed_icon_label(theme, icon))
        self.line.addWidget(self.words, 1)
        self.line.addWidget(self.cross)
        self.outer = QVBoxLayout(self)
        self.outer.setContentsMargins(0, 0, 0, 0)
        self.outer.setSpacing(0)
        self.outer.addLayout(self.line)
        language.changed.connect(self.retranslate)

    def retranslate(self) -> None:
        """Says its words anew."""


class QueuedChip(Chip):
    """The message that will be sent when the answer has ended; one that waits for a folding need not.

    Signals:
        nowAsked(): the folding is to be called off for it.
    """

    nowAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        self._text, self._files, self._folding = "", 0, False
        super().__init__(theme, language, "clock", parent)
        self.now, self.cancel = TextButton(kind="link"), TextButton(kind="link")
        for button in (self.now, self.cancel):
            self.line.insertWidget(self.line.indexOf(self.cross), button)
        self.now.clicked.connect(self.nowAsked)
        self.cancel.clicked.connect(self.removed)
        self.set_text(None)

    def set_text(self, text: str | None, *, files: int = 0, folding: bool = False, ending: bool = False) -> None:
        """The waiting message and how many `files` go with it, or none; whether it waits for a folding, which may be
        about to end."""
        self._text, self._files, self._folding = text or "", files, folding
        self.now.setVisible(folding)
        self.now.setEnabled(not ending)
        self.cancel.setVisible(folding)
        self.cross.setVisible(not folding)
        side = 10 if folding else 3
        self.line.setContentsMargins(10, 5 if folding else 2, side, 5 if folding else 2)
        self.setVisible(text is not None)
        self.retranslate()

    def focus_way_out(self) -> None:
        """Leads the keyboard to what takes the message back."""
        (self.cancel if self._folding else self.cross).setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        """Says its words anew."""
        say = self._language.say
        word = "compaction.queue.waits" if self._folding else "composer.queued"
        attached = say("attachments.waiting", n=self._files) if self._files else ""
        self.words.set_whole(say(word, text=" · ".join(filter(None, (visible_line(self._text, 200), attached)))))
        self.cross.set_name(say("composer.queue_drop"))
        if hasattr(self, "now"):
            self.now.set_words(say("compaction.queue.now"))
            self.cancel.set_words(say("compaction.queue.cancel"))
            set_tooltip(self.now, say("compaction.queue.now_hint"))
            set_tooltip(self.cancel, say("compaction.queue.cancel_hint"))


class PasteChip(Chip):
    """A long paste: kept whole, shown by its size, its beginning on demand."""

    def __init__(self, theme: Theme, language: Language, text: str, parent: QWidget | None = None) -> None:
        self.text = text
        self.tokens = estimate_tokens(text)
        super().__init__(theme, language, "paperclip", parent)
        self.fold = IconButton(theme, "chevron-right")
        self.line.insertWidget(2, self.fold)
        self.preview = QPlainTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setFixedHeight(150)
        self.preview.setFont(theme.mono_font(12))
        self.preview.setTabChangesFocus(True)
        self.rest = PlainLabel(tone="muted")
        self.rest.setContentsMargins(12, 2, 12, 6)
        self.preview.hide()
        self.rest.hide()
        self.outer.addWidget(self.preview)
        self.outer.addWidget(self.rest)
        self.fold.clicked.connect(self.toggle)
        self.retranslate()

    def toggle(self) -> None:
        """Shows or hides the beginning of the text."""
        opened = self.preview.isHidden()
        if opened:
            self.preview.setPlainText("\n".join(display_lines(self.text[:_PREVIEW])))
        self.preview.setVisible(opened)
        self.rest.setVisible(opened and len(self.text) > _PREVIEW)
        self.fold.set_icon("chevron-down" if opened else "chevron-right")
        self.retranslate()

    def retranslate(self) -> None:
        """Says its words anew."""
        say, number = self._language.say, self._language.number
        self.words.set_whole(say("composer.paste", count=number(len(self.text)), tokens=number(self.tokens)))
        self.cross.set_name(say("composer.paste_drop"))
        if hasattr(self, "fold"):
            opened = not self.preview.isHidden()
            self.fold.set_name(say("composer.paste_hide" if opened else "composer.paste_show"))
            self.preview.setAccessibleName(self.words.whole())
            self.rest.setText(say("composer.paste_cut", count=number(max(0, len(self.text) - _PREVIEW))))


class KeyWarning(QFrame):
    """Warns before something that looks like an API key is sent.

    Signals:
        sendAnyway(): the person wants it sent.
    """

    sendAnyway = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.setProperty("role", "warning")
        self.words = PlainLabel(wrap=True)
        self.send = TextButton(kind="link")
        self.send.clicked.connect(self.sendAnyway)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 8)
        line.setSpacing(8)
        line.addWidget(themed_icon_label(theme, "key-round", "warning"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        line.addWidget(self.send)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _retranslate(self) -> None:
        self.words.setText(self._language.say("composer.key_warning"))
        self.send.set_words(self._language.say("composer.key_send"))


def estimate_tokens(text: str) -> int:
    """Tokens of a text by its beginning, so that a long one costs no time."""
    sample = text[:_SAMPLE]
    tokens = TokenEstimator().estimate(text_features(sample)).tokens
    return round(tokens * len(text) / max(len(sample), 1))
