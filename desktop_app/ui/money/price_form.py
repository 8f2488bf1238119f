"""The fields of a price of one's own, each with its sentence where it cannot be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.core.errors import BadInput
from desktop_app.core.money.price_rows import (
    ANY_PROMPT,
    KINDS,
    PRICED_HOST,
    PriceRow,
    above_from,
    amount_from,
    day_from,
    host_from,
    model_from,
    plain,
    proposed,
    row_from,
)
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel

_CHECKS: Mapping[str, Callable[[str], object]] = {
    "model": model_from,
    "host": host_from,
    **dict.fromkeys(KINDS, amount_from),
    "from": day_from,
    "above": above_from,
}
_OPTIONAL = {"host": PRICED_HOST, "from": "2026-12-01", "above": "100000"}
"""Fields that may stay empty, with what stands in them faintly."""
_PLACES = {
    **{"model": (0, 0, 3), "host": (0, 3, 2)},
    **{kind: (3, column, 1) for column, kind in enumerate(KINDS)},
    **{"from": (6, 0, 2), "above": (6, 2, 2)},
}
"""Row of the name, column and width in the grid of five columns."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: PlainLabel
    edit: QLineEdit
    wrong: PlainLabel


class PriceForm(QFrame):
    """Signals: saveAsked(PriceRow) with what can be used; edited() at every change; pointed(QWidget) at a field that
    is to be seen."""

    saveAsked = Signal(object)
    pointed = Signal(object)
    edited = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._language = language
        self._checked: set[str] = set()
        self.fields = {
            name: _Field(PlainLabel(tone="muted"), QLineEdit(), PlainLabel(tone="danger", wrap=True))
            for name in _CHECKS
        }
        self.proposal = PlainLabel(tone="muted", wrap=True)
        self.propose = TextButton(kind="link")
        self.effect = PlainLabel(tone="muted", wrap=True)
        self._arrange(theme)
        for name, field in self.fields.items():
            field.edit.textEdited.connect(self._on_edited)
            field.edit.editingFinished.connect(lambda name=name: self._on_left(name))
            field.edit.returnPressed.connect(self.save)
        self.propose.clicked.connect(self._take_proposal)
        language.changed.connect(self.say)
        self.say()

    def show_row(self, row: PriceRow | None) -> None:
        """Fills the fields with a row whose model and host stay, or empties them for a new one."""
        self._checked.clear()
        texts = _texts(row) if row is not None else {}
        for name, field in self.fields.items():
            field.edit.setText(texts.get(name, ""))
            field.edit.setCursorPosition(0)
        for name in ("model", "host"):
            self.fields[name].edit.setEnabled(row is None)
        self._judge()
        first = self.fields["model" if row is None else KINDS[0]].edit
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        first.selectAll()
        self.pointed.emit(first)

    def draft(self) -> PriceRow | None:
        """What the fields say; None while one of them cannot be used."""
        try:
            return row_from(self._texts())
        except BadInput:
            return None

    def save(self) -> None:
        """Asks for the row to be kept, or shows what is wrong and goes to the first such field."""
        self._checked |= set(_CHECKS)
        self._judge()
        wrong = next((field for field in self.fields.values() if not field.wrong.isHidden()), None)
        if wrong is not None:
            wrong.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            self.pointed.emit(wrong.wrong)
        elif (row := self.draft()) is not None:
            self.saveAsked.emit(row)

    def show_effect(self, words: str) -> None:
        """What saving would do to the other prices of the model."""
        self.effect.setText(words)
        self.effect.setVisible(bool(words))

    def _arrange(self, theme: Theme) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        for name, (row, column, width) in _PLACES.items():
            field = self.fields[name]
            grid.addWidget(field.name, row, column, 1, width)
            grid.addWidget(field.edit, row + 1, column, 1, width)
            grid.addWidget(field.wrong, row + 2, column, 1, width, Qt.AlignmentFlag.AlignTop)
            keep_font(field.name, theme, 11.5)
            keep_font(field.wrong, theme, 11.5)
        for column in range(len(KINDS)):
            grid.setColumnStretch(column, 1)
        for row in (2, 5):
            grid.setRowMinimumHeight(row, 5)
        offer = QHBoxLayout()
        offer.setSpacing(8)
        offer.addWidget(self.proposal, 1)
        offer.addWidget(self.propose, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(8)
        layout.addLayout(grid)
        layout.addLayout(offer)
        layout.addWidget(self.effect)
        keep_font(self.proposal, theme, 11.5)
        keep_font(self.effect, theme, 11.5)

    def _texts(self) -> dict[str, str]:
        return {name: field.edit.text() for name, field in self.fields.items()}

    def _on_edited(self) -> None:
        self._judge()
        self.edited.emit()

    def _on_left(self, name: str) -> None:
        """What was typed is judged once its field is left; an empty one only when it is to be saved."""
        if self.fields[name].edit.text():
            self._checked.add(name)
            self._judge()

    def _judge(self) -> None:
        for name, field in self.fields.items():
            reason = self._reason(name)
            field.wrong.setVisible(bool(reason) and name in self._checked)
            field.wrong.setText(reason)
            field.edit.setAccessibleDescription(reason if name in self._checked else "")
        self._say_proposal()

    def _reason(self, name: str) -> str:
        try:
            _CHECKS[name](self.fields[name].edit.text())
        except BadInput as error:
            return self._language.say(f"price_list.wrong.{error.params['why']}")
        return ""

    def _proposed(self) -> dict[str, str]:
        """The proposals for the fields that are still empty once an input price stands there."""
        try:
            amount = amount_from(self.fields["input"].edit.text())
        except BadInput:
            return {}
        return {kind: plain(share) for kind, share in proposed(amount).items()}

    def _say_proposal(self) -> None:
        amounts = self._proposed()
        shown = bool(amounts) and any(not self.fields[kind].edit.text().strip() for kind in amounts)
        self.proposal.setVisible(shown)
        self.propose.setVisible(shown)
        if shown:
            self.proposal.setText(self._language.say("price_list.proposal", **amounts))

    def _take_proposal(self) -> None:
        for kind, amount in self._proposed().items():
            if not self.fields[kind].edit.text().strip():
                self.fields[kind].edit.setText(amount)
        self._on_edited()
        self.fields["output"].edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def say(self) -> None:
        """Names of the fields in the language in use."""
        say = self._language.say
        self.setAccessibleName(say("price_list.form"))
        for name, field in self.fields.items():
            words = say(f"price_list.field.{name}")
            field.name.setText(f"{words} · {say('price_list.optional')}" if name in _OPTIONAL else words)
            field.edit.setAccessibleName(words)
            field.edit.setPlaceholderText(_OPTIONAL.get(name, ""))
        self.propose.set_words(say("price_list.propose"))
        self._judge()


def _texts(row: PriceRow) -> dict[str, str]:
    rates = row.rates
    return {
        "model": row.model,
        "host": row.host,
        **{kind: plain(getattr(rates, kind)) for kind in KINDS},
        "from": "" if rates.since == date.min else rates.since.isoformat(),
        "above": "" if rates.above == ANY_PROMPT else str(rates.above),
    }
