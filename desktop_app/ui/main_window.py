"""The window: conversations at the left, the chat in the middle, the inspector at the right."""

from __future__ import annotations

import sys
import threading
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QSplitter, QVBoxLayout, QWidget

from desktop_app.bridge.fold_notice import SHOW
from desktop_app.bridge.session_state import EndpointState, Notice
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import AppError
from desktop_app.core.settings import DEMO_PROFILE, Settings
from desktop_app.ui.actions import WindowActions, keys_of
from desktop_app.ui.cache.remedies import apply_remedy, use_lifetime
from desktop_app.ui.chat.composer import Composer
from desktop_app.ui.chat_in_front import ChatInFront
from desktop_app.ui.chat_wiring import ChatWiring
from desktop_app.ui.inspector import Inspector
from desktop_app.ui.language import Language
from desktop_app.ui.notice_bar import NoticeBar, visible_details
from desktop_app.ui.price_notes import tag_models, tag_profiles
from desktop_app.ui.sidebar import Sidebar
from desktop_app.ui.status_bar import StatusBar
from desktop_app.ui.theme import Theme
from desktop_app.ui.top_bar import TopBar
from desktop_app.ui.window_commands import bind_actions
from desktop_app.ui.window_memory import FIRST_SIZE, INSPECTOR, SIDEBAR, WindowMemory
from desktop_app.ui.window_pages import WindowPages

if TYPE_CHECKING:
    from desktop_app.bridge.app_session import AppSession
    from desktop_app.bridge.chat_session import ChatSession
    from desktop_app.ui.first_run import FirstRunPage
    from desktop_app.ui.gate_dialogs import GateDialogs
    from desktop_app.ui.settings_page import SettingsPage

_THREE_COLUMNS = 930
"""Pixels below which conversations, chat and inspector do not fit beside each other."""
_LEAST_CHAT = 100
"""Pixels of the chat that stay above the composer."""
_WARM_MS = 1_500
"""Milliseconds from the start until what is not needed yet is imported."""


class MainWindow(QMainWindow):
    """Shows an AppSession, from before it is ready. `window_file` remembers the arrangement.

    With a `frame` it is the content of that window instead of one of its own.
    """

    def __init__(
        self,
        session: AppSession,
        theme: Theme,
        language: Language,
        window_file: Path,
        frame: QWidget | None = None,
    ) -> None:
        super().__init__(frame)
        if frame is not None:
            self.setWindowFlags(Qt.WindowType.Widget)
        self.session, self.theme, self.language = session, theme, language
        self._error: AppError | None = None
        self.questions: GateDialogs | None = None
        self._settings_open = self._money_open = self._arranged = self._was_narrow = False
        self._memory = WindowMemory(window_file)
        self._sidebar_wanted = self._memory.sidebar_shown
        self._inspector_wanted = self._memory.inspector_shown
        self.actions_by_name = WindowActions(self, language)
        self._make_parts()
        self._arrange()
        self._connect()
        bind_actions(self)
        if self.isWindow() and not self._memory.restore_geometry(self):
            self.resize(*FIRST_SIZE)
        self._on_settings(session.settings)
        self._on_current(session.current)
        self._on_endpoint(session.endpoint)
        if session.is_ready:
            self._on_ready()

    # -- building --------------------------------------------------------------------------------

    def _make_parts(self) -> None:
        theme, language = self.theme, self.language
        self.top_bar = TopBar(theme, language)
        tag_models(self.top_bar.model, self.session, language)
        tag_profiles(self.top_bar.profile, self.session, language)
        self.sidebar = Sidebar(self.session, theme, language)
        self.pages = WindowPages(self.session, theme, language)
        self.opening, self.failed = self.pages.opening, self.pages.failed
        self.conversation = self.pages.conversation
        self.composer = Composer(theme, language)
        self.wiring = ChatWiring(self.conversation, self.composer, self)
        self.notices = NoticeBar(theme, language)
        self.inspector = Inspector(self, theme, language)
        self.context, self.context_dock = self.inspector.context, self.inspector.docks["context"]
        self.status = StatusBar(theme, language)
        self.front = ChatInFront(self.session, self.top_bar, self.status, self.actions_by_name, self)

    def _arrange(self) -> None:
        # From the outside in: what is put into another widget is polished with all it holds.
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.setCentralWidget(self.splitter)
        centre = QWidget()
        self.splitter.addWidget(self.sidebar)
        self.splitter.addWidget(centre)
        centre.setProperty("surface", "true")
        centre.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        self.pages.setMinimumHeight(_LEAST_CHAT)  # or what is attached would be cut in a low window
        column.addWidget(self.notices)
        column.addWidget(self.composer)
        centre.setMinimumWidth(400)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setCollapsible(0, False)
        self.splitter.setCollapsible(1, False)
        self.splitter.setHandleWidth(1)
        self.setMenuWidget(self.top_bar)
        self.inspector.arrange()
        self.setStatusBar(self.status)
        self.setMinimumSize(760, 480)
        # The width of separators is read from the style sheet only once the window has its style.
        self.ensurePolished()

    def showEvent(self, event: QShowEvent) -> None:
        """Docks and columns are put back when the window has its size; before, they would be squeezed."""
        super().showEvent(event)
        if self._arranged:
            return
        self._arranged = True
        if not self._memory.restore(self, self.splitter):
            self.splitter.setSizes([SIDEBAR, self.width() - SIDEBAR - INSPECTOR])
            self.resizeDocks([self.context_dock], [INSPECTOR], Qt.Orientation.Horizontal)
        self._show_page()
        # The tabs of docks that were put back exist once the event loop has run.
        QTimer.singleShot(0, self.inspector, self.inspector.settle)

    def _connect(self) -> None:
        session = self.session
        session.ready.connect(self._on_ready)
        session.startFailed.connect(self._on_failed)
        session.settingsChanged.connect(self._on_settings)
        session.endpointChanged.connect(self._on_endpoint)
        session.currentChanged.connect(self._on_current)
        session.notice.connect(self._on_notice)
        self.failed.acted.connect(self._on_retry)
        self.pages.firstRunFinished.connect(self._show_page)
        self.pages.settingsClosed.connect(self.close_settings)
        self.pages.spendingClosed.connect(self.close_settings)
        self.pages.pricesAsked.connect(self.open_prices)
        self.notices.undoAsked.connect(session.undo)
        session.profileChanged.connect(self.notices.drop_undo)
        self.notices.acted.connect(self._on_act)
        self.inspector.begin()
        self.inspector.messageChosen.connect(self._show_message)
        self.inspector.writeAsked.connect(self.focus_composer)
        self.inspector.windowAsked.connect(self._open_window_setting)
        self.inspector.strategyChosen.connect(self._on_strategy)
        self.inspector.lifetimeAsked.connect(partial(use_lifetime, self))
        self.inspector.remedyAsked.connect(partial(apply_remedy, self))
        self.inspector.shownChanged.connect(self._on_docks)
        self.inspector.factChosen.connect(self._show_fact)
        self.inspector.sourceChosen.connect(self._show_source)
        self.composer.keyRequested.connect(self._open_key_setting)
        self.conversation.contextAsked.connect(self._show_in_context)
        self.conversation.foldAsked.connect(self._show_fold)
        self.composer.reviewRequested.connect(self._show_fold)
        self.conversation.notesAsked.connect(self._show_notes)
        self.top_bar.profile.chosen.connect(session.use_profile)
        self.top_bar.profile.newAsked.connect(self._new_profile)
        self.top_bar.modelChosen.connect(self._on_model)
        self.top_bar.otherModelAsked.connect(self._open_model_setting)
        session.gate.frontChanged.connect(self._on_question)
        self.language.changed.connect(self._say)
        self.front.titleChanged.connect(self._on_title)
        self._say()

    # -- pages -----------------------------------------------------------------------------------

    @property
    def first_run(self) -> FirstRunPage:
        """The page of a fresh machine."""
        return self.pages.first_run

    @property
    def settings_page(self) -> SettingsPage:
        """The settings."""
        return self.pages.settings

    def _show_page(self) -> None:
        """The page that fits: opening, failed, first run, settings or the chat."""
        ready, settings = self.session.is_ready, self.session.settings
        if self._error is not None:
            page: QWidget = self.failed
        elif not ready:
            page = self.opening
        elif not settings.welcomed:
            page = self.first_run
        else:
            money = self.pages.spending if self._money_open else None
            page = self.settings_page if self._settings_open else money or self.conversation
        appeared = page is self.conversation and self.pages.currentWidget() is not page
        self.pages.setCurrentWidget(page)
        chatting = ready and settings.welcomed
        self.composer.setVisible(page is self.conversation)
        self._was_narrow = narrow = self._is_narrow()
        self.sidebar.setVisible(self._sidebar_wanted and not narrow and (chatting or settings.welcomed))
        self.inspector.set_visible(self._inspector_wanted and settings.welcomed)
        self.sidebar.setEnabled(ready)
        self.inspector.set_enabled(ready)
        bar = self.top_bar
        for widget in (bar.menu, bar.inspector, bar.settings, bar.model, bar.profile):
            widget.setVisible(settings.welcomed)
            widget.setEnabled(chatting)
        self.top_bar.title.show_untitled("window.new_title" if chatting else "app.name")
        self.top_bar.menu.setChecked(self._sidebar_wanted and not narrow and chatting)
        self.top_bar.inspector.setChecked(self._inspector_wanted and chatting)
        self.front.update_actions()
        if appeared:
            self.composer.focus_text()
        elif page is self.opening:
            page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_narrow(self) -> bool:
        """Whether the window has no room for three columns; then the inspector stands without the conversations."""
        return self._inspector_wanted and self.width() < _THREE_COLUMNS

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A window that became narrow, or wide again, shows other columns."""
        super().resizeEvent(event)
        self.composer.attached.set_room(self.height())
        if self._arranged and self._is_narrow() is not self._was_narrow:
            self._show_page()

    def new_chat(self) -> None:
        """An empty conversation, ready to type."""
        self.session.new_conversation()
        self.close_settings()
        self.focus_composer()

    def focus_composer(self) -> None:
        """Leads to the text field."""
        self.close_settings()
        self.composer.focus_text()

    def toggle_sidebar(self) -> None:
        """Shows or hides the conversations."""
        if self._is_narrow():
            self._sidebar_wanted, self._inspector_wanted = True, False
        else:
            self._sidebar_wanted = not self._sidebar_wanted
        self._show_page()

    def toggle_inspector(self) -> None:
        """Shows or hides the inspector."""
        self._inspector_wanted = not self._inspector_wanted
        self._show_page()

    def toggle_settings(self) -> None:
        """Opens the settings, or closes them."""
        if self._settings_open:
            self.settings_page.leave()
        else:
            self.open_settings()

    def open_settings(self) -> None:
        """Shows the settings over the chat."""
        self._settings_open, self._money_open = True, False
        self._show_page()
        self.settings_page.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_settings(self) -> None:
        """Back to the chat, also from the Spending page."""
        if self._settings_open or self._money_open:
            self._settings_open = self._money_open = False
            self._show_page()

    def toggle_money(self) -> None:
        """Opens what was spent, or closes it."""
        if self._money_open:
            self.close_settings()
        else:
            self.open_money()

    def open_money(self) -> None:
        """Shows what was spent over the chat."""
        if not (self.session.is_ready and self.session.settings.welcomed):
            return
        if self._settings_open:
            self.settings_page.leave()
        self._money_open = True
        self._show_page()
        if self.pages.spending is not None:
            self.pages.spending.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_palette(self) -> None:
        """Opens the command palette."""
        from desktop_app.ui.command_palette import CommandPalette

        CommandPalette(self.actions_by_name.all(), self.theme, self.language, self).open_over(self)

    def open_shortcuts(self) -> None:
        """Opens the list of keys."""
        from desktop_app.ui.command_palette import ShortcutList

        ShortcutList(self.actions_by_name.all(), self.theme, self.language, self).show()

    def open_prices(self) -> None:
        """Opens the list of prices."""
        from desktop_app.ui.money.price_dialog import PriceDialog

        if self.session.prices is not None:
            PriceDialog(self.session.prices, self.theme, self.language, self.window()).open()

    def leave(self) -> None:
        """Closes the window, also where this is only the content of one."""
        self.window().close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape that nothing else took closes the settings, then stops the answer."""
        if event.key() == Qt.Key.Key_Escape:
            if self._settings_open:
                self.settings_page.leave()
            elif self._money_open:
                self.close_settings()
            else:
                self.front.stop()
            return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keeps what was typed and how the window stood."""
        if self.session.is_ready:
            self.pages.keep_typed()
        if self.session.settings.welcomed:
            self._memory.save(self, self.splitter, sidebar=self._sidebar_wanted, inspector=self._inspector_wanted)
        super().closeEvent(event)

    # -- what the session tells ------------------------------------------------------------------

    def _on_ready(self) -> None:
        self._error = None
        if self.session.memory is not None:
            self.inspector.set_memory(self.session.memory)
            self.composer.secret.warn_by(self.session.memory.secrets.find)
            self.session.memory.sourceAsked.connect(self._show_source)
        if self.session.spending is not None:
            self.session.spending.todayChanged.connect(self.status.show_today)
        self._show_page()
        if not self.session.settings.welcomed:
            self.first_run.begin()
        QTimer.singleShot(_WARM_MS, self, self._warm_up)

    def _warm_up(self) -> None:
        """Imports what the first message needs off the GUI thread, when the start is over."""
        name = "desktop_app.ui.chat.message_view"
        if name not in sys.modules:
            threading.Thread(target=import_module, args=(name,), name="importing", daemon=True).start()

    def _on_failed(self, error: AppError) -> None:
        self._error = error
        self._show_page()
        self._say()

    def _on_retry(self) -> None:
        self._error = None
        self._show_page()
        self.session.retry_start()

    def _on_settings(self, settings: Settings) -> None:
        self.language.use(settings.language)
        self.theme.use_system_font(settings.system_font)
        self.theme.apply(settings.theme)
        self.top_bar.show_simulated(settings.profile == DEMO_PROFILE)
        self.top_bar.profile.show_settings(settings)
        self.top_bar.show_endpoint(self.session.endpoint, settings.of().model)
        self._show_page()

    def _on_endpoint(self, endpoint: EndpointState | None) -> None:
        self.top_bar.show_endpoint(endpoint, self.session.settings.of().model)
        self.status.show_endpoint(endpoint)
        self.composer.show_endpoint(endpoint)
        self.context.set_window_settable(endpoint is not None and endpoint.kind is EndpointKind.CUSTOM)

    def _on_current(self, chat: ChatSession | None) -> None:
        if chat is not None and chat.conversation_id is not None:
            self.close_settings()
        self.wiring.set_session(chat)
        self.inspector.set_chat(chat)

    def _on_notice(self, notice: Notice) -> None:
        self.pages.stop_waiting()
        self.notices.show_notice(notice)

    def _on_act(self, act: str, conversation_id: str) -> None:
        acts = {"retry_keys": self.session.retry_keys, "enter_key": self._open_key_setting}
        show = partial(self._show_fold, conversation_id)
        (acts | {"open_money": self.open_money, "open_inbox": self._open_inbox, SHOW: show})[act]()

    def _open_inbox(self) -> None:
        self.show_panel("memory")
        self.inspector.memory.inbox.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_title(self, title: str) -> None:
        name = self.language.say("app.name")
        self.setWindowTitle(f"{visible_line(title, 80)} – {name}" if title else name)

    # -- what the person does --------------------------------------------------------------------

    def focus_filter(self) -> None:
        """Leads to the filter of the conversations."""
        self._sidebar_wanted = True
        if self._is_narrow():
            self._inspector_wanted = False
        self._show_page()
        self.sidebar.focus_filter()

    def rename(self) -> None:
        """Makes a field of the selected row, or of the title."""
        if self.sidebar.list.hasFocus():
            self.sidebar.rename_selected()
        else:
            self.top_bar.title.edit()

    def _show_message(self, message_id: str) -> None:
        self.close_settings()
        self.conversation.reveal(message_id)

    def _show_in_context(self, message_id: str) -> None:
        self.show_panel("context")
        self.context.show_message(message_id)

    def _open_window_setting(self) -> None:
        self.open_settings()
        self.settings_page.show_window_field()

    def _open_key_setting(self) -> None:
        self.open_settings()
        self.settings_page.show_key_field()

    def _open_model_setting(self) -> None:
        self.open_settings()
        self.settings_page.show_model_field()

    def _on_model(self, model: str) -> None:
        self.session.update_profile(model=model)

    def _on_strategy(self, strategy: Strategy) -> None:
        self.session.update_profile(fold_strategy=strategy.value)

    def _show_source(self, conversation_id: str, message_id: str) -> None:
        """Leads to a message, in whichever conversation it stands."""
        self.session.open_conversation(conversation_id)
        self._show_message(message_id)

    def _on_question(self) -> None:
        """The first thing the assistant wants to keep: from now on its questions stand over the window."""
        from desktop_app.ui.gate_dialogs import GateDialogs

        self.session.gate.frontChanged.disconnect(self._on_question)
        self.questions = GateDialogs(self.session.gate, self.theme, self.language, self)

    def _show_fold(self, conversation_id: str = "") -> None:
        """Leads to what was folded, in the conversation in front where none is named."""
        chat = self.session.current
        if conversation_id and (chat is None or chat.conversation_id != conversation_id):
            self.session.open_conversation(conversation_id)
        self.show_panel("compaction")
        self.inspector.compaction.show_folded()

    def _show_fact(self, fact_id: str) -> None:
        self.show_panel("memory")
        self.inspector.memory.show_fact(fact_id)

    def search_originals(self) -> None:
        """Leads to the field that searches everything that was said in the conversation, folded or not."""
        self.show_panel("compaction")
        self.inspector.compaction.show_archive()

    def _show_notes(self, question_id: str) -> None:
        """Leads from an answer to the memories it used, and why."""
        if self.session.current is not None:
            self.session.current.recall.show(question_id)
        self.show_panel("recall")
        self.inspector.recall.show_answer()

    def _new_profile(self) -> None:
        from desktop_app.ui.profile_menu import NewProfileDialog

        NewProfileDialog(self.session.add_profile, self.theme, self.language, self.window()).open()

    def show_panel(self, name: str) -> None:
        """Brings a panel of the inspector to the front."""
        self._inspector_wanted = True
        self._show_page()
        self.inspector.show(name)

    def _on_docks(self) -> None:
        if self.isVisible() and self.session.settings.welcomed:
            self._inspector_wanted = not self.inspector.is_hidden
            self.top_bar.inspector.setChecked(self._inspector_wanted)

    # -- words and colours -----------------------------------------------------------------------

    def _say(self) -> None:
        say = self.language.say
        self.opening.say(say("window.opening"), say("window.opening_hint"))
        if self._error is not None:
            text = self.language.explain(self._error)
            self.failed.say(say("window.failed_title"), text, say("window.try_again"))
            details = visible_details(self._error.details)
            self.failed.set_details(details, say("window.details"), say("window.hide_details"))
        named = {"menu": "toggle_sidebar", "inspector": "toggle_inspector", "settings": "settings"}
        named["palette"] = "palette"
        self.top_bar.name_keys(**{button: keys_of(self.actions_by_name[name]) for button, name in named.items()})
        self._on_title(self.top_bar.title.raw)
