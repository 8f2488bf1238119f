"""A fact that waits for the person, beside the facts it bears on: which of them would give their place to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import Fact, FactActor, ShownFacts, same_key
from desktop_app.services.memory import Waiting

_ORDER = (Relation.CONTRADICTS, Relation.UNSURE, Relation.SAME, Relation.DIFFERENT)


@dataclass(frozen=True, slots=True)
class WaitingFact:
    """`bearing` are active facts, that of its own key first; `found_by` is None while it is not read."""

    fact: Fact
    bearing: tuple[Related, ...] = ()
    found_by: FactActor | None = None

    @property
    def rival(self) -> Related | None:
        """The one it is compared with."""
        return self.bearing[0] if self.bearing else None

    @property
    def of_one_key(self) -> bool:
        """Whether there is an active fact of its key, which takes over what was proposed."""
        return self.rival is not None and same_key(self.rival.fact.key) == same_key(self.fact.key)

    @property
    def replaced(self) -> tuple[Fact, ...]:
        """Those that would give their place to it."""
        return tuple(
            one.fact for place, one in enumerate(self.bearing) if place == 0 or one.relation is Relation.CONTRADICTS
        )

    @property
    def shown(self) -> ShownFacts:
        """What the person sees when they decide about it."""
        return {fact.id: fact.revision for fact in (self.fact, *(one.fact for one in self.bearing))}

    @property
    def is_plain(self) -> bool:
        """Whether accepting it says by itself what becomes of the others: nothing bears on it, or what it contradicts
        gives its place to it, none of them pinned and nothing in doubt."""
        if self.rival is None:
            return True
        clear = self.of_one_key or self.rival.relation is Relation.CONTRADICTS
        doubtful = any(one.relation is Relation.UNSURE for one in self.bearing[1:])
        return clear and not doubtful and not any(fact.pinned for fact in self.replaced)


def waiting_fact(
    waiting: Waiting, by_id: Mapping[str, Fact], by_key: Mapping[str, Fact], found_by: FactActor | None = None
) -> WaitingFact:
    """With the active facts as they are now, by id and by `same_key`: a fact that is gone bears on nothing any more."""
    key = same_key(waiting.fact.key)
    related = [
        Related(by_id[one.fact.id], one.relation, one.judged_by) for one in waiting.relations if one.fact.id in by_id
    ]
    own = by_key.get(key)
    if own is not None and own.id not in {one.fact.id for one in related}:
        related.append(Related(own, Relation.CONTRADICTS, JudgedBy.RULE))
    bearing = [one for one in related if one.relation is not Relation.DIFFERENT or same_key(one.fact.key) == key]
    bearing.sort(key=lambda one: (same_key(one.fact.key) != key, _ORDER.index(one.relation)))
    return WaitingFact(waiting.fact, tuple(bearing), found_by)
