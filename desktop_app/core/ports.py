"""What the services need from the outside: Protocols that adapters fulfil."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from desktop_app.core.conversation import Block, Conversation, Epoch, Message
from desktop_app.core.endpoints import Endpoint, LocalServer
from desktop_app.core.importing import ImportedConversation, ImportReport
from desktop_app.core.models import ModelInfo
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.settings import Settings
from desktop_app.core.stream import StreamEvent
from desktop_app.core.token_estimate import Calibration
from desktop_app.core.usage import Figure


@dataclass(frozen=True, slots=True)
class Branches:
    """The alternatives at one message of the path: ids of all siblings in order, itself included."""

    message_id: str
    siblings: tuple[str, ...]


class ConversationStore(Protocol):
    """Conversations, messages, epochs and requests. All methods raise StoreUnavailable when the disk refuses.

    Every write is one transaction; when it returns, the data is on disk.
    """

    @property
    def notices(self) -> tuple[str, ...]:
        """Catalogue ids about how the data is kept, for the person to know."""

    async def close(self) -> None:
        """Ends its threads; further calls are errors."""

    async def data_version(self) -> int:
        """A number that changes when another process wrote."""

    async def conversations(self, profile: str) -> list[Conversation]:
        """Those not deleted, last used first; `excerpt` is the start of the last visible text."""

    async def deleted_conversations(self, profile: str) -> list[Conversation]:
        """Those that can be restored, last deleted first."""

    async def conversation(self, conversation_id: str) -> Conversation:
        """One, also a deleted one; raises NotFound."""

    async def create_conversation(self, profile: str, title: str, simulated: bool) -> Conversation:
        """A new, empty one."""

    async def rename(self, conversation_id: str, title: str) -> None:
        """Gives it a title; raises NotFound."""

    async def delete(self, conversation_id: str) -> None:
        """Takes it out of the list; restorable for 30 days."""

    async def restore(self, conversation_id: str) -> None:
        """Undoes a deletion; raises NotFound when it is gone."""

    async def claim(self, conversation_id: str) -> None:
        """Takes the conversation for a turn; raises Busy while a turn of another living process runs in it."""

    async def release(self, conversation_id: str) -> None:
        """Ends the claim of this process."""

    async def path_to(self, message_id: str) -> list[Message]:
        """The messages down to one, root first; empty when it does not exist."""

    async def path(self, conversation_id: str) -> list[Message]:
        """The messages in use, root first."""

    async def tail(self, conversation_id: str, count: int) -> list[Message]:
        """The last messages in use, at most `count`, oldest first; as quick for a long conversation as for a short."""

    async def branches(self, conversation_id: str) -> list[Branches]:
        """For each message of the path that has siblings."""

    async def message(self, message_id: str) -> Message:
        """One message; raises NotFound."""

    async def tip_below(self, message_id: str) -> str:
        """The newest leaf below a message (itself when it has no children)."""

    async def add_message(self, message: Message) -> Message:
        """Stores a message and makes it the head of its conversation; returns it with `created_at`."""

    async def move_head(self, conversation_id: str, message_id: str | None) -> None:
        """Makes another message of the tree the head."""

    async def flush_partial(self, message: Message) -> None:
        """Replaces the blocks of a message that is still streaming."""

    async def finish(self, message: Message, record: RequestRecord) -> None:
        """The whole (or broken-off) message and what came of its request, in one transaction."""

    async def mark_interrupted(self) -> int:
        """Streaming messages whose process is gone become interrupted, their requests stopped; how many."""

    async def epochs(self, conversation_id: str) -> list[Epoch]:
        """All epochs of a conversation, oldest first."""

    async def add_epoch(self, conversation_id: str, epoch: Epoch) -> None:
        """Stores the bytes of a new prefix."""

    async def save_request(self, record: RequestRecord, request: Request) -> None:
        """Keeps a request exactly as it is about to be sent."""

    async def update_request(self, record: RequestRecord) -> None:
        """Replaces what is known of a request; its body never changes."""

    async def requests(self, conversation_id: str) -> list[RequestRecord]:
        """All requests of a conversation, oldest first."""

    async def request(self, request_id: str) -> tuple[RequestRecord, Request]:
        """A request as it was sent; raises NotFound."""

    async def known_totals(self, conversation_id: str, digests: Sequence[str]) -> Mapping[str, Figure]:
        """Measured or counted totals of requests with these digests."""

    async def calibration(self, model_key: str) -> Calibration | None:
        """The estimator's state for a model of an endpoint."""

    async def save_calibration(self, model_key: str, calibration: Calibration) -> None:
        """Keeps it."""

    async def import_conversations(self, profile: str, conversations: Sequence[ImportedConversation]) -> ImportReport:
        """Adds what is new by source id and content; never removes, never brings back what was deleted."""


class ModelEndpoint(Protocol):
    """A server of the Messages API. All methods raise kinds of EndpointError."""

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""

    def stream(self, request: Request) -> AbstractAsyncContextManager[AsyncIterator[StreamEvent]]:
        """Sends a request and yields its answer; leaving the context closes the connection."""

    async def count(self, request: Request) -> int:
        """Input tokens of a request by count_tokens."""

    async def models(self) -> list[ModelInfo]:
        """The models it lists."""

    async def model(self, model_id: str) -> ModelInfo:
        """One model; raises ModelUnknown."""

    async def close(self) -> None:
        """Closes connections."""


class Endpoints(Protocol):
    """Opens endpoints."""

    async def open(self, endpoint: Endpoint, key: str | None) -> ModelEndpoint:
        """A client for it; the key stays inside. Raises NoKey or KeyRefused."""

    async def find_local(self) -> list[LocalServer]:
        """Servers of the Messages API that answer on loopback (Ollama, LM Studio, llama-server)."""

    async def close(self) -> None:
        """Ends what they were opened with, after the endpoints themselves."""


class SimulatedAssistant(Protocol):
    """The simulator as a child process."""

    async def url(self) -> str:
        """Its base URL; starts it when it is not running. Raises ServerFailed."""

    async def close(self) -> None:
        """Ends it."""


class SettingsStore(Protocol):
    """Settings on disk."""

    def load(self) -> tuple[Settings, list[str]]:
        """Settings and notices (catalogue ids) about what could not be read; never raises for bad content."""

    def save(self, settings: Settings) -> None:
        """Writes them whole or not at all; raises StoreUnavailable."""

    def take_untold(self) -> list[str]:
        """Notices about what was set aside since this was last asked, also by other processes; each only once."""


class Tool(Protocol):
    """A tool the model may call."""

    @property
    def definition(self) -> Block:
        """The tool as the API takes it; its bytes never change within a version."""

    async def run(self, arguments: Mapping[str, object]) -> str:
        """The result; raises ToolError with a text for the model."""


class ToolError(Exception):
    """A tool could not do what was asked; the text goes to the model as an error result."""
