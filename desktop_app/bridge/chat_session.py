"""One conversation as the window sees it: its entries, its state, its next and its past requests.

Signals:
    stateChanged(SessionState), textArrived(str, int, str), thinkingArrived(str, int, str),
    previewChanged(Budget | None), measuredChanged(Budget | None), historyChanged(),
    requestShown(ShownRequest | None), titleChanged(str), created(str), turnEnded(), failed(AppError),
    noticed(Notice): something happened beside the answer.
    learnt(MemoriesExtracted): an exchange was looked through for facts.
    textReturned(str): a text that was never stored; it stands in `draft` again, in front of what is written. What was
        attached to it stands in `files` again.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.archive_search import ArchiveSearch
from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.cache_truth import CacheTruth
from desktop_app.bridge.conversation_cache import ConversationCache
from desktop_app.bridge.draft_files import MOST_FILES, DraftFiles
from desktop_app.bridge.first_message import send_first
from desktop_app.bridge.folding import Folding
from desktop_app.bridge.loaded_conversation import LoadedConversation
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.next_request import NextRequest
from desktop_app.bridge.past_requests import PastRequests
from desktop_app.bridge.path_branching import PathBranching
from desktop_app.bridge.recall_session import RecallSession
from desktop_app.bridge.request_comparison import RequestComparison
from desktop_app.bridge.saved_file import save_bytes
from desktop_app.bridge.session_state import Level, Notice, Phase, SessionState, ShownRequest
from desktop_app.bridge.shown_folding import Folded, ShownFolding
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.bridge.summary_review import SummaryReview
from desktop_app.bridge.turn_reader import TurnReader
from desktop_app.bridge.turn_state import TurnState
from desktop_app.bridge.turns import Start, Turns
from desktop_app.core.attachments import AttachedFile, attached_of
from desktop_app.core.branching import Branching
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Conversation, Origin, is_blank
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services
from desktop_app.services.turn import TurnControl


class ChatSession(QObject):
    """Owns the turn of one conversation; other sessions stream beside it without touching it."""

    stateChanged = Signal(object)
    textArrived = Signal(str, int, str)
    thinkingArrived = Signal(str, int, str)
    previewChanged = Signal(object)
    measuredChanged = Signal(object)
    historyChanged = Signal()
    requestShown = Signal(object)
    titleChanged = Signal(str)
    created = Signal(str)
    turnEnded = Signal()
    failed = Signal(object)
    noticed = Signal(object)
    learnt = Signal(object)
    textReturned = Signal(str)

    def __init__(
        self,
        services: Services,
        runner: AsyncRunner,
        conversation_id: str | None,
        continue_text: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._continue_text = continue_text
        self._background = Background(runner, self)
        self.conversation_id = conversation_id
        self.draft = ""
        self.files = DraftFiles(services.attachments, self._background, self)
        self._closed = False
        self._state = TurnState(self)
        self._path = ShownPath(self._state, self)
        self.folding = ShownFolding(self)
        self._folding = Folding(services, self._background, self._path, self.folding, self)
        self.proposal = SummaryReview(services, self._background, self)
        self.in_use = SummaryReview(services, self._background, self)
        self.archive = ArchiveSearch(
            services, self._background, lambda: self.conversation_id, lambda: self._path.messages, self
        )
        self.recall = RecallSession(services.memory, self._background, lambda: self._path.messages, self)
        self._reader = TurnReader(self._path, self._state, self._folding, self)
        self._turns = Turns(runner, self._background, self._state, self._reader, self._folding, self)
        self._loaded = LoadedConversation(services, self._background, self._path, self._state, self)
        self.cache = ConversationCache(services.cache, self._background, self)
        self.truth = CacheTruth(services, self.cache, self._background, self)
        self._next = NextRequest(services.context, self._background, self)
        self._past = PastRequests(services.context, self._background, self)
        self._paths = PathBranching(services.chat, self._background, self)
        self._connect()
        if conversation_id is not None:
            self._loaded.read_end(conversation_id)

    def _connect(self) -> None:
        self._state.changed.connect(self.stateChanged)
        self._path.textArrived.connect(self.textArrived)
        self._path.thinkingArrived.connect(self.thinkingArrived)
        self._reader.created.connect(self._adopt)
        self._turns.ended.connect(self._on_turn_ended)
        self._turns.follows.connect(self._send_files)
        self.files.changed.connect(self._look_ahead)
        self.files.leftOut.connect(self._tell_left_out)
        self._turns.returned.connect(self._give_back)
        self._turns.failed.connect(self.failed)
        self._reader.budgetChanged.connect(self._loaded.take_budget)
        self._reader.budgetChanged.connect(self._look_at_first_request)
        self._loaded.titleChanged.connect(self.titleChanged)
        self._loaded.historyChanged.connect(self.historyChanged)
        self._loaded.measuredChanged.connect(self.measuredChanged)
        self._loaded.failed.connect(self.failed)
        self._loaded.shown.connect(self._on_loaded)
        self._reader.foldingStarted.connect(self.reload)
        self._reader.noticed.connect(self.noticed)
        self._reader.learnt.connect(self.learnt)
        self._folding.noticed.connect(self.noticed)
        self.folding.changed.connect(self._show_summaries)
        for review in (self.proposal, self.in_use):
            review.revised.connect(self.reload)
            review.failed.connect(self.failed)
        self._next.changed.connect(self.previewChanged)
        self._next.prepared.connect(self.cache.look)
        self._next.prepared.connect(self.truth.look)
        self._loaded.historyChanged.connect(self._read_cache)
        self._past.shown.connect(self.truth.show_past)
        self.truth.pastReady.connect(self.requestShown)
        self._past.failed.connect(self.failed)
        self._paths.moved.connect(self._on_moved)
        self._paths.noticed.connect(self.noticed)
        self._paths.failed.connect(self.failed)

    # -- what it shows --------------------------------------------------------------------------

    @property
    def state(self) -> SessionState:
        """Where the turn stands."""
        return self._state.value

    @property
    def messages(self) -> MessageListModel:
        """The entries of the path in use."""
        return self._path.model

    @property
    def title(self) -> str:
        """The title, empty before it is known."""
        return self._loaded.title

    @property
    def simulated(self) -> bool:
        """Whether the simulated assistant answers here."""
        return self._path.simulated

    @property
    def loaded(self) -> bool:
        """Whether the whole conversation is shown."""
        return self.conversation_id is None or self._loaded.complete

    @property
    def history(self) -> list[RequestRecord]:
        """The requests behind the path in use, oldest first."""
        return self._loaded.history

    @property
    def requests(self) -> list[RequestRecord]:
        """Every request of the conversation: for memos, and of other versions, too; oldest first."""
        return self._loaded.sent

    @property
    def turns(self) -> frozenset[str]:
        """Ids of the messages on the path: a request whose turn is none of them belongs to another version."""
        return self._loaded.turns

    @property
    def goes_on(self) -> bool:
        """Whether messages are kept behind the end of the path, for the conversation was branched there."""
        return self._loaded.goes_on

    @property
    def measured(self) -> Budget | None:
        """The budget of the last request."""
        return self._loaded.measured

    @property
    def preview(self) -> Budget | None:
        """The budget of the request that would leave now."""
        return self._next.budget

    @property
    def folded(self) -> Folded | None:
        """The compaction in use and the messages of the path it stands for."""
        return self.folding.folded

    @property
    def holds_text(self) -> bool:
        """Whether something the person wrote is nowhere but here."""
        written = not is_blank(self.draft) or self.state.queued is not None or bool(self.files.files)
        return written or self.proposal.unsaved or self.in_use.unsaved

    # -- what the person does -------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a message with what is attached to the draft.

        While an answer or a folding is under way it waits, behind what waits already.
        """
        self._send_files(text, self.files.take())

    def _send_files(self, text: str, files: tuple[AttachedFile, ...]) -> None:
        if is_blank(text) and not files:
            return
        if self.state.busy:
            now = self.state
            waiting = "\n\n".join(filter(None, (now.queued, text)))
            self._state.change(queued=waiting, queued_files=(*now.queued_files, *files))
            return
        self._turns.begin(self._start_of(text, files))

    def _start_of(self, text: str, files: tuple[AttachedFile, ...]) -> Start:
        return Start(lambda typed, control: self._send(typed, Origin.TYPED, control, files), text, files=files)

    def continue_reply(self) -> None:
        """Asks for the rest of a reply that a limit cut."""
        text = self._continue_text()
        self._turns.begin_free(Start(lambda _, control: self._send(text, Origin.CONTINUE, control)))

    def edit(self, message_id: str, text: str) -> None:
        """Sends a changed text in place of an earlier message; what was attached to that goes with it."""
        attached = any(attached_of(known.blocks) for known in self._path.messages if known.id == message_id)
        if attached or not is_blank(text):
            chat, put = self._services.chat, self._reader.put
            self._turns.begin_free(Start(lambda typed, control: chat.edit(message_id, typed, put, control), text))

    def regenerate(self, message_id: str) -> None:
        """Answers the turn of a message again."""
        chat, put = self._services.chat, self._reader.put
        self._turns.begin_free(Start(lambda _, control: chat.answer_again(message_id, put, control)))

    def fold(self, order: FoldOrder | None = None) -> None:
        """Compacts the past, as the profile has it where no order says otherwise."""
        conversation_id = self.conversation_id
        if conversation_id is not None and not self.state.busy:
            chat, put = self._services.chat, self._reader.put
            run = partial(chat.fold, conversation_id, order or FoldOrder(), put)
            self._turns.begin(Start(lambda _, control: run(control), folds=True))

    def fold_again(self) -> None:
        """Has the proposed summary written again, naming what was lost."""
        one = self.folding.proposed
        if one is not None and not self.state.busy:
            chat, put = self._services.chat, self._reader.put
            run = partial(chat.fold_again, one.compaction.id, put)
            self._turns.begin(Start(lambda _, control: run(control), folds=True))

    def commit_fold(self) -> None:
        """Puts the proposed summary to use."""
        if (one := self.folding.proposed) is not None:
            self._turns.act_free(partial(self._settle, self._services.chat.commit_fold, one.compaction.id))

    def reject_fold(self) -> None:
        """Drops the proposed summary: every message is sent as before."""
        if (one := self.folding.proposed) is not None:
            self._turns.act_free(partial(self._settle, self._services.chat.reject_fold, one.compaction.id))

    def undo_fold(self, compaction_id: str | None = None) -> None:
        """Takes a compaction and all newer ones out of use, the newest by default: what they folded is sent again."""
        if self.conversation_id is not None and not self.state.busy:
            undone = self._services.chat.undo_fold(self.conversation_id, compaction_id)
            self._background.run(undone, lambda _: self.reload(), self.failed.emit)

    def preview_fold(self, shown: bool) -> None:
        """Marks in the chat which messages would fold now, or no longer does."""
        self._folding.preview(shown)

    def plan_fold(self) -> None:
        """Asks what could be folded now; the answer stands in `folding`."""
        if self.conversation_id is not None:
            self._folding.plan(self.conversation_id)

    def retry_now(self) -> None:
        """Does not wait for the countdown; after a failure, tries again what failed.

        A text that was given back leaves the draft again, as the person may have changed it there.
        """
        if self._turns.hurry() or self.state.busy:
            return
        if self._turns.refused is not None:
            start = self._turns.refused
            if start.typed:
                text, self.draft = _taken_from(self.draft, start.typed)
                start = replace(start, typed=text)
            if start.files:
                kept = tuple(file for file in start.files if file in self.files.ready)
                self.files.drop(kept)
                start = self._start_of(start.typed, kept)
            self._turns.begin(start)
            self._look_ahead()
        elif last := next((message for message in reversed(self._path.messages) if message.opens_turn), None):
            self.regenerate(last.id)

    def drop_queued(self) -> str:
        """Takes the queued message back; returns its text, what was attached to it is in `files` again."""
        text, files = self.state.queued or "", self.state.queued_files
        self._state.change(queued=None, queued_files=())
        self.files.put_back(files)
        return text

    def send_now(self) -> None:
        """Sends what waits without the folding it waits for."""
        if self.state.phase is Phase.FOLDING and self.state.queued is not None:
            self.stop()

    def stop(self) -> None:
        """Stops the turn, what has arrived stays; a folding is called off alone."""
        self._turns.stop()

    def choose_branch(self, message_id: str, step: int) -> None:
        """Shows another version of a message and what followed it."""
        self._turns.act_free(lambda: self._paths.choose(message_id, step))

    def preview_text(self, text: str) -> None:
        """The composer's text changed: the next request will be computed from it soon."""
        self.draft = text
        self._look_ahead()

    def show_request(self, request_id: str | None) -> None:
        """Shows a past request in the panel; None returns to the present."""
        self._past.show(request_id)

    def read_request(self, request_id: str, done: Callable[[ShownRequest], None]) -> None:
        """Reads a past request for `done`; the panel goes on showing what it shows."""
        self._past.read(request_id, done)

    def compare(self) -> RequestComparison:
        """A comparison of requests, for a window of its own, which is to own it."""
        return RequestComparison(self._services.context, self._background, self)

    def save_request(self, shown: ShownRequest, file: Path) -> None:
        """Writes the JSON of a request into a file, byte for byte as it was sent; a notice tells when it is there."""
        saving = save_bytes(self._services.files, file, shown.request.body_bytes)
        done = Notice("notices.request_saved", {"file": str(file)})
        self._background.run(saving, lambda _: self.noticed.emit(done), self.failed.emit)

    def branch_at(self, message_id: str) -> None:
        """Goes on from the end of the turn that holds a message; what follows is kept as another version."""
        if (talk := self.conversation_id) is not None:
            self._turns.act_free(lambda: self._paths.branch_at(talk, message_id))

    def undo_branch(self, branching: Branching) -> None:
        """Takes a branching back, if nothing was written since; a notice tells where it could not be."""
        self._turns.act_free(lambda: self._paths.undo(branching))

    def resume(self) -> None:
        """Brings the messages kept behind the end of this path into use again."""
        if (talk := self.conversation_id) is not None:
            self._turns.act_free(lambda: self._paths.resume(talk))

    def settings_changed(self) -> None:
        """Model, endpoint or instructions changed: the next request looks different."""
        self._next.forget_setting()
        self._look_ahead()
        if not self._closed:
            self._folding.read(self.conversation_id)
            self.truth.settings_changed()
            self.recall.look()

    def prices_changed(self) -> None:
        """What requests cost is another: the figures are made anew."""
        self._read_cache()
        self._look_ahead()

    def reload(self) -> None:
        """Reads the conversation again (another process wrote, or a turn ended)."""
        self._next.forget_setting()
        if self.conversation_id is not None:
            self._loaded.read(self.conversation_id)

    def close(self, *, closing_app: bool = False) -> None:
        """Ends what runs for this conversation; with `closing_app` the answer is marked interrupted.

        A closed session stays silent and is not opened again.
        """
        if self._closed:
            return
        self._closed = True
        self._background.close()
        self._reader.close()
        self._path.stop()
        self._next.stop()
        self.cache.stop()
        self.truth.stop()
        self._folding.stop()
        for one in (self.proposal, self.in_use, self.archive, self.recall):
            one.stop()
        self._state.stop()
        self._turns.close(closing_app=closing_app)

    # -- turns ----------------------------------------------------------------------------------

    async def _send(
        self, text: str, origin: Origin, control: TurnControl, files: tuple[AttachedFile, ...] = ()
    ) -> None:
        put = self._reader.put
        if self.conversation_id is None:
            await send_first(self._services, text, origin, put, control, files)
        else:
            await self._services.chat.send(self.conversation_id, text, put, control, origin, files)

    def _on_moved(self) -> None:
        self.show_request(None)
        self.reload()

    def _settle(self, act: Callable[[str], Coroutine[Any, Any, Compaction]], compaction_id: str) -> None:
        self._background.run(act(compaction_id), lambda _: self.reload(), self.failed.emit)

    def _show_summaries(self) -> None:
        for review, shown in ((self.proposal, self.folding.proposed), (self.in_use, self.folding.folded)):
            review.show(shown.compaction if shown is not None else None)

    def _adopt(self, conversation: Conversation) -> None:
        self.conversation_id = conversation.id
        self._loaded.adopt(conversation)
        self.created.emit(conversation.id)

    def _on_loaded(self) -> None:
        """What is behind the next request may be other messages, another memo, another epoch."""
        self._next.forget_setting()
        self._look_ahead()
        self.recall.look()
        self._folding.show(self._loaded.compactions, self._loaded.history)
        if not self.state.busy:
            self._folding.read(self.conversation_id)

    def _on_turn_ended(self) -> None:
        self._path.finish_arriving()
        self._path.show()
        self.turnEnded.emit()
        self.reload()

    def _read_cache(self) -> None:
        self.cache.read(self.conversation_id)

    def _give_back(self, text: str, files: tuple[AttachedFile, ...]) -> None:
        self.files.put_back(files)
        self.draft = "\n\n".join(part for part in (text, self.draft) if not is_blank(part))
        self.textReturned.emit(text)
        self._look_ahead()

    def _tell_left_out(self, left: int, given: int) -> None:
        params: dict[str, str | int] = {"n": left, "given": given, "most": MOST_FILES}
        self.noticed.emit(Notice("attachments.too_many", params, Level.WARNING))

    def _look_at_first_request(self) -> None:
        """Before the first answer there is nothing to show but the request that was just sent."""
        if self.preview is None:
            self._look_ahead()

    def _look_ahead(self) -> None:
        if not self._closed:
            self._next.look(self.conversation_id, self._path.messages, self.draft, self.files.ready)


def _taken_from(draft: str, text: str) -> tuple[str, str]:
    """The text to send again and what stays in the draft; a text that was changed there goes as it is now."""
    if draft.startswith(f"{text}\n\n"):
        return text, draft[len(text) + 2 :]
    return (text if is_blank(draft) else draft), ""
