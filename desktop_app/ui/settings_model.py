"""Settings of model and answers: model, instructions, effort, output limit, thinking, tools, cache, window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QLineEdit, QStackedWidget

from desktop_app.bridge.session_state import EndpointState
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.models import ModelInfo
from desktop_app.core.money.price_tag import Act
from desktop_app.core.settings import CHOICES, RANGES
from desktop_app.ui.language import Language
from desktop_app.ui.price_notes import price_of, say_setting, tag_choices, tag_models
from desktop_app.ui.settings_rows import Section, SettingRow, TokenField
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.plain_label import set_tooltip
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch
from desktop_app.ui.widgets.text_field import TextField

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

_TYPING_MS = 700


class ModelSection(Section):
    """Reads and writes the profile in use; what the endpoint or the model lacks is shown as off, with the reason."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("model", theme, language)
        self._session = session
        self.listed = ChoiceButton(theme)
        self.typed = QLineEdit()
        self.typed.setFixedWidth(260)
        self.model = QStackedWidget()
        self.model.addWidget(self.listed)
        self.model.addWidget(self.typed)
        self.model.setFixedHeight(30)
        self.instructions = TextField()
        self.instructions.setFixedHeight(112)
        self.effort = ChoiceButton(theme)
        self.output_limit = TokenField(language)
        self.thinking = Switch(theme)
        self.tools = Switch(theme)
        self.lifetime = Segmented(theme)
        self.window_field = TokenField(language)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self.model_row = self.add(SettingRow("model", self.model, theme, language))
        self.window_row = self.add(SettingRow("window", self.window_field, theme, language))
        self.instructions_row = self.add(SettingRow("instructions", self.instructions, theme, language, wide=True))
        self.effort_row = self.add(SettingRow("effort", self.effort, theme, language))
        self.limit_row = self.add(SettingRow("output_limit", self.output_limit, theme, language))
        self.thinking_row = self.add(SettingRow("thinking", self.thinking, theme, language))
        self.tools_row = self.add(SettingRow("tools", self.tools, theme, language))
        self.lifetime_row = self.add(SettingRow("cache_lifetime", self.lifetime, theme, language))
        tag_models(self.listed, session, language)
        tag_choices(self.effort, session, language, Act.EFFORT)
        self._connect()
        self.show_all()

    def show_all(self) -> None:
        """Everything from the session's settings and endpoint, in the language in use."""
        profile, state = self._session.settings.of(), self._session.endpoint
        model = state.model if state else None
        self._show_model(state, profile.model)
        self._show_effort(state, model, profile.effort)
        self._show_limit(model, profile.output_limit)
        self._show_switches(state)
        self._show_lifetime(state, profile.cache_lifetime)
        custom = state is not None and state.kind is EndpointKind.CUSTOM
        untold = model is None or model.window is None or "window" in (state.missing if state else ())
        self.show_row(self.window_row, custom and (untold or profile.window > 0))
        self.window_field.setSpecialValueText(self._language.say("settings.window_unknown"))
        self.window_field.show_value(profile.window, *RANGES["window"])
        if not self.instructions.hasFocus() and self.instructions.toPlainText() != profile.instructions:
            self.instructions.setPlainText(profile.instructions)
        self.instructions.setPlaceholderText(self._language.say("settings.instructions_placeholder"))
        self._say_prices()

    def keep_typed(self) -> None:
        """Takes what was typed and not yet kept."""
        self._typing.stop()
        text = self.instructions.toPlainText()
        if text != self._session.settings.of().instructions:
            self._session.update_profile(instructions=text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leaving the instructions keeps them at once."""
        if watched is self.instructions and event.type() is QEvent.Type.FocusOut:
            self.keep_typed()
        return super().eventFilter(watched, event)

    def _connect(self) -> None:
        self.listed.chosen.connect(self._on_model)
        self.typed.editingFinished.connect(self._on_typed_model)
        self.effort.chosen.connect(self._on_effort)
        self.output_limit.valueChanged.connect(self._on_limit)
        self.window_field.valueChanged.connect(self._on_window)
        self.thinking.clicked.connect(self._on_thinking)
        self.tools.clicked.connect(self._on_tools)
        self.lifetime.chosen.connect(self._on_lifetime)
        self.instructions.textChanged.connect(self._on_typing)
        self.instructions.installEventFilter(self)
        self._typing.timeout.connect(self.keep_typed)

    def _show_model(self, state: EndpointState | None, in_use: str) -> None:
        say = self._language.say
        models = state.models if state else ()
        choices = [(one.id, self._model_line(one)) for one in models]
        if in_use not in dict(choices):
            choices.insert(0, (in_use, visible_line(in_use, 60)))
        self.listed.set_choices(choices, in_use, say("settings.model"))
        if not self.typed.hasFocus():
            self.typed.setText(in_use)
        self.typed.setAccessibleName(say("settings.model"))
        self.model.setCurrentWidget(self.listed if models else self.typed)
        self.model.setFixedWidth(max(self.listed.sizeHint().width(), 200) if models else 260)
        free = not models and state is not None and state.kind is EndpointKind.CUSTOM
        self.model_row.say_hint(say("settings.model_free_hint" if free else "settings.model_hint"))

    def _model_line(self, model: ModelInfo) -> str:
        name = visible_line(model.name, 60)
        if model.window is None:
            return name
        window = self._language.number(model.window)
        return self._language.say("settings.model_line", name=name, window=window)

    def _show_effort(self, state: EndpointState | None, model: ModelInfo | None, in_use: str) -> None:
        say = self._language.say
        lacking = state is not None and "effort" in state.missing
        offered = () if lacking or model is None else model.efforts
        choices = [("", say("settings.effort_default"))]
        choices += [(one, say(f"settings.effort_{one}")) for one in offered]
        self.effort.set_choices(choices, in_use if in_use in offered else "", say("settings.effort"))
        self.effort.setEnabled(bool(offered))
        untold = state is not None and not state.models and state.kind is EndpointKind.ANTHROPIC
        reason = "features.effort_reason" if lacking else f"settings.effort_{'untold' if untold else 'none'}"
        self.effort_row.say_hint(say("settings.effort_hint" if offered or model is None else reason))

    def _show_limit(self, model: ModelInfo | None, in_use: int) -> None:
        say, (low, high) = self._language.say, RANGES["output_limit"]
        limit = model.output_limit if model else None
        self.output_limit.show_value(min(in_use, limit or high), low, limit or high)
        if limit:
            shown = self._language.number(limit)
            self.limit_row.say_hint(say("settings.output_limit_most", limit=shown))
        else:
            self.limit_row.say_hint(say("settings.output_limit_hint"))

    def _show_switches(self, state: EndpointState | None) -> None:
        profile, say = self._session.settings.of(), self._language.say
        lacking = state is not None and "thinking" in state.missing
        self.thinking.setEnabled(not lacking)
        self.thinking.setChecked(profile.show_thinking and not lacking)
        self.thinking_row.say_hint(say("features.thinking_reason" if lacking else "settings.thinking_hint"))
        self.tools.setChecked(profile.use_tools)

    def _show_lifetime(self, state: EndpointState | None, in_use: str) -> None:
        say = self._language.say
        lacking = state is not None and "caching" in state.missing
        choices = [(one, say(f"settings.cache_lifetime_{one}")) for one in CHOICES["cache_lifetime"]]
        self.lifetime.set_choices(choices, in_use, say("settings.cache_lifetime"))
        self.lifetime.setEnabled(not lacking)
        hint = "features.caching_reason" if lacking else f"settings.cache_lifetime_{in_use}_hint"
        self.lifetime_row.say_hint(say(hint))

    def _say_prices(self) -> None:
        """What the chosen values cost the conversation in front, where they are not those it was sent with."""
        session, language, profile = self._session, self._language, self._session.settings.of()
        for row, act, value in (
            (self.model_row, Act.MODEL, profile.model),
            (self.instructions_row, Act.INSTRUCTIONS, self.instructions.toPlainText()),
            (self.thinking_row, Act.THINKING, self.thinking.isChecked()),
            (self.tools_row, Act.TOOLS, profile.use_tools),
            (self.lifetime_row, Act.LIFETIME, profile.cache_lifetime),
        ):
            say_setting(row, session, language, act, value)
        if self.effort.isEnabled():
            say_setting(self.effort_row, session, language, Act.EFFORT, str(self.effort.value or ""))
        else:
            self.effort_row.say_price("")
        for switch, act in ((self.thinking, Act.THINKING), (self.tools, Act.TOOLS)):
            set_tooltip(switch, price_of(session, language, act, not switch.isChecked()))
        for one in CHOICES["cache_lifetime"]:
            self.lifetime.set_hint(one, price_of(session, language, Act.LIFETIME, one))

    def _on_model(self, model: str) -> None:
        self._session.update_profile(model=model)

    def _on_typed_model(self) -> None:
        text = self.typed.text().strip()
        if text and text != self._session.settings.of().model:
            self._session.update_profile(model=text)

    def _on_typing(self) -> None:
        self._say_prices()
        if self.isVisible():
            self._typing.start()

    def _on_effort(self, effort: str) -> None:
        self._session.update_profile(effort=effort)

    def _on_limit(self, tokens: int) -> None:
        self._session.update_profile(output_limit=tokens)

    def _on_window(self, tokens: int) -> None:
        self._session.update_profile(window=tokens)

    def _on_thinking(self, on: bool) -> None:
        self._session.update_profile(show_thinking=on)

    def _on_tools(self, on: bool) -> None:
        self._session.update_profile(use_tools=on)

    def _on_lifetime(self, lifetime: str) -> None:
        self._session.update_profile(cache_lifetime=lifetime)
