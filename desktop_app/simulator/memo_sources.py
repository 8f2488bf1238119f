"""What a summary may be made of: who said what, from the messages of the request or from the talk quoted in it."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .conversation import Block, Placed, Turn, asks_for_memo, is_data, text_of
from .long_answer import is_sample
from .lookup import split
from .memo_request import Wanted, unescape
from .memo_sections import joined, sections_of
from .passages import SAVE, SEARCH, is_memo, memo_lines, summary_lines
from .tokens import count_text

_QUOTED = re.compile(r"\s*<conversation_to_summarise\b")
_ENTRY = re.compile(r"<(earlier_summary|message|part)\b([^>]*)>(.*?)</\1>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_CLIENT = re.compile(r"\s*<(?:handover_memo|long_term_facts|memory_notes|conversation_to_summarise|\w+_request)\b")
_PERSON = {"person": "user", "assistant": "assistant", "tool": "tool"}
_OF_PERSON = ("image", "document", "search_result")


@dataclass(frozen=True)
class Said:
    """A text of the conversation: who said it (user, assistant, call, tool, document) in which message.

    A call and a result have the `tool`; `failed` says that the result was an error.
    """

    by: str
    text: str
    tool: str = ""
    failed: bool = False
    number: int = 0

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Sentence by sentence, each on one line."""
        return tuple(" ".join(sentence.split()) for sentence in split(self.text))


@dataclass(frozen=True)
class Source:
    """All a summary may be made of: what was said, oldest first, and the sections of earlier summaries."""

    said: list[Said]
    earlier: dict[str, list[str]]

    @cached_property
    def tokens(self) -> int:
        """How long it is."""
        return sum(map(count_text, self.texts))

    @property
    def texts(self) -> list[str]:
        """Everything in it, the earlier summary first."""
        return [*(line for rows in self.earlier.values() for line in rows), *(one.text for one in self.said)]


def source_of(turns: list[Turn], wanted: Wanted) -> Source:
    """The source of a wanted summary: the quoted talk of the last message where there is one, else the messages."""
    texts = [block["text"] for block in turns[-1].blocks if block["type"] == "text"]
    quoted = [text for text in texts if _QUOTED.match(text)]
    if quoted:
        return _quoted("\n".join(quoted))
    if wanted.turns is not None:
        turns = up_to_turn(turns, wanted.turns)
    return Source(list(_said_in(turns)), sections_of(_earlier_lines(turns)))


# ---- the messages of the request -------------------------------------------------------------------------------


def up_to_turn(turns: list[Turn], most: int) -> list[Turn]:
    """The conversation down to the end of the turn that the person's message number `most` (from 1) began.

    Results of tools and what the client added do not count as messages of the person.
    """
    seen: set[int] = set()
    kept: list[Turn] = []
    for turn in turns:
        for place, entry in enumerate(turn.placed):
            if turn.role == "user" and entry.message not in seen and _is_persons(entry):
                seen.add(entry.message)
                if len(seen) > most:
                    return [*kept, Turn(turn.role, turn.clear_at, turn.placed[:place])]
        kept.append(turn)
    return kept


def _is_persons(entry: Placed) -> bool:
    block = entry.block
    return block["type"] in _OF_PERSON or (block["type"] == "text" and not _CLIENT.match(block["text"]))


def _earlier_lines(turns: list[Turn]) -> list[str]:
    """The lines of the summary the conversation opens with, one of the client or one of the server."""
    opening = [block for turn in turns[:2] for block in turn.blocks]
    lines: list[str] = []
    for block in opening:
        if block["type"] == "text" and is_memo(block["text"]):
            lines += memo_lines(block["text"])
        elif block["type"] == "compaction":
            lines += summary_lines(block.get("content") or "")
    return lines


def _said_in(turns: list[Turn]) -> Iterator[Said]:
    """Everything said, oldest first, without requests for a summary, their answers and what the client added.

    Left out too: calls and results of the memory tools (the client keeps those facts itself) and sample texts.
    """
    names: dict[str, str] = {}
    asked = False
    for turn in turns:
        texts = [block["text"] for block in turn.blocks if block["type"] == "text"]
        answers_memo = turn.role == "assistant" and asked
        asked = turn.role == "user" and any(map(asks_for_memo, texts))
        for entry in turn.placed:
            if entry.block["type"] == "tool_use":
                names[entry.block["id"]] = entry.block["name"]
            if not (answers_memo and entry.block["type"] == "text"):
                yield from _said(entry.block, turn.role, names, entry.message + 1)


def _said(block: Block, role: str, names: dict[str, str], number: int) -> Iterator[Said]:
    if block["type"] == "tool_use" and block["name"] not in (SAVE, SEARCH):
        yield Said("call", _input_text(block["input"]), block["name"], number=number)
    elif block["type"] == "tool_result" and (name := names.get(block["tool_use_id"], "")) not in (SAVE, SEARCH):
        yield Said("tool", text_of(block), name, bool(block.get("is_error")), number)
    elif block["type"] in ("document", "search_result"):
        yield Said("document", text_of(block), number=number)
    elif block["type"] == "text" and role == "user":
        text = block["text"]
        if not (is_data(text) and _CLIENT.match(text)) and not asks_for_memo(text):
            yield Said("user", text, number=number)
    elif block["type"] == "text" and not is_sample(block["text"]):
        yield Said("assistant", block["text"], number=number)


def _input_text(value: Any) -> str:
    """The values in the input of a call, one a line."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(map(_input_text, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# ---- the quoted talk ---------------------------------------------------------------------------------------------


def _quoted(data: str) -> Source:
    """What stands in the quoted data, its tags as they were before they were quoted."""
    said: list[Said] = []
    parts: list[dict[str, list[str]]] = []
    for tag, given, text in _ENTRY.findall(data):
        if tag == "message":
            said += _quoted_message(dict(_ATTRIBUTE.findall(given)), unescape(text).strip("\n"))
        else:
            parts.append(sections_of(summary_lines(unescape(text))))
    return Source(said, joined(parts))


def _quoted_message(given: dict[str, str], text: str) -> list[Said]:
    by, tool = _PERSON.get(given.get("from", ""), "document"), given.get("tool") or given.get("calls") or ""
    if tool in (SAVE, SEARCH) or (by == "assistant" and not tool and is_sample(text)):
        return []
    digits = re.match(r"\d+", given.get("number", ""))
    number = int(digits[0]) if digits else 0
    if "calls" not in given:
        return [Said(by, text, tool, number=number)]
    with contextlib.suppress(ValueError):  # what is no JSON, such as a call that was cut, is taken as it stands
        text = _input_text(json.loads(text))
    return [Said("call", text, tool, number=number)]
