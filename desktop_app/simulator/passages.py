"""The texts of a request an answer may be taken from, and where they stand; long-term facts one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .conversation import Block, is_data, question_of, text_of, turns_of

SAVE, SEARCH, FORGET, MEMORY = "save_memory", "search_memory", "forget_memory", "memory"
_FACTS = re.compile(r"<long_term_facts>(.*?)</long_term_facts>", re.DOTALL)
_RULES = re.compile(r"<memory_rules>.*?</memory_rules>", re.DOTALL)
_FILE = re.compile(r"Here's the content of (?P<path>/memories/\S.*?) with line numbers:\n(?P<lines>.*)", re.DOTALL)
_NUMBER = re.compile(r"^ *\d+\t", re.MULTILINE)
_NOTES = re.compile(r"\s*<memory_notes\b")
_MEMO = re.compile(r"\s*<handover_memo\b")
_LINE = re.compile(r'^- ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")\s*$', re.MULTILINE)
_SAID = re.compile(
    r'^- (?:[\d-]+, )?the (?:person|assistant), in "(?:[^"\\]|\\.)*": ("(?:[^"\\]|\\.)*")\s*$', re.MULTILINE
)
_QUOTED = re.compile(r'^- "(?:[^"\\]|\\.)*", [^"\n]*: ("(?:[^"\\]|\\.)*")\s*$', re.MULTILINE)
_NOTHING = re.compile(r"^\s*(?:[-*]\s*)?(?:none|없음)\.?\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """Text of the request and where it stands.

    `origin` is system, memory (a long-term fact), memo, recalled, user, assistant, document or tool (with its name). A
    fact has a `key`; `kept` says that the client vouches for it as it is now.
    """

    origin: str
    text: str
    tool: str = ""
    key: str = ""
    kept: bool = False


def passages(body: dict[str, Any]) -> list[Passage]:
    """Every text of the request in order, without the user's last own words; of a fact only what is told last."""
    found = list(_all(body))
    last: dict[str, int] = {}
    for number, passage in enumerate(found):
        name = passage.key.casefold()
        if passage.key and (passage.kept or not (name in last and found[last[name]].kept)):
            last[name] = number
    return [p for number, p in enumerate(found) if not p.key or last[p.key.casefold()] == number]


def fact_keys(body: dict[str, Any]) -> list[str]:
    """The keys of the long-term facts told in the request."""
    return [passage.key for passage in passages(body) if passage.key]


def memo_lines(text: str) -> list[str]:
    """The lines of a handover memo, without its tags, the words around them and the marks of empty sections."""
    body = re.sub(r"</?handover_memo[^>\n]*>", "", text).strip()
    introduction, gap, rest = body.partition("\n\n")
    return summary_lines(rest if gap and not introduction.startswith("#") else body)


def summary_lines(text: str) -> list[str]:
    """The lines of a summary, without the marks of empty sections."""
    return [line for line in text.splitlines() if line.strip() and not _NOTHING.match(line)]


def is_memo(text: str) -> bool:
    """Whether a text block holds an earlier handover memo."""
    return is_data(text) and bool(_MEMO.match(text))


def _all(body: dict[str, Any]) -> Iterator[Passage]:
    system = text_of(body.get("system") or "")
    if system:
        yield Passage("system", _RULES.sub("", _FACTS.sub("", system)))
        yield from _facts(_lines(_FACTS.findall(system)), "memory", kept=True)
    turns = [turn for turn in turns_of(body["messages"]) if not turn.hidden]
    asked = max((n for n, turn in enumerate(turns) if turn.role == "user" and question_of(turn)), default=-1)
    names: dict[str, str] = {}
    for number, turn in enumerate(turns):
        for block in turn.blocks:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
            elif block["type"] == "tool_result":
                yield from _result(block, names.get(block["tool_use_id"], ""), newest=number > asked)
            elif block["type"] in ("document", "search_result"):
                yield Passage("document", text_of(block))
            elif block["type"] == "text" and turn.role == "user" and is_data(block["text"]):
                yield from _data(block["text"])
            elif block["type"] == "text" and number != asked:
                origin = {"system": "recalled"}.get(turn.role, turn.role)
                yield Passage(origin, block["text"])


def _data(text: str) -> Iterator[Passage]:
    """A block the client added to a message of the user: notes on facts, a memo, or other material."""
    if _NOTES.match(text):
        yield from _facts(_lines([text]), "memory", kept=True)
        for pattern, origin in ((_SAID, "recalled"), (_QUOTED, "document")):
            yield from (Passage(origin, str(json.loads(said))) for said in pattern.findall(text))
    elif _MEMO.match(text):
        yield Passage("memo", "\n".join(line for line in memo_lines(text) if not line.startswith("#")))
    else:
        yield Passage("user", text)


def _result(block: Block, tool: str, *, newest: bool) -> Iterator[Passage]:
    text = text_of(block)
    if tool in (FORGET, MEMORY):
        file = None if tool == FORGET or block.get("is_error") else file_in(text)
        yield from _facts([file] if file else [], "tool", tool, kept=newest)
    elif tool not in (SAVE, SEARCH):
        yield Passage("tool", text, tool)
    elif not block.get("is_error"):
        yield from _facts(facts_in(text), "tool", tool, kept=newest)


def _facts(rows: Iterable[tuple[str, str]], origin: str, tool: str = "", *, kept: bool) -> Iterator[Passage]:
    for key, value in rows:
        yield Passage(origin, f"{key}: {value}", tool, key, kept)


def file_in(text: str) -> tuple[str, str] | None:
    """The name and text of a memory file in a result that shows one."""
    shown = _FILE.match(text)
    if shown is None:
        return None
    name = shown["path"].rpartition("/")[2].removesuffix(".md")
    return name, _NUMBER.sub("", shown["lines"])


def facts_in(text: str) -> list[tuple[str, str]]:
    """The (key, value) pairs in a result of a memory tool: lines of a block, or a JSON object at the end of a line."""
    found = _lines([text])
    for line in text.splitlines():
        start = line.find("{")
        try:
            value = json.loads(line[start:]) if start >= 0 else None
        except ValueError:
            continue
        if isinstance(value, dict):
            found += [(key, held) for key, held in value.items() if isinstance(held, str)]
    return found


def _lines(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The `- "key": "value"` lines of some blocks."""
    found = []
    for text in texts:
        for key, value in _LINE.findall(text):
            try:
                found.append((str(json.loads(key)), str(json.loads(value))))
            except ValueError:
                continue
    return found
