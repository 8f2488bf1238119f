"""What services need of the store of facts, and of the search in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from types import EllipsisType
from typing import Protocol

from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft, FactState, ShownFacts
from desktop_app.core.memory_files.outcomes import Move
from desktop_app.core.recall.values import FactHit, WordMatches


class FactStore(Protocol):
    """Long-term facts, each profile by itself. All methods raise StoreUnavailable when the disk refuses.

    Secrets are masked (`core.secrets`) in whatever is written, and in what was kept before whenever it is read, save
    where the person wanted a fact kept as it is; `FactChange.masked` tells of what kinds.

    Every write keeps a line of history, the words to search by, and what the vector index owes, in one transaction.
    Names of facts are ids or keys (`same_key`); one of another profile is NotFound. What is read as active has not
    expired: a fact whose time is over is archived by whoever looks first.
    """

    async def facts(self, profile: str, *states: FactState, conversation_id: str | None = None) -> list[Fact]:
        """Those in these states (active ones by default): pinned first, then newest change first.

        With a conversation only those that hold in it, with an empty one those that hold everywhere.
        """

    async def fact(self, profile: str, name: str) -> Fact:
        """One by id, or by key: the active one, else a pending one, else the last of another state; raises NotFound."""

    async def active(self, profile: str, fact_ids: Sequence[str]) -> dict[str, Fact]:
        """Those of these facts that are active in the profile, by id."""

    async def of_other_conversations(self, profile: str, conversation_id: str) -> list[str]:
        """Ids of the active facts that hold in another conversation only."""

    async def keep(
        self,
        profile: str,
        draft: FactDraft,
        *,
        pending: bool = False,
        replacing: Sequence[str] = (),
        expected: int | None = None,
        even_pinned: bool = False,
    ) -> FactChange:
        """Adds a fact, or gives the active one of this key the new value (not when `pending`).

        What is kept in the same words already is counted: REPEATED, and nothing else is written; so is a proposal of
        what waits or is paused. One that was paused, archived or superseded in the same words is brought back by a
        write that is not `pending`, for that was allowed; it is RESUMED or RESTORED. The facts in `replacing` give
        their place to it: one act. `expected` is the revision of the active one of the key as it was seen, 0 for none;
        raises FactChanged where it is another now, and white space counts, for so it was shown. A pinned one gets
        another value from the person only, and gives its place to nobody: FactPinned, unless `even_pinned` says that
        the person wants it. Raises BadInput where the key is that of a fact of another conversation.
        """

    async def repeat(self, profile: str, fact_id: str, revision: int, by: FactActor) -> FactChange:
        """Counts that an active fact was told again, and writes nothing else; raises NotFound, FactChanged where it is
        not active in this revision any more."""

    async def edit(
        self,
        profile: str,
        name: str,
        by: FactActor,
        *,
        key: str | None = None,
        value: str | None = None,
        category: str | None = None,
        scope: str | None = None,
        expires_at: datetime | EllipsisType | None = ...,
        expected: int | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Changes what is given (an expiry of None: it never expires); raises NotFound, BadInput for the key of another
        fact or an expiry that is over, FactChanged where the revision is not the `expected` one.

        With a value, `keeps_secrets` is whether the person wants the fact kept as it is from now on.
        """

    async def move(self, profile: str, moves: Sequence[Move], by: FactActor) -> None:
        """Gives facts other keys or categories, all in one act; raises as `edit`, FactChanged for one that is not as it
        was seen."""

    async def pin(self, profile: str, name: str, pinned: bool) -> FactChange:
        """Pins or unpins."""

    async def delete(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Takes it out of list, search, index and prompts; it can be brought back for 30 days."""

    async def delete_together(self, profile: str, facts: Sequence[Fact], by: FactActor) -> None:
        """Deletes facts, all in one act; raises NotFound, FactChanged for one that is not as it was seen."""

    async def deny(self, profile: str, fact_id: str) -> FactChange:
        """Refuses a pending fact, which can wait again for 30 days; raises NotFound, FactChanged where it does not wait
        any more."""

    async def accept(
        self,
        profile: str,
        fact_id: str,
        value: str | None = None,
        *,
        replacing: Sequence[str] = (),
        key: str | None = None,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
        keeps_secrets: bool = False,
    ) -> FactChange:
        """Makes a pending fact active, with another value if given; it takes the place of the active one of its key.

        Those in `replacing` give their place to it in the same act. With a `key` it is kept under that, beside what
        there is: BadInput where another fact has it. Raises FactPinned where a pinned one would get another value or
        give its place, unless `even_pinned`; FactChanged where one of these facts is not as it was `shown`.
        With a value, `keeps_secrets` is whether the person wants it kept as it is.
        """

    async def pause(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Tells an active fact to nobody until it is resumed; raises NotFound, BadInput for another state."""

    async def resume(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Makes a paused one active again; raises NotFound, BadInput for another state, or a key in use."""

    async def archive(self, profile: str, name: str, by: FactActor) -> FactChange:
        """Puts an active or paused one away; raises NotFound, BadInput for another state."""

    async def restore(self, profile: str, name: str, by: FactActor, key: str | None = None) -> FactChange:
        """Brings back what was archived, superseded or deleted, as it stood before, under another key if given; an
        expiry that is over is dropped.

        Raises NotFound, BadInput for another state, or where its key is in use.
        """

    async def supersede(
        self,
        profile: str,
        old_id: str,
        by_id: str,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes the place of another one, which keeps a link to it and the date.

        Raises NotFound, BadInput for one that does not stand, FactPinned, FactChanged where one is not as `shown`.
        """

    async def merge(
        self,
        profile: str,
        kept_id: str,
        gone_ids: Sequence[str],
        value: str | None,
        by: FactActor,
        *,
        even_pinned: bool = False,
        shown: ShownFacts | None = None,
    ) -> FactChange:
        """An active fact takes others in, with another value if given, in one act. Raises as `supersede`.

        Secrets that were allowed in it stay only while its value does.
        """

    async def relate(self, profile: str, fact_id: str, relations: Sequence[Related]) -> None:
        """Keeps how a fact that waits stands to others, in place of what was kept of it; raises NotFound."""

    async def relations(self, profile: str, fact_ids: Sequence[str]) -> dict[str, tuple[Related, ...]]:
        """By id how these facts stand to others that are not deleted, each of those as it is now."""

    async def expire(self, profile: str) -> int:
        """Archives what has expired (by FactActor.RULE); how many."""

    async def unused(self, profile: str, since: datetime) -> list[str]:
        """Ids of active unpinned facts that were neither used, told, repeated nor changed since a moment."""

    async def archive_unused(self, profile: str, since: datetime, fact_ids: Sequence[str]) -> int:
        """Archives those of these facts that are unused still (by FactActor.RULE); how many."""

    async def undo(self, profile: str, number: int | None = None) -> FactChange | None:
        """Takes back a change with those made as one with it; None when there is none.

        By default the newest of the person's own that is not yet undone.
        """

    async def suspected(self, profile: str) -> list[Fact]:
        """Those of any state in whose text or history a secret is kept that the person did not ask to keep, newest
        change first. They are masked, as in all that is read."""

    async def mask(self, profile: str, name: str) -> Fact:
        """Masks a fact and every line of its history where they are kept, for good; raises NotFound."""

    async def history(self, profile: str, name: str) -> list[FactChange]:
        """All changes of a fact, oldest first."""

    async def last_change(self) -> int:
        """The number of the newest change of any fact; 0 before the first."""

    async def mark_used(self, fact_ids: Sequence[str]) -> None:
        """They were recalled now."""

    async def mark_told(self, fact_ids: Collection[str]) -> None:
        """They stand in the prefix of a request: not unused, but not recalled either."""

    async def word_matches(self, profile: str, words: Sequence[str], most: int | None = None) -> WordMatches:
        """BM25 of the active facts that hold any of these search words (`core.search_words`): of all of them, or of the
        best `most`, by their rarer words where that takes less time."""

    async def holding(self, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
        """By each of these (`core.lone_letters`) the ids of the active facts it stands in anywhere."""


class FactSearch(Protocol):
    """Finds facts by words and meaning."""

    async def search(
        self,
        profile: str,
        query: str,
        limit: int,
        without: Collection[str] = (),
        conversation_id: str | None = "",
        *,
        sought: bool = False,
    ) -> list[FactHit]:
        """The best active facts for a text, best first, those in `without` (ids) left out.

        In a conversation only those that hold in it; with an empty one those that hold everywhere, with None all. What
        a person has `sought` is found by a single word, too, that most facts hold.
        """
