"""All settings on one page over the chat; every change applies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop_app.core.settings import CHOICES
from desktop_app.ui.language import Language
from desktop_app.ui.profile_menu import profile_label
from desktop_app.ui.settings_compaction import CompactionSection
from desktop_app.ui.settings_embedder import EmbedderSection
from desktop_app.ui.settings_endpoint import EndpointSection
from desktop_app.ui.settings_memory import MemorySection
from desktop_app.ui.settings_model import ModelSection
from desktop_app.ui.settings_rows import Section, SettingRow
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.segmented import Segmented

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession

_WIDTH = 680


class InterfaceSection(Section):
    """Language, theme and font of the window."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("window", theme, language)
        self._session = session
        self.language, self.theme, self.font_choice = Segmented(theme), Segmented(theme), Segmented(theme)
        for name, control in (("language", self.language), ("theme", self.theme), ("font", self.font_choice)):
            self.add(SettingRow(name, control, theme, language))
        self.language.chosen.connect(self._on_language)
        self.theme.chosen.connect(self._on_theme)
        self.font_choice.chosen.connect(self._on_font)
        self.show_all()

    def show_all(self) -> None:
        """Everything from the settings."""
        say, settings = self._language.say, self._session.settings
        for name, control, value in (
            ("language", self.language, settings.language),
            ("theme", self.theme, settings.theme),
        ):
            choices = [(one, say(f"settings.{name}_{one}")) for one in CHOICES[name]]
            control.set_choices(choices, value, say(f"settings.{name}"))
        fonts = [(False, say("settings.font_bundled")), (True, say("settings.font_system"))]
        self.font_choice.set_choices(fonts, settings.system_font, say("settings.font"))

    def _on_language(self, value: str) -> None:
        self._session.update_settings(language=value)

    def _on_theme(self, value: str) -> None:
        self._session.update_settings(theme=value)

    def _on_font(self, value: bool) -> None:
        self._session.update_settings(system_font=value)


class SettingsPage(QWidget):
    """`closed` by its button or Escape."""

    closed = Signal()

    def __init__(self, session: AppSession, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._language = session, language
        self.title, self.applies = PlainLabel(), PlainLabel(tone="muted")
        self.close_button = IconButton(theme, "x")
        self.endpoint = EndpointSection(session, theme, language)
        self.model = ModelSection(session, theme, language)
        self.memory = MemorySection(session, theme, language)
        self.embedder = EmbedderSection(session, theme, language)
        self.compaction = CompactionSection(session, theme, language)
        self.interface = InterfaceSection(session, theme, language)
        self._arrange()
        self.close_button.clicked.connect(self.leave)
        session.settingsChanged.connect(self._show_all)
        session.endpointChanged.connect(self._show_all)
        session.tagsChanged.connect(self._show_all)
        language.changed.connect(self._show_all)
        keep_font(self.title, theme, 18, QFont.Weight.DemiBold)
        self._show_all()

    def show_window_field(self) -> None:
        """Scrolls to the context window and puts the cursor there."""
        self.area.ensureWidgetVisible(self.model.window_row)
        self.model.window_field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.model.window_field.selectAll()

    def show_key_field(self) -> None:
        """Puts the cursor where a key is entered."""
        self.area.ensureWidgetVisible(self.endpoint.key_row)
        self.endpoint.key.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_model_field(self) -> None:
        """Puts the cursor into the model's id."""
        self.area.ensureWidgetVisible(self.model.model_row)
        field = self.model.typed if self.model.typed.isVisible() else self.model.listed
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
            return
        super().keyPressEvent(event)

    def leave(self) -> None:
        """Keeps what was typed and closes."""
        self.model.keep_typed()
        self.closed.emit()

    def _arrange(self) -> None:
        # From the outside in: what is put into another widget is polished with all it holds.
        inner = self._column()
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title, 0, Qt.AlignmentFlag.AlignBottom)
        head.addWidget(self.applies, 1, Qt.AlignmentFlag.AlignBottom)
        self.applies.setContentsMargins(0, 0, 0, 2)
        head.addWidget(self.close_button)
        inner.addLayout(head)
        for section in (self.endpoint, self.model, self.memory, self.embedder, self.compaction, self.interface):
            inner.addSpacing(24)
            inner.addWidget(section)
        inner.addStretch()

    def _column(self) -> QVBoxLayout:
        """The scrolling column in the middle."""
        holder = QWidget()
        holder.setProperty("surface", "true")
        holder.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        across = QHBoxLayout(holder)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        across.addWidget(column, 100)
        across.addStretch(1)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(holder)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.area)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(24, 24, 24, 32)
        inner.setSpacing(0)
        return inner

    def _show_all(self, _changed: object = None) -> None:
        say = self._language.say
        self.title.setText(say("settings.title"))
        profile = profile_label(self._language, self._session.settings.profile)
        self.applies.setText(say("settings.applies", profile=profile))
        self.close_button.set_name(say("settings.close"))
        for section in (self.endpoint, self.model, self.memory, self.embedder, self.compaction, self.interface):
            section.show_all()
