"""The strategy in use and a menu of all: what the endpoint cannot do is shown with the reason, not to be taken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.core.compaction.compaction import Strategy
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.plain_label import set_tooltip


class StrategyButton(ChoiceButton):
    """`chosen(Strategy)` when another is taken."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self._language = language
        self._offered: tuple[tuple[Strategy, str], ...] = ()
        self._strategy = Strategy.MEMO
        language.changed.connect(self._say)

    def show_strategies(self, offered: Sequence[tuple[Strategy, str]], strategy: Strategy) -> None:
        """All strategies with the catalogue id of why one cannot be used (empty where it can), and the one in use."""
        self._offered = tuple(offered) or tuple((one, "") for one in Strategy)
        self._strategy = strategy
        self._say()

    def menu_of_choices(self) -> QMenu:
        """Each with what it does; a reason in place of that where it is not possible."""
        say, menu = self._language.say, QMenu(self)
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for strategy, reason in self._offered:
            name = say(f"compaction.strategy.{strategy}").replace("&", "&&")
            action = menu.addAction(f"{name} — {say(reason)}" if reason else name)
            action.setCheckable(True)
            action.setChecked(strategy is self._strategy)
            action.setEnabled(not reason)
            action.setToolTip(say(f"compaction.strategy.{strategy}_hint"))
            group.addAction(action)
            action.triggered.connect(partial(self.take, strategy))
        return menu

    def _say(self) -> None:
        say = self._language.say
        choices = [(one, say(f"compaction.strategy.{one}")) for one in Strategy]
        self.set_choices(choices, self._strategy, say("compaction.strategy.name"))
        set_tooltip(self, say(f"compaction.strategy.{self._strategy}_hint"))
