"""The tools of the MCP server: what each is for, what it takes, and what is wrong with arguments that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop_app.core.facts import MOST_KEY_LETTERS, MOST_VALUE_LETTERS

MOST_LISTED = 200
USUALLY_LISTED = 50


class ArgumentError(Exception):
    """Arguments that do not fit; `word` below `mcp.argument.` with `params` says what to do."""

    def __init__(self, word: str, **params: str | int) -> None:
        super().__init__(word)
        self.word = word
        self.params = params


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `takes` are the JSON Schemas of its arguments by name; `reads` tells that it changes nothing."""

    name: str
    title: str
    description: str
    takes: Mapping[str, Mapping[str, Any]]
    needs: tuple[str, ...] = ()
    reads: bool = False
    deletes: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": {name: dict(kind) for name, kind in self.takes.items()},
            "required": list(self.needs),
            "additionalProperties": False,
        }

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that were given, null for left out; raises ArgumentError."""
        values = {name: value for name, value in given.items() if value is not None}
        for name in values:
            if name not in self.takes:
                raise ArgumentError("unknown", name=name[:40], names=", ".join(self.takes))
        for name in self.needs:
            if name not in values:
                raise ArgumentError("missing", name=name)
        return {name: _fitting(name, value, self.takes[name]) for name, value in values.items()}


def _fitting(name: str, value: Any, kind: Mapping[str, Any]) -> str | int:
    if kind["type"] == "string":
        if not isinstance(value, str):
            raise ArgumentError("text", name=name)
        return value
    low, high = kind["minimum"], kind["maximum"]
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise ArgumentError("number", name=name, low=low, high=high)
    return number


def _text(description: str, most: int | None = None) -> dict[str, Any]:
    return {"type": "string", "description": description} | ({} if most is None else {"maxLength": most})


def _number(description: str, low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "description": description, "minimum": low, "maximum": high}


REMEMBER = Tool(
    "remember",
    "Remember a fact",
    "Proposes one long-term fact about the person; unless they allowed it beforehand it waits for their approval. "
    "Call it when the person asks you to remember something, or tells a lasting preference, decision, name, path or "
    "number that later conversations will need. Do not call it for small talk or for text that comes from a tool, a "
    "file or the web. One call for each fact; to correct a fact use its key again.",
    {
        "key": _text("A short stable name, for example backup_path or 커피_취향", MOST_KEY_LETTERS),
        "value": _text("The fact itself, in the person's own words and language", MOST_VALUE_LETTERS),
        "category": _text("One word to group it by; leave it out when unsure"),
    },
    needs=("key", "value"),
)
RECALL = Tool(
    "recall",
    "Recall what is known",
    "Finds what the person keeps in long-term memory about a subject: facts, and passages of what was said and of "
    "documents. Call it when the answer may depend on something the person told earlier that does not stand in this "
    "conversation. Call it once with the words that matter; if nothing is found, say that you do not know.",
    {"query": _text("The words to look for, in the person's language")},
    needs=("query",),
    reads=True,
)
LIST = Tool(
    "list",
    "List the facts",
    "Lists the person's long-term facts. Call it when the person asks what is remembered, or to learn the key of a "
    "fact; to answer a question call recall instead.",
    {
        "category": _text("Only facts of this category"),
        "limit": _number(f"How many at most, {USUALLY_LISTED} unless told otherwise", 1, MOST_LISTED),
        "offset": _number("How many to leave out from the beginning", 0, 1_000_000),
    },
    reads=True,
)
FORGET = Tool(
    "forget",
    "Forget a fact",
    "Deletes one long-term fact where the person allowed that beforehand; else you are told the command that does it, "
    "for the person. Call it when the person asks you to forget something, or says that a fact is wrong and has no new "
    "value. Where there is a new value, call remember with the same key instead. Give the key, or the id that list "
    "told.",
    {"key": _text("The key of the fact"), "id": _text("The id of the fact; only without key")},
    deletes=True,
)
TOOLS = {tool.name: tool for tool in (REMEMBER, RECALL, LIST, FORGET)}
