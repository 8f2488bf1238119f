"""The application as the window sees it: settings, endpoint, conversations, and the conversation in front.

Signals:
    ready(), startFailed(AppError), settingsChanged(Settings), currentChanged(ChatSession | None),
    endpointChanged(EndpointState), localServersFound(tuple[LocalServer, ...]), notice(Notice),
    conversationCreated(str), profileChanged(): another profile is in use, what was offered in the one before is over.
    tagsChanged(): acts have other prices.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QLocale, QObject, QTimer, Signal, Slot

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.embedder_session import EmbedderSession
from desktop_app.bridge.endpoint_watch import EndpointWatch
from desktop_app.bridge.gate_queue import GateQueue
from desktop_app.bridge.memory_session import MemorySession
from desktop_app.bridge.open_sessions import OpenSessions
from desktop_app.bridge.opening import Opening
from desktop_app.bridge.price_session import PriceSession
from desktop_app.bridge.price_tags import PriceTags
from desktop_app.bridge.session_state import EndpointState, FoldUndo, KeyState, Level, Notice
from desktop_app.bridge.settings_watch import SettingsWatch
from desktop_app.bridge.spending_session import SpendingSession
from desktop_app.bridge.stored_conversations import StoredConversations
from desktop_app.core import errors
from desktop_app.core.branching import Branching
from desktop_app.core.endpoints import ANTHROPIC_URL, EndpointKind, clean_url
from desktop_app.core.facts import FactChange
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, Settings
from desktop_app.core.turn_events import MemoriesExtracted
from desktop_app.core.words import load_words
from desktop_app.services.all_services import Services
from desktop_app.services.settings import SettingsService
from desktop_app.services.standing import Standing

_INDEX_MS = 3_000
_AGING_MS = 3_600_000
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
    profileChanged = Signal()
    tagsChanged = Signal()

    def __init__(
        self,
        settings: SettingsService,
        open_services: Callable[[], Services],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings_service = settings
        self._services: Services | None = None
        self._runner = AsyncRunner()
        self._background = Background(self._runner, self)
        self._stored_settings = SettingsWatch(settings, self._background, self)
        self._stored_settings.changed.connect(self._on_settings_elsewhere)
        self._stored_settings.failed.connect(self._tell)
        self.is_ready = False
        self._watch: EndpointWatch | None = None
        self._trouble: errors.KeyVaultError | None = None
        self.conversations = ConversationListModel(self)
        self._sessions = OpenSessions(self._session)
        self._stored: StoredConversations | None = None
        self.memory: MemorySession | None = None
        self.price_tags: PriceTags | None = None
        self.prices: PriceSession | None = None
        self.spending: SpendingSession | None = None
        self.embedder: EmbedderSession | None = None
        self.gate = GateQueue(self.conversations.title_of, self)
        self._opening = Opening(open_services, self._background, self)
        self._opening.opened.connect(self._take_services)
        self._opening.failed.connect(self.startFailed)
        self._closed = False
        self._archiving: Future[None] | None = None
        self._aging = QTimer(self)
        self._aging.setInterval(_AGING_MS)
        self._aging.timeout.connect(self._put_facts_away)

    @property
    def current(self) -> ChatSession | None:
        """The conversation in front, None before `ready`."""
        return self._sessions.front

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings_service.settings

    # -- start and end --------------------------------------------------------------------------

    def start(self) -> None:
        """Imports the heavy libraries and opens the data off the GUI thread; `ready` or `startFailed` follows."""
        self._opening.start()

    def retry_start(self) -> None:
        """Tries again after `startFailed`."""
        self._opening.start()

    @Slot(object)
    def _take_services(self, services: Services) -> None:
        self._services = services
        self._watch = EndpointWatch(services.access, self._settings_service, self._background, self)
        self._watch.changed.connect(self._show_endpoint)
        self._watch.serversFound.connect(self.localServersFound)
        self._watch.failed.connect(self._tell)
        self._stored = StoredConversations(
            services.store, self.conversations, lambda: self.settings.profile, self._background, self
        )
        self._stored.deleted.connect(self._on_deleted)
        self._stored.restored.connect(self.open_conversation)
        self._stored.renamed.connect(self._reload_front)
        self._stored.writtenElsewhere.connect(self._on_written_elsewhere)
        self._stored.failed.connect(self._tell)
        services.gate.approver = self.gate
        self.memory = MemorySession(
            services.memory,
            services.secrets,
            self._background,
            self.conversations,
            lambda: self.settings,
            self.update_profile,
            self,
        )
        self.prices = PriceSession(services.prices, self._background, self)
        self.price_tags = PriceTags(services.tags, self._background, lambda: self.settings, self)
        self.price_tags.changed.connect(self.tagsChanged)
        self.settingsChanged.connect(self.price_tags.settings_changed)
        self.endpointChanged.connect(self.price_tags.read)
        self.currentChanged.connect(self.price_tags.follow)
        self.memory.use_tags(self.price_tags)
        self.memory.changed.connect(self._on_memory_changed)
        self.memory.deleted.connect(self._on_fact_deleted)
        self.memory.rebuilt.connect(self._on_rebuilt)
        self.memory.failed.connect(self._tell)
        self.spending = SpendingSession(services.spending, self._background, self.update_settings, self)
        self.spending.notice.connect(self.notice)
        self.spending.failed.connect(self._tell)
        self.prices.changed.connect(self._on_prices_changed)
        self.embedder = EmbedderSession(services.embedders, services.keys, self._background, self)
        self.is_ready = True
        self.new_conversation()
        self.ready.emit()
        for word in (*self._settings_service.take_notices(), *services.store.notices):
            self.notice.emit(Notice(word, level=Level.WARNING))
        for told in services.prices.take_notices():
            self.notice.emit(Notice(told.message_id, {"rows": told.rows} if told.rows else {}, level=Level.WARNING))
        self.spending.refresh()
        self._stored.start()
        self._stored_settings.start()
        self.check_endpoint()
        QTimer.singleShot(_INDEX_MS, self, self._start_index)

    def close(self) -> None:
        """Ends all turns (their partial answers are kept as interrupted) and every thread."""
        if self._closed:
            return
        self._closed = True
        self.gate.close()
        self._stored_settings.stop()
        self._aging.stop()
        if self._watch is not None:
            self._watch.stop()
        if self._stored is not None:
            self._stored.stop()
        if self.memory is not None:
            self.memory.stop()
        if self.price_tags is not None:
            self.price_tags.stop()
        if self.spending is not None:
            self.spending.stop()
        if self.embedder is not None:
            self.embedder.watch(False)
        if self._services is not None:
            if self._archiving is not None:
                self._archiving.cancel()
            # They wait for changes, which `finish` would wait out.
            self._runner.call(self._services.indexing.stop)
            self._runner.call(self._services.embedders.stop)
            self._runner.call(self._services.extraction.stop)
        self._opening.close()
        self._sessions.close()
        self._background.close()
        try:
            if self._opening.services is not None:
                self._runner.finish(self._opening.services.close())
        finally:
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
        if self.memory is not None:
            self.memory.settings_changed()
        if _ENDPOINT_FIELDS & changes.keys():
            self._endpoint_moved()

    def _saved(self, changes: dict[str, Any]) -> None:
        self._stored_settings.save()
        self.settingsChanged.emit(self.settings)
        if changes:
            for session in self._sessions.all():
                session.settings_changed()

    def _on_settings_elsewhere(self, before: Settings) -> None:
        """Another process changed settings, or made a profile."""
        self.settingsChanged.emit(self.settings)
        self._refresh_spending()
        if self.memory is not None:
            self.memory.settings_changed()
        if before.of() != self.settings.of():
            self._endpoint_moved()
        if self._services is not None:
            self._runner.call(self._services.embedders.kick)

    # -- endpoint -------------------------------------------------------------------------------

    @property
    def endpoint(self) -> EndpointState | None:
        """What is known of the endpoint in use, None before it was looked at."""
        return self._watch.state if self._watch is not None else None

    def use_key(self, text: str, *, keep: bool = True) -> None:
        """Takes a key, into the system's key store if `keep`, and tries it; endpointChanged or a notice follows."""
        if self._watch is not None:
            self._watch.use_key(text, keep=keep)

    def forget_key(self) -> None:
        """Drops the key in use, from memory or from the key store."""
        if self._watch is not None:
            self._watch.forget_key()

    def retry_keys(self) -> None:
        """Asks the system's key store again; endpointChanged follows."""
        if self._watch is not None:
            self._watch.retry_keys()

    def use_endpoint(self, url: str) -> None:
        """Sends to another base URL from now on; raises BadInput for one that cannot be used."""
        self._settings_service.use_endpoint(clean_url(url))
        self._saved({"base_url": url})
        self._endpoint_moved()

    def use_anthropic(self) -> None:
        """Sends to Anthropic from now on."""
        self.use_endpoint(ANTHROPIC_URL)

    def use_demo(self) -> None:
        """Goes to the Demo profile, whose endpoint is the simulated assistant."""
        self._change_profile(DEMO_PROFILE)

    def leave_demo(self) -> None:
        """Goes back to the person's own profile."""
        self._change_profile(DEFAULT_PROFILE)

    def use_profile(self, name: str) -> None:
        """Goes to another profile, with its own conversations, facts, model and endpoint; raises BadInput."""
        if name not in self._settings_service.profile_names():
            raise errors.BadInput(what=name, why="profile_unknown")
        if name != self.settings.profile:
            self._change_profile(name)

    def add_profile(self, name: str) -> None:
        """Makes a profile and goes to it; raises BadInput for a blank name or one that is taken."""
        self._change_profile(self._settings_service.add_profile(name))

    def _change_profile(self, name: str) -> None:
        self.update_settings(profile=name, welcomed=True)
        self.profileChanged.emit()
        if self.memory is not None:
            self.memory.settings_changed()
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
        self._tell_trouble(state)
        for session in self._sessions.all():
            session.settings_changed()

    def _tell_trouble(self, state: EndpointState) -> None:
        """A key store that keeps its key back is told once, with what to do; the first page tells it itself."""
        trouble = state.trouble if state.key is KeyState.MISSING else None
        known, self._trouble = self._trouble, trouble
        if trouble is None or trouble is known or isinstance(trouble, errors.NoKeyVault) or not self.settings.welcomed:
            return
        params = dict(trouble.params)
        acts = ("retry_keys", "enter_key")
        self.notice.emit(Notice(trouble.message_id, params, Level.WARNING, trouble.details, acts=acts))

    def find_local_servers(self) -> None:
        """Looks for servers of the Messages API on loopback; localServersFound follows."""
        if self._watch is not None:
            self._watch.find_local()

    # -- conversations --------------------------------------------------------------------------

    def new_conversation(self) -> None:
        """A new conversation in front, the one in which something is written already before an empty one.

        It is stored with its first message.
        """
        self._bring_to_front(self._sessions.new())

    def open_conversation(self, conversation_id: str) -> None:
        """Brings a conversation to the front."""
        if self.current is None or self.current.conversation_id != conversation_id:
            self._bring_to_front(self._sessions.of(conversation_id))

    def rename(self, conversation_id: str, title: str) -> None:
        """Gives a conversation a title; a blank one changes nothing."""
        if self._stored is not None:
            self._stored.rename(conversation_id, title)

    def delete(self, conversation_id: str) -> None:
        """Takes a conversation out of the list, stops what runs there; a notice offers undo."""
        if self._stored is None:
            return
        self._sessions.take_out(conversation_id)
        self.conversations.set_busy(conversation_id, False)
        if self.current is not None and self.current.conversation_id == conversation_id:
            self.new_conversation()
        self._stored.delete(conversation_id)

    def undo(self, what: str | int | Branching | FoldUndo) -> None:
        """Takes back what a notice offers to: the deletion, branching or folding of a conversation, a change of
        facts."""
        if isinstance(what, str):
            self.restore(what)
        elif isinstance(what, Branching):
            self.open_conversation(what.conversation_id)
            self._sessions.of(what.conversation_id).undo_branch(what)
        elif isinstance(what, FoldUndo):
            self.open_conversation(what.conversation_id)
            self._sessions.of(what.conversation_id).undo_fold(what.compaction_id)
        elif self.memory is not None:
            self.memory.undo(what)

    def _on_deleted(self, conversation_id: str, title: str) -> None:
        self.notice.emit(Notice("notices.deleted", {"title": title}, undo=conversation_id))

    def restore(self, conversation_id: str) -> None:
        """Undoes a deletion and brings the conversation back to the front."""
        if self._stored is not None:
            self._stored.restore(conversation_id)

    def refresh_conversations(self) -> None:
        """Reads the list again."""
        if self._stored is not None:
            self._stored.read()

    # -- memory ---------------------------------------------------------------------------------

    def _on_memory_changed(self) -> None:
        """A fact, or the use of facts, is another: so is the next request of every conversation."""
        self._kick_index()
        for session in self._sessions.all():
            session.settings_changed()

    def _on_turn_ended(self) -> None:
        """The assistant may have kept a fact, and a request went out; a refused key may have been replaced since."""
        session = self.sender()
        refused = isinstance(session, ChatSession) and isinstance(session.state.error, errors.KeyRefused)
        if refused and self._watch is not None:
            self._watch.reread_key()
        if self.memory is not None:
            self.memory.reload()
            self._kick_index()

    @Slot(object)
    def _on_learnt(self, report: MemoriesExtracted) -> None:
        """What was found waits in the inbox, and the person is told; what it cost is in the sums."""
        if self.memory is not None and (report.waiting or report.repeated):
            self.memory.reload()
        if report.waiting:
            self.notice.emit(Notice("notices.facts_wait", {"n": len(report.waiting)}, acts=("open_inbox",)))
        if not report.skipped:
            self._refresh_spending()

    def _on_fact_deleted(self, change: FactChange, standing: Standing) -> None:
        n = standing.summaries or standing.messages
        params: dict[str, str | int] = {"key": change.after.key, "n": n, "messages": standing.messages}
        word = "notices.fact_deleted_stands" if standing.messages else "notices.fact_deleted"
        if standing.summaries:
            word = "notices.fact_deleted_folded"
        self.notice.emit(Notice(word, params, undo=change.number))

    def _start_index(self) -> None:
        """Gives facts their vectors in the background, once the start is over."""
        if self._services is not None and not self._closed:
            self._runner.call(self._services.indexing.start)
            self._runner.call(self._services.embedders.start)
            # Messages of earlier versions; what fails is done by the next search.
            self._archiving = self._background.run(self._services.archive.index_all(), failed=lambda _: None)
            self._aging.start()
            self._put_facts_away()

    def _put_facts_away(self) -> None:
        """What has expired or was not used for long; what fails is done the next time."""
        if self._services is not None:
            self._background.run(self._services.aging.run(), self._on_facts_archived, lambda _: None)

    def _on_facts_archived(self, n: int) -> None:
        if n and self.memory is not None:
            self.memory.reload()
            self._on_memory_changed()
            self.notice.emit(Notice("notices.facts_archived", {"n": n}))

    def _kick_index(self) -> None:
        if self._services is not None:
            self._runner.call(self._services.indexing.kick)

    def _on_rebuilt(self, _conversation_id: str) -> None:
        self.notice.emit(Notice("notices.memory_rebuilt"))

    def _on_prices_changed(self) -> None:
        self._refresh_spending()
        for session in self._sessions.all():
            session.prices_changed()

    def _refresh_spending(self) -> None:
        if self.spending is not None:
            self.spending.refresh()

    def _on_written_elsewhere(self) -> None:
        self._reload_idle()
        self._refresh_spending()
        if self.memory is not None:
            self.memory.reload()
            self._on_memory_changed()

    def _reload_front(self) -> None:
        if self.current is not None:
            self.current.reload()

    def _reload_idle(self) -> None:
        for session in self._sessions.all():
            if not session.state.busy:
                session.reload()

    # -- sessions -------------------------------------------------------------------------------

    def _session(self, conversation_id: str | None) -> ChatSession:
        session = ChatSession(self._need(), self._runner, conversation_id, self._continue_text, self)
        session.created.connect(self._adopt_created)
        session.stateChanged.connect(self._mark_busy)
        session.turnEnded.connect(self.refresh_conversations)
        session.turnEnded.connect(self._on_turn_ended)
        session.cache.reportChanged.connect(self._refresh_spending)
        session.failed.connect(self._tell)
        session.noticed.connect(self.notice)
        session.learnt.connect(self._on_learnt)
        return session

    @Slot(str)
    def _adopt_created(self, conversation_id: str) -> None:
        session = self.sender()
        if isinstance(session, ChatSession):
            self._sessions.adopt(session, conversation_id)
            if self.memory is not None and session is self.current:
                self.memory.set_conversation(conversation_id)
            self.refresh_conversations()
            self.conversationCreated.emit(conversation_id)

    @Slot(object)
    def _mark_busy(self, _: object) -> None:
        session = self.sender()
        if isinstance(session, ChatSession) and session.conversation_id is not None:
            self.conversations.set_busy(session.conversation_id, session.state.answering)

    def _bring_to_front(self, session: ChatSession) -> None:
        self._sessions.front = session
        if self.memory is not None:
            self.memory.set_conversation(session.conversation_id)
        self.currentChanged.emit(session)
        self._sessions.tidy()

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
