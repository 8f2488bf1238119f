"""Five compactions of a chat with ten new turns between them, and what the very next request still holds each time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.benchmarks.compaction_chats import Chat, NewTurn, new_turns
from tests.benchmarks.compaction_values import stands_in, texts_of
from tests.fakes.simulator import RunningSimulator

ROUNDS = 5
TAIL = 500
"""Tokens that stay word for word."""
RULE_AFTER = 2
"""The compaction behind which another standing rule is set."""
CHECKING = {"ko": "확인해 보겠습니다.", "en": "I will look it up."}
CLOSING = {"ko": "고맙습니다. 오늘은 여기까지 하겠습니다.", "en": "Thank you, that is all for today."}


@dataclass(frozen=True)
class Folded:
    """One compaction: the shares (0 to 1) of messages that were folded and of tokens saved, and its requests.

    `saved` is against what left the context, the earlier summary among it; `saved_of_all` against all messages the
    summary stands for since the beginning (None where that is not known).
    """

    folded: float
    saved: float
    requests: int
    saved_of_all: float | None = None


class Talk(Protocol):
    """A conversation under one strategy, whoever does it."""

    async def fold(self) -> Folded:
        """Compacts it."""

    async def ask(self, turn: NewTurn) -> None:
        """One more turn."""

    async def answer(self, text: str) -> None:
        """Answers the question at the end that has no answer yet."""


@dataclass
class Row:
    """What became of one chat under one strategy; a value counts as kept if no request was without it.

    `lost` are those missing, by compaction; `found` is the share (0 to 1) of values found in the archive.
    """

    strategy: str
    chat: str
    ours: bool = True
    folds: list[Folded] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    rules: int = 0
    questions: int = 0
    lost: dict[int, list[str]] = field(default_factory=dict)
    found: float | None = None
    fault: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row of the table: the least of the five compactions each time."""
        whole = (self.strategy, self.chat)
        if self.fault:
            return (*whole, self.fault, *[""] * 6)
        return (
            *whole,
            f"{100 * min(one.folded for one in self.folds):.0f} %",
            " ".join(_percent(share) for share in self.kept),
            "" if self.found is None else f"{_percent(self.found)} %",
            f"{self.rules}/{len(self.folds)}",
            f"{self.questions}/{len(self.folds)}",
            " ".join(f"{100 * one.saved:.0f}" for one in self.folds),
            str(sum(one.requests for one in self.folds)),
        )


HEADER = (
    *("strategy", "chat", "folded", "kept % by round", "in archive"),
    *("rule", "question", "saved % by round", "requests"),
)


def _percent(share: float) -> str:
    """Never 100 for less than all."""
    return "100" if share == 1 else f"{min(100 * share, 99.9):.1f}"


def newest_body(record: Path) -> dict[str, Any]:
    """The last request the simulator got."""
    file = max(record.glob("*-messages.json"), key=lambda file: int(file.name.split("-")[0]))
    body: dict[str, Any] = json.loads(file.read_bytes())
    return body


@dataclass
class Judge:
    """Knows what must be there, and looks at request bodies."""

    row: Row
    record: Path
    named: tuple[str, ...]
    values: list[str]
    rules: list[str]
    question: str

    def look(self, number: int, new_text: str) -> None:
        """Judges the newest request; what the person says anew in it does not count for the values."""
        messages = newest_body(self.record)["messages"]
        everything, earlier = texts_of(messages), texts_of(messages, without=new_text)
        assert new_text in everything
        lost = [value for value in self.named if value not in earlier]
        lost += [value for value in self.values if not stands_in(value, earlier)]
        if lost:
            self.row.lost[number] = lost
        self.row.kept.append(1 - len(lost) / (len(self.named) + len(self.values)))
        self.row.rules += all(rule in earlier for rule in self.rules)
        self.row.questions += self.question in (everything if new_text == "" else earlier)


def answer_with(simulator: RunningSimulator, text: str) -> None:
    """What the simulator says to the next request that asks for no summary."""
    simulator.control({"action": "reply", "text": text, "match": {"memo": False}})


async def play(talk: Talk, chat: Chat, row: Row, record: Path) -> Judge:
    """Compacts, goes on, compacts again; the judge has seen every next request."""
    named, values = (chat.values, []) if chat.named else ((), list(chat.values))
    question = next(said.text for said in reversed(chat.messages) if said.person)
    judge = Judge(row, record, tuple(named), values, [chat.rule], question.strip())
    opens = chat.messages[-1].person
    for number in range(1, ROUNDS + 1):
        row.folds.append(await talk.fold())
        if opens and number == 1:
            await talk.answer(CHECKING[chat.language])
            judge.look(number, "")
        turns: Sequence[NewTurn] = (
            new_turns(number, chat.language, rule=number == RULE_AFTER)
            if number < ROUNDS
            else [NewTurn(CLOSING[chat.language], "…", ())]
        )
        for place, turn in enumerate(turns):
            await talk.ask(turn)
            if place == 0 and not (opens and number == 1):
                judge.look(number, turn.question)
        for turn in turns:
            judge.values += turn.values
            judge.rules += [turn.rule] if turn.rule else []
        judge.question = turns[-1].question
    return judge
