"""A summary that waits for the person: what it folds and saves, what of the values it holds, its text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import Folded, ShownFolding
from desktop_app.bridge.summary_review import SummaryReview
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.plan import CompactionLine
from desktop_app.core.money.pricing import dollars
from desktop_app.core.segment import Segment
from desktop_app.ui.compaction.before_after import BeforeAfter
from desktop_app.ui.compaction.fact_card import FactCard
from desktop_app.ui.compaction.quality_line import QualityLine
from desktop_app.ui.compaction.segment_bar import Rows
from desktop_app.ui.compaction.summary_card import SummaryCard
from desktop_app.ui.compaction.values_section import ValuesSection
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class ProposalSection(QWidget):
    """`messageChosen(id)`."""

    messageChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folding: ShownFolding | None = None
        self._review: SummaryReview | None = None
        self.title = PlainLabel()
        self.made = PlainLabel(tone="muted", wrap=True)
        self.tag = PlainLabel(tone="tag")
        self.bars = BeforeAfter(theme, language)
        self.what = PlainLabel(tone="muted", wrap=True)
        self.focus = PlainLabel(tone="muted", wrap=True)
        self.values = ValuesSection(theme, language)
        self.check = TextButton(kind="link")
        self.fact = FactCard(theme, language)
        self.quality = QualityLine(language)
        self.card = SummaryCard(theme, language)
        keep_font(self.title, theme, 15, QFont.Weight.DemiBold)
        self._arrange()
        self.check.clicked.connect(self._on_check)
        self.values.messageChosen.connect(self.messageChosen)
        self.values.factAsked.connect(self.fact.begin)
        self.values.findAsked.connect(self.card.find_words)
        self.values.putBackAsked.connect(self._on_put_back)
        self.card.editAsked.connect(self._on_edit)
        self.card.typed.connect(self._on_typed)
        language.changed.connect(self._say)
        self._say()

    def set_review(self, review: SummaryReview | None) -> None:
        """Whose text and values it shows."""
        self._review = review
        self.fact.hide()
        self.values.forget()

    def show_folding(self, folding: ShownFolding, *, busy: bool) -> None:
        """Fits it to the proposal that waits; hidden where none does. `busy` while nothing can be done with it."""
        self._folding = folding
        self.setVisible(folding.proposed is not None)
        review = self._review
        if folding.proposed is None or review is None or review.compaction is None:
            return
        one = review.compaction
        self.fact.conversation_id = one.conversation_id
        self.bars.show_figures(
            folding.proposed.before,
            folding.proposed.after,
            *_rows(folding, folding.proposed),
            whole=folding.state.threshold if folding.state is not None else 0,
        )
        free = not busy and not review.acting
        self.values.show_check(review.check, checking=review.checking, editable=one.editable and free)
        self.check.setVisible(review.unknown)
        self.quality.show_check(review.check, one.strategy)
        self.card.show_summary(one, review.draft if review.editing else None, busy=not free, storing=review.acting)
        self._say()

    def _on_check(self) -> None:
        if self._review is not None:
            self._review.look_again()

    def _on_put_back(self, values: Sequence[str]) -> None:
        if self._review is not None:
            self._review.put_back(values)

    def _on_edit(self) -> None:
        if self._review is not None:
            self._review.begin_edit()

    def _on_typed(self, text: str) -> None:
        if self._review is not None:
            self._review.type(text)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(9)
        head.addWidget(self.title, 1)
        head.addWidget(self.tag, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        top = QVBoxLayout()
        top.setSpacing(2)
        top.addLayout(head)
        top.addWidget(self.made)
        layout.addLayout(top)
        for widget in (self.bars, self.what, self.focus):
            layout.addWidget(widget)
        layout.addSpacing(6)
        line = QHBoxLayout()
        line.addWidget(self.check)
        line.addStretch()
        layout.addWidget(self.values)
        layout.addLayout(line)
        for part in (self.fact, self.card, self.quality):
            layout.addWidget(part)

    def _say(self) -> None:
        say, language = self._language.say, self._language
        self.title.setText(say("compaction.proposal.title"))
        self.check.set_words(say("compaction.values.check"))
        folding = self._folding
        if folding is None or folding.proposed is None:
            return
        one, (first, last) = folding.proposed.compaction, folding.proposed.turns
        self.made.setText(made_words(language, folding, one.id))
        known = folding.proposed.before.known
        self.tag.setText(say(f"context.known_{known}"))
        set_tooltip(self.tag, say(f"compaction.due.{known}_hint"))
        kept = dict(_rows(folding, folding.proposed)[1]).get(Segment.MESSAGES)
        words = say("compaction.proposal.what", n=one.folded, first=first, last=last)
        rest = say("compaction.proposal.keeps", kept=language.number(kept)) if kept is not None else ""
        self.what.setText(" · ".join(filter(None, (words, rest))))
        self.focus.setText(say("compaction.current.focus", focus=visible_line(one.focus, 300)))
        self.focus.setVisible(bool(one.focus))


def made_words(language: Language, folding: ShownFolding, compaction_id: str) -> str:
    """`memo · claude-haiku-5-5 · 6.4 s · $0.0048`, as far as it is known."""
    line = line_of(folding, compaction_id)
    shown = [one.compaction for one in (folding.proposed, folding.folded) if one is not None]
    known = [line.compaction] if line is not None else [one for one in shown if one.id == compaction_id]
    one = known[0] if known else None
    if one is None:
        return ""
    parts = [language.say(f"compaction.strategy.{one.strategy}"), visible_line(one.model, 60)]
    if one.request_ids:
        parts.append(language.seconds(one.seconds))
        parts += [dollars(line.cost)] if line is not None and line.cost is not None else []
    return " · ".join(filter(None, parts))


def line_of(folding: ShownFolding, compaction_id: str) -> CompactionLine | None:
    """The line of the log that tells of a compaction."""
    return next((line for line in folding.log if line.compaction.id == compaction_id), None)


def _rows(folding: ShownFolding, proposed: Folded) -> tuple[Rows, Rows]:
    """The context before and after a proposal by segment; nothing where the plan no longer cuts where it does."""
    plan, one = folding.plan, proposed.compaction
    if plan is None or not plan.message_ids or plan.message_ids[-1] != one.until_message_id:
        return (), ()
    rest = [(segment, tokens) for segment, tokens in plan.rows_after if segment is not Segment.SUMMARY]
    after = dict([*rest, (Segment.SUMMARY, one.summary_tokens)])
    return plan.rows_before, tuple((segment, after[segment]) for segment in Segment if segment in after)
