"""Settings of long-term memory: whether it is used, who decides about what the assistant saves, how much is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.gate import GateMode
from desktop_app.core.money.price_tag import Act
from desktop_app.core.settings import CHOICES, RANGES
from desktop_app.ui.language import Language
from desktop_app.ui.price_notes import price_of, say_setting
from desktop_app.ui.settings_rows import CountField, Section, SettingRow, TokenField
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.switch import Switch

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession


class MemorySection(Section):
    """Reads and writes the profile in use."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("memory", theme, language)
        self._session = session
        self.memory = Switch(theme)
        self.gate = Segmented(theme)
        self.tool = Segmented(theme)
        self.extract = Segmented(theme)
        self.model = QLineEdit()
        self.model.setFixedWidth(220)
        self.budget, self.recalled = TokenField(language), TokenField(language)
        self.archive = CountField(language, "settings.archive_after_days_suffix")
        self.memory_row = self.add(SettingRow("memory", self.memory, theme, language))
        self.gate_row = self.add(SettingRow("gate", self.gate, theme, language))
        self.tool_row = self.add(SettingRow("memory_tool", self.tool, theme, language))
        self.extract_row = self.add(SettingRow("extract", self.extract, theme, language))
        self.model_row = self.add(SettingRow("extract_model", self.model, theme, language))
        self.budget_row = self.add(SettingRow("facts_budget", self.budget, theme, language))
        self.recalled_row = self.add(SettingRow("recall_budget", self.recalled, theme, language))
        self.archive_row = self.add(SettingRow("archive_after_days", self.archive, theme, language))
        self.memory.clicked.connect(self._on_memory)
        self.gate.chosen.connect(self._on_gate)
        self.tool.chosen.connect(self._on_tool)
        self.extract.chosen.connect(self._on_extract)
        self.model.editingFinished.connect(self._on_model)
        self.budget.valueChanged.connect(self._on_budget)
        self.recalled.valueChanged.connect(self._on_recalled)
        self.archive.valueChanged.connect(self._on_archive)
        self.show_all()

    def show_all(self) -> None:
        """Everything from the settings."""
        say, profile = self._language.say, self._session.settings.of()
        self.memory.setChecked(profile.memory)
        self.memory_row.say_hint(say("settings.memory_hint" if profile.memory else "settings.memory_paused_hint"))
        say_setting(self.memory_row, self._session, self._language, Act.MEMORY, profile.memory)
        choices = [(one, say(f"settings.gate_{one}")) for one in CHOICES["gate"]]
        self.gate.set_choices(choices, profile.gate, say("settings.gate"))
        self.gate_row.say_hint(say(f"settings.gate_{profile.gate}_hint"))
        self.gate.setEnabled(profile.memory)
        self._show_tool()
        self._show_extraction()
        self.budget.setEnabled(profile.memory)
        self.budget.show_value(profile.facts_budget, *RANGES["facts_budget"])
        self.recalled.setEnabled(profile.memory)
        self.recalled.show_value(profile.recall_budget, *RANGES["recall_budget"])
        self.archive.setEnabled(profile.memory)
        self.archive.show_value(profile.archive_after_days, *RANGES["archive_after_days"])

    def _show_tool(self) -> None:
        """The kind of tool, the app's own where the server may not know the other one; with the price of another."""
        say, session = self._language.say, self._session
        offering, takes = session.settings.offering(), session.settings.takes_memory_files()
        choices = [(one, say(f"settings.memory_tool_{one}")) for one in CHOICES["memory_tool"]]
        self.tool.set_choices(choices, offering.memory_tool, say("settings.memory_tool"))
        saves = offering.memory and offering.gate != GateMode.OFF.value
        self.tool.setEnabled(saves and takes)
        hint = f"settings.memory_tool_{offering.memory_tool}_hint" if takes else "settings.memory_tool_plain_hint"
        self.tool_row.say_hint(say(hint))
        if saves:
            say_setting(self.tool_row, session, self._language, Act.MEMORY_TOOL, offering.memory_tool)
        else:
            self.tool_row.say_price("")
        for one in CHOICES["memory_tool"]:
            self.tool.set_hint(one, price_of(session, self._language, Act.MEMORY_TOOL, one))

    def _show_extraction(self) -> None:
        """Whether what is typed is looked through, and by whom facts are found and compared."""
        say, profile = self._language.say, self._session.settings.of()
        choices = [(one, say(f"settings.extract_{one}")) for one in CHOICES["extract"]]
        self.extract.set_choices(choices, profile.extract, say("settings.extract"))
        self.extract_row.say_hint(say(f"settings.extract_{profile.extract}_hint"))
        self.extract.setEnabled(profile.memory and profile.gate != GateMode.OFF.value)
        if not self.model.hasFocus():
            self.model.setText(profile.extract_model)
        self.model.setPlaceholderText(say("settings.extract_model_placeholder"))
        self.model.setEnabled(profile.memory)

    def _on_memory(self, on: bool) -> None:
        self._session.update_profile(memory=on)

    def _on_gate(self, mode: str) -> None:
        self._session.update_profile(gate=mode)

    def _on_tool(self, kind: str) -> None:
        self._session.update_profile(memory_tool=kind)

    def _on_extract(self, when: str) -> None:
        self._session.update_profile(extract=when)

    def _on_model(self) -> None:
        text = visible_line(self.model.text(), 200)
        if text != self._session.settings.of().extract_model:
            self._session.update_profile(extract_model=text)

    def _on_budget(self, tokens: int) -> None:
        self._session.update_profile(facts_budget=tokens)

    def _on_recalled(self, tokens: int) -> None:
        self._session.update_profile(recall_budget=tokens)

    def _on_archive(self, days: int) -> None:
        self._session.update_profile(archive_after_days=days)
