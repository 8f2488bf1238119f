"""Folding by hand: what it would do, what is to be kept with care, or why nothing can be folded."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import ShownFolding
from desktop_app.core.errors import NothingToFold
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_MOST = 500


class FoldForm(QWidget):
    """`foldAsked(focus)`. The button opens the form, whose own button folds."""

    foldAsked = Signal(str)

    def __init__(self, _theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folding: ShownFolding | None = None
        self._busy = False
        self.what = PlainLabel(tone="muted", wrap=True)
        self.open = TextButton()
        self.focus = QLineEdit()
        self.focus.setMaxLength(_MOST)
        self.fold = TextButton(kind="primary")
        self.cancel = TextButton(kind="quiet")
        self._inside = QWidget()
        self._arrange()
        self._inside.hide()
        self.open.clicked.connect(self._open)
        self.cancel.clicked.connect(self.close_form)
        self.fold.clicked.connect(self._fold)
        self.focus.returnPressed.connect(self._fold)
        language.changed.connect(self._say)
        self._say()

    def show_folding(self, folding: ShownFolding, *, busy: bool) -> None:
        """Fits it to what could be folded; nothing is offered while the conversation is `busy`."""
        self._folding, self._busy = folding, busy
        possible = folding.offer is not None and not busy
        if not possible and not folding.planning and folding.refused is not None:
            self.close_form()
        self.open.setEnabled(possible)
        self.fold.setEnabled(possible)
        self._say()

    def close_form(self) -> None:
        """Nothing is folded; what was typed stays for the next time."""
        inside = self._inside.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        self._inside.hide()
        self.open.show()
        if inside:
            self.open.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes the form."""
        if event.key() == Qt.Key.Key_Escape and not self._inside.isHidden():
            self.close_form()
            return
        super().keyPressEvent(event)

    def _open(self) -> None:
        self.open.hide()
        self._inside.show()
        self.focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fold(self) -> None:
        if self.fold.isEnabled():
            focus = self.focus.text().strip()
            self.focus.clear()
            self.close_form()
            self.foldAsked.emit(focus)

    def _arrange(self) -> None:
        acts = QHBoxLayout()
        acts.setSpacing(8)
        acts.addWidget(self.fold)
        acts.addWidget(self.cancel)
        acts.addStretch()
        inner = QVBoxLayout(self._inside)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        inner.addWidget(self.focus)
        inner.addLayout(acts)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        line = QHBoxLayout()
        line.setSpacing(12)
        line.addWidget(self.what, 1, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.open, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(line)
        layout.addWidget(self._inside)

    def _say(self) -> None:
        say = self._language.say
        self.open.set_words(say("compaction.form.open"))
        self.fold.set_words(say("compaction.form.fold"))
        self.cancel.set_words(say("compaction.form.cancel"))
        self.focus.setPlaceholderText(say("compaction.form.focus"))
        self.focus.setAccessibleName(say("compaction.form.focus"))
        set_tooltip(self.focus, say("compaction.form.focus_hint"))
        self.what.setText(self._sentence())

    def _sentence(self) -> str:
        say, language, folding = self._language.say, self._language, self._folding
        if folding is None:
            return ""
        if folding.offer is not None:
            offer = folding.offer
            figures = (f"{one.known.sign}\u00a0{language.number(one.tokens)}" for one in (offer.before, offer.after))
            sentence = say(
                "compaction.form.what",
                n=offer.messages,
                first=offer.turns[0],
                last=offer.turns[1],
                kept=language.number(offer.kept),
            )
            return f"{sentence}\n{say('compaction.form.figures', figures=' → '.join(figures))}"
        if isinstance(folding.refused, NothingToFold):
            tokens = int(folding.refused.params.get("tokens", 0))
            return say("compaction.form.nothing", tokens=language.number(tokens))
        if folding.refused is not None:
            return language.explain(folding.refused)
        return say("compaction.form.later" if self._busy else "compaction.form.looking")
