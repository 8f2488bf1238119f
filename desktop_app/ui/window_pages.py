"""The pages in the middle of the window; those that are seldom seen are built when they are first wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop_app.ui.chat.conversation_view import ConversationView
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.theme import Theme

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession
    from desktop_app.ui.first_run import FirstRunPage
    from desktop_app.ui.money.spending_page import SpendingPage
    from desktop_app.ui.settings_page import SettingsPage


class WindowPages(QStackedWidget):
    """`opening`, `failed` and `conversation` are always there.

    Signals:
        settingsClosed(): the settings were left.
        spendingClosed(), pricesAsked(): the Spending page was left, or the price list is wanted.
        firstRunFinished(): the first page led to an endpoint.
    """

    settingsClosed = Signal()
    spendingClosed = Signal()
    pricesAsked = Signal()
    firstRunFinished = Signal()

    def __init__(self, session: AppSession, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme, self._language = session, theme, language
        self._first_run: FirstRunPage | None = None
        self._settings: SettingsPage | None = None
        self._spending: SpendingPage | None = None
        self.opening = MessagePage(theme, parent=self)
        self.opening.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.failed = MessagePage(theme, parent=self)
        self.conversation = ConversationView(theme, language, self)
        for page in (self.opening, self.failed, self.conversation):
            self.addWidget(page)

    @property
    def first_run(self) -> FirstRunPage:
        """The page of a fresh machine."""
        if self._first_run is None:
            from desktop_app.ui.first_run import FirstRunPage

            page = self._first_run = FirstRunPage(self._session, self._theme, self._language, self)
            page.finished.connect(self.firstRunFinished)
            self.addWidget(page)
        return self._first_run

    @property
    def settings(self) -> SettingsPage:
        """The settings."""
        if self._settings is None:
            from desktop_app.ui.settings_page import SettingsPage

            page = self._settings = SettingsPage(self._session, self._theme, self._language, self)
            page.closed.connect(self.settingsClosed)
            self.addWidget(page)
        return self._settings

    @property
    def spending(self) -> SpendingPage | None:
        """What was spent; None before the data is open."""
        if self._spending is None and self._session.spending is not None:
            from desktop_app.ui.money.spending_page import SpendingPage

            page = SpendingPage(self._session, self._session.spending, self._theme, self._language, self)
            page.closed.connect(self.spendingClosed)
            page.pricesAsked.connect(self.pricesAsked)
            self.addWidget(page)
            self._spending = page
        return self._spending

    def stop_waiting(self) -> None:
        """The first page, where it stands, no longer waits for an endpoint."""
        if self._first_run is not None:
            self._first_run.stop_waiting()

    def keep_typed(self) -> None:
        """Takes what was typed in the settings and not yet kept."""
        if self._settings is not None:
            self._settings.model.keep_typed()
