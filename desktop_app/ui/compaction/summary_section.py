"""The summary in use: what it folded, what that saved, the text itself, its values, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.shown_folding import Folded, ShownFolding
from desktop_app.bridge.summary_review import SummaryReview
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.summary_text import split
from desktop_app.core.usage import Figure
from desktop_app.ui.compaction.fact_card import FactCard
from desktop_app.ui.compaction.folded_list import FoldedList
from desktop_app.ui.compaction.proposal_section import made_words
from desktop_app.ui.compaction.quality_line import QualityLine
from desktop_app.ui.compaction.summary_card import SummaryCard
from desktop_app.ui.compaction.values_section import ValuesSection
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class SummarySection(QWidget):
    """`undoAsked`, `messageChosen(id)`."""

    undoAsked = Signal()
    messageChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._folding: ShownFolding | None = None
        self._folded: Folded | None = None
        self._review: SummaryReview | None = None
        self._carried: tuple[str, str] = ("", "")
        self.title = PlainLabel(tone="heading")
        self.made = PlainLabel(tone="muted", wrap=True)
        self.what = PlainLabel(tone="muted", wrap=True)
        self.focus = PlainLabel(tone="muted", wrap=True)
        self.carried = PlainLabel(tone="muted", wrap=True)
        self.card = SummaryCard(theme, language)
        self.check = TextButton(kind="link")
        self.values = ValuesSection(theme, language)
        self.fact = FactCard(theme, language)
        self.quality = QualityLine(language)
        self.list = FoldedList(theme, language)
        self.undo = TextButton()
        self._arrange()
        self._connect()
        self._say()

    def set_review(self, review: SummaryReview | None) -> None:
        """Whose text and values it shows."""
        self._review = review
        self.fact.hide()
        self.values.forget()

    def show_folding(self, folding: ShownFolding, *, busy: bool) -> None:
        """Fits the section to what is folded; `busy` while nothing can be undone."""
        folded, review = folding.folded, self._review
        self._folding = folding
        self.setVisible(folded is not None and folding.proposed is None)
        self.undo.setEnabled(not busy)
        if folded is not None and folded.message_ids != (self._folded.message_ids if self._folded else None):
            self.list.show_messages(folding.path, folded.message_ids)
        if folded is not None and review is not None and review.compaction is not None:
            one, free = review.compaction, not busy and not review.acting
            self.fact.conversation_id = one.conversation_id
            self.card.show_summary(one, review.draft if review.editing else None, busy=not free, storing=review.acting)
            known = review.check is not None or review.checking
            self.check.setVisible(not known)
            self.values.setVisible(known or review.unknown)
            self.values.show_check(review.check, checking=review.checking, editable=one.editable and free)
            self.quality.show_check(review.check, one.strategy)
        self._folded = folded
        self._say()

    def _connect(self) -> None:
        self.undo.clicked.connect(self.undoAsked)
        self.check.clicked.connect(self._on_check)
        self.list.messageChosen.connect(self.messageChosen)
        self.values.messageChosen.connect(self.messageChosen)
        self.values.factAsked.connect(self.fact.begin)
        self.values.findAsked.connect(self.card.find_words)
        self.values.putBackAsked.connect(self._on_put_back)
        self.card.editAsked.connect(self._on_edit)
        self.card.typed.connect(self._on_typed)
        self._language.changed.connect(self._say)

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
        head = QVBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.title)
        head.addWidget(self.made)
        self.list.head.addWidget(self.undo)
        line = QHBoxLayout()
        line.addWidget(self.check)
        line.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        for widget in (self.what, self.focus, self.card, self.carried):
            layout.addWidget(widget)
        layout.addLayout(line)
        for part in (self.values, self.fact, self.quality, self.list):
            layout.addWidget(part)

    def _say(self) -> None:
        say, language = self._language.say, self._language
        self.title.setText(say("compaction.current.title"))
        self.undo.set_words(say("compaction.current.undo"))
        set_tooltip(self.undo, say("compaction.current.undo_hint"))
        self.check.set_words(say("compaction.values.check"))
        if self._folded is None or self._folding is None:
            return
        one = self._folded.compaction
        made = made_words(language, self._folding, one.id)
        self.made.setText(" · ".join(filter(None, (made, language.when(one.created_at)))))
        first, last = self._folded.turns
        self.what.setText(
            say(
                "compaction.current.what",
                n=one.folded,
                first=first,
                last=last,
                before=_figure(language, self._folded.before),
                after=_figure(language, self._folded.after),
            )
        )
        self.focus.setText(say("compaction.current.focus", focus=visible_line(one.focus, 300)))
        self.focus.setVisible(bool(one.focus))
        carried = self._carried_words(one.summary)
        self.carried.setText(carried)
        self.carried.setVisible(bool(carried))

    def _carried_words(self, text: str) -> str:
        """What stands in the summary word for word, counted."""
        say, language = self._language.say, self._language.code
        if self._carried[0] != f"{language}\n{text}":
            carried = split(text)[1]
            counts = (
                ("rules", len(carried.rules)),
                ("question", 1 if carried.question else 0),
                ("unfinished", len(carried.unfinished)),
                ("values", len(carried.values)),
                ("files", len(carried.files)),
            )
            parts = ", ".join(say(f"compaction.carried.{name}", n=count) for name, count in counts if count)
            self._carried = (f"{language}\n{text}", say("compaction.carried.line", parts=parts) if parts else "")
        return self._carried[1]


def _figure(language: Language, figure: Figure) -> str:
    return f"{figure.known.sign}\u00a0{language.number(figure.tokens)}"
