"""The gate before the assistant's writes into memory: what is proposed, who may allow it, what was answered."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.fact_relations import Related
from desktop_app.core.facts import Fact, FactDraft, FactSource
from desktop_app.core.tool_call import ToolCall

_MOST_QUOTE = 300


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
    """Exactly what would be written, by which call.

    `before` is the fact whose value it takes, if any; those in `supersedes` give their place to it. `related` are the
    facts that bear on it, and how it stands to each.

    With `deletes` these facts would be deleted, with `moves` each get the key and category beside it, and nothing else
    would be written: `draft` then only names what it is about.
    """

    call: ToolCall
    draft: FactDraft
    before: Fact | None = None
    deletes: tuple[Fact, ...] = ()
    moves: tuple[tuple[Fact, FactDraft], ...] = ()
    supersedes: tuple[Fact, ...] = ()
    related: tuple[Related, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether a value would be kept, which the person may edit."""
        return not (self.deletes or self.moves)

    @property
    def replaces(self) -> bool:
        """Whether a value there is would go for the new one."""
        return self.before is not None or bool(self.supersedes)

    @property
    def text_before(self) -> str | None:
        """What there is now and would go or change; None where nothing would."""
        if len(self.deletes) == 1:
            return self.deletes[0].value
        if self.deletes:
            return "\n".join(f"{fact.key}: {fact.value}" for fact in self.deletes)
        if self.moves:
            return "\n".join(_name(fact) for fact, _ in self.moves)
        if self.supersedes:
            gone = (*((self.before,) if self.before else ()), *self.supersedes)
            return "\n".join(f"{fact.key}: {fact.value}" for fact in gone)
        return None if self.before is None else self.before.value

    @property
    def text_after(self) -> str | None:
        """What would then be there; None where nothing would."""
        if self.deletes:
            return None
        return "\n".join(_name(draft) for _, draft in self.moves) if self.moves else self.draft.value


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one proposal; with ALLOWED, `draft` is what to write (the person may have edited it)."""

    answer: Answer
    draft: FactDraft | None = None


def said_in(call: ToolCall) -> FactSource:
    """What the person wrote in the turn of a call, as the source of what the call proposes."""
    quote = call.typed if len(call.typed) <= _MOST_QUOTE else f"{call.typed[:_MOST_QUOTE]}…"
    return FactSource(call.turn_id, call.conversation_id, quote)


def deletion(call: ToolCall, facts: Sequence[Fact], name: str = "") -> Proposal:
    """The proposal to delete facts; several go under a common name."""
    first, source = facts[0], said_in(call)
    if len(facts) == 1:
        return Proposal(call, FactDraft(first.key, first.value, first.category, source=source), deletes=(first,))
    return Proposal(call, FactDraft(name or first.key, "", source=source), deletes=tuple(facts))


DENIED = Verdict(Answer.DENIED)
PENDING = Verdict(Answer.PENDING)


def is_own_words(proposal: Proposal) -> bool:
    """Whether a proposal may pass in mode *auto*: the person typed its value in this turn, word after word with
    nothing between (the same words around a "not" say something else), and every word of key and category; the turn
    holds no other text, and no fact would be overwritten, give its place to it, be deleted or renamed."""
    foreign = proposal.call.foreign_text or not proposal.writes
    if foreign or proposal.before is not None or proposal.supersedes:
        return False
    typed = set(_words(proposal.call.typed))
    if not {*_words(proposal.draft.key), *_words(proposal.draft.category)} <= typed:
        return False
    return is_run_of(proposal.draft.value, proposal.call.typed)


def is_run_of(value: str, typed: str) -> bool:
    """Whether a value is words of a text, one after the other with nothing between."""
    wanted, words = _words(value), _words(typed)
    return bool(wanted) and any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


def _name(named: Fact | FactDraft) -> str:
    return f"{named.category} / {named.key}" if named.category else named.key


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(
        char if char.isalnum() or unicodedata.category(char).startswith("M") else " " for char in folded
    ).split()
