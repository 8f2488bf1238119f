"""The one way into long-term memory for what the person did not type there: compared, asked about, kept or waiting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from desktop_app.core.errors import BadInput, FactChanged, FactPinned, NotFound
from desktop_app.core.fact_relations import JudgedBy, Related, Relation
from desktop_app.core.facts import Fact, FactAction, FactDraft, clean_key, clean_value, same_key
from desktop_app.core.gate import Answer, Proposal
from desktop_app.core.ports import FactStore
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.gate import Gate
from desktop_app.services.judging import Judging


class Outcome(StrEnum):
    """What became of a write."""

    SAVED = "saved"
    REPEATED = "repeated"
    """It was kept already: counted as a repeat of `Written.fact`, which may be paused."""
    WAITS = "waits"
    """It waits for the person among the pending facts."""
    DENIED = "denied"


class WaitsFor(StrEnum):
    """Why a write waits."""

    NOBODY_ASKED = "nobody_asked"
    PINNED = "pinned"
    """It contradicts a pinned fact."""
    UNSURE = "unsure"
    """Nobody could tell whether it contradicts a fact there is."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write: the fact it is (of a repeat the one there was), and the facts that bear on it.

    `masked` tells that a secret in it was masked.
    """

    outcome: Outcome
    fact: Fact | None = None
    related: tuple[Related, ...] = ()
    waits_for: WaitsFor | None = None
    masked: bool = False


_Judged = dict[tuple[str, str, str, int], Related]


class Remembering:
    """`SaveMemory`, extraction and whatever else proposes facts write through here; nothing is written before the gate
    said yes to exactly what was shown."""

    def __init__(self, facts: FactStore, judging: Judging, gate: Gate) -> None:
        self._facts = facts
        self._judging = judging
        self._gate = gate

    async def write(
        self,
        draft: FactDraft,
        call: ToolCall | None = None,
        *,
        profile: str,
        redraft: Callable[[], Awaitable[FactDraft]] | None = None,
    ) -> Written:
        """Keeps a fact where it may; `call` is the one the person is asked about, without one the fact waits.

        The same fact in other words is a repeat. One it contradicts gives its place to it when the write is allowed; it
        waits where that one is pinned, or nobody can tell. Where something changes under an open question, what the
        person made of the draft is asked about again, or what `redraft` makes of the facts there are then; with it a
        draft of a key there is is a new text of that fact, however alike. Nothing is written once the gate is shut.
        Raises BadInput, also for the key of a fact that holds in another conversation only, StoreUnavailable, and what
        `redraft` raises.
        """
        draft = self._gate.masked(replace(draft, key=clean_key(draft.key), value=clean_value(draft.value)))
        judged: _Judged = {}
        while True:
            async with self._gate.passing:
                draft = await self._where_it_holds(profile, draft, call)
                near = await self._judging.near(profile, draft)
                if self._gate.is_shut(profile):
                    return Written(Outcome.DENIED)
                unknown = [one for one in near if _pair(draft, one.fact) not in judged]
                if not unknown:
                    related = tuple(judged[_pair(draft, one.fact)] for one in near)
                    if redraft is not None:
                        related = tuple(_as_edited(one, draft) for one in related)
                    written = await self._pass(draft, call, profile, related)
                    if isinstance(written, Written):
                        return written
                    draft = written if redraft is None else self._gate.masked(await redraft())
                    continue
            # Not under the lock: other questions do not wait for a model.
            for one in await self._judging.judged(profile, draft, unknown, _ids(draft, call)):
                judged[_pair(draft, one.fact)] = one

    async def _where_it_holds(self, profile: str, draft: FactDraft, call: ToolCall | None) -> FactDraft:
        """The draft, holding in its conversation only where the fact of its key does.

        Raises BadInput where that is a fact of another conversation: nobody who calls from here was told of it. What
        only waits touches it not.
        """
        there = await self._judging.of_key(profile, draft.key)
        if there is None or there.scope in ("", draft.scope):
            return draft
        ids = _ids(draft, call)
        if ids is not None and ids[0] == there.scope:
            return replace(draft, scope=there.scope)
        if call is not None:
            raise BadInput(what=draft.key, why="fact_key_hidden")
        return draft

    async def _pass(
        self, draft: FactDraft, call: ToolCall | None, profile: str, related: Sequence[Related]
    ) -> Written | FactDraft:
        """Writes what may be written; what the person made of it where it has to be looked at anew."""
        same = next((one.fact for one in related if one.relation is Relation.SAME), None)
        if same is not None:
            return await self._repeat(profile, draft, same)
        before = next((one.fact for one in related if same_key(one.fact.key) == same_key(draft.key)), None)
        others = [one for one in related if one.fact is not before]
        bearing = tuple(one for one in related if one.relation is not Relation.DIFFERENT or one.fact is before)
        supersedes = tuple(one.fact for one in others if one.relation is Relation.CONTRADICTS)
        if any(fact.pinned for fact in (*supersedes, *((before,) if before else ()))):
            return await self._wait(profile, draft, bearing, WaitsFor.PINNED)
        if any(one.relation is Relation.UNSURE for one in others):
            return await self._wait(profile, draft, bearing, WaitsFor.UNSURE)
        if call is None:
            return await self._wait(profile, draft, bearing, WaitsFor.NOBODY_ASKED)
        verdict = await self._gate.decide(Proposal(call, draft, before, supersedes=supersedes, related=bearing))
        if verdict.answer is Answer.PENDING:
            return await self._wait(profile, draft, bearing, WaitsFor.NOBODY_ASKED)
        if verdict.answer is not Answer.ALLOWED or verdict.draft is None:
            return Written(Outcome.DENIED)
        return await self._keep(profile, verdict.draft, before, supersedes, bearing)

    async def _keep(
        self,
        profile: str,
        draft: FactDraft,
        before: Fact | None,
        supersedes: Sequence[Fact],
        related: tuple[Related, ...],
    ) -> Written | FactDraft:
        """Writes what was allowed; the draft again where a fact that was shown is not as it was shown."""
        replacing = [fact.id for fact in supersedes]
        now = await self._facts.active(profile, replacing)
        if any(fact.id not in now or _shown(now[fact.id]) != _shown(fact) for fact in supersedes):
            return draft
        expected = before.revision if before is not None else 0
        try:
            change = await self._facts.keep(profile, draft, replacing=replacing, expected=expected)
        except (FactChanged, FactPinned, NotFound):
            return draft
        saved = change.action is not FactAction.REPEATED
        outcome = Outcome.SAVED if saved else Outcome.REPEATED
        return Written(outcome, change.after, related, masked=bool(change.masked))

    async def _repeat(self, profile: str, draft: FactDraft, fact: Fact) -> Written | FactDraft:
        """Counts it; the words of the fact stay those it has. The draft again where it is not as it was read."""
        try:
            change = await self._facts.repeat(profile, fact.id, fact.revision, draft.by)
        except (FactChanged, NotFound):
            return draft
        return Written(Outcome.REPEATED, change.after)

    async def _wait(self, profile: str, draft: FactDraft, related: tuple[Related, ...], waits_for: WaitsFor) -> Written:
        change = await self._facts.keep(profile, draft, pending=True)
        if change.action is FactAction.REPEATED:
            return Written(Outcome.REPEATED, change.after, related)
        if related:
            await self._facts.relate(profile, change.fact_id, related)
        return Written(Outcome.WAITS, change.after, related, waits_for, masked=bool(change.masked))


def _as_edited(related: Related, draft: FactDraft) -> Related:
    """The fact of a draft's own key as one whose text is edited, whatever a model makes of the two texts."""
    fact = related.fact
    edited = same_key(fact.key) == same_key(draft.key) and fact.value != draft.value
    return Related(related.fact, Relation.CONTRADICTS, JudgedBy.RULE) if edited else related


def _pair(draft: FactDraft, fact: Fact) -> tuple[str, str, str, int]:
    return draft.key, draft.value, fact.id, fact.revision


def _shown(fact: Fact) -> tuple[int, bool]:
    """What of a fact the person saw when it was to give its place to another."""
    return fact.revision, fact.pinned


def _ids(draft: FactDraft, call: ToolCall | None) -> tuple[str, str] | None:
    """The conversation and the turn a write belongs to."""
    if call is not None and call.conversation_id:
        return call.conversation_id, call.turn_id
    source = draft.source
    return (source.conversation_id, source.message_id) if source is not None and source.conversation_id else None
