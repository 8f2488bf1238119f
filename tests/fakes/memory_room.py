"""A MemorySession over the real services of a temporary data folder, without a window or an endpoint."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.memory_session import MemorySession
from desktop_app.core.conversation import Conversation, Message, Origin, Role, text_block
from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import Fact, FactActor, FactDraft, FactOrigin, FactSource, FactState
from desktop_app.services.all_services import Services
from tests.fakes.house import make_services, make_settings

T = TypeVar("T")
NOWHERE = "http://127.0.0.1:9"
"""An endpoint that nobody asks."""


class MemoryRoom:
    """`session` is what the panel gets; `run` waits for a coroutine of the services."""

    def __init__(self, data_dir: Path) -> None:
        self.settings = make_settings(data_dir, NOWHERE, simulated=False)
        self.services: Services = make_services(data_dir, NOWHERE, self.settings)
        self.runner = AsyncRunner()
        self.background = Background(self.runner)
        self.conversations = ConversationListModel()
        self.session: MemorySession = self.open_session()

    def open_session(self) -> MemorySession:
        """Another one, as the window makes it."""
        return MemorySession(
            self.services.memory,
            self.services.secrets,
            self.background,
            self.conversations,
            lambda: self.settings.settings,
            self.change_profile,
        )

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine on the loop thread."""
        return self.runner.start(coroutine).result(10)

    def change_profile(self, **changes: Any) -> None:
        """What the application does with a changed setting."""
        self.settings.use_in_profile(**changes)
        self.session.settings_changed()

    def use_profile(self, name: str) -> None:
        """Another profile is in use."""
        if name not in self.settings.profile_names():
            self.settings.add_profile(name)
        self.settings.use_profile(name)
        self.session.settings_changed()

    def add(self, key: str, value: str, category: str = "", *, pinned: bool = False) -> Fact:
        """A fact of the person."""
        return self.run(self.services.memory.add(key, value, category, pinned=pinned)).after

    def propose(self, key: str, value: str, source: FactSource | None = None, *, pending: bool = True) -> Fact:
        """A fact of the assistant: one that waits, or one that was allowed."""
        draft = FactDraft(key, value, origin=FactOrigin.ASSISTANT, source=source, by=FactActor.ASSISTANT)
        profile = self.settings.settings.profile
        return self.run(self.services.store.facts.keep(profile, draft, pending=pending)).after

    def propose_beside(self, key: str, value: str, other: Fact, relation: Relation) -> Fact:
        """A fact that extraction found and that waits, because of how it stands to another one."""
        draft = FactDraft(key, value, by=FactActor.EXTRACTION, source=FactSource("m1", "c1", f"Now {value}."))
        facts, profile = self.services.store.facts, self.settings.settings.profile

        async def keep() -> Fact:
            fact = (await facts.keep(profile, draft, pending=True)).after
            await facts.relate(profile, fact.id, [Related(other, relation, JudgedBy.MODEL)])
            return fact

        return self.run(keep())

    def facts(self, *states: FactState) -> list[tuple[str, str]]:
        """Key and value of what is stored, sorted."""
        return sorted((fact.key, fact.value) for fact in self.run(self.services.memory.facts(*states)))

    def conversation(self, title: str, *texts: str) -> tuple[Conversation, list[Message]]:
        """A stored conversation of the person's messages, listed."""
        store, profile = self.services.store, self.settings.settings.profile

        async def make() -> tuple[Conversation, list[Message], list[Conversation]]:
            made = await store.create_conversation(profile, title, False)
            messages: list[Message] = []
            for place, text in enumerate(texts):
                parent = messages[-1].id if messages else None
                message = Message(f"{made.id}-{place}", made.id, parent, Role.USER, (text_block(text),), Origin.TYPED)
                await store.add_message(message)
                messages.append(message)
            return made, messages, await store.conversations(profile)

        made, messages, listed = self.run(make())
        self.conversations.show(listed)
        return made, messages

    def close(self) -> None:
        """Ends threads and files."""
        self.session.stop()
        self.background.close()
        self.runner.finish(self.services.close())
        self.runner.stop()


@contextmanager
def open_room(data_dir: Path) -> Iterator[MemoryRoom]:
    """A room that is closed afterwards."""
    room = MemoryRoom(data_dir)
    try:
        yield room
    finally:
        room.close()
