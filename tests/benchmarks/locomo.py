"""LoCoMo (Maharana et al. 2024) as conversations and questions: https://github.com/snap-research/locomo, CC BY-NC 4.0.

It is read from where it lies and never becomes part of the project.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from desktop_app.core.conversation import Role, text_block
from desktop_app.core.importing import ImportedConversation, ImportedMessage

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D:?\d+:\d+")


@dataclass(frozen=True)
class Question:
    """A question, and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True)
class Sample:
    """One long acquaintance: its sessions as conversations (messages have the ids of turns), and its questions."""

    name: str
    sessions: tuple[ImportedConversation, ...]
    questions: tuple[Question, ...]
    ended: datetime

    @property
    def turn_ids(self) -> dict[tuple[str, str], str]:
        """Ids of turns by title of the session and text."""
        return {
            (session.title, str(message.blocks[0]["text"])): message.source_id
            for session in self.sessions
            for message in session.messages
        }

    @property
    def turns(self) -> dict[str, str]:
        """The text of each turn by its id."""
        messages = [message for session in self.sessions for message in session.messages]
        return {message.source_id: str(message.blocks[0]["text"]) for message in messages}


def read(place: Path) -> list[Sample]:
    """All samples of a file."""
    return [_sample(one) for one in json.loads(place.read_text(encoding="utf-8"))]


def _sample(raw: dict[str, Any]) -> Sample:
    said = raw["conversation"]
    sessions = tuple(_session(raw["sample_id"], number, said) for number in _numbers(said))
    known = {message.source_id for session in sessions for message in session.messages}
    questions = tuple(question for one in raw["qa"] if (question := _question(one, known)).evidence)
    last = max(session.created_at for session in sessions if session.created_at)
    return Sample(raw["sample_id"], sessions, questions, last + timedelta(days=1))


def _numbers(said: dict[str, Any]) -> Iterator[int]:
    number = 1
    while f"session_{number}_date_time" in said:
        if said.get(f"session_{number}"):
            yield number
        number += 1


def _session(sample: str, number: int, said: dict[str, Any]) -> ImportedConversation:
    began = datetime.strptime(said[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    messages = tuple(
        ImportedMessage(
            turn["dia_id"],
            Role.USER if turn["speaker"] == said["speaker_a"] else Role.ASSISTANT,
            (text_block(_text(turn)),),
            began + timedelta(seconds=30 * place),
        )
        for place, turn in enumerate(said[f"session_{number}"])
    )
    return ImportedConversation(f"{sample}/{number}", f"Session {number}", messages, began)


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [shares {caption}]" if caption else "")


def _question(raw: dict[str, Any], known: set[str]) -> Question:
    """Several ids may stand in one string; those of no turn are dropped."""
    named = {found.replace("D:", "D") for one in raw.get("evidence", ()) for found in _EVIDENCE.findall(one)}
    return Question(str(raw["question"]), frozenset(named & known), CATEGORIES[raw["category"]])
