"""Compactions, entries and a path the tests of folding show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from desktop_app.bridge.entries import Entry, Folds, entries_of
from desktop_app.bridge.shown_folding import FoldOffer, FoldState, folded_of
from desktop_app.core.compaction.compaction import Compaction, CompactionCause
from desktop_app.core.conversation import Message, Origin, Role, text_block
from desktop_app.core.usage import Figure, Known

MEMO = """## Goal
Reliable off-site backups for the home office before the December audit.

## Decisions, constraints, preferences
- Keep 35 days (decided 3 November). Answer in short sentences, no tables.

## Work in progress
- Moving the off-site copy from the old bucket to b2:mn-offsite-eu

## Facts
- NAS path /srv/backup/nas-7; restic 0.17.3; window 02:30; about 1.2 TB

## Dead ends
- rsync over the guest network (drops after 40 min)

## Next steps
- Test a restore of the accounts folder"""
HEADINGS = [line.removeprefix("## ") for line in MEMO.splitlines() if line.startswith("#")]
STATE = FoldState(150_000, Figure(61_204, Known.MEASURED), due=False, automatic=True)
OFFER = FoldOffer(42, (3, 23), 19_840, Figure(118_420, Known.MEASURED), Figure(27_160, Known.ESTIMATED))


def path(turns: int, answer: str = "On the NAS under `/srv/backup/nas-7`, kept for **35 days**.") -> list[Message]:
    """`turns` questions with an answer each."""
    messages: list[Message] = []
    for number in range(turns):
        for role, text in ((Role.USER, f"Question {number + 1}?"), (Role.ASSISTANT, f"{number + 1}. {answer}")):
            origin = Origin.TYPED if role is Role.USER else Origin.REPLY
            parent = messages[-1].id if messages else None
            id_ = f"{'u' if role is Role.USER else 'a'}{number + 1}"
            messages.append(
                Message(
                    id_,
                    "c1",
                    parent,
                    role,
                    (text_block(text),),
                    origin,
                    created_at=datetime(2026, 11, 30, 4, 2, tzinfo=UTC),
                    model=None if role is Role.USER else "claude-opus-5-5",
                )
            )
    return messages


def compaction(until: Message | str = "a3", folded: int = 6, **changes: Any) -> Compaction:
    """A memo in place of all down to a message."""
    one = Compaction(
        id="k1",
        conversation_id="c1",
        until_message_id=until if isinstance(until, str) else until.id,
        memo=MEMO,
        folded=folded,
        before=118_420,
        after=27_160,
        created_at=datetime(2026, 11, 30, 4, 2, tzinfo=UTC),
        model="claude-haiku-5-5",
        seconds=6.4,
        request_id="r1",
        cause=CompactionCause.AUTOMATIC,
    )
    return replace(one, **changes)


def entries(messages: list[Message], one: Compaction | None = None, *folding: str) -> list[Entry]:
    """A path as the chat shows it."""
    until, count = (one.until_message_id, one.folded) if one else (None, 0)
    return entries_of(messages, folds=Folds(until, count, frozenset(folding)))


def folded(messages: list[Message], one: Compaction) -> Any:
    """What a compaction folds of a path."""
    return folded_of(messages, one, ())
