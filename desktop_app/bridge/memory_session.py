"""Long-term facts as the panel shows and changes them.

Signals:
    listChanged(): what is listed, waits, or is counted is another.
    detailChanged(): the chosen fact, its history or where it still stands (`detail`).
    priceChanged(): acts have other prices in the conversation in front (`tags`).
    pausedChanged(): memory was paused or goes on.
    kept(Fact): a fact was added, edited or accepted. refused(AppError): what was typed cannot be kept, or
        a fact is not as it was shown.
    deleted(FactChange, Standing): a fact was deleted, and where its text still stands.
    changed(): something of memory is another, so the next request of every conversation is.
    rebuilt(str): the conversation begins anew with the facts of today.
    suspectedChanged(): other facts are known to hold a secret unmasked (`suspected`).
    sourceAsked(str, str): the message a fact comes from, by conversation and message. failed(AppError).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.conversation_list import ConversationListModel
from desktop_app.bridge.fact_detail import FactDetail
from desktop_app.bridge.fact_list import FactListModel
from desktop_app.bridge.fact_reading import FactReading, found_by_meaning, matching, read_facts
from desktop_app.bridge.price_tags import PriceTags
from desktop_app.bridge.waiting_fact import WaitingFact
from desktop_app.core.errors import AppError, BadInput, FactChanged
from desktop_app.core.facts import Fact, FactChange, FactSource, FactState, ShownFacts, same_key
from desktop_app.core.ports import SecretDetector
from desktop_app.core.settings import Settings
from desktop_app.core.words import load_words
from desktop_app.services.memory import MemoryService
from desktop_app.services.standing import Standing

_TYPING_MS = 180


class MemorySession(QObject):
    """Shows the facts of the profile in use; each change is followed by a new reading.

    `settings` gives the settings in force, `change_profile` changes those of the profile in use, `tags` are the prices
    of acts, None where nobody reads them.
    """

    listChanged = Signal()
    detailChanged = Signal()
    priceChanged = Signal()
    pausedChanged = Signal()
    kept = Signal(object)
    refused = Signal(object)
    deleted = Signal(object, object)
    changed = Signal()
    rebuilt = Signal(str)
    suspectedChanged = Signal()
    sourceAsked = Signal(str, str)
    failed = Signal(object)

    def __init__(
        self,
        memory: MemoryService,
        secrets: SecretDetector,
        background: Background,
        conversations: ConversationListModel,
        settings: Callable[[], Settings],
        change_profile: Callable[..., None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._memory, self._background, self._conversations = memory, background, conversations
        self.secrets = secrets
        """What a form warns by: the same that masks what is saved."""
        self._settings, self._change_profile = settings, change_profile
        self.tags: PriceTags | None = None
        self.facts = FactListModel(load_words("en"), self)
        self.query, self.state = "", FactState.ACTIVE
        self.detail: FactDetail | None = None
        self.suspected: tuple[Fact, ...] = ()
        self._read = FactReading(settings().profile)
        self._loaded = False
        self._chosen: str | None = None
        self._conversation: str | None = None
        self._profile, self._paused = settings().profile, self.paused
        self._budget = settings().of().facts_budget
        self._reading = 0
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self._find)
        self.reload()

    # -- what it shows --------------------------------------------------------------------------

    @property
    def loaded(self) -> bool:
        """Whether the facts of the profile in use were read."""
        return self._loaded

    @property
    def count(self) -> int:
        """Number of active facts, found or not."""
        return len(self._read.active)

    @property
    def found(self) -> str:
        """The search whose result is listed; empty while all are."""
        return self._read.query.strip()

    @property
    def pending(self) -> tuple[Fact, ...]:
        """Facts that wait for the person, the oldest first."""
        return tuple(one.fact for one in self._read.waiting)

    @property
    def front(self) -> WaitingFact | None:
        """The first of them, with the facts it bears on."""
        return self._read.waiting[0] if self._read.waiting else None

    @property
    def paused(self) -> bool:
        """Whether facts are neither told, recalled nor saved."""
        return not self._settings().of().memory

    def with_key(self, key: str) -> Fact | None:
        """The active fact of this key."""
        return self._read.by_key.get(same_key(" ".join(key.split())))

    def source_title(self, fact: Fact) -> str | None:
        """The title of the conversation a fact comes from; None where it is not listed."""
        return None if fact.source is None else self.title_of(fact.source.conversation_id)

    def scope_title(self, fact: Fact) -> str | None:
        """The title of the only conversation a fact holds in; None where it holds in all, or that one is not listed."""
        return self.title_of(fact.scope) if fact.scope else None

    def title_of(self, conversation_id: str) -> str | None:
        """The title of a conversation; None where it is not listed."""
        if self._conversations.row_of(conversation_id) < 0:
            return None
        return self._conversations.title_of(conversation_id)

    # -- what the person does -------------------------------------------------------------------

    def search(self, text: str) -> None:
        """Lists the facts that hold a text at once, and what else is found by its meaning soon; all for a blank one."""
        self.query = text
        typed = matching(self._read.listed, self._read.texts, text, ())
        if typed:
            self._read = replace(self._read, query=text, shown=tuple(typed))
            self.facts.show(typed)
            self.listChanged.emit()
        if text.strip():
            self._typing.start()
        else:
            self.reload()

    def list_state(self, state: FactState) -> None:
        """Lists the facts in another state."""
        if state is not self.state:
            self.state, self._chosen = state, None
            self.reload()

    def select(self, fact_id: str | None) -> None:
        """Chooses a fact; its history and where it still stands follow."""
        self._chosen = fact_id
        self._show_detail()

    def add(
        self,
        key: str,
        value: str,
        category: str = "",
        *,
        pinned: bool = False,
        source: FactSource | None = None,
        allow_secrets: bool = False,
    ) -> None:
        """Keeps a fact, with the message it stood in where there is one; `kept` or `refused` follows. Secrets in it
        are masked, unless the person said that they may stay (`allow_secrets`)."""
        write = self._memory.add(key, value, category, pinned=pinned, source=source, allow_secrets=allow_secrets)
        self._write(write, self._tell_kept)

    def edit(
        self,
        fact_id: str,
        *,
        key: str,
        value: str,
        category: str | None,
        expected: int,
        allow_secrets: bool = False,
    ) -> None:
        """Gives a fact another text, and a category where one is given; `kept` or `refused` follows. `expected` is the
        revision that was shown, `allow_secrets` as in `add`."""
        write = self._memory.edit(
            fact_id, key=key, value=value, category=category, expected=expected, allow_secrets=allow_secrets
        )
        self._write(write, self._tell_kept)

    def pin(self, fact_id: str, pinned: bool) -> None:
        """Pins or unpins."""
        self._write(self._memory.pin(fact_id, pinned))

    def set_aside(self, fact_id: str, *, archive: bool) -> None:
        """Pauses a fact or archives it."""
        act = self._memory.archive if archive else self._memory.pause
        self._write(act(fact_id), in_form=False)

    def bring_back(self, fact: Fact) -> None:
        """Uses a fact again that was paused, archived, replaced or deleted."""
        act = self._memory.resume if fact.state is FactState.PAUSED else self._memory.restore
        self._write(act(fact.id), in_form=False)

    def delete(self, fact_id: str) -> None:
        """Takes a fact out of list, search and later prompts; `deleted` follows."""

        async def act() -> tuple[FactChange, Standing]:
            change = await self._memory.delete(fact_id)
            return change, await self._memory.still_stands(change.before or change.after)

        self._write(act(), lambda told: self.deleted.emit(*told))

    def undo(self, number: int) -> None:
        """Takes a change back."""
        self._write(self._memory.undo(number), in_form=False)

    def accept(self, waiting: WaitingFact, value: str | None, shown: ShownFacts) -> None:
        """Makes a waiting fact active in place of those it replaces, with another value where one is given; `kept` or
        `refused` follows. The person sees which facts those are, as `shown`, and which of them are pinned."""
        replaced = waiting.replaced
        write = self._memory.accept(
            waiting.fact.id,
            value,
            replacing=[fact.id for fact in replaced],
            even_pinned=any(fact.pinned for fact in replaced),
            shown=shown,
        )
        self._write(write, self._tell_kept)

    def merge(self, waiting: WaitingFact, value: str, shown: ShownFacts) -> None:
        """Makes one fact of a waiting one and of its rival, under the key of that one; `kept` or `refused` follows."""
        fact, rival = waiting.fact, waiting.rival
        if rival is None:
            return
        if waiting.of_one_key:
            write = self._memory.accept(fact.id, value, even_pinned=rival.fact.pinned, shown=shown)
        else:
            write = self._memory.merge(rival.fact.id, [fact.id], value, shown=shown)
        self._write(write, self._tell_kept)

    def keep_both(self, fact_id: str, key: str | None, value: str | None, shown: ShownFacts) -> None:
        """Makes a waiting fact active beside what there is, under another key where one is given; `kept` or `refused`
        follows."""
        self._write(self._memory.keep_both(fact_id, key, value, shown=shown), self._tell_kept)

    def deny(self, fact_id: str) -> None:
        """Refuses a waiting fact."""
        self._write(self._memory.deny(fact_id), in_form=False)

    def pause(self, paused: bool) -> None:
        """Stops telling, recalling and saving facts, or goes on."""
        self._change_profile(memory=not paused)

    def mask_suspected(self) -> None:
        """Masks the secrets of older days where they are kept, in the facts found by the last look."""

        async def mask() -> None:
            for fact in self.suspected:
                await self._memory.mask(fact.id)

        self._write(mask(), lambda _: self._look_for_secrets(), in_form=False)

    def rebuild(self) -> None:
        """Begins the conversation in front anew with the facts of today; `rebuilt` follows."""
        if (conversation := self._conversation) is not None:

            def done(_: None) -> None:
                self.rebuilt.emit(conversation)
                self.changed.emit()

            self._background.run(self._memory.rebuild(conversation), done, self.failed.emit)

    def show_source(self, fact: Fact) -> None:
        """Asks for the message a fact comes from."""
        if fact.source is not None:
            self.sourceAsked.emit(fact.source.conversation_id, fact.source.message_id)

    # -- what happens elsewhere -----------------------------------------------------------------

    def reload(self) -> None:
        """Reads everything again (another process or the assistant wrote)."""
        self._typing.stop()
        self._reading += 1
        number = self._reading
        budget = self._settings().of().facts_budget
        self._background.run(
            read_facts(self._memory, self.query, budget, self.state, self._read),
            lambda read: self._show(number, read),
            self.failed.emit,
        )

    def settings_changed(self) -> None:
        """Another profile, switch or budget holds."""
        settings = self._settings()
        if settings.profile != self._profile:
            self._profile, self.query, self._loaded, self._chosen = settings.profile, "", False, None
            self.state = FactState.ACTIVE
            self._show(self._reading, FactReading(settings.profile), loaded=False)
            self.reload()
        elif settings.of().facts_budget != self._budget:
            self.reload()
        self._budget = settings.of().facts_budget
        if self.paused != self._paused:
            self._paused = self.paused
            self.pausedChanged.emit()

    def set_conversation(self, conversation_id: str | None) -> None:
        """Another conversation is in front, or it got its first message."""
        self._conversation = conversation_id

    def use_tags(self, tags: PriceTags) -> None:
        """Shows these prices; they are read again after every change."""
        self.tags = tags
        tags.changed.connect(self.priceChanged)
        self.changed.connect(tags.read)
        self.priceChanged.emit()

    def stop(self) -> None:
        """Ends its timer."""
        self._typing.stop()

    # -- inside ---------------------------------------------------------------------------------

    def _write(
        self, change: Coroutine[Any, Any, Any], told: Callable[[Any], None] | None = None, *, in_form: bool = True
    ) -> None:
        """Writes; input that cannot be used, or that was made of an older text, is told beside the fields it came from,
        if it came from any."""
        profile = self._settings().profile

        def done(result: Any) -> None:
            if told is not None and profile == self._settings().profile:
                told(result)
            self.reload()
            self.changed.emit()

        def refuse(error: AppError) -> None:
            (self.refused if in_form and isinstance(error, BadInput | FactChanged) else self.failed).emit(error)
            self.reload()

        self._background.run(change, done, refuse)

    def _tell_kept(self, change: FactChange) -> None:
        self.kept.emit(change.after)

    def _look_for_secrets(self) -> None:
        """Every line of history is looked through, so this is done once for a profile, not with every reading."""
        profile = self._settings().profile

        def show(found: list[Fact]) -> None:
            if profile == self._settings().profile:
                self.suspected = tuple(found)
                self.suspectedChanged.emit()

        self._background.run(self._memory.suspected(), show, self.failed.emit)

    def _show(self, number: int, read: FactReading, *, loaded: bool = True) -> None:
        if number != self._reading or read.profile != self._settings().profile:
            return
        if loaded and not self._loaded:
            self._look_for_secrets()
        self._read, self._loaded = read, loaded
        self.facts.show(list(read.shown))
        self.listChanged.emit()
        if self.detail is None or self.detail.fact != read.fact(self._chosen):
            self._show_detail()
        else:
            self._set_detail(replace(self.detail, in_prompt=self.detail.fact.id in read.told))
        if read.error is not None:
            self.failed.emit(read.error)
        if loaded and read.query != self.query:
            self._typing.start()

    def _find(self) -> None:
        """Searches by meaning in what was read: the facts are not read again for every word that is typed."""
        query, profile, state = self.query, self._settings().profile, self.state
        if not self._loaded or not query.strip():
            self.reload()
            return

        def show(found: tuple[list[Fact], AppError | None]) -> None:
            if (query, profile, state) != (self.query, self._settings().profile, self.state):
                return
            facts, error = found
            shown = matching(self._read.listed, self._read.texts, query, facts)
            self._read = replace(self._read, query=query, shown=tuple(shown), error=error)
            self.facts.show(shown)
            self.listChanged.emit()
            self._show_detail()
            if error is not None:
                self.failed.emit(error)

        self._background.run(found_by_meaning(self._memory, query, state), show, self.failed.emit)

    def _show_detail(self) -> None:
        fact = self._read.fact(self._chosen)
        if fact is None:
            self._set_detail(None)
            return
        old = self.detail if self.detail is not None and self.detail.fact.id == fact.id else None
        tokens, told = self._read.tokens.get(fact.id, 0), fact.id in self._read.told
        history, standing = (old.history, old.standing) if old else ((), None)
        self._set_detail(FactDetail(fact, tokens, told, history, standing))

        async def read() -> tuple[list[FactChange], Standing]:
            return await self._memory.history(fact.id), await self._memory.still_stands(fact)

        self._background.run(read(), lambda found: self._fill_detail(fact, *found), self.failed.emit)

    def _fill_detail(self, fact: Fact, history: list[FactChange], standing: Standing) -> None:
        if self.detail is not None and self.detail.fact == fact:
            self._set_detail(replace(self.detail, history=tuple(history), standing=standing))

    def _set_detail(self, detail: FactDetail | None) -> None:
        if detail != self.detail:
            self.detail = detail
            self.detailChanged.emit()
