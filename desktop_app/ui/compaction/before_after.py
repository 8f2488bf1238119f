"""Two bars, one above the other: the whole context before a compaction and after it, by segment."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure
from desktop_app.ui.compaction.segment_bar import Rows, SegmentBar, SegmentLegend
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_LEAST_SHARE, _ROOM = 0.2, 1.25


class BeforeAfter(QWidget):
    """Each bar with its name, its figure and, after folding, how much less it is."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._figures: tuple[Figure, Figure] | None = None
        self._rows: tuple[Rows, Rows] = ((), ())
        self._whole = 0
        self._named = True
        self.names = (PlainLabel(tone="muted"), PlainLabel(tone="muted"))
        self.figures = (PlainLabel(), PlainLabel())
        self.bars = (SegmentBar(theme, language), SegmentBar(theme, language))
        self.less = PlainLabel(tone="good")
        self.legend = SegmentLegend(theme, language)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        for place in (0, 1):
            line = QHBoxLayout()
            line.setSpacing(6)
            line.addWidget(self.names[place])
            line.addStretch()
            line.addWidget(self.figures[place])
            if place:
                line.addWidget(self.less)
                layout.addSpacing(4)
            layout.addLayout(line)
            layout.addWidget(self.bars[place])
        layout.addSpacing(2)
        layout.addWidget(self.legend)
        for figure in self.figures:
            figure.setAlignment(Qt.AlignmentFlag.AlignRight)
        language.changed.connect(self._say)
        self._say()

    def show_figures(
        self, before: Figure, after: Figure, rows_before: Rows = (), rows_after: Rows = (), whole: int = 0
    ) -> None:
        """Tokens of the whole context, by segment where that is known; `whole` is what the full width stands for."""
        self._figures, self._rows, self._whole = (before, after), (rows_before, rows_after), whole
        self._say()

    def name_segments(self, named: bool) -> None:
        """Whether a legend stands below the bars; without one the pointer tells."""
        self._named = named
        self.legend.setVisible(named and any(self._rows))

    def _say(self) -> None:
        say, language = self._language.say, self._language
        for name, word in zip(self.names, ("before", "after"), strict=True):
            name.setText(say(f"compaction.bars.{word}"))
        if self._figures is None:
            return
        most = _bar_end(max(figure.tokens for figure in self._figures), self._whole)
        for place, figure in enumerate(self._figures):
            text = f"{figure.known.sign} {language.number(figure.tokens)}"
            self.figures[place].setText(text)
            set_tooltip(self.figures[place], say(f"compaction.bars.{figure.known}_hint"))
            self.bars[place].show_rows(self._rows[place] or ((Segment.MESSAGES, figure.tokens),), most)
            self.bars[place].setAccessibleName(say("budget.part", name=self.names[place].text(), tokens=text))
        self.legend.show_rows(*self._rows)
        self.name_segments(self._named)
        before, after = (figure.tokens for figure in self._figures)
        change = (after - before) / before if before else 0.0
        self.less.setText(f"{'−' if change < 0 else '+'}{round(abs(change) * 100)} %")
        self.less.set_tone("good" if change < 0 else "warning")


def _bar_end(tokens: int, wanted: int) -> int:
    """Tokens the full width stands for: what is wanted, unless that would leave a sliver."""
    return max(tokens, wanted if tokens >= wanted * _LEAST_SHARE else round(tokens * _ROOM), 1)
