"""Pays what vectors and their index are owed: in the background of a window, or before a search."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from desktop_app.core.errors import EmbedderUnavailable
from desktop_app.core.passages import PassageKind
from desktop_app.core.ports import Embedder, VectorIndex, VectorStore
from desktop_app.core.vectors import Debt, Unembedded
from desktop_app.services.giving_vectors import give_vectors

_MOST_AT_ONCE = 64
_PIECE_SECONDS = 0.25
"""What a piece of texts should take: a search waits for it, and what is cut in the middle is lost."""
_CUT_AT_ONCE = 100
_TAUGHT_AT_ONCE = 500
_SECONDS_BEFORE_SEARCH = 2.5
_SECONDS_BESIDE_OTHERS = 0.5
"""Where vectors are being made already: that much may be gone before this search has its turn."""
_SECONDS_OF_NO_WAITING = 10.0
"""After a search has waited in vain: facts, turns and documents are searched one behind the other."""
_REST_SECONDS = 15.0


class IndexingService:
    """Any process cuts what was said into passages and gives facts and passages their vectors; only the one that owns
    the index tells it what it has yet to learn.

    Works in the background only between `start` and `close`, and only when asked by `kick`. Nothing is lost when it is
    cut: what is owed stands in the database until it was done.
    """

    def __init__(
        self,
        vectors: VectorStore,
        embedder: Embedder,
        index: VectorIndex,
        follow: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`follow` sees to it that `embedder` and `index` are those that serve now, before they are used; `rest` is for
        how many seconds nothing may change before what was said is worked on."""
        self.follow = follow
        self.rest = _REST_SECONDS
        self._vectors = vectors
        self._embedder = embedder
        self._index = index
        self._asked = asyncio.Event()
        self._searched = False
        self._one_at_a_time = asyncio.Lock()
        self._at_once = 1
        self._no_waiting_until = 0.0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to work in the background of the running loop, first on what an earlier run left."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self.kick()

    def stop(self) -> None:
        """Begins nothing more in the background and waits for nothing."""
        if self._task is not None:
            self._task.cancel()

    def kick(self) -> None:
        """Facts have changed, or something was said; does nothing before `start`."""
        self._asked.set()

    def alone(self) -> asyncio.Lock:
        """Held while vectors are made or the index learns: whoever changes embedder and index holds it too."""
        return self._one_at_a_time

    async def catch_up(self, profile: str) -> None:
        """Before a search: vectors for what a profile lacks, and the index, where it is open, in step; what takes 2.5
        seconds at most, in small pieces of which each is kept. What has no vector by then is found by its words, and
        for the next ten seconds no search waits again. Raises StoreUnavailable, and whatever goes wrong in embedder or
        index."""
        if self.follow is not None:
            await self.follow()
        if not self._index.owned:
            self._searched = True
            self.kick()
        now = asyncio.get_running_loop().time
        if now() < self._no_waiting_until:
            return
        limit = _SECONDS_BESIDE_OTHERS if self._one_at_a_time.locked() else _SECONDS_BEFORE_SEARCH
        try:
            async with asyncio.timeout(limit):
                await self._catch_up(profile)
        except TimeoutError:
            self._no_waiting_until = now() + _SECONDS_OF_NO_WAITING

    async def close(self) -> None:
        """Ends the work and gives up model and index."""
        self.stop()
        try:
            if self._task is not None:
                await asyncio.wait([self._task])
        finally:
            await asyncio.gather(self._embedder.close(), self._index.close())

    async def _work(self) -> None:
        while True:
            await self._asked.wait()
            self._asked.clear()
            await self._pay(rested=False)
            try:
                async with asyncio.timeout(self.rest):
                    await self._asked.wait()
            except TimeoutError:
                await self._pay(rested=True)

    async def _pay(self, *, rested: bool) -> None:
        """Facts at once; what was said, and an index nobody needs for so little, only when nothing more is coming.

        Whatever fails, what is owed stands in the database and is tried again with the next change.
        """
        with suppress(Exception):
            if self.follow is not None:
                await self.follow()
        if rested:
            with suppress(Exception):
                while await self._vectors.cut_messages(_CUT_AT_ONCE):
                    pass
        with suppress(Exception):
            while await self._embed(None, facts_only=not rested):
                pass
        with suppress(Exception):
            await self._tell_index(rested=rested)

    async def _tell_index(self, *, rested: bool) -> None:
        debts = await self._vectors.debts(_TAUGHT_AT_ONCE)
        facts = any(debt.kind is PassageKind.FACT for debt in debts)
        if (facts or (rested and (self._searched or debts))) and await self._index.open():
            while await self._teach():
                pass

    async def _catch_up(self, profile: str) -> None:
        while await self._vectors.cut_messages(_CUT_AT_ONCE, profile):
            pass
        with suppress(EmbedderUnavailable):
            while await self._embed(profile):
                pass
        if self._index.owned:
            await self._teach()

    async def _embed(self, profile: str | None, *, facts_only: bool = False) -> bool:
        """Gives some facts and passages their vectors; whether there were any."""
        async with self._one_at_a_time:
            lacking = await self._vectors.lacking(self._embedder.name, self._at_once, profile)
            if facts_only:
                lacking = [one for one in lacking if one.kind is PassageKind.FACT]
            if lacking:
                await self._give(lacking)
            return bool(lacking)

    async def _give(self, lacking: Sequence[Unembedded]) -> None:
        """The next piece is larger where this one was quick, and smaller where it was slow, or cut."""
        now = asyncio.get_running_loop().time
        started = now()
        try:
            await give_vectors(self._vectors, self._embedder, lacking)
        finally:
            if now() - started > _PIECE_SECONDS:
                self._at_once = max(self._at_once // 2, 1)
            else:
                self._at_once = min(self._at_once * 2, _MOST_AT_ONCE)

    async def _teach(self) -> bool:
        """Tells the index some of what it has yet to learn; whether it learnt any.

        What counts is how an item stands now: one without a vector is gone, and owed again once it gets one.
        """
        async with self._one_at_a_time:
            debts = await self._vectors.debts(_TAUGHT_AT_ONCE)
            by_pool: dict[tuple[str, PassageKind], list[Debt]] = defaultdict(list)
            for debt in debts:
                by_pool[debt.profile, debt.kind].append(debt)
            for (profile, kind), owed in by_pool.items():
                items = list(dict.fromkeys(debt.item_id for debt in owed))
                pool = await self._vectors.pool(profile, self._embedder.name, items, kind)
                gone = sorted(set(items) - set(pool.ids))
                if not await self._index.learn(profile, pool, gone, kind):
                    return False
                await self._vectors.settle([debt.number for debt in owed])
            return bool(debts)
