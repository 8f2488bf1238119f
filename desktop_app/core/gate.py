"""The gate before the assistant's writes into memory: what is proposed, who may allow it, what was answered."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.facts import Fact, FactDraft
from desktop_app.core.tool_call import ToolCall


class GateMode(StrEnum):
    """Who decides in a profile."""

    ASK = "ask"
    AUTO = "auto"
    OFF = "off"


class Answer(StrEnum):
    """What came of a proposal."""

    ALLOWED = "allowed"
    DENIED = "denied"
    PENDING = "pending"
    """Nobody could be asked; it waits among the pending facts."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Exactly what would be written, by which call. `before` is the fact whose value it takes, if any."""

    call: ToolCall
    draft: FactDraft
    before: Fact | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one proposal; with ALLOWED, `draft` is what to write (the person may have edited it)."""

    answer: Answer
    draft: FactDraft | None = None


DENIED = Verdict(Answer.DENIED)
PENDING = Verdict(Answer.PENDING)


def is_own_words(proposal: Proposal) -> bool:
    """Whether a proposal may pass in mode *auto*: the person typed its value in this turn, word after word with
    nothing between (the same words around a "not" say something else), and every word of key and category; the turn
    holds no other text, and no fact of this key would be overwritten."""
    if proposal.call.foreign_text or proposal.before is not None:
        return False
    typed = _words(proposal.call.typed)
    value = _words(proposal.draft.value)
    if not {*_words(proposal.draft.key), *_words(proposal.draft.category)} <= set(typed):
        return False
    return bool(value) and any(typed[at : at + len(value)] == value for at in range(len(typed)))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        char if char.isalnum() or unicodedata.category(char).startswith("M") else " " for char in folded
    ).split()
