"""The ways a summary can be written, each with its price: the proposed one is chosen, another can be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.compaction import WrittenBy
from desktop_app.core.compaction.plan import Way
from desktop_app.core.money.pricing import dollars
from desktop_app.ui.language import Language
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class WayRow(QWidget):
    """One way: by whom, for how much, and below that how many tokens and why."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.way: Way | None = None
        self.choice = QRadioButton()
        self.about = PlainLabel(tone="muted", wrap=True)
        self.about.setContentsMargins(24, 0, 0, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addWidget(self.choice)
        layout.addWidget(self.about)

    def show_way(self, way: Way) -> None:
        """Another way."""
        say, language = self._language.say, self._language
        self.way = way
        price = f"≈ {dollars(way.cost)}" if way.cost is not None else say("compaction.ways.unknown")
        name = say(f"compaction.ways.{way.by}", model=visible_line(way.model, 40))
        self.choice.setText(f"{name} · {price}".replace("&", "&&") if way.possible else name)
        self.choice.setEnabled(way.possible)
        tokens = say("compaction.ways.tokens", tokens=language.number(way.tokens))
        cached = say("compaction.ways.cached", share=language.percent(way.read / way.tokens)) if way.read else ""
        reason = say(way.reason) if way.reason else ""
        parts = (tokens, cached, reason) if way.possible else (reason,)
        self.about.setText(" · ".join(filter(None, parts)))
        self.choice.setAccessibleName(f"{self.choice.text()}, {self.about.text()}")
        set_tooltip(self.choice, say(f"compaction.ways.{way.by}_hint"))


def ways_words(language: Language, ways: Sequence[Way]) -> str:
    """What each way that can be taken costs, in one line, the proposed one first."""
    say, parts = language.say, []
    for way in ways:
        if way.possible:
            price = f"≈ {dollars(way.cost)}" if way.cost is not None else say("compaction.ways.unknown")
            name = say(f"compaction.ways.{way.by}", model=visible_line(way.model, 40))
            parts.append(", ".join(filter(None, (f"{name} {price}", say(way.reason) if way.reason else ""))))
    return " · ".join(parts)


class WaysList(QWidget):
    """`chosen` is the way that is taken: the proposed one unless the person took another."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._ways: tuple[Way, ...] = ()
        self.rows: list[WayRow] = []
        self._group = QButtonGroup(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        language.changed.connect(self._say)

    @property
    def chosen(self) -> WrittenBy | None:
        """None where there is no choice, or the proposed one is kept."""
        for row in self.rows[1 : len(self._ways)]:
            if row.choice.isChecked() and row.way is not None:
                return row.way.by
        return None

    def show_ways(self, ways: Sequence[Way]) -> None:
        """The ways, the proposed one first; other ones make it the chosen one again."""
        if tuple(ways) == self._ways:
            return
        self._ways = tuple(ways)
        while len(self.rows) < len(ways):
            row = WayRow(self._language)
            self.rows.append(row)
            self._group.addButton(row.choice)
            self._layout.addWidget(row)
        self._say()
        if ways:
            self.rows[0].choice.setChecked(True)

    def _say(self) -> None:
        for place, row in enumerate(self.rows):
            row.setVisible(place < len(self._ways))
            if place < len(self._ways):
                row.show_way(self._ways[place])
        self.setVisible(bool(self._ways))
        self.setAccessibleName(self._language.say("compaction.ways.name"))
