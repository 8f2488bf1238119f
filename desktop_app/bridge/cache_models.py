"""The Cache panel's values and models: the forecast of the next request, the parts of a turn, the table of turns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.figures import clock, number, percent
from desktop_app.core.cache.culprit import Culprit
from desktop_app.core.cache.figures import CacheFigures, CacheReport, CacheTurn
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.context_budget import Budget
from desktop_app.core.money.pricing import Cost, dollars
from desktop_app.core.request_log import RequestPurpose
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Forecast:
    """The next request as it stands below the composer.

    `usd` is what its input is expected to cost, `cold_usd` what it would if nothing of it were cached, None without a
    known price; `dated` is the day of the prices. `miss` says why it will not read what the last request left.
    """

    budget: Budget
    cache: CacheForecast
    usd: Decimal | None = None
    dated: date | None = None
    cold_usd: Decimal | None = None
    miss: Culprit | None = None

    @property
    def cached_share(self) -> float | None:
        """The share of it that is expected to be read, 0 to 1; None where nothing is known of a cache."""
        read, total = self.cache.read, self.budget.total.tokens
        return None if read is None or not total else min(read / total, 1.0)


class CachePart(StrEnum):
    """What the tokens of a request are to the cache."""

    READ = "read"
    WRITE_5M = "write_5m"
    WRITE_1H = "write_1h"
    UNCACHED = "uncached"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class CacheRow:
    """One line of a turn; tokens and USD are None where unknown, `estimated` where they are a guess."""

    part: CachePart
    tokens: int | None
    usd: Decimal | None
    estimated: bool = False


def cache_rows(figures: CacheFigures) -> list[CacheRow]:
    """The parts of a turn in the order of the bar, then its output; a write of one hour only where there is one."""
    guessed = {
        CachePart.WRITE_5M: not figures.split_known,
        CachePart.WRITE_1H: not figures.split_known,
        CachePart.OUTPUT: figures.output_estimated,
    }
    rows = [
        CacheRow(
            part,
            getattr(figures, part.value),
            getattr(figures.cost, part.value) if figures.cost else None,
            guessed.get(part, False),
        )
        for part in CachePart
    ]
    return [row for row in rows if row.part is not CachePart.WRITE_1H or row.tokens]


def money(words: Words, usd: Decimal | None, *, estimated: bool = False) -> str:
    """`$0.0131`, with `≈` in front of an estimate; a word where it is unknown."""
    if usd is None:
        return words.say("cache.unknown")
    return f"≈ {dollars(usd)}" if estimated else dollars(usd)


def cost_text(words: Words, cost: Cost | None) -> str:
    """A whole cost as `money` writes it."""
    return money(words, cost.total if cost else None, estimated=cost is not None and cost.estimated)


class CacheRowsModel(QAbstractTableModel):
    """The parts of a turn: name, tokens, money. `PartRole` gives the CacheRow."""

    PART, TOKENS, MONEY = range(3)
    PartRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self.rows: list[CacheRow] = []

    def show(self, figures: CacheFigures) -> None:
        """Shows a turn."""
        self.beginResetModel()
        self.rows = cache_rows(figures)
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of parts."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Three."""
        return 0 if parent.isValid() else 3

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole line for screen readers."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() == self.PART else _RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(filter(None, (self._text(row, column) for column in range(3))))
        return row if role == self.PartRole else None

    def _text(self, row: CacheRow, column: int) -> str:
        if column == self.PART:
            return self._words.say(f"cache.part.{row.part}")
        if column == self.MONEY:
            return money(self._words, row.usd, estimated=row.estimated)
        if row.tokens is None:
            return self._words.say("cache.unknown")
        text = number(self._words, row.tokens)
        return f"≈ {text}" if row.estimated else text


class CacheTurnsModel(QAbstractTableModel):
    """One row per turn or memo, newest first: name, read, written, uncached, hit rate, money saved."""

    TURN, READ, WRITTEN, UNCACHED, RATE, SAVED = range(6)
    HEADERS = ("turn", "read", "written", "uncached", "rate", "saved")

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self.turns: tuple[CacheTurn, ...] = ()
        self.simulated = False

    def show(self, report: CacheReport | None) -> None:
        """Shows the turns of a report."""
        self.beginResetModel()
        self.turns = tuple(reversed(report.turns)) if report else ()
        self.simulated = report is not None and report.simulated
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    def name(self, turn: CacheTurn) -> str:
        """`turn 12`, or the name of a memo's line; of another version it says so."""
        chat = turn.purpose is RequestPurpose.CHAT
        say = self._words.say
        name = say("context.history.turn", turn=turn.turn) if chat else say(f"cache.{turn.purpose}")
        return self._words.say("cache.other_version", name=name) if turn.other_version else name

    def line(self, turn: CacheTurn) -> str:
        """`turn 12 · 13:41 · 97.6 % from the cache`."""
        say, rate, name, time = self._words.say, turn.figures.hit_rate, self.name(turn), clock(turn.sent_at)
        if rate is None:
            return say("cache.line_unknown", name=name, time=time)
        line = say("cache.line", name=name, time=time, share=percent(self._words, rate))
        return say("cache.line_after_memo", line=line) if turn.after_memo else line

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of turns."""
        return 0 if parent.isValid() else len(self.turns)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Six."""
        return 0 if parent.isValid() else len(self.HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Column names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words.say(f"cache.column.{self.HEADERS[section]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section == self.TURN else _RIGHT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells, the whole row for screen readers."""
        if not index.isValid():
            return None
        turn = self.turns[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(turn, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if index.column() == self.TURN else _RIGHT
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._sentence(turn)
        return None

    def _text(self, turn: CacheTurn, column: int) -> str:
        figures = turn.figures
        if column == self.TURN:
            chat = turn.purpose is RequestPurpose.CHAT
            name = number(self._words, turn.turn) if chat else self._words.say(f"cache.{turn.purpose}")
            return self._words.say("cache.other_version_short", name=name) if turn.other_version else name
        if column == self.RATE:
            return "–" if figures.hit_rate is None else percent(self._words, figures.hit_rate)
        if column == self.SAVED:
            return (
                "–" if figures.saved is None else money(self._words, figures.saved, estimated=not figures.split_known)
            )
        tokens = (figures.read, figures.written, figures.uncached)[column - self.READ]
        return "–" if tokens is None else number(self._words, tokens)

    def _sentence(self, turn: CacheTurn) -> str:
        unknown = self._words.say("cache.unknown")
        names = [str(self.headerData(column, Qt.Orientation.Horizontal)) for column in range(1, len(self.HEADERS))]
        texts = [self._text(turn, column).replace("–", unknown) for column in range(1, len(self.HEADERS))]
        parts = [f"{name} {text}" for name, text in zip(names, texts, strict=True)]
        return ", ".join([self.name(turn), *parts[: -1 if self.simulated else None]])
