"""A window over stand-ins for the sessions, for tests without a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.draft_files import DraftFiles
from desktop_app.bridge.entries import Entry, TextPart
from desktop_app.bridge.gate_queue import GateQueue
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.session_state import EndpointState, KeyState, Notice, Reach, SessionState, ShownRequest
from desktop_app.bridge.shown_folding import ShownFolding
from desktop_app.core.conversation import Conversation, Origin, Role
from desktop_app.core.endpoints import EndpointKind, endpoint_for
from desktop_app.core.models import EFFORTS, ModelInfo
from desktop_app.core.settings import Settings
from desktop_app.ui.language import Language
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.theme import Theme
from tests.ui import window_samples as samples
from tests.ui.cache_samples import StageCache, StageTruth
from tests.ui.fold_stage import StageArchive, StageReview
from tests.ui.recall_samples import StageRecall
from tests.ui.spending_samples import StageSpending
from tests.ui.stand_in import stand_in

NOW = datetime.now(UTC)
MODELS = (
    ModelInfo("claude-opus-5-5", "Claude Opus 5.5", 1_000_000, 64_000, EFFORTS, frozenset(("adaptive",))),
    ModelInfo("claude-haiku-5-5", "Claude Haiku 5.5", 200_000, 32_000),
)
ROWS = (
    ("c1", "Backups plan", "On the NAS under /srv/backup, kept for 35 days", 0),
    ("c2", "제주 여행 일정", "둘째 날은 우도로 가고 저녁은 동문시장에서", 1),
    ("c3", "Invoice wording", "Net 14, not net 30", 2),
    ("c4", "정규식 도와줘", r"(?<=:)\d+ 로 충분해요", 25),
    ("c5", "Router firmware", "7.3.1 is the last that still has the old menu", 30),
    ("c6", "invoice\u202efdp.exe <b>bold</b>", "12 titles, two started", 80),
    ("c7", "Kitchen plan", "Island 90 × 180 cm", 2_000),
)


def listed(rows: tuple[tuple[str, str, str, int], ...] = ROWS) -> ConversationListModel:
    """The list of conversations as the bridge makes it."""
    model = ConversationListModel()
    model.show(
        [
            Conversation(id_, "default", title, NOW, NOW - timedelta(hours=hours), excerpt=excerpt)
            for id_, title, excerpt, hours in rows
        ]
    )
    return model


def conversation() -> list[Entry]:
    """Two turns."""
    answer = (
        "On the NAS under `/srv/backup/nas-7`, kept for **35 days**. The rotation runs at 02:30:\n\n"
        "```\n30 2 * * *  restic forget --keep-within 35d --prune\n```\n\n"
        "You decided on 35 instead of 30 days, because month-end reports are checked late."
    )
    texts = (
        ("m1", Role.USER, "오프사이트 사본은 아직 옛 버킷에 있지?"),
        ("m2", Role.ASSISTANT, "네, 아직 옛 버킷입니다. 새 버킷 `b2:mn-offsite-eu`로 옮기는 중입니다."),
        ("m4", Role.USER, "Where did we put the nightly backups, and how long do we keep them?"),
        ("m5", Role.ASSISTANT, answer),
    )
    return [
        Entry(
            id_,
            role,
            Origin.TYPED if role is Role.USER else Origin.REPLY,
            (TextPart(0, text),),
            created_at=NOW - timedelta(minutes=9 - place),
            seconds=0.9,
            output_tokens=120,
            model="claude-opus-5-5",
        )
        for place, (id_, role, text) in enumerate(texts)
    ]


@stand_in
class StageFiles(DraftFiles):
    """What is attached to a draft: nothing, unless a test says so."""

    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls, self.files = [], ()


@stand_in
class StageChat(ChatSession):
    """One conversation; `calls` lists what the window asked for, `body` is what a past request was sent as."""

    calls: list[tuple[Any, ...]]
    body: str | None

    def __init__(self, id_: str | None = "c1", title: str = "Backups plan", full: bool = True) -> None:
        QObject.__init__(self)
        self.calls = []
        self.body = None
        self.conversation_id, self.title, self.simulated, self.draft = id_, title, False, ""
        self.state = SessionState()
        self.files = StageFiles()
        self.folding = ShownFolding(self)
        self.proposal, self.in_use, self.archive = StageReview(), StageReview(), StageArchive()
        self.cache = StageCache()
        self.truth = StageTruth()
        self.recall = StageRecall()
        self.messages = MessageListModel(self)
        self.messages.show(conversation() if full else [])
        self.history = samples.history() if full else []
        self.requests, self.turns = list(self.history), frozenset(one.turn_id for one in self.history)
        self.goes_on = False
        self.preview = samples.budget() if full else None
        self.measured = samples.budget(52_000) if full else None

    def show_request(self, request_id: str | None) -> None:
        record = next((one for one in self.history if one.id == request_id), None)
        self.requestShown.emit(samples.shown(record, self.body) if record else None)

    def read_request(self, request_id: str, done: Callable[[ShownRequest], None]) -> None:
        done(samples.shown(next(one for one in self.history if one.id == request_id), self.body))


@stand_in
class StageApp(AppSession):
    """The application's session; `calls` lists what the window asked for."""

    calls: list[tuple[Any, ...]]

    def __init__(self, *, welcomed: bool = True, is_ready: bool = True) -> None:
        QObject.__init__(self)
        self.calls = []
        self.settings = Settings(welcomed=welcomed, theme="light", language="en")
        self.memory = None
        self.price_tags = None
        self.prices = None
        self.spending = StageSpending()
        self.embedder = None
        self.is_ready = is_ready
        self.endpoint = endpoint()
        self.conversations = listed()
        self.gate = GateQueue(self.conversations.title_of, self)
        self.conversations.set_busy("c3", True)
        self.current = StageChat() if is_ready and welcomed else None

    def update_settings(self, **changes: Any) -> None:
        self.settings = replace(self.settings, **changes)
        self.settingsChanged.emit(self.settings)

    def update_profile(self, **changes: Any) -> None:
        self.settings = self.settings.with_profile(self.settings.profile, **changes)
        self.settingsChanged.emit(self.settings)

    def use_endpoint(self, url: str) -> None:
        endpoint_for(url)

    def rename(self, conversation_id: str, title: str) -> None:
        rows = [replace(row, title=title) if row.id == conversation_id else row for row in self.conversations._rows]
        self.conversations.show(rows)

    def delete(self, conversation_id: str) -> None:
        self.conversations.show([row for row in self.conversations._rows if row.id != conversation_id])
        self.notice.emit(Notice("notices.deleted", {"title": "Backups plan"}, undo=conversation_id))


def endpoint(**changes: Any) -> EndpointState:
    """Anthropic with a key for this session."""
    state = EndpointState(
        EndpointKind.ANTHROPIC,
        "api.anthropic.com",
        KeyState.SESSION,
        Reach.ONLINE,
        MODELS,
        MODELS[0],
    )
    return replace(state, **changes)


@dataclass
class Stage:
    """A window over stand-ins."""

    session: StageApp
    window: MainWindow

    @property
    def chat(self) -> StageChat:
        """The conversation in front."""
        assert isinstance(self.session.current, StageChat)
        return self.session.current

    def show_endpoint(self, state: EndpointState) -> None:
        """The endpoint is found to be so."""
        self.session.endpoint = state
        self.session.endpointChanged.emit(state)


class OpenWindow:
    """Opens windows of one test; `file` is where they remember their arrangement."""

    def __init__(self, qtbot: QtBot, theme: Theme, language: Language, file: Path) -> None:
        self.qtbot, self.theme, self.language, self.file = qtbot, theme, language, file

    def __call__(self, *, welcomed: bool = True, is_ready: bool = True, width: int = 1440) -> Stage:
        session = StageApp(welcomed=welcomed, is_ready=is_ready)
        window = MainWindow(session, self.theme, self.language, self.file)
        self.qtbot.addWidget(window)
        window.resize(width, 900)
        window.show()
        self.qtbot.waitExposed(window)
        window.activateWindow()
        return Stage(session, window)
