"""The tool `forget_memory`: the model proposes deleting a fact, the person decides."""

from __future__ import annotations

import json
from collections.abc import Mapping

from desktop_app.core.conversation import Block
from desktop_app.core.facts import Fact, FactActor, FactState, same_key
from desktop_app.core.gate import Answer, GateMode, deletion
from desktop_app.core.ports import ConversationStore, FactSearch, FactStore, ToolError
from desktop_app.core.settings import OWN_MEMORY, ProfileSettings
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.gate import Gate
from desktop_app.services.standing import standing_of, told_standing

_MOST_FOUND = 5

_FORGET: Block = {
    "name": "forget_memory",
    "description": (
        "Proposes deleting one long-term fact; the person sees it and decides. Call it when the person asks you to "
        "forget something, or says that a saved fact is wrong and has no new value. Give its key, or words to find it "
        "by: where several fit, nothing is deleted and you get their keys."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "key": {"type": "string", "description": "Its key, as it was told"},
            "query": {"type": "string", "description": "Words of it, where the key is unknown"},
        },
        "additionalProperties": False,
    },
}


class ForgetMemory:
    """Nothing is deleted before the gate said yes to exactly this fact. It can be brought back for 30 days."""

    def __init__(self, facts: FactStore, search: FactSearch, store: ConversationStore, gate: Gate) -> None:
        self._facts = facts
        self._search = search
        self._store = store
        self._gate = gate

    @property
    def definition(self) -> Block:
        """The tool as the API takes it."""
        return _FORGET

    @property
    def waits_for_person(self) -> bool:
        """The gate may ask."""
        return True

    def offered(self, profile: ProfileSettings) -> bool:
        """While memory is on, saving is not switched off, and memory is no folder of files."""
        return profile.memory and profile.gate != GateMode.OFF.value and profile.memory_tool == OWN_MEMORY

    async def run(self, arguments: Mapping[str, object], call: ToolCall) -> str:
        """What was deleted and what is left of it; raises ToolError where nothing was deleted."""
        async with self._gate.passing:
            fact = await self._wanted(arguments, call)
            while (await self._gate.decide(deletion(call, [fact]))).answer is Answer.ALLOWED:
                there = (await self._facts.active(call.profile, [fact.id])).get(fact.id)
                if there is None:
                    raise ToolError("The fact is gone already.")
                if there.revision == fact.revision:
                    return await self._delete(fact, call.profile)
                fact = there  # what changed under the open question is asked about as it is now
        raise ToolError("Not deleted: the person did not allow it, or could not be asked. Do not propose it again.")

    async def _delete(self, fact: Fact, profile: str) -> str:
        await self._facts.delete(profile, fact.id, FactActor.ASSISTANT)
        left = told_standing(await standing_of(self._store, profile, [fact]))
        told = f"Deleted from long-term memory: {_quoted(fact.key)}. The person can bring it back for 30 days."
        return f"{told} {left}".strip()

    async def _wanted(self, arguments: Mapping[str, object], call: ToolCall) -> Fact:
        """The one fact a call means; raises ToolError."""
        key, query = arguments.get("key"), arguments.get("query")
        if isinstance(key, str) and key.strip():
            return await self._named(" ".join(key.split()), call)
        if not isinstance(query, str) or not query.strip():
            raise ToolError("Give `key` or `query` as a text.")
        found = await self._found(query, call)
        if len(found) != 1:
            raise ToolError(_choice(found))
        return found[0]

    async def _named(self, key: str, call: ToolCall) -> Fact:
        wanted = same_key(key)
        for fact in await self._facts.facts(call.profile, FactState.ACTIVE, conversation_id=call.conversation_id):
            if same_key(fact.key) == wanted:
                return fact
        raise ToolError(f"No fact has the key {_quoted(key)}. {_choice(await self._found(key, call))}")

    async def _found(self, query: str, call: ToolCall) -> list[Fact]:
        hits = await self._search.search(call.profile, query, _MOST_FOUND, conversation_id=call.conversation_id)
        return [hit.fact for hit in hits]


def _choice(facts: list[Fact]) -> str:
    """What to do where no one fact is meant."""
    if not facts:
        return "Nothing in long-term memory matches; nothing was deleted."
    keys = ", ".join(_quoted(fact.key) for fact in facts)
    return f"Nothing was deleted. Facts that may be meant have these keys: {keys}. Call again with one of them."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
