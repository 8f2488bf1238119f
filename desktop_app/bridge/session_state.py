"""Where a conversation, the endpoint and the window stand: frozen values the widgets show."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_app.core.attachments import AttachedFile
from desktop_app.core.branching import Branching
from desktop_app.core.context_budget import Budget
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import AppError, KeyVaultError
from desktop_app.core.models import Features, ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord


class Phase(StrEnum):
    """What a conversation is doing."""

    IDLE = "idle"
    PREPARING = "preparing"
    WAITING = "waiting"
    STREAMING = "streaming"
    TOOL = "tool"
    RETRYING = "retrying"
    FOLDING = "folding"
    """The answer is whole; its past is being folded into a summary."""
    MAKING_ROOM = "making_room"
    """The past is folded inside a turn; the answer comes after it."""
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of one conversation.

    `seconds` until the next attempt while RETRYING or, with an `attempt`, while FOLDING (counts down), since
    sending while WAITING; `queued` is the one message that waits for the answer or the folding to end, with
    `queued_files`;
    `can_continue` when a limit cut the last reply or its tools; `folding` messages go into the memo (0 while
    that is not known yet), `ending` says that the folding is being called off.
    """

    phase: Phase = Phase.IDLE
    seconds: float = 0.0
    attempt: int = 0
    most: int = 0
    tool: str = ""
    error: AppError | None = None
    queued: str | None = None
    queued_files: tuple[AttachedFile, ...] = ()
    can_continue: bool = False
    folding: int = 0
    ending: bool = False

    @property
    def busy(self) -> bool:
        """Whether an answer or a folding is under way."""
        return self.phase not in (Phase.IDLE, Phase.FAILED)

    @property
    def folds(self) -> bool:
        """Whether the past is being folded."""
        return self.phase in (Phase.FOLDING, Phase.MAKING_ROOM)

    @property
    def answering(self) -> bool:
        """Whether an answer is under way; beside a folding the person goes on with what is there."""
        return self.busy and self.phase is not Phase.FOLDING


class KeyState(StrEnum):
    """Where the key of the endpoint in use comes from."""

    SESSION = "session"
    KEYRING = "keyring"
    ENVIRONMENT = "environment"
    NOT_NEEDED = "not_needed"
    MISSING = "missing"


class Reach(StrEnum):
    """Whether the endpoint answers."""

    UNKNOWN = "unknown"
    ONLINE = "online"
    OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class EndpointState:
    """The endpoint in use. `missing` names features it lacks (catalogue ids below `features.`)."""

    kind: EndpointKind
    host: str
    key: KeyState
    reach: Reach = Reach.UNKNOWN
    models: tuple[ModelInfo, ...] = ()
    model: ModelInfo | None = None
    features: Features = field(default_factory=Features)
    missing: tuple[str, ...] = ()
    environment_key: bool = False
    """Whether the environment held a key at the start."""
    store: str = ""
    """The system's key store by its name, empty where none was found."""
    trouble: KeyVaultError | None = None
    """Why the key store could not be asked: there is none, it is locked, silent or faulty."""
    error: AppError | None = None


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request of the past: its record, its budget with blocks, and what was sent.

    Its texts are large and written anew at each asking.
    """

    record: RequestRecord
    budget: Budget
    request: Request

    @property
    def sent(self) -> str:
        """The JSON exactly as it was sent."""
        return self.request.body_bytes().decode()

    @property
    def body(self) -> str:
        """The same JSON indented for reading."""
        return json.dumps(self.request.body(), ensure_ascii=False, indent=2)


class Level(StrEnum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class FoldUndo:
    """A compaction that can be taken back."""

    conversation_id: str
    compaction_id: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the bar above the composer; `undo` is a conversation that can be restored (its id), a change
    of facts that can be taken back (its number), or a branching or a compaction that can be.

    The sentence of `cause`, where there is one, stands in it as `cause`.
    """

    message_id: str
    params: dict[str, str | int] = field(default_factory=dict)
    level: Level = Level.INFO
    details: str = ""
    undo: str | int | Branching | FoldUndo | None = None
    acts: tuple[str, ...] = ()
    """What can be done about it, as buttons: catalogue ids below `notices.`."""
    cause: AppError | None = None
    conversation_id: str = ""
    """The conversation its acts lead to; empty where they belong to none."""
