"""Which embedder is searched with, and the change to another: the old one serves until everything has a new vector.

What lacks a vector of the wanted embedder is all there is to do, so that a change goes on after any end of the program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.embedders import (
    Counts,
    EmbedderChoice,
    EmbedderKind,
    KnownEmbedder,
    chosen_embedder,
    embedder_choice,
)
from desktop_app.core.errors import AppError, BadInput, EmbedderUnavailable, EmbedderUnfit
from desktop_app.core.ports import Embedder, Embedders, EmbedderStore, ProcessLock, VectorIndex, VectorStore
from desktop_app.core.vectors import Unembedded
from desktop_app.services.giving_vectors import give_vectors
from desktop_app.services.indexing import IndexingService
from desktop_app.services.serving_embedder import ServingEmbedder
from desktop_app.services.settings import SettingsService

_AT_ONCE = 32
_CUT_AT_ONCE = 100
_DROPPED_AT_ONCE = 1_000
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 300.0
_LOOK_AGAIN = 1.0
_USUAL = EmbedderChoice(EmbedderKind.USE)
Progress = Callable[[int, int], None]
"""Called with how many items have a vector, and how many there are."""


class Outcome(StrEnum):
    """How far a change got."""

    DONE = "done"
    PAUSED = "paused"
    ELSEWHERE = "elsewhere"
    TURNED = "turned"
    """The person wants another one meanwhile."""


@dataclass(frozen=True, slots=True)
class EmbedderStatus:
    """`wanted` is None where nothing changes, or where it is not known yet what was chosen; `trouble` says why not.

    `counts` are of the serving embedder, `progress` of the wanted one.
    """

    serving: KnownEmbedder
    choice: EmbedderChoice
    counts: Counts
    wanted: KnownEmbedder | None = None
    progress: Counts | None = None
    paused: bool = False
    trouble: AppError | None = None

    @property
    def changing(self) -> bool:
        """Whether another one is to take the place of the serving one."""
        return self.choice != self.serving.choice or self.wanted is not None


class EmbedderService:
    """Changes are made in the background only between `start` and `close`, by one process at a time."""

    def __init__(
        self,
        settings: SettingsService,
        embedders: Embedders,
        store: EmbedderStore,
        vectors: VectorStore,
        serving: ServingEmbedder,
        index: VectorIndex,
        indexing: IndexingService,
        lock: ProcessLock,
    ) -> None:
        self._settings = settings
        self._embedders = embedders
        self._store = store
        self._vectors = vectors
        self._serving = serving
        self._index = index
        self._indexing = indexing
        self._lock = lock
        self._identified: dict[EmbedderChoice, KnownEmbedder] = {}
        self._distrusted = False
        self._asked = asyncio.Event()
        self._following = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self.trouble: AppError | None = None
        indexing.follow = self.follow

    def start(self) -> None:
        """Begins to work in the background of the running loop, first on a change an earlier run left."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    def stop(self) -> None:
        """Begins nothing more in the background and waits for nothing."""
        if self._task is not None:
            self._task.cancel()

    def kick(self) -> None:
        """Settings have changed; does nothing before `start`."""
        self._asked.set()

    async def close(self) -> None:
        """Ends the work."""
        self.stop()
        if self._task is not None:
            await asyncio.wait([self._task])

    def installed(self, kind: EmbedderKind) -> bool:
        """Whether this machine has what a kind needs."""
        return self._embedders.installed(kind)

    async def status(self) -> EmbedderStatus:
        """How things stand, without asking any server. Raises BadInput, StoreUnavailable."""
        serving, choice = await self._serving_now(), chosen_embedder(self._settings.settings)
        wanted = await self._known(choice)
        if wanted is None and not choice.asks_server:
            with suppress(EmbedderUnavailable):
                wanted = await self._embedders.identify(choice)
        changes = wanted is not None and wanted.name != serving.name
        return EmbedderStatus(
            serving,
            choice,
            await self._store.counts(serving.name),
            wanted if changes else None,
            await self._store.counts(wanted.name) if changes and wanted is not None else None,
            self._settings.settings.embedder_paused,
            self.trouble,
        )

    async def choose(self, kind: str, url: str = "", model: str = "") -> KnownEmbedder:
        """Wants another embedder from now on, once it is known to work; the change is made by `run` or in the
        background. Raises BadInput, also for the address or model of a server where none is asked, and
        EmbedderUnavailable (the one before is wanted still)."""
        choice = embedder_choice(kind, url, model)
        if not choice.asks_server and (url.strip() or model.strip()):
            raise BadInput(what=url.strip() or model.strip(), why="embedder_no_server")
        wanted = await self._identify(choice)
        self._settings.use(
            embedder=choice.kind.value, embedder_url=choice.url, embedder_model=choice.model, embedder_paused=False
        )
        self._settings.save()
        self.trouble = None
        self.kick()
        return wanted

    def pause(self, paused: bool) -> None:
        """Lets a change wait, or go on; what was done is kept."""
        self._settings.use(embedder_paused=paused)
        self._settings.save()
        self.kick()

    async def cancel(self) -> KnownEmbedder:
        """Wants the serving embedder again; the vectors of the other are dropped."""
        serving = await self._serving_now()
        self._identified[serving.choice] = serving  # its server need not answer for that
        return await self.choose(serving.choice.kind.value, serving.choice.url, serving.choice.model)

    async def follow(self) -> None:
        """Searches with the embedder that serves now, which another process may have changed. Raises
        StoreUnavailable."""
        async with self._following:
            serving = next((one for one in await self._store.known() if one.serving), None)
            if serving is None:
                await self._serve_anyway(_USUAL)
            elif serving.name != self._serving.name:
                opened = self._embedders.open(serving)
                if opened.name != serving.name:  # its package is another one now, whose vectors are not the same
                    with suppress(EmbedderUnavailable):  # or is gone
                        await self._serve_anyway(serving.choice)
                if opened.name != self._serving.name:
                    await self._switch(opened)

    async def run(self, progress: Progress | None = None) -> Outcome:
        """Changes to the wanted embedder, if another one is serving, and drops what is needed no more.

        Raises EmbedderUnavailable, BadInput, StoreUnavailable; cut off at any time it goes on where it was.
        """
        await asyncio.to_thread(self._settings.refresh)
        await self.follow()
        wanted = await self._identify(chosen_embedder(self._settings.settings))
        if wanted.name != self._serving.name:
            if self._settings.settings.embedder_paused:
                return Outcome.PAUSED
            if not self._lock.take():
                return Outcome.ELSEWHERE
            try:
                outcome = await self._change(wanted, progress)
            finally:
                self._lock.release()
            if outcome is not Outcome.DONE:
                return outcome
            await self.follow()
        while await self._store.drop_others([self._serving.name], _DROPPED_AT_ONCE):
            pass
        return Outcome.DONE

    async def embed_anew(self, progress: Progress | None = None) -> None:
        """Throws the vectors of the serving embedder away and makes all of them again; found by words meanwhile.

        Raises EmbedderUnavailable, StoreUnavailable; what is cut off is done like anything that lacks a vector.
        """
        await self.follow()
        await self._serving.embed(["memory"])  # nothing is thrown away where none can be made
        while await self._store.drop_vectors(self._serving.name, _DROPPED_AT_ONCE):
            pass
        await self._embed_all(self._serving, self._serving.name, progress, owe=True, until=lambda: False)

    @property
    def index_trouble(self) -> str:
        """Where the index is that could not be used; empty where that is not so."""
        return self._index.trouble

    async def rebuild_index(self) -> bool:
        """Throws the index away and builds it from the vectors in the database; False where it is another's, or cannot
        be used (`index_trouble`)."""
        await self.follow()
        return await self._index.rebuild()

    async def _change(self, wanted: KnownEmbedder, progress: Progress | None) -> Outcome:
        embedder = self._embedders.open(wanted)
        choice = wanted.choice

        def turned() -> bool:
            now = self._settings.settings
            return now.embedder_paused or chosen_embedder(now) != choice

        try:
            while not await self._store.serve(wanted.name):
                if not await self._embed_all(embedder, wanted.name, progress, owe=False, until=turned):
                    return Outcome.PAUSED if self._settings.settings.embedder_paused else Outcome.TURNED
        finally:
            await embedder.close()
        return Outcome.DONE

    async def _embed_all(
        self, embedder: Embedder, name: str, progress: Progress | None, *, owe: bool, until: Callable[[], bool]
    ) -> bool:
        """Gives everything a vector; False where it ended before, because of `until`."""
        while await self._vectors.cut_messages(_CUT_AT_ONCE):
            pass
        told = 0.0
        while lacking := await self._vectors.lacking(name, _AT_ONCE):
            await asyncio.to_thread(self._settings.refresh)
            if until():
                return False
            await self._give(embedder, lacking, owe)
            if progress is not None and (now := asyncio.get_running_loop().time()) > told + _LOOK_AGAIN / 2:
                told = now
                await self._tell(name, progress)
        if progress is not None:
            await self._tell(name, progress)
        return True

    async def _give(self, embedder: Embedder, lacking: list[Unembedded], owe: bool) -> None:
        try:
            await give_vectors(self._vectors, embedder, lacking, owe=owe)
        except EmbedderUnfit:
            self._distrusted = True  # another model answers by the same name: it is tried anew
            raise

    async def _tell(self, name: str, progress: Progress) -> None:
        counts = (await self._store.counts(name)).values()
        progress(sum(one.done for one in counts), sum(one.total for one in counts))

    async def _identify(self, choice: EmbedderChoice) -> KnownEmbedder:
        if self._distrusted or choice not in self._identified:
            known = None if self._distrusted else await self._known(choice)
            found = await self._embedders.identify(choice, known)
            await self._store.add(found)
            self._identified[choice], self._distrusted = found, False
        return self._identified[choice]

    async def _known(self, choice: EmbedderChoice) -> KnownEmbedder | None:
        if choice in self._identified:
            return self._identified[choice]
        return next((one for one in reversed(await self._store.known()) if one.choice == choice), None)

    async def _serving_now(self) -> KnownEmbedder:
        await self.follow()
        return next(one for one in await self._store.known() if one.serving)

    async def _serve_anyway(self, choice: EmbedderChoice) -> None:
        found = await self._embedders.identify(choice)
        await self._store.add(found)
        await self._store.serve(found.name, anyway=True)

    async def _switch(self, embedder: Embedder) -> None:
        async with self._indexing.alone():
            before = self._serving.switch(embedder)
            self._index.switch(embedder.name)
        await before.close()
        self._indexing.kick()

    async def _work(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            self._asked.clear()
            waits: float | None = _LOOK_AGAIN
            try:
                if await self.run() is Outcome.DONE:
                    waits = None
                self.trouble, pause = None, _FIRST_PAUSE
            except AppError as error:
                self.trouble, waits, pause = error, pause, min(2 * pause, _LONGEST_PAUSE)
            except Exception:  # a fault of ours must not end the work of a window for good
                waits, pause = pause, min(2 * pause, _LONGEST_PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(waits):
                    await self._asked.wait()
