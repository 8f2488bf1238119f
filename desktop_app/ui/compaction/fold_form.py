"""Compacting by hand: what it would do and cost, what is to be kept with care, or why nothing can be folded."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import ShownFolding
from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.errors import NothingToFold
from desktop_app.ui.compaction.before_after import BeforeAfter
from desktop_app.ui.compaction.strategy_button import StrategyButton
from desktop_app.ui.compaction.ways_list import WaysList, ways_words
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.flow_line import FlowLine
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip
from desktop_app.ui.widgets.switch import Switch

_MOST = 500


class FoldForm(QWidget):
    """The button opens the form, whose own button folds.

    Signals:
        foldAsked(FoldOrder): it is to be done.
        previewAsked(bool): the messages that would fold are to be marked in the chat, or no longer.
        strategyChosen(Strategy): another strategy is to hold for the profile.
    """

    foldAsked = Signal(object)
    previewAsked = Signal(bool)
    strategyChosen = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folding: ShownFolding | None = None
        self._busy = self._editing = False
        self.title = PlainLabel(tone="heading")
        self.strategy = StrategyButton(theme, language)
        self.what = PlainLabel(tone="muted", wrap=True)
        self.bars = BeforeAfter(theme, language)
        self.prices = PlainLabel(tone="muted", wrap=True)
        self.ways = WaysList(language)
        self.open = TextButton()
        self.focus = QLineEdit()
        self.focus.setMaxLength(_MOST)
        self.review = Switch(theme)
        self.fold = TextButton(kind="primary")
        self.cancel = TextButton()
        self._inside = QWidget()
        self._arrange()
        self._inside.hide()
        self.bars.name_segments(False)
        self.open.clicked.connect(self._open)
        self.cancel.clicked.connect(self.close_form)
        self.fold.clicked.connect(self._fold)
        self.focus.returnPressed.connect(self._fold)
        self.strategy.chosen.connect(self.strategyChosen)
        language.changed.connect(self._say)
        self._say()

    def forget(self) -> None:
        """Another conversation: what was typed for this one is not for it."""
        self.close_form()
        self.focus.clear()

    def show_folding(self, folding: ShownFolding, *, busy: bool, editing: bool = False) -> None:
        """Fits it to what could be folded; nothing is offered while the conversation is `busy`.

        While the summary in use is `editing`, it cannot be folded: the edit would be lost with it.
        """
        self._folding, self._busy, self._editing = folding, busy, editing
        possible = folding.plan is not None and not busy
        if not possible and not folding.planning and folding.refused is not None:
            self.close_form()
        self.open.setEnabled(possible)
        self.fold.setEnabled(possible and not editing)
        self.strategy.setEnabled(not busy)
        state, plan = folding.state, folding.plan
        self.strategy.show_strategies(folding.strategies, state.strategy if state is not None else Strategy.MEMO)
        self.bars.setVisible(plan is not None)
        self.ways.show_ways(plan.ways if plan is not None else ())
        if plan is not None:
            whole = state.threshold if state is not None else 0
            self.bars.show_figures(plan.before, plan.after, plan.rows_before, plan.rows_after, whole)
        self._say()

    @property
    def opened(self) -> bool:
        """Whether the form is open."""
        return not self._inside.isHidden()

    def close_form(self) -> None:
        """Nothing is folded; what was typed stays for the next time."""
        if not self.opened:
            return
        inside = self._inside.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        self._unfold(False)
        self.previewAsked.emit(False)
        if inside:
            self.open.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes the form."""
        if event.key() == Qt.Key.Key_Escape and self.opened:
            self.close_form()
            return
        super().keyPressEvent(event)

    def _open(self) -> None:
        self._unfold(True)
        self.review.setChecked(self._folding is not None and bool(self._folding.state and self._folding.state.review))
        self.focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self.previewAsked.emit(True)

    def _unfold(self, opened: bool) -> None:
        self._inside.setVisible(opened)
        self.open.setVisible(not opened)
        self.bars.name_segments(opened)
        self._say()

    def _fold(self) -> None:
        if self.fold.isEnabled():
            focus = self.focus.text().strip()
            order = FoldOrder(focus=focus, review=self.review.isChecked(), by=self.ways.chosen)
            self.focus.clear()
            self.close_form()
            self.foldAsked.emit(order)

    def _arrange(self) -> None:
        acts = FlowLine()
        acts.addWidget(self.fold)
        acts.addWidget(self.cancel)
        inner = QVBoxLayout(self._inside)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        inner.addWidget(self.ways)
        inner.addWidget(self.focus)
        inner.addWidget(self.review)
        inner.addLayout(acts)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        head.addWidget(self.strategy)
        opening = QHBoxLayout()
        opening.addWidget(self.open)
        opening.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        for widget in (self.what, self.bars, self.prices):
            layout.addWidget(widget)
        layout.addLayout(opening)
        layout.addWidget(self._inside)

    def _say(self) -> None:
        say = self._language.say
        self.title.setText(say("compaction.form.title"))
        self.open.set_words(say("compaction.form.open"))
        self.fold.set_words(say("compaction.form.fold"))
        first = say("compaction.form.edit_first") if self._editing else ""
        set_tooltip(self.fold, first)
        self.fold.setAccessibleDescription(first)
        self.cancel.set_words(say("compaction.form.cancel"))
        self.focus.setPlaceholderText(say("compaction.form.focus"))
        self.focus.setAccessibleName(say("compaction.form.focus"))
        set_tooltip(self.focus, say("compaction.form.focus_hint"))
        self.review.setText(say("compaction.form.review"))
        self.review.setAccessibleName(say("compaction.form.review"))
        set_tooltip(self.review, say("compaction.form.review_hint"))
        self.what.setText(self._sentence())
        plan = self._folding.plan if self._folding is not None else None
        prices = ways_words(self._language, plan.ways) if plan is not None else ""
        self.prices.setText(prices)
        self.prices.setVisible(bool(prices) and not self.opened)

    def _sentence(self) -> str:
        say, language, folding = self._language.say, self._language, self._folding
        if folding is None:
            return ""
        if folding.plan is not None:
            plan = folding.plan
            sentence = say(
                "compaction.form.what",
                n=len(plan.message_ids),
                first=plan.turns[0],
                last=plan.turns[1],
                kept=language.number(plan.kept_tokens),
            )
            return f"{sentence} {say('compaction.form.no_request')}" if not plan.ways else sentence
        if isinstance(folding.refused, NothingToFold):
            tokens = int(folding.refused.params.get("tokens", 0))
            return say("compaction.form.nothing", tokens=language.number(tokens))
        if folding.refused is not None:
            return language.explain(folding.refused)
        return say("compaction.form.later" if self._busy else "compaction.form.looking")
