"""Settings of compaction: when it happens, how, who writes the summary, and what the API clears before that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.compaction import SERVER_STRATEGIES, Strategy
from desktop_app.core.settings import CHOICES, RANGES
from desktop_app.ui.compaction.strategy_button import StrategyButton
from desktop_app.ui.language import Language
from desktop_app.ui.settings_rows import CountField, Section, SettingRow, TokenField
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

_WORDLESS = (Strategy.WINDOW, *SERVER_STRATEGIES)
"""Strategies for which no summary is asked of a model by us."""


class CompactionSection(Section):
    """Reads and writes the profile in use; what the strategy has no use for is hidden."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("compaction", theme, language)
        self._session = session
        self.automatic, self.review = Switch(theme), Switch(theme)
        self.strategy = StrategyButton(theme, language)
        self.by = Segmented(theme)
        self.model = QLineEdit()
        self.model.setFixedWidth(220)
        self.messages = CountField(language, "settings.fold_messages_suffix")
        self.share = CountField(language, "settings.fold_share_suffix")
        self.tokens, self.keep = TokenField(language), TokenField(language)
        self.results, self.thinking = Switch(theme), Switch(theme)
        controls = {
            "fold_automatically": self.automatic,
            "fold_review": self.review,
            "fold_strategy": self.strategy,
            "fold_messages": self.messages,
            "fold_by": self.by,
            "fold_model": self.model,
            "fold_share": self.share,
            "fold_tokens": self.tokens,
            "fold_keep": self.keep,
            "clear_tool_results": self.results,
            "clear_thinking": self.thinking,
        }
        self.row_of = {name: self.add(SettingRow(name, control, theme, language)) for name, control in controls.items()}
        self._connect()
        self.show_all()

    def show_all(self) -> None:
        """Everything from the settings."""
        say, profile = self._language.say, self._session.settings.of()
        self.automatic.setChecked(profile.fold_automatically)
        self.review.setChecked(profile.fold_review)
        strategy = Strategy(profile.fold_strategy)
        self.strategy.show_strategies(self._offered(), strategy)
        self.row_of["fold_strategy"].say_hint(say(f"compaction.strategy.{strategy}_hint"))
        by = [(one, say(f"settings.fold_by_{one}")) for one in CHOICES["fold_by"]]
        self.by.set_choices(by, profile.fold_by, say("settings.fold_by"))
        self.row_of["fold_by"].say_hint(say(f"settings.fold_by_{profile.fold_by}_hint"))
        if not self.model.hasFocus():
            self.model.setText(profile.fold_model)
        self.model.setPlaceholderText(say("settings.fold_model_placeholder"))
        for field, name in (
            (self.messages, "fold_messages"),
            (self.share, "fold_share"),
            (self.tokens, "fold_tokens"),
            (self.keep, "fold_keep"),
        ):
            field.show_value(getattr(profile, name), *RANGES[name])
        self._show_rows(strategy, profile.fold_by)

    def _show_rows(self, strategy: Strategy, by: str) -> None:
        """Only what the strategy has a use for; what the endpoint lacks is shown off, with the reason."""
        say, state = self._language.say, self._session.endpoint
        asks = strategy not in _WORDLESS
        self.show_row(self.row_of["fold_messages"], strategy is Strategy.WINDOW)
        self.show_row(self.row_of["fold_by"], asks)
        self.show_row(self.row_of["fold_model"], asks and by != "fork")
        for switch, name in ((self.results, "clear_tool_results"), (self.thinking, "clear_thinking")):
            offered = state is None or getattr(state.features, name)
            switch.setEnabled(offered)
            switch.setChecked(offered and getattr(self._session.settings.of(), name))
            self.row_of[name].say_hint(say(f"settings.{name}_hint") if offered else say("settings.not_offered"))

    def _offered(self) -> list[tuple[Strategy, str]]:
        """All strategies, each with the catalogue id of why the endpoint cannot do it."""
        state = self._session.endpoint
        if state is None:
            return [(one, "") for one in Strategy]
        lacks = {
            Strategy.SERVER: not state.features.server_compaction,
            Strategy.SERVER_NOW: not state.features.server_compaction_now,
        }
        return [(one, "compaction.not_offered" if lacks.get(one, False) else "") for one in Strategy]

    def _connect(self) -> None:
        for switch, name in (
            (self.automatic, "fold_automatically"),
            (self.review, "fold_review"),
            (self.results, "clear_tool_results"),
            (self.thinking, "clear_thinking"),
        ):
            switch.clicked.connect(self._writer(name))
        for field, name in (
            (self.messages, "fold_messages"),
            (self.share, "fold_share"),
            (self.tokens, "fold_tokens"),
            (self.keep, "fold_keep"),
        ):
            field.valueChanged.connect(self._writer(name))
        self.strategy.chosen.connect(self._on_strategy)
        self.by.chosen.connect(self._on_by)
        self.model.editingFinished.connect(self._on_model)

    def _writer(self, name: str) -> object:
        def write(value: object) -> None:
            self._session.update_profile(**{name: value})

        return write

    def _on_strategy(self, strategy: Strategy) -> None:
        self._session.update_profile(fold_strategy=strategy.value)

    def _on_by(self, by: str) -> None:
        self._session.update_profile(fold_by=by)

    def _on_model(self) -> None:
        text = visible_line(self.model.text(), 200)
        if text != self._session.settings.of().fold_model:
            self._session.update_profile(fold_model=text)
