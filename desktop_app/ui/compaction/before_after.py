"""Two bars, one above the other: the whole context before folding and after it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_HEIGHT = 16


class ShareBar(QWidget):
    """A track filled to a share of its width."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.share = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_share(self, share: float) -> None:
        """0 to 1."""
        self.share = share
        self.update()

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(320, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track and stretch."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        painter.fillRect(QRectF(0, 0, self.share * self.width(), self.height()), tokens.segment(Segment.MESSAGES))
        painter.end()


class BeforeAfter(QWidget):
    """Each bar with its name, its figure and, after folding, how much less it is."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._figures: tuple[Figure, Figure] | None = None
        self.names = (PlainLabel(tone="muted"), PlainLabel(tone="muted"))
        self.figures = (PlainLabel(), PlainLabel())
        self.bars = (ShareBar(theme), ShareBar(theme))
        self.less = PlainLabel(tone="good")
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
        for figure in self.figures:
            figure.setAlignment(Qt.AlignmentFlag.AlignRight)
        language.changed.connect(self._say)
        self._say()

    def show_figures(self, before: Figure, after: Figure) -> None:
        """Tokens of the whole context."""
        self._figures = (before, after)
        self._say()

    def _say(self) -> None:
        say, language = self._language.say, self._language
        for name, word in zip(self.names, ("before", "after"), strict=True):
            name.setText(say(f"compaction.bars.{word}"))
        if self._figures is None:
            return
        most = max(*(figure.tokens for figure in self._figures), 1)
        for place, figure in enumerate(self._figures):
            text = f"{figure.known.sign} {language.number(figure.tokens)}"
            self.figures[place].setText(text)
            set_tooltip(self.figures[place], say(f"compaction.bars.{figure.known}_hint"))
            self.bars[place].show_share(figure.tokens / most)
            self.bars[place].setAccessibleName(say("budget.part", name=self.names[place].text(), tokens=text))
        before, after = (figure.tokens for figure in self._figures)
        change = (after - before) / before if before else 0.0
        self.less.setText(f"{'−' if change < 0 else '+'}{round(abs(change) * 100)} %")
        self.less.set_tone("good" if change < 0 else "warning")
