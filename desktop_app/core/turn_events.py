"""What a turn tells the outside while it runs: frozen values, each with its conversation and turn."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Message
from desktop_app.core.errors import AppError
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.facts import Fact
from desktop_app.core.money.pricing import Cost
from desktop_app.core.refusal import Refusal
from desktop_app.core.usage import Figure, Usage


@dataclass(frozen=True, slots=True)
class TurnEvent:
    """The root. `turn_id` is the id of the user message that opened the turn."""

    conversation_id: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class TurnOpened(TurnEvent):
    """The person's message is on disk (for a regenerated turn: the one that is answered again)."""

    message: Message


@dataclass(frozen=True, slots=True)
class ContextPrepared(TurnEvent):
    """A request was planned, checked and saved and is about to leave."""

    request_id: str
    budget: Budget


@dataclass(frozen=True, slots=True)
class BudgetChanged(TurnEvent):
    """The figures of a request became better: counted, or measured by its reply."""

    request_id: str
    budget: Budget


@dataclass(frozen=True, slots=True)
class Waiting(TurnEvent):
    """The request left; nothing has come back yet."""

    host: str


@dataclass(frozen=True, slots=True)
class ReplyStarted(TurnEvent):
    """The first event arrived; `message_id` is the reply being written (state streaming)."""

    message_id: str
    model: str


@dataclass(frozen=True, slots=True)
class TextArrived(TurnEvent):
    """A piece of answer text; `index` is the block it belongs to."""

    message_id: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingArrived(TurnEvent):
    """A piece of thinking text."""

    message_id: str
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted(TurnEvent):
    """The model begins to write a tool call."""

    message_id: str
    index: int
    call_id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolFinished(TurnEvent):
    """A tool ran; `result` is what the model will read."""

    call_id: str
    name: str
    result: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class RetryScheduled(TurnEvent):
    """An attempt failed and will be made again in `seconds`; `attempt` counts from 1."""

    seconds: float
    attempt: int
    most: int
    error: AppError


@dataclass(frozen=True, slots=True)
class MessageSaved(TurnEvent):
    """A message of the turn is whole and stored: a reply (of a round) or the results of its tools.

    `refusal` says why the model declined, where it did.
    """

    message: Message
    usage: Usage | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class NotesTold(TurnEvent):
    """Facts travel beside the person's message (`turn_id`)."""

    notes: MessageNotes


@dataclass(frozen=True, slots=True)
class MediaLeftOut(TurnEvent):
    """Pictures or documents of earlier turns are only named in this request: it would have been too large with them."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ThinkingDropped(TurnEvent):
    """The API left out so many pieces of thinking that no longer fitted what stands before them."""

    count: int


@dataclass(frozen=True, slots=True)
class FoldingStarted(TurnEvent):
    """A summary is asked for in place of these messages; `before` is the whole context in tokens."""

    message_ids: tuple[str, ...]
    before: Figure
    cause: CompactionCause
    attempt: int = 1
    strategy: Strategy = Strategy.MEMO


@dataclass(frozen=True, slots=True)
class MemoArrived(TurnEvent):
    """A piece of the memo."""

    text: str


@dataclass(frozen=True, slots=True)
class FoldingDone(TurnEvent):
    """The summary is kept: active it stands in place of the messages from now on, proposed it waits for the person."""

    compaction: Compaction


@dataclass(frozen=True, slots=True)
class FoldingStopped(TurnEvent):
    """The person called it off; the history is as it was."""


@dataclass(frozen=True, slots=True)
class FoldingFailed(TurnEvent):
    """No memo came of it; the history is as it was."""

    error: AppError


@dataclass(frozen=True, slots=True)
class MemoriesExtracted(TurnEvent):
    """The exchange of a turn that is over was looked through for facts; this may come after other turns began.

    `waiting` wait for the person now, `repeated` were kept or waited already, `dropped` were none. `skipped` says why
    nobody was asked: short, quoted, doubtful, task, not_typed or done. `cost` is that of the request, None where it is
    unknown; `error` is what it failed of.
    """

    waiting: tuple[Fact, ...] = ()
    repeated: int = 0
    dropped: int = 0
    skipped: str = ""
    cost: Cost | None = None
    error: AppError | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished(TurnEvent):
    """The turn is over; `stop_reason` of its last reply; `can_continue` when a limit cut it."""

    stop_reason: str
    can_continue: bool


@dataclass(frozen=True, slots=True)
class TurnStopped(TurnEvent):
    """The person stopped the turn; what had arrived is stored."""


@dataclass(frozen=True, slots=True)
class TurnFailed(TurnEvent):
    """The turn ended in an error; what had arrived is stored."""

    error: AppError
