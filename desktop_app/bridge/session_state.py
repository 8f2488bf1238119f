"""Where a conversation, the endpoint and the window stand: frozen values the widgets show."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from desktop_app.core.context_budget import Budget
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import AppError
from desktop_app.core.models import Features, ModelInfo
from desktop_app.core.request_log import RequestRecord


class Phase(StrEnum):
    """What a conversation is doing."""

    IDLE = "idle"
    PREPARING = "preparing"
    WAITING = "waiting"
    STREAMING = "streaming"
    TOOL = "tool"
    RETRYING = "retrying"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SessionState:
    """The state of one conversation.

    `seconds` until the next attempt while RETRYING (counts down), since sending while WAITING;
    `queued` is the one message that waits for the answer to end; `can_continue` when a limit cut the last
    reply or its tools.
    """

    phase: Phase = Phase.IDLE
    seconds: float = 0.0
    attempt: int = 0
    most: int = 0
    tool: str = ""
    error: AppError | None = None
    queued: str | None = None
    can_continue: bool = False

    @property
    def busy(self) -> bool:
        """Whether an answer is under way."""
        return self.phase not in (Phase.IDLE, Phase.FAILED)


class KeyState(StrEnum):
    """Where the key of the endpoint in use comes from."""

    SESSION = "session"
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
    error: AppError | None = None


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request of the past: its record, its budget with blocks, its JSON indented for reading and as it was sent."""

    record: RequestRecord
    budget: Budget
    body: str
    sent: str


class Level(StrEnum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence for the bar above the composer; `undo` is a conversation that can be restored."""

    message_id: str
    params: dict[str, str | int] = field(default_factory=dict)
    level: Level = Level.INFO
    details: str = ""
    undo: str | None = None
