"""Settings of finding by meaning: which model, what it is good for and what leaves the machine, and its change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.embedders import SERVERS, EmbedderChoice, EmbedderKind, embedder_choice
from desktop_app.core.errors import AppError, BadInput
from desktop_app.ui.language import Language
from desktop_app.ui.settings_rows import Section, SettingRow
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.plain_label import PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession
    from desktop_app.bridge.embedder_session import EmbedderSession


class EmbedderSection(Section):
    """Reads and writes the whole application's choice. A server is asked only after the button was pressed."""

    def __init__(self, session: AppSession, theme: Theme, language: Language) -> None:
        super().__init__("embedder", theme, language)
        self._session = session
        self._kind: EmbedderKind | None = None
        self._address_error: AppError | None = None
        self._connected: EmbedderSession | None = None
        self.kind = ChoiceButton(theme)
        self.address, self.model, self.key = QLineEdit(), QLineEdit(), QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.use_button, self.key_button = TextButton(), TextButton()
        self.leaves = PlainLabel(tone="warning", wrap=True)
        self.note = PlainLabel(tone="danger", wrap=True)
        self.progress = PlainLabel(wrap=True)
        self.pause_button, self.cancel_button = TextButton(), TextButton(kind="quiet")
        self.kind_row = self.add(SettingRow("embedder", self.kind, theme, language))
        self.server_row = self.add(SettingRow("embedder_server", self._server_box(), theme, language, wide=True))
        self.key_row = self.add(
            SettingRow("embedder_key", _line(self.key, self.key_button), theme, language, wide=True)
        )
        self.change_row = self.add(SettingRow("embedder_change", self._change_box(), theme, language, wide=True))
        self.kind.chosen.connect(self._on_kind)
        self.use_button.clicked.connect(self._on_use_button)
        self.model.returnPressed.connect(self._on_use)
        self.address.returnPressed.connect(self._on_use)
        self.key_button.clicked.connect(self._on_key)
        self.key.returnPressed.connect(self._on_key)
        self.pause_button.clicked.connect(self._on_pause)
        self.cancel_button.clicked.connect(self._on_cancel)
        self.show_all()

    def show_all(self) -> None:
        """Everything from the settings and what is known of the change."""
        say, embedders = self._language.say, self._session.embedder
        if embedders is not None and embedders is not self._connected:
            self._connected = embedders
            embedders.changed.connect(self.show_all)
            embedders.watch(self.isVisible())
        chosen = self._chosen()
        kind = self._kind or chosen.kind
        kinds = [one for one in EmbedderKind if one is not EmbedderKind.E5 or self._offers_e5() or kind is one]
        choices = [(one.value, say(f"embedder.choice_{one.value}")) for one in kinds]
        self.kind.set_choices(choices, kind.value, say("settings.embedder"))
        self._say_hint(kind, chosen)
        server = kind in SERVERS
        self.show_row(self.server_row, server)
        if server:
            self._show_server(kind, chosen)
        shown = self._shown_choice(kind)
        self.show_row(self.key_row, shown is not None and shown.leaves_machine)
        self._show_change()
        self._say_words()

    def showEvent(self, event: QShowEvent) -> None:
        """While it is seen, it tells how far a change got."""
        if self._session.embedder is not None:
            self._session.embedder.watch(True)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks any more."""
        if self._session.embedder is not None:
            self._session.embedder.watch(False)
        super().hideEvent(event)

    def _server_box(self) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(_line(self.address, self.model, self.use_button))
        layout.addWidget(self.leaves)
        layout.addWidget(self.note)
        return box

    def _change_box(self) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.progress)
        buttons = QHBoxLayout()
        buttons.addWidget(self.pause_button)
        buttons.addWidget(self.cancel_button)
        buttons.addStretch()
        layout.addLayout(buttons)
        return box

    def _chosen(self) -> EmbedderChoice:
        settings = self._session.settings
        try:
            return embedder_choice(settings.embedder, settings.embedder_url, settings.embedder_model)
        except BadInput:
            return embedder_choice(settings.embedder)

    def _shown_choice(self, kind: EmbedderKind) -> EmbedderChoice | None:
        try:
            return embedder_choice(kind.value, self.address.text(), self.model.text())
        except BadInput:
            return None

    def _offers_e5(self) -> bool:
        return self._session.embedder is None or self._session.embedder.installed(EmbedderKind.E5)

    def _say_hint(self, kind: EmbedderKind, chosen: EmbedderChoice) -> None:
        say, embedders = self._language.say, self._session.embedder
        lines = []
        if kind in SERVERS:
            lines.append(say("settings.embedder_hint"))
        else:
            lines.append(say(f"embedder.hint_{kind.value}"))
        status = embedders.status if embedders is not None else None
        known = status.wanted or status.serving if status is not None else None
        weak = known is not None and known.choice == chosen and known.dimension and not known.korean
        if weak and kind is chosen.kind:
            lines.append(say("embedder.weak_korean"))
        if not self._offers_e5():
            lines.append(say("embedder.name_e5") + ": " + say("embedder.hint_e5_missing"))
        self.kind_row.say_hint("\n".join(lines))

    def _show_server(self, kind: EmbedderKind, chosen: EmbedderChoice) -> None:
        url, model = SERVERS[kind]
        if kind is chosen.kind and self._kind is None:
            for field, text in ((self.address, chosen.url), (self.model, chosen.model)):
                if not field.hasFocus():
                    field.setText(text)
        self.address.setPlaceholderText(url)
        self.model.setPlaceholderText(model)
        shown = self._shown_choice(kind)
        self.leaves.setVisible(shown is not None)
        if shown is not None:
            away = shown.leaves_machine
            self.leaves.setText(self._language.say(f"embedder.hint_{'away' if away else 'here'}", host=shown.host))
            self.leaves.set_tone("warning" if away else "muted")

    def _show_change(self) -> None:
        say, embedders = self._language.say, self._session.embedder
        status = embedders.status if embedders is not None else None
        error = self._address_error or (embedders.error if embedders is not None else None)
        error = error or (status.trouble if status is not None else None)
        trying = embedders is not None and embedders.trying
        self.note.setText(say("settings.embedder_trying") if trying else self._language.explain(error) if error else "")
        self.note.set_tone("muted" if trying else "danger")
        self.note.setVisible(trying or error is not None)
        self.use_button.set_words(say("settings.embedder_give_up" if trying else "settings.embedder_use"))
        self.show_row(self.change_row, status is not None and (status.changing or error is not None))
        if status is None:
            return
        counts = (status.progress or {}).values()
        done, total = sum(one.done for one in counts), sum(one.total for one in counts)
        word = "paused" if status.paused else "progress"
        name = say(f"embedder.name_{status.choice.kind.value}", model=status.choice.model, host=status.choice.host)
        text = say(f"settings.embedder_{word}", name=visible_line(name, 80), done=done, total=total)
        trouble = self._language.explain(error) if error is not None and status.choice.kind not in SERVERS else ""
        self.progress.setText(" ".join(filter(None, (text if status.changing else "", trouble))))
        self.pause_button.set_words(say("settings.embedder_resume" if status.paused else "settings.embedder_pause"))
        for button in (self.pause_button, self.cancel_button):
            button.setVisible(status.changing)

    def _say_words(self) -> None:
        say = self._language.say
        self.address.setAccessibleName(say("settings.embedder_address"))
        self.model.setAccessibleName(say("settings.embedder_model"))
        self.key.setAccessibleName(say("settings.embedder_key"))
        self.key_button.set_words(say("settings.embedder_key_use"))
        self.cancel_button.set_words(say("settings.embedder_cancel"))

    def _on_kind(self, value: str) -> None:
        kind, self._address_error = EmbedderKind(value), None
        if kind in SERVERS:
            self._kind = kind  # nothing is asked or sent before the button is pressed
            self.address.clear()
            self.model.clear()
        else:
            self._kind = None
            if self._session.embedder is not None:
                self._session.embedder.choose(value)
        self.show_all()

    def _on_use_button(self) -> None:
        embedders = self._session.embedder
        if embedders is not None and embedders.trying:
            embedders.give_up()
        else:
            self._on_use()

    def _on_use(self) -> None:
        kind = self._kind or self._chosen().kind
        try:
            choice, self._address_error = embedder_choice(kind.value, self.address.text(), self.model.text()), None
        except BadInput as error:
            self._address_error = error
        else:
            self._kind = None
            if self._session.embedder is not None:
                self._session.embedder.choose(choice.kind.value, choice.url, choice.model)
        self.show_all()

    def _on_key(self) -> None:
        choice = self._shown_choice(self._kind or self._chosen().kind)
        if choice is not None and self.key.text().strip() and self._session.embedder is not None:
            self._session.embedder.keep_key(choice.key_name, self.key.text().strip())
            self.key.clear()

    def _on_pause(self) -> None:
        embedders = self._session.embedder
        if embedders is not None and embedders.status is not None:
            embedders.pause(not embedders.status.paused)

    def _on_cancel(self) -> None:
        self._kind = None
        if self._session.embedder is not None:
            self._session.embedder.cancel()


def _line(*widgets: QWidget) -> QWidget:
    box = QWidget()
    layout = QHBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    for place, widget in enumerate(widgets):
        layout.addWidget(widget, 1 if place < len(widgets) - 1 else 0)
    return box
