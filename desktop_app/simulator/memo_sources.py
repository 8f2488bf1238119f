"""What a handover memo may be made of: who said what in the conversation, and an earlier memo's sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .conversation import Turn, asks_for_memo, is_data, text_of
from .long_answer import is_sample
from .lookup import split
from .passages import SAVE, SEARCH, is_memo, memo_lines

KINDS = ("goal", "decisions", "progress", "facts", "dead", "next")
_WORDS = {
    "goal": r"\bgoals?\b|objective|\baim\b|목표|목적",
    "decisions": r"decision|constraint|preference|결정|제약|선호",
    "dead": r"\bdead\b|fail|did not work|막다른|실패|안 된|막힌|통하지",
    "next": r"\bnext\b|다음|할 일|남은",
    "facts": r"\bfacts?\b|\bvalues?\b|사실|값",
    "progress": r"progress|\bwork\b|진행|작업",
}


@dataclass(frozen=True)
class Said:
    """A text of the conversation: who said it (user, assistant, tool, document) and, for a tool, whether it failed."""

    by: str
    text: str
    tool: str = ""
    failed: bool = False

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentence by sentence, each on one line."""
        return tuple(" ".join(sentence.split()) for sentence in split(self.text))


def kinds_of(headings: list[str]) -> list[str]:
    """The section each heading names, by its words, else by its place; "" for one that is none of the six."""
    named = [next((kind for kind, words in _WORDS.items() if re.search(words, h, re.IGNORECASE)), "") for h in headings]
    if len(headings) == len(KINDS) and len(set(named)) < len(KINDS):
        return list(KINDS)
    return named


def earlier_memo(turns: list[Turn]) -> dict[str, list[str]]:
    """The lines of the memo the conversation opens with, by section; {} without one."""
    texts = [block["text"] for turn in turns[:1] for block in turn.blocks if block["type"] == "text"]
    lines = [line for text in texts if is_memo(text) for line in memo_lines(text)]
    headings = [line for line in lines if line.startswith("## ")]
    kinds = dict(zip(headings, kinds_of(headings), strict=True))
    sections: dict[str, list[str]] = {}
    kind = ""
    for line in lines:
        if line.startswith("## "):
            kind = kinds[line]
        elif kind:
            sections.setdefault(kind, []).append(re.sub(r"^\s*(?:[-*•]\s+)?", "", line).rstrip())
    return sections


def said_in(turns: list[Turn]) -> Iterator[Said]:
    """Everything said, oldest first, without requests for a memo, their answers and what the client added.

    Left out too: results of the memory tools (the client keeps those facts itself) and sample texts.
    """
    names: dict[str, str] = {}
    asked = False
    for turn in turns:
        texts = [block["text"] for block in turn.blocks if block["type"] == "text"]
        answers_memo = turn.role == "assistant" and asked
        asked = turn.role == "user" and any(map(asks_for_memo, texts))
        for block in turn.blocks:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
            elif block["type"] == "tool_result" and (name := names.get(block["tool_use_id"], "")) not in (SAVE, SEARCH):
                yield Said("tool", text_of(block), name, bool(block.get("is_error")))
            elif block["type"] in ("document", "search_result"):
                yield Said("document", text_of(block))
            elif block["type"] == "text" and not answers_memo:
                yield from _words(turn.role, block["text"])


def _words(role: str, text: str) -> Iterator[Said]:
    if role == "user" and not is_data(text) and not asks_for_memo(text):
        yield Said("user", text)
    elif role == "assistant" and not is_sample(text):
        yield Said("assistant", text)
