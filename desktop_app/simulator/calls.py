"""Which tools the user's words ask for, and with what input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from .arithmetic import expressions
from .forgetting import named_key, wanted_gone
from .lookup import keywords
from .passages import FORGET, SAVE, SEARCH, fact_keys
from .remembering import tellings
from .reply import Call

_CALL_EN = re.compile(r"\b(?:call|use|run) the (?:tool )?`?([\w-]{1,128})`?(?: tool)?\b", re.IGNORECASE)
_CALL_KO = re.compile(r"(?<![A-Za-z0-9_-])([A-Za-z][\w-]{0,127})\s*도구")
_TIMES = re.compile(r"(?<!\d)(\d{1,9})\s*(?:times|번)")
_MOST_CALLS = 1_000


def _offered(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    choice = (body.get("tool_choice") or {}).get("type", "auto")
    return {} if choice == "none" else {tool["name"]: tool for tool in body.get("tools") or []}


def wanted_calls(body: dict[str, Any], asked: str, done: int) -> list[Call] | None:
    """The calls still to make for the user's words after `done` calls; None where none are wanted."""
    offered = _offered(body)
    calls = (
        _named_calls(offered, asked)
        or _forgotten(body, offered, asked)
        or _remembered(body, offered, asked)
        or _calculations(offered, asked)
    )
    choice = body.get("tool_choice") or {}
    if not calls and choice.get("type") in ("any", "tool") and not done:
        name = choice.get("name") or next(iter(offered))
        calls = [Call(name, _filled(offered[name], asked))]
    one_by_one = bool(choice.get("disable_parallel_tool_use")) or bool(_TIMES.search(asked))
    left = calls[done:]
    return (left[:1] if one_by_one else left) or None


def _named_calls(offered: dict[str, dict[str, Any]], asked: str) -> list[Call]:
    for pattern in (_CALL_EN, _CALL_KO):
        for name in pattern.findall(asked):
            given = _json_in(asked)
            if name not in offered or ("calculator" in name.lower() and given is None):
                continue
            times = _TIMES.search(asked)
            return [Call(name, given or {})] * (min(int(times.group(1)), _MOST_CALLS) if times else 1)
    return []


def _remembered(body: dict[str, Any], offered: dict[str, dict[str, Any]], asked: str) -> list[Call]:
    """One `save_memory` for each fact the user tells to remember."""
    if SAVE not in offered or not {"key", "value"} <= _properties(offered[SAVE]).keys():
        return []
    return [Call(SAVE, {"key": key, "value": value}) for key, value in tellings(asked, fact_keys(body))]


def _forgotten(body: dict[str, Any], offered: dict[str, dict[str, Any]], asked: str) -> list[Call]:
    """One `forget_memory` for each thing the user tells to forget, by its key where that is known."""
    if "query" not in _properties(offered.get(FORGET, {})):
        return []
    keys = fact_keys(body)
    named = [(words, named_key(words, keys)) for words in wanted_gone(asked)]
    return [Call(FORGET, {"key": key} if key else {"query": keywords(words)}) for words, key in named]


def search_call(body: dict[str, Any], asked: str) -> Call | None:
    """A `search_memory` for what the user asks; None where it is not offered or nothing could be searched for."""
    offered = _offered(body)
    words = keywords(asked)
    return Call(SEARCH, {"query": words}) if words and "query" in _properties(offered.get(SEARCH, {})) else None


def call_of(body: dict[str, Any], names: Iterable[str], text: str) -> Call | None:
    """A call, with that text, of the first of the named tools that is offered, else of the first one; None without."""
    offered = _offered(body)
    tool = next((offered[name] for name in names if name in offered), next(iter(offered.values()), None))
    if tool is None:
        return None
    filled = _properties(tool).keys() >= {"key", "value"}
    return Call(tool["name"], {"key": text[:40], "value": text} if filled else _filled(tool, text))


def _json_in(text: str) -> dict[str, Any] | None:
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            start = text.find("{", start + 1)
            continue
        return value if isinstance(value, dict) else None
    return None


def _calculations(offered: dict[str, dict[str, Any]], asked: str) -> list[Call]:
    tool = next((tool for name, tool in offered.items() if "calculator" in name.lower()), None)
    return [Call(tool["name"], _filled(tool, found)) for found in expressions(asked)] if tool else []


def _filled(tool: dict[str, Any], text: str) -> dict[str, Any]:
    """An input for a tool: the text goes into `expression` or into the first string property."""
    properties = _properties(tool)
    names = [name for name, rule in properties.items() if isinstance(rule, dict) and rule.get("type") == "string"]
    name = "expression" if "expression" in properties else (names[0] if names else None)
    return {name: text} if name else {}


def _properties(tool: dict[str, Any]) -> dict[str, Any]:
    return (tool.get("input_schema") or {}).get("properties") or {}


def call_text(call: Call) -> str:
    """A call in a few words: its only input, or its tool."""
    values = list(call.input.values())
    return str(values[0]) if len(values) == 1 else call.name
