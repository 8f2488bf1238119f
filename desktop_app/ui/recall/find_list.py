"""Finds below a heading, one card each; a folded list makes its cards when it is opened."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.recall_models import FindRow
from desktop_app.core.passages import PassageKind
from desktop_app.ui.language import Language
from desktop_app.ui.recall.find_card import FindCard
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton


class FindList(QWidget):
    """Hidden without finds. With `folds` its heading is a button that opens and closes it.

    Signals:
        factChosen(str), sourceChosen(str, str): as a card tells them.
    """

    factChosen = Signal(str)
    sourceChosen = Signal(str, str)

    def __init__(self, theme: Theme, language: Language, *, folds: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._rows: tuple[FindRow, ...] = ()
        self._most: dict[PassageKind, float] = {}
        self.opened = not folds
        self.cards: list[FindCard] = []
        self.toggle = TextButton(kind="link")
        self.toggle.setVisible(folds)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.toggle, 0, Qt.AlignmentFlag.AlignLeft)
        self.toggle.clicked.connect(lambda: self.open(not self.opened))

    def show_rows(self, rows: Sequence[FindRow], most: dict[PassageKind, float]) -> None:
        """Other finds; `most` gives for each kind what the best score adds up to."""
        self._rows, self._most = tuple(rows), most
        self.setVisible(bool(rows))
        self._fill()

    def open(self, opened: bool) -> None:
        """Shows the cards, or hides them."""
        self.opened = opened
        self._fill()

    def _fill(self) -> None:
        rows = self._rows if self.opened else ()
        while len(self.cards) < len(rows):
            card = FindCard(self._theme, self._language)
            card.factChosen.connect(self.factChosen)
            card.sourceChosen.connect(self.sourceChosen)
            self.cards.append(card)
            self._column.addWidget(card)
        while len(self.cards) > len(rows):
            card = self.cards.pop()
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for card, row in zip(self.cards, rows, strict=True):
            card.show_row(row, self._most.get(row.kind, 1.0))
        words = "recall.panel.hide_near" if self.opened else "recall.panel.show_near"
        self.toggle.set_words(self._language.say(words, n=len(self._rows)))
