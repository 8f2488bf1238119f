"""Long-term facts in a conversation: the block of a new epoch, what has gone stale, what to tell beside a message."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from desktop_app.core.conversation import Epoch, Message
from desktop_app.core.errors import MemoryPaused
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind, PassageNote, with_former_key
from desktop_app.core.facts import Fact
from desktop_app.core.facts_told import (
    changes_to_tell,
    is_stale,
    leaked,
    no_longer_told,
    noted_passages,
    quoted_passages,
    told_additions,
    told_revisions,
)
from desktop_app.core.ports import FactStore, SaidStore, SecretDetector
from desktop_app.core.settings import ProfileInUse
from desktop_app.core.token_estimate import TokenEstimator, text_tokens
from desktop_app.services.recalling import Question, RecalledNotes, Recalling

_COMPARED = 20
"""Last messages of the path that recalled passages are compared with: what they say need not be said again."""


class TurnFacts:
    """Reads the facts of a profile that hold in a conversation (its id, empty for one that is yet to begin); none
    while its memory is paused."""

    def __init__(self, facts: FactStore, said: SaidStore, recalling: Recalling, secrets: SecretDetector) -> None:
        self._facts = facts
        self._said = said
        self._recalling = recalling
        self._find = secrets.find
        self._read: tuple[tuple[str, str, int], list[Fact]] | None = None

    async def is_stale(
        self, profile: ProfileInUse, conversation_id: str, epoch: Epoch, path: Sequence[Message]
    ) -> bool:
        """Whether a request of this epoch would hold a fact that is no longer active, or holds no longer here, or would
        quote what was deleted, or tell a secret that is masked now."""
        facts = await self._active(profile, conversation_id)
        standing = {fact.id for fact in facts} - leaked(epoch, path, facts, self._find)
        return is_stale(epoch, path, standing | await self._standing(profile, quoted_passages(path, epoch)))

    async def begin(
        self,
        profile: ProfileInUse,
        conversation_id: str,
        epoch: Epoch,
        path: Sequence[Message],
        estimator: TokenEstimator,
    ) -> Epoch:
        """A new epoch with the facts of today."""
        # Read before the facts: one that is added in between counts as an addition, and is told.
        upto = await self._facts.last_change()
        facts = await self._active(profile, conversation_id)
        passages = await self._standing(profile, noted_passages(path))
        without_block = replace(epoch, facts="", fact_revisions=())
        standing = {fact.id for fact in facts} - leaked(without_block, path, facts, self._find)
        dropped = no_longer_told(path, standing | passages)
        if not profile.settings.memory:
            return replace(epoch, facts="", fact_revisions=(), dropped=dropped, facts_upto=-1)
        block = make_block(facts, profile.settings.facts_budget, text_tokens(estimator))
        return replace(epoch, facts=block.text, fact_revisions=block.facts, dropped=dropped, facts_upto=upto)

    async def notes(
        self, profile: ProfileInUse, path: Sequence[Message], epoch: Epoch, estimator: TokenEstimator
    ) -> MessageNotes | None:
        """What to tell beside the last message of `path`; None when it was told before and nothing changed since."""
        question = path[-1]
        facts = await self._active(profile, question.conversation_id)
        told = told_revisions(path, epoch)
        tokens = text_tokens(estimator)
        room = profile.settings.facts_budget - (tokens(epoch.facts) if epoch.facts else 0)
        room -= sum(tokens(line) for line in told_additions(path, epoch))
        changes = await self._with_former_keys(profile, changes_to_tell(facts, told, epoch, room, tokens), told)
        if question.notes is not None:
            return MessageNotes(epoch.number, changes) if changes else None
        known = {*told, *(note.fact_id for note in changes)}
        asked = Question(
            profile=profile.name,
            text=question.text,
            conversation_id=question.conversation_id,
            known=known,
            message_id=question.id,
            present=frozenset(message.id for message in path),
            said=[epoch.facts, *(message.text for message in path[-_COMPARED:-1])],
            budget=profile.settings.recall_budget if profile.settings.memory else 0,
            facts=any(fact.id not in known for fact in facts),
            in_block=len(facts),
            now=datetime.now().astimezone(),
        )
        found = await self._recalling.recall(asked, tokens)
        return MessageNotes(epoch.number, (*found.facts, *changes), found.passages, found.recollection)

    async def trial(self, profile: ProfileInUse, text: str) -> RecalledNotes:
        """What would be told beside a text at the beginning of a conversation; of facts also those that stand in the
        prompt then. Raises MemoryPaused."""
        if not profile.settings.memory:
            raise MemoryPaused(profile=profile.name)
        tokens = text_tokens()
        block = make_block(await self._active(profile, ""), profile.settings.facts_budget, tokens)
        asked = Question(
            profile=profile.name,
            text=text,
            said=[block.text],
            budget=profile.settings.recall_budget,
            in_prompt={fact_id for fact_id, _ in block.facts},
            now=datetime.now().astimezone(),
        )
        return await self._recalling.recall(asked, tokens)

    async def mark_used(self, notes: MessageNotes, epoch: Epoch) -> None:
        """The recalled ones count as used, those of the prefix as told."""
        await self._facts.mark_told([fact_id for fact_id, _ in epoch.fact_revisions])
        recalled = [note.fact_id for note in notes.notes if note.kind is NoteKind.RECALLED]
        if recalled:
            await self._facts.mark_used(recalled)

    async def _with_former_keys(
        self, profile: ProfileInUse, notes: Sequence[FactNote], told: Mapping[str, int]
    ) -> tuple[FactNote, ...]:
        """The same; what was edited names the key it was told under where that was another one."""
        named = list(notes)
        for place, note in enumerate(notes):
            if note.kind is NoteKind.EDITED:
                history = await self._facts.history(profile.name, note.fact_id)
                named[place] = with_former_key(note, told[note.fact_id], history)
        return tuple(named)

    async def _standing(self, profile: ProfileInUse, told: Collection[PassageNote]) -> set[str]:
        return await self._said.standing(profile.name, told) if told else set()

    async def _active(self, profile: ProfileInUse, conversation_id: str) -> list[Fact]:
        if not profile.settings.memory:
            return []
        await self._facts.expire(profile.name)
        # A turn asks several times, and thousands of facts take a while to read: only after a change of any, as the end
        # of one is.
        asked = profile.name, conversation_id, await self._facts.last_change()
        if self._read is None or self._read[0] != asked:
            self._read = asked, await self._facts.facts(profile.name, conversation_id=conversation_id)
        return self._read[1]
