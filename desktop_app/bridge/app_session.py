"""The application as the window sees it: settings, endpoint, conversations, and the conversation in front.

Signals:
    ready(), startFailed(AppError), settingsChanged(Settings), currentChanged(ChatSession | None),
    endpointChanged(EndpointState), localServersFound(tuple[LocalServer, ...]), notice(Notice),
    conversationCreated(str).
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QLocale, QObject, Qt, QTimer, Signal, Slot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.endpoint_watch import EndpointWatch
from desktop_app.bridge.session_state import EndpointState, Level, Notice
from desktop_app.core import errors
from desktop_app.core.conversation import Conversation, clean_title
from desktop_app.core.endpoints import ANTHROPIC_URL, EndpointKind, clean_url
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, Settings
from desktop_app.core.words import load_words
from desktop_app.services.all_services import Services
from desktop_app.services.settings import SettingsService

_POLL_MS = 500
_MOST_SESSIONS = 8
"""Conversations kept open at once; one that is answering is never dropped."""
# Profile settings after whose change the endpoint is opened and asked anew.
_ENDPOINT_FIELDS = frozenset(("base_url", "environment_key", "plain_endpoint", "window", "model"))


class AppSession(QObject):
    """Opens the services off the GUI thread and is the one object the window talks to."""

    ready = Signal()
    startFailed = Signal(object)
    settingsChanged = Signal(object)
    currentChanged = Signal(object)
    endpointChanged = Signal(object)
    localServersFound = Signal(object)
    notice = Signal(object)
    conversationCreated = Signal(str)
    _opened = Signal(object)

    def __init__(
        self,
        settings: SettingsService,
        open_services: Callable[[], Services],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings_service = settings
        self._open_services = open_services
        self._services: Services | None = None
        self._runner = AsyncRunner()
        self._background = Background(self._runner, self)
        self.is_ready = False
        self._watch: EndpointWatch | None = None
        self.conversations = ConversationListModel(self)
        self.current: ChatSession | None = None
        self._sessions: dict[str, ChatSession] = {}
        self._data_version: int | None = None
        self._opened.connect(self._take_services, Qt.ConnectionType.QueuedConnection)
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self._ask_version)
        self._opening: threading.Thread | None = None
        self._closed = False

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings_service.settings

    # -- start and end --------------------------------------------------------------------------

    def start(self) -> None:
        """Imports the heavy libraries and opens the data in a thread of its own."""
        self._opening = threading.Thread(target=self._open, name="opening", daemon=True)
        self._opening.start()

    def retry_start(self) -> None:
        """Tries again after `startFailed`."""
        if self._services is None:
            self.start()

    def _open(self) -> None:
        # The cyclic collector stops the GUI thread too; during the imports it finds nothing anyway.
        gc.disable()
        try:
            self._services = self._open_services()
            self._opened.emit(self._services)
        except errors.AppError as error:
            self._opened.emit(error)
        except Exception as error:
            self._opened.emit(errors.Unexpected(f"{type(error).__name__}: {error}"))
        finally:
            gc.freeze()
            gc.enable()

    @Slot(object)
    def _take_services(self, opened: Services | errors.AppError) -> None:
        if self._closed:
            return
        if isinstance(opened, errors.AppError):
            self.startFailed.emit(opened)
            return
        self._watch = EndpointWatch(opened.access, self._settings_service, self._background, self)
        self._watch.changed.connect(self._show_endpoint)
        self._watch.serversFound.connect(self.localServersFound)
        self._watch.failed.connect(self._tell)
        self._background.run(opened.store.mark_interrupted(), self._after_interrupted, self._tell)

    def _after_interrupted(self, _: int) -> None:
        self.is_ready = True
        self.new_conversation()
        self.ready.emit()
        for word in self._settings_service.notices:
            self.notice.emit(Notice(word, level=Level.WARNING))
        self.refresh_conversations()
        self.check_endpoint()
        self._poll.start()

    def close(self) -> None:
        """Ends all turns (their partial answers are kept as interrupted) and every thread."""
        if self._closed:
            return
        self._closed = True
        self._poll.stop()
        if self._opening is not None:
            self._opening.join()
        for session in [*self._sessions.values(), *([self.current] if self.current else [])]:
            session.close(closing_app=True)
        self._background.close()
        if self._services is not None:
            self._runner.finish(self._services.close())
        self._runner.stop()

    # -- settings -------------------------------------------------------------------------------

    def update_settings(self, **changes: Any) -> None:
        """Changes application settings, now and on disk; raises BadInput."""
        self._settings_service.use(**changes)
        self._saved(changes)

    def update_profile(self, **changes: Any) -> None:
        """Changes settings of the profile in use; raises BadInput."""
        self._settings_service.use_in_profile(**changes)
        self._saved(changes)
        if _ENDPOINT_FIELDS & changes.keys():
            self._endpoint_moved()

    def _saved(self, changes: dict[str, Any]) -> None:
        self._background.run(self._save(), None, self._tell)
        self.settingsChanged.emit(self.settings)
        if changes:
            for session in self._all_sessions():
                session.settings_changed()

    async def _save(self) -> None:
        self._settings_service.save()

    # -- endpoint -------------------------------------------------------------------------------

    @property
    def endpoint(self) -> EndpointState | None:
        """What is known of the endpoint in use, None before it was looked at."""
        return self._watch.state if self._watch is not None else None

    def use_key(self, text: str) -> None:
        """Keeps a key for this session and tries it; the answer comes by endpointChanged or a notice."""
        if self._watch is not None:
            self._watch.use_key(text)

    def forget_key(self) -> None:
        """Drops the session's key from memory."""
        if self._watch is not None:
            self._watch.forget_key()

    def use_endpoint(self, url: str) -> None:
        """Sends to another base URL from now on; raises BadInput for one that cannot be used."""
        self.update_profile(base_url=clean_url(url))

    def use_anthropic(self) -> None:
        """Sends to Anthropic from now on."""
        self.update_profile(base_url=ANTHROPIC_URL)

    def use_demo(self) -> None:
        """Goes to the Demo profile, whose endpoint is the simulated assistant."""
        profiles = dict(self.settings.profiles)
        profiles.setdefault(DEMO_PROFILE, self.settings.of(DEFAULT_PROFILE))
        self._settings_service.settings = replace(self.settings, profiles=profiles)
        self._change_profile(DEMO_PROFILE)

    def leave_demo(self) -> None:
        """Goes back to the person's own profile."""
        self._change_profile(DEFAULT_PROFILE)

    def _change_profile(self, name: str) -> None:
        self.update_settings(profile=name, welcomed=True)
        self._endpoint_moved()
        self.conversations.show([])
        self.new_conversation()
        self.refresh_conversations()

    def _endpoint_moved(self) -> None:
        if self._services is not None:
            self._runner.call(self._services.access.reset)
            self.check_endpoint()

    def check_endpoint(self) -> None:
        """Asks the endpoint for its models; endpointChanged follows."""
        if self._watch is not None:
            self._watch.look()

    def _show_endpoint(self, state: EndpointState) -> None:
        names = [model.id for model in state.models]
        unknown = state.model is None or not state.model.confirmed
        if state.kind is EndpointKind.CUSTOM and names and unknown and self.settings.of().model not in names:
            # A server of its own models: the first of them is a better guess than a name it never heard.
            self.update_profile(model=names[0])
            return
        self.endpointChanged.emit(state)
        for session in self._all_sessions():
            session.settings_changed()

    def find_local_servers(self) -> None:
        """Looks for servers of the Messages API on loopback; localServersFound follows."""
        if self._watch is not None:
            self._watch.find_local()

    # -- conversations --------------------------------------------------------------------------

    def new_conversation(self) -> None:
        """An empty conversation in front; it is stored with its first message."""
        self._bring_to_front(self._session(None))

    def open_conversation(self, conversation_id: str) -> None:
        """Brings a conversation to the front."""
        if self.current is None or self.current.conversation_id != conversation_id:
            self._bring_to_front(self._sessions.get(conversation_id) or self._session(conversation_id))

    def rename(self, conversation_id: str, title: str) -> None:
        """Gives a conversation a title; a blank one changes nothing."""
        clean = clean_title(title)
        if clean:
            store = self._need().store
            self._background.run(store.rename(conversation_id, clean), self._after_change, self._tell)

    def delete(self, conversation_id: str) -> None:
        """Takes a conversation out of the list, stops what runs there; a notice offers undo."""
        title = self.conversations.title_of(conversation_id)
        session = self._sessions.pop(conversation_id, None)
        if session is not None:
            session.close()
            self.conversations.set_busy(conversation_id, False)
        if self.current is not None and self.current.conversation_id == conversation_id:
            self.new_conversation()
        self._background.run(
            self._need().store.delete(conversation_id),
            lambda _: self._after_delete(conversation_id, title),
            self._tell,
        )

    def _after_delete(self, conversation_id: str, title: str) -> None:
        self.notice.emit(Notice("notices.deleted", {"title": title}, undo=conversation_id))
        self.refresh_conversations()

    def restore(self, conversation_id: str) -> None:
        """Undoes a deletion and brings the conversation back to the front."""
        self._background.run(
            self._need().store.restore(conversation_id), lambda _: self._after_restore(conversation_id), self._tell
        )

    def _after_restore(self, conversation_id: str) -> None:
        self.refresh_conversations()
        self.open_conversation(conversation_id)

    def _after_change(self, _: None) -> None:
        self.refresh_conversations()
        if self.current is not None:
            self.current.reload()

    def refresh_conversations(self) -> None:
        """Reads the list again."""
        if self._services is not None:
            profile = self.settings.profile
            self._background.run(
                self._services.store.conversations(profile),
                lambda found: self._show_conversations(profile, found),
                self._tell,
            )

    def _show_conversations(self, profile: str, found: list[Conversation]) -> None:
        if profile == self.settings.profile:
            self.conversations.show(found)

    def _ask_version(self) -> None:
        if self._services is not None:
            self._background.run(self._services.store.data_version(), self._take_version)

    def _take_version(self, version: int) -> None:
        changed = self._data_version is not None and version != self._data_version
        self._data_version = version
        if changed:
            self.refresh_conversations()
            for session in self._all_sessions():
                if not session.state.busy:
                    session.reload()

    # -- sessions -------------------------------------------------------------------------------

    def _session(self, conversation_id: str | None) -> ChatSession:
        session = ChatSession(self._need(), self._runner, conversation_id, self._continue_text, self)
        session.created.connect(self._adopt_created)
        session.stateChanged.connect(self._mark_busy)
        session.turnEnded.connect(self.refresh_conversations)
        session.failed.connect(self._tell)
        if conversation_id is not None:
            self._sessions[conversation_id] = session
            self._drop_old_sessions()
        return session

    @Slot(str)
    def _adopt_created(self, conversation_id: str) -> None:
        session = self.sender()
        if isinstance(session, ChatSession):
            self._sessions[conversation_id] = session
            self.refresh_conversations()
            self.conversationCreated.emit(conversation_id)

    @Slot(object)
    def _mark_busy(self, _: object) -> None:
        session = self.sender()
        if isinstance(session, ChatSession) and session.conversation_id is not None:
            self.conversations.set_busy(session.conversation_id, session.state.busy)

    def _bring_to_front(self, session: ChatSession) -> None:
        old, self.current = self.current, session
        self.currentChanged.emit(session)
        if old is not None and old is not session and old.conversation_id is None and not old.state.busy:
            old.close()
            old.deleteLater()

    def _drop_old_sessions(self) -> None:
        for name in list(self._sessions)[:-_MOST_SESSIONS]:
            session = self._sessions[name]
            if session is not self.current and not session.state.busy:
                del self._sessions[name]
                session.close()
                session.deleteLater()

    def _all_sessions(self) -> list[ChatSession]:
        fresh = [self.current] if self.current is not None and self.current.conversation_id is None else []
        return [*self._sessions.values(), *fresh]

    def _continue_text(self) -> str:
        return load_words(self.language()).say("chat.continue_message")

    def language(self) -> str:
        """The interface language in force: the setting, or the system's."""
        if self.settings.language != "system":
            return self.settings.language
        return "ko" if QLocale.system().language() == QLocale.Language.Korean else "en"

    def _need(self) -> Services:
        if self._services is None:
            raise errors.StoreUnavailable(path="")
        return self._services

    def tell_fault(self, fault: BaseException) -> None:
        """Shows a fault of the program as a notice."""
        self._tell(errors.Unexpected(f"{type(fault).__name__}: {fault}"))

    def _tell(self, error: errors.AppError) -> None:
        self.notice.emit(Notice(error.message_id, dict(error.params), Level.ERROR, error.details))
