"""The prefix of a request as one strip: what of each block is read from the cache and what is not."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QVBoxLayout, QWidget

from desktop_app.bridge.heat_words import block_sentence
from desktop_app.core.cache.heat import BlockHeat, HeatMap
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.fitting_label import FittingLabel

_HEIGHT = 10
_SEAM = 8
"""Pixels from one seam between blocks to the next: closer ones are left out."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block on the strip, from `left` to `right` in pixels, read down to `warm`."""

    block: BlockHeat
    left: float
    warm: float
    right: float


class _Strip(QWidget):
    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.heat: HeatMap | None = None
        self._stretches: list[Stretch] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_heat(self, heat: HeatMap | None) -> None:
        if heat is not self.heat:
            self.heat, self._stretches = heat, None
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._stretches = None

    def stretches(self) -> list[Stretch]:
        """The blocks from left to right; placed once for a heat and a width, as a request may have thousands."""
        if self._stretches is None:
            self._stretches = self._placed()
        return self._stretches

    def _placed(self) -> list[Stretch]:
        blocks = self.heat.strip if self.heat is not None else ()
        total = sum(block.tokens for block in blocks)
        found, at = [], 0
        for block in blocks:
            ends = (at, at + block.read, at + block.tokens)
            left, warm, right = (end / total * self.width() if total else 0.0 for end in ends)
            found.append(Stretch(block, left, warm, right))
            at += block.tokens
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        for left, right in self._runs():
            painter.fillRect(QRectF(left, 0, right - left, _HEIGHT), tokens.color("good"))
        drawn = 0.0
        for stretch in self.stretches():
            if stretch.left - drawn >= _SEAM:
                painter.fillRect(QRectF(stretch.left - 0.5, 0, 1, _HEIGHT), tokens.color("window"))
                drawn = stretch.left

    def _runs(self) -> list[tuple[float, float]]:
        """From where to where it is read without a gap: many small blocks are painted as one."""
        runs: list[tuple[float, float]] = []
        for stretch in self.stretches():
            if stretch.warm <= stretch.left:
                continue
            if runs and stretch.left <= runs[-1][1]:
                runs[-1] = (runs[-1][0], stretch.warm)
            else:
                runs.append((stretch.left, stretch.warm))
        return runs

    def event(self, event: QEvent) -> bool:
        """Names the block below the pointer."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            x = event.pos().x()
            words = next((self._words(one.block) for one in self.stretches() if one.left <= x <= one.right), "")
            QToolTip.showText(event.globalPos(), f"<span>{escape(words)}</span>" if words else "", self)
            return True
        return super().event(event)

    def _words(self, block: BlockHeat) -> str:
        say, tokens = self._language.say, self._language.number(block.tokens)
        heat = block_sentence(self._language.words, block)
        return say(
            "context.heat.strip_block", segment=say(f"context.segment.{block.segment}"), tokens=tokens, heat=heat
        )


class HeatStrip(QWidget):
    """The strip and below it how much of the whole is read; hidden where nothing is known of a cache.

    What it shows of a block stands in the table of blocks as well.
    """

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.strip = _Strip(theme, language)
        self.caption = FittingLabel(tone="muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.strip)
        layout.addWidget(self.caption)
        language.changed.connect(self._say)
        self.hide()

    def show_heat(self, heat: HeatMap | None) -> None:
        """Shows the heat of a request."""
        self.strip.show_heat(heat)
        self.setVisible(heat is not None and bool(heat.strip))
        self._say()

    def _say(self) -> None:
        heat = self.strip.heat
        blocks = heat.strip if heat is not None else ()
        read, total = sum(block.read for block in blocks), sum(block.tokens for block in blocks)
        number = self._language.number
        words = self._language.say("context.heat.strip", read=number(read), total=number(total))
        self.caption.choose_from(words)
        self.strip.setAccessibleName(words)
