"""One find: what it is and says, the score with its parts, and the way to where it stands."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.recall_models import FindRow
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.recall.kind_look import KindMark
from desktop_app.ui.recall.score_bar import ScoreBar
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip
from desktop_app.ui.widgets.short_text import ShortText


class FindCard(QFrame):
    """Shows a FindRow.

    Signals:
        factChosen(str): the fact of that id is to be shown.
        sourceChosen(str, str): the message is to be shown, by conversation and message.
    """

    factChosen = Signal(str)
    sourceChosen = Signal(str, str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.row: FindRow | None = None
        self.setProperty("role", "card")
        self.mark = KindMark(theme)
        self.kind = PlainLabel(tone="muted")
        self.name = ElidedLabel(tone="heading")
        self.score = PlainLabel()
        self.about = ElidedLabel(tone="muted")
        self.fate = PlainLabel(tone="tag")
        self.text = ShortText(theme)
        self.bar = ScoreBar(theme)
        self.parts = PlainLabel(tone="muted", wrap=True)
        self.more = TextButton(kind="link")
        self.jump = TextButton(kind="link")
        self._arrange()
        keep_font(self.score, theme, weight=QFont.Weight.DemiBold)
        for small in (self.kind, self.about, self.fate, self.parts, self.more, self.jump):
            keep_font(small, theme, SMALL)
        self.text.cutChanged.connect(self._show_acts)
        self.more.clicked.connect(self._on_more)
        self.jump.clicked.connect(self._on_jump)

    def show_row(self, row: FindRow, most: float) -> None:
        """Another find; `most` is what the best of its kind adds up to."""
        self.row = row
        self.mark.show_kind(row.kind)
        self.kind.setText(row.kind_word)
        self.name.set_whole(row.name)
        self.name.set_tone("muted" if row.gone else "heading")
        self.score.setText(f"{row.score:.2f}")
        set_tooltip(self.score, self._language.say("recall.panel.score_hint"))
        self.about.set_whole(row.about)
        self.fate.setText(row.fate_word)
        self.fate.setVisible(bool(row.fate_word))
        self._second.setVisible(bool(row.about or row.fate_word))
        self.text.set_whole(row.text)
        self.text.set_colour("muted" if row.gone else "text")
        self.bar.show_row(row, most)
        self.parts.setText(row.parts_line)
        for part in (self.bar, self.parts):
            part.setVisible(bool(row.parts))
        words = (row.kind_word, row.name, row.about, row.fate_word, f"{row.score:.2f}")
        self.setAccessibleName(", ".join(filter(None, words)))
        self.setAccessibleDescription(f"{row.text}\n{row.parts_line}")
        self._show_acts()

    # -- acts -----------------------------------------------------------------------------------

    def _show_acts(self) -> None:
        say, row = self._language.say, self.row
        if row is None:
            return
        more = self.text.is_cut or self.text.opened
        self.more.setVisible(more)
        self.more.set_words(say("recall.panel.less" if self.text.opened else f"recall.panel.more_{row.kind}"))
        leads = bool(row.fact_id) or row.source is not None
        self.jump.setVisible(leads)
        self.jump.set_words(say(f"recall.panel.show_{row.kind}") if leads else "")
        for button in (self.more, self.jump):
            button.setAccessibleDescription(row.name)
        self._acts.setVisible(more or leads)

    def _on_more(self) -> None:
        self.text.set_open(not self.text.opened)
        self._show_acts()

    def _on_jump(self) -> None:
        row = self.row
        if row is not None and row.fact_id:
            self.factChosen.emit(row.fact_id)
        elif row is not None and row.source is not None:
            self.sourceChosen.emit(*row.source)

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(7)
        head.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.kind)
        head.addWidget(self.name, 1)
        head.addWidget(self.score)
        self._second, self._acts = QWidget(), QWidget()
        second = QHBoxLayout(self._second)
        second.setSpacing(8)
        second.addWidget(self.fate)
        second.addWidget(self.about, 1)
        acts = QHBoxLayout(self._acts)
        acts.setSpacing(12)
        acts.addWidget(self.jump)
        acts.addWidget(self.more)
        acts.addStretch(1)
        for line in (second, acts):
            line.setContentsMargins(0, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(5)
        layout.addLayout(head)
        layout.addWidget(self._second)
        layout.addWidget(self.text)
        layout.addSpacing(2)
        layout.addWidget(self.bar)
        layout.addWidget(self.parts)
        layout.addWidget(self._acts)
