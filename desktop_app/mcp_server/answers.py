"""What a tool of the MCP server answers: sentences for a model, and the same as JSON. Kept text in it is data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.core.facts import Fact, FactState
from desktop_app.core.gate import Answer
from desktop_app.core.passages import PassageKind
from desktop_app.core.words import Words
from desktop_app.services.outside_memory import FactPage, Forgotten
from desktop_app.services.recalling import ShownFind
from desktop_app.services.remembering import Outcome, WaitsFor, Written


@dataclass(frozen=True, slots=True)
class Told:
    """A result; `failed` where what was asked was not done and does not wait for anybody either."""

    text: str
    values: dict[str, Any]
    failed: bool = False


class Answers:
    """Says what came of a call in one profile; `command` spells a command of this data folder and profile."""

    def __init__(self, words: Words, profile: str, command: Callable[..., str]) -> None:
        self._words = words
        self._profile = profile
        self._command = command

    @property
    def instructions(self) -> str:
        """What a client is told of the server."""
        return self._words.say("mcp.instructions", profile=_quoted(self._profile))

    def failure(self, text: str) -> Told:
        """A call that could not be served."""
        return self._told("failed", text, failed=True)

    def remembered(self, written: Written) -> Told:
        """What became of a proposal."""
        fact = written.fact
        if written.outcome is Outcome.DENIED or fact is None:
            return self._told("refused", self._words.say("mcp.refused"), failed=True)
        values: dict[str, Any] = {"fact": _fact(fact), "masked": written.masked}
        masked = [self._words.say("mcp.masked")] if written.masked else []
        if fact.state is FactState.PENDING:
            values["review"] = self._command("facts", "pending")
            word = (written.waits_for or WaitsFor.NOBODY_ASKED).value
            said = self._words.say(f"mcp.waits.{word}", fact=_line(fact), command=values["review"])
            return self._told("pending", "\n".join([said, *masked]), **values)
        kept = "paused" if fact.state is FactState.PAUSED else "kept_already"
        status = "saved" if written.outcome is Outcome.SAVED else kept
        return self._told(status, "\n".join([self._words.say(f"mcp.{status}", fact=_line(fact)), *masked]), **values)

    def recalled(self, finds: Sequence[ShownFind]) -> Told:
        """What was found, best first of each kind."""
        found = [_find(find) for find in finds]
        head = self._words.say("mcp.recalled" if found else "mcp.recalled_nothing", profile=_quoted(self._profile))
        return self._told("found" if found else "nothing", "\n".join([head, *map(_json, found)]), found=found)

    def listed(self, page: FactPage, offset: int) -> Told:
        """A part of the facts."""
        facts = [_fact(fact) for fact in page.facts]
        word = "mcp.listed" if page.total else "mcp.listed_nothing"
        head = self._words.say(word, profile=_quoted(self._profile), shown=len(facts), total=page.total)
        text = "\n".join([head, *map(_json, facts)])
        return self._told("found" if facts else "nothing", text, facts=facts, total=page.total, offset=offset)

    def forgotten(self, forgotten: Forgotten) -> Told:
        """What became of a fact that was to be deleted."""
        fact, key = forgotten.fact, _quoted(forgotten.fact.key)
        if forgotten.answer is Answer.ALLOWED:
            undo = self._command("facts", "restore", fact.id)
            return self._told(
                "deleted", self._words.say("mcp.deleted", key=key, command=undo), fact=_fact(fact), undo=undo
            )
        if forgotten.answer is Answer.DENIED:
            return self._told("refused", self._words.say("mcp.refused"), failed=True)
        command = self._command("facts", "delete", fact.id)
        said = self._words.say("mcp.needs_person", key=key, command=command)
        return self._told("needs_person", said, failed=True, fact=_fact(fact), command=command)

    def _told(self, status: str, text: str, *, failed: bool = False, **values: Any) -> Told:
        return Told(text, {"profile": self._profile, "status": status, **values}, failed)


def _fact(fact: Fact) -> dict[str, Any]:
    return {"id": fact.id, "key": fact.key, "value": fact.value, "category": fact.category, "pinned": fact.pinned}


def _find(shown: ShownFind) -> dict[str, Any]:
    if shown.fact is not None:
        return {"kind": shown.find.kind.value, **_fact(shown.fact)}
    passage = shown.passage
    assert passage is not None
    told = {"title": passage.title, "text": passage.text}
    if passage.kind is PassageKind.DOCUMENT:
        return {"kind": passage.kind.value, **told}
    by, when = "person" if passage.by_person else "assistant", passage.when
    return {"kind": passage.kind.value, **told, "by": by, "when": None if when is None else when.isoformat()}


def _line(fact: Fact) -> str:
    return _json({fact.key: fact.value})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(text: str) -> str:
    return _json(text)
