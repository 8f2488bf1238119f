"""Keeps secrets out of facts: no text gets in, and none of older days gets out, that is not masked.

It stands where all ways meet, at the rows: what panel, commands, tools, extraction and imports write passes `guarded`,
what anyone reads passes `GuardedThreads`. A fact the person wants kept as it is passes unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import VERSION, SecretDetector
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import Fact, FactActor, FactChange, FactDraft
from desktop_app.core.secrets.fact_text import kinds_in, masked_fact

_Result = TypeVar("_Result")
_find = SecretDetector().find


def guarded_draft(draft: FactDraft) -> FactDraft:
    """A draft as it may be kept; only the person's own may keep a secret."""
    if draft.keeps_secrets and draft.by is FactActor.YOU:
        return draft
    return replace(masked_fact(draft, _find), keeps_secrets=False)


def guarded(before: Fact | None, after: Fact, by: FactActor) -> Fact:
    """A fact as it may be stored after a change: with a secret only where the person wanted it, now or before."""
    if after.keeps_secrets and by is FactActor.YOU:
        return after
    if after.keeps_secrets and before is not None and before.keeps_secrets and before.value == after.value:
        clean = masked(after)
        return replace(after, key=clean.key, category=clean.category)
    return masked(after)


def masked(fact: Fact) -> Fact:
    """A fact without secrets, whoever wanted them."""
    return replace(masked_fact(fact, _find), keeps_secrets=False)


def checked_by(*facts: Fact) -> int:
    """The mark of what holds these facts: the detector's version where it finds no secret in any."""
    return 0 if any(fact.keeps_secrets or told(fact) is not fact for fact in facts) else VERSION


def told(fact: Fact) -> Fact:
    """A fact as it is read: one that was kept before there was a guard is masked on its way out."""
    return fact if fact.keeps_secrets else masked_fact(fact, _find)


class GuardedThreads:
    """The threads of the store for facts: whatever facts a piece of work returns are `told`."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads

    async def read(self, work: Callable[[Session], _Result]) -> _Result:
        """The result of reading."""
        return await self._threads.read(lambda session: _told(work(session)))

    async def write(self, work: Callable[[Session], _Result]) -> _Result:
        """The result of one transaction."""
        return await self._threads.write(lambda session: _told(work(session)))


def _told(result: _Result) -> _Result:
    return cast(_Result, _told_any(result))


def _told_any(result: Any) -> Any:
    match result:
        case Fact():
            return told(result)
        case FactChange():
            after = told(result.after)
            return replace(result, before=result.before and told(result.before), after=after, masked=kinds_in(after))
        case Related():
            return replace(result, fact=told(result.fact))
        case list():
            return [_told_any(one) for one in result]
        case tuple() if type(result) is tuple:
            return tuple(map(_told_any, result))
        case dict():
            return {key: _told_any(value) for key, value in result.items()}
    return result
