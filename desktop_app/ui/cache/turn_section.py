"""One turn in the Cache panel: its input as a bar, then each part with tokens and money."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import CacheRow, CacheRowsModel, cost_text, money
from desktop_app.core.cache.figures import CacheFigures, CacheTurn
from desktop_app.core.request_log import RequestPurpose
from desktop_app.ui.cache.parts_bar import PartsBar, paint_swatch
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class _PartDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        row: CacheRow = index.data(CacheRowsModel.PartRole)
        unknown = index.column() == CacheRowsModel.TOKENS and row.tokens is None
        return "muted" if unknown or index.column() == CacheRowsModel.MONEY else "text"

    def paint_mark(self, painter: QPainter, box: QRectF, index: AnyIndex) -> None:
        if index.column() == CacheRowsModel.PART:
            row: CacheRow = index.data(CacheRowsModel.PartRole)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_swatch(painter, self.theme, row.part, QRectF(box.left() + 6, box.center().y() - 5.5, 11, 11))


class PartsTable(FlatTable):
    """As tall as its rows; nothing in it is opened."""

    def __init__(self, model: CacheRowsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._rows = model
        self.setModel(model)
        delegate = _PartDelegate(theme, self)
        delegate.indents = {model.PART: 26}
        self.setItemDelegate(delegate)
        self.fit_columns(model.PART, {model.TOKENS: 92, model.MONEY: 92})
        self.horizontalHeader().hide()
        self.unsetCursor()
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        model.modelReset.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._rows.rowCount() * ROW + 2)


class TurnSection(QWidget):
    """Shows a turn. Signals: `backAsked`, the last turn is wanted again."""

    backAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._turn: CacheTurn | None = None
        self._chosen = self._simulated = False
        self.title = PlainLabel(tone="heading")
        self.input = ElidedLabel(tone="muted")
        self.input.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.back = TextButton(kind="link")
        self.bar = PartsBar(theme, language)
        self.model = CacheRowsModel(language.words, self)
        self.table = PartsTable(self.model, theme)
        self.sum = PlainLabel(tone="muted", wrap=True)
        heading = QHBoxLayout()
        heading.addWidget(self.title)
        heading.addWidget(self.input, 1)
        heading.addWidget(self.back)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(heading)
        for widget in (self.bar, self.table, self.sum):
            layout.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.back.clicked.connect(self.backAsked)

    def show_turn(self, turn: CacheTurn | None, *, chosen: bool, simulated: bool) -> None:
        """Shows a turn, one that was `chosen` by the person or the last."""
        self._turn, self._chosen, self._simulated = turn, chosen, simulated
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        say, turn, language = self._language.say, self._turn, self._language
        self.setVisible(turn is not None)
        self.model.set_words(language.words)
        if turn is None:
            return
        figures = turn.figures
        self.title.setText(self._title(turn))
        self._fit_input()
        self.back.set_words(say("cache.back"))
        set_tooltip(self.back, say("cache.back_hint"))
        self.back.setVisible(self._chosen)
        priced = not self._simulated and figures.cost is not None
        self.model.show(figures)
        self.table.setColumnHidden(self.model.MONEY, not priced)
        self.bar.show_rows(self.model.rows)
        self.table.setAccessibleName(self._title(turn))
        parts = [say("cache.requests", n=figures.requests)] if figures.requests > 1 else []
        if priced:
            parts.append(self._money(figures))
        elif not self._simulated:
            parts.append(say("cache.saved_none_hint"))
        self.sum.setText(" · ".join(parts))
        self.sum.setVisible(bool(parts))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fewer words where there is little room."""
        super().resizeEvent(event)
        self._fit_input()

    def _money(self, figures: CacheFigures) -> str:
        """What a turn cost, and what the cache saved or lost of it."""
        say, words = self._language.say, self._language.words
        cost, saved = cost_text(words, figures.cost), figures.saved
        size = money(words, abs(saved) if saved is not None else None, estimated=not figures.split_known)
        if saved is not None and saved < 0:
            return say("cache.turn_money_lost", cost=cost, lost=size)
        return say("cache.turn_money", cost=cost, saved=size)

    def _title(self, turn: CacheTurn) -> str:
        if turn.purpose is not RequestPurpose.CHAT:
            return self._language.say(f"cache.{turn.purpose}_title")
        if not self._chosen:
            return self._language.say("cache.last_turn")
        return self._language.say("cache.turn_title", turn=turn.turn)

    def _fit_input(self) -> None:
        total = self._turn.figures.input_total if self._turn else None
        if total is None:
            self.input.set_whole(self._language.say("cache.unknown") if self._turn else "")
            return
        tokens = self._language.number(total)
        wordings = [self._language.say(f"cache.{name}", tokens=tokens) for name in ("input", "input_short")]
        room = self.input.width()
        metrics = self.input.fontMetrics()
        self.input.set_whole(next((one for one in wordings if metrics.horizontalAdvance(one) <= room), wordings[-1]))
