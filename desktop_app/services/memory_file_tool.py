"""The tool `memory` of type `memory_20250818`: long-term facts as files, every write through the gate."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from desktop_app.core.context_editing import FILES_TOOL
from desktop_app.core.conversation import Block
from desktop_app.core.errors import BadInput, FactChanged, FactNotFound
from desktop_app.core.facts import FactActor, FactDraft, FactState, same_key
from desktop_app.core.gate import Answer, GateMode, Proposal, deletion, said_in
from desktop_app.core.memory_files.commands import carry_out
from desktop_app.core.memory_files.outcomes import Delete, Outcome, Rename, Told, Write
from desktop_app.core.memory_files.paths import FileRefused
from desktop_app.core.memory_files.texts import numbered
from desktop_app.core.ports import ConversationStore, FactStore, ToolError
from desktop_app.core.settings import MEMORY_FILES, ProfileSettings
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.gate import Gate
from desktop_app.services.memory_tools import draft_of, told, why_not
from desktop_app.services.remembering import Outcome as Kept
from desktop_app.services.remembering import Remembering
from desktop_app.services.standing import standing_of, told_standing

_MEMORY: Block = {"type": "memory_20250818", "name": FILES_TOOL}


class MemoryFiles:
    """Reads the active facts the call may see. Nothing is written before the gate said yes to exactly that."""

    def __init__(self, facts: FactStore, store: ConversationStore, gate: Gate, remembering: Remembering) -> None:
        self._facts = facts
        self._store = store
        self._gate = gate
        self._remembering = remembering

    @property
    def definition(self) -> Block:
        """The tool as the API takes it: the API itself knows its commands."""
        return _MEMORY

    @property
    def waits_for_person(self) -> bool:
        """The gate may ask."""
        return True

    def offered(self, profile: ProfileSettings) -> bool:
        """While memory is on, is a folder of files, and saving is not switched off: the type has no half."""
        return profile.memory and profile.memory_tool == MEMORY_FILES and profile.gate != GateMode.OFF.value

    async def run(self, arguments: Mapping[str, object], call: ToolCall) -> str:
        """The answer of the command; raises ToolError for one that cannot be carried out, or was not allowed."""
        outcome = await self._outcome(arguments, call)
        if isinstance(outcome, Told):
            if outcome.fact is not None:
                await self._facts.mark_used([outcome.fact.id])
            return outcome.text
        if isinstance(outcome, Write):
            return await self._keep(outcome, arguments, call)
        async with self._gate.passing:
            return await self._pass(arguments, call)

    async def _outcome(self, arguments: Mapping[str, object], call: ToolCall) -> Outcome:
        """What the command would do to the facts there are now."""
        facts = await self._facts.facts(call.profile, FactState.ACTIVE, conversation_id=call.conversation_id)
        taken: set[str] = set()
        try:
            while True:
                outcome = carry_out(facts, arguments, taken)
                hidden = await self._hidden(outcome, call.profile, {fact.id for fact in facts})
                if not hidden - taken:
                    return outcome
                taken |= hidden
        except FileRefused as error:
            raise ToolError(str(error)) from error

    async def _hidden(self, outcome: Outcome, profile: str, seen: set[str]) -> set[str]:
        """Keys a change would take from facts the call does not see."""
        keys: list[str] = []
        if isinstance(outcome, Write) and outcome.before is None:
            keys = [outcome.key]
        elif isinstance(outcome, Rename):
            keys = [move.key for move in outcome.moves]
        hidden = set()
        for key in keys:
            try:
                there = await self._facts.fact(profile, key)
            except FactNotFound:
                continue
            if there.state is FactState.ACTIVE and there.id not in seen:
                hidden.add(same_key(key))
        return hidden

    async def _keep(self, outcome: Write, arguments: Mapping[str, object], call: ToolCall) -> str:
        """Keeps the text of a file; where another one was kept than the call gave, it is told."""

        async def again() -> FactDraft:
            now = await self._outcome(arguments, call)
            if not isinstance(now, Write):
                raise ToolError("The file changed meanwhile. View it again.")
            return _draft(now, call)

        draft = _draft(outcome, call)
        try:
            written = await self._remembering.write(draft, call, profile=call.profile, redraft=again)
        except BadInput as error:
            raise ToolError(why_not(error)) from error
        text = told(written, draft)
        if written.outcome is not Kept.SAVED or written.fact is None:
            return text
        kept, path = written.fact.value, outcome.path
        if kept == outcome.value:
            return outcome.told
        why = "A secret in it was masked" if written.masked else "It was changed"
        return f"The text of {path} is not the one you gave. {why}. With line numbers:\n{numbered(kept)}"

    async def _pass(self, arguments: Mapping[str, object], call: ToolCall) -> str:
        """Deletes or renames what the gate allows. What changed under an open question is shown in another one."""
        outcome = await self._outcome(arguments, call)
        while isinstance(outcome, Delete | Rename):
            verdict = await self._gate.decide(_proposal(outcome, call))
            if verdict.answer is Answer.PENDING:
                raise ToolError("Not done: nobody could be asked.")
            if verdict.answer is not Answer.ALLOWED:
                raise ToolError("Not done: the person did not allow it. Do not propose it again.")
            now = await self._outcome(arguments, call)
            if _state(now) == _state(outcome):
                with suppress(FactChanged):
                    return await self._write(outcome, call.profile)
                now = await self._outcome(arguments, call)
            outcome = now
        raise ToolError("The files changed meanwhile. View them again.")

    async def _write(self, outcome: Delete | Rename, profile: str) -> str:
        """Does what was allowed; raises FactChanged, and ToolError for a name that cannot be kept."""
        if isinstance(outcome, Rename):
            try:
                await self._facts.move(profile, outcome.moves, FactActor.ASSISTANT)
            except BadInput as error:
                raise ToolError("Not done: the memory cannot keep it.") from error
            return outcome.told
        await self._facts.delete_together(profile, outcome.facts, FactActor.ASSISTANT)
        left = told_standing(await standing_of(self._store, profile, outcome.facts))
        return f"{outcome.told}\n{left}".strip()


def _draft(outcome: Write, call: ToolCall) -> FactDraft:
    """The fact a file would be."""
    draft = draft_of(outcome.key, outcome.value, outcome.category, call)
    return draft if outcome.before is None else replace(draft, scope=outcome.before.scope)


def _proposal(outcome: Delete | Rename, call: ToolCall) -> Proposal:
    """What the person is asked."""
    if isinstance(outcome, Delete):
        return deletion(call, outcome.facts, f"{outcome.path}/")
    moves = tuple((move.fact, FactDraft(move.key, move.fact.value, move.category)) for move in outcome.moves)
    return Proposal(call, FactDraft(outcome.path, "", source=said_in(call)), moves=moves)


def _state(outcome: Outcome) -> object:
    """What a change is and rests on, without what a mere use of a fact changes."""
    if isinstance(outcome, Delete):
        return outcome.path, [(fact.id, fact.revision) for fact in outcome.facts]
    if isinstance(outcome, Rename):
        return outcome.path, [(move.fact.id, move.fact.revision, move.key, move.category) for move in outcome.moves]
    return outcome
