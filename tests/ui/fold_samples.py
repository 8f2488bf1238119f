"""Compactions, checks, entries and a path the tests of folding show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from desktop_app.bridge.entries import Entry, Folds, entries_of
from desktop_app.bridge.shown_folding import FoldState, folded_of
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy, WrittenBy
from desktop_app.core.compaction.plan import CompactionLine, FoldPlan, Way
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import Message, Origin, Role, text_block
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.segment import Segment
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
BEFORE, AFTER = Figure(118_420, Known.MEASURED), Figure(27_160, Known.ESTIMATED)
_FIXED = ((Segment.SYSTEM, 1_840), (Segment.TOOLS, 2_310), (Segment.FACTS, 1_102))
ROWS_BEFORE = (*_FIXED, (Segment.MESSAGES, 113_168))
ROWS_AFTER = (*_FIXED, (Segment.SUMMARY, 1_955), (Segment.MESSAGES, 19_953))
WAYS = (
    Way(WrittenBy.FORK, "claude-opus-5-5", 119_320, 116_000, Decimal("0.0931"), reason="compaction.way.cheaper"),
    Way(WrittenBy.SEPARATE, "claude-haiku-5-5", 94_115, 0, Decimal("0.0991")),
)
PLAN = FoldPlan(
    Strategy.MEMO,
    tuple(f"m{number}" for number in range(42)),
    (3, 23),
    93_215,
    19_953,
    BEFORE,
    AFTER,
    WAYS,
    ROWS_BEFORE,
    ROWS_AFTER,
)


def plan(**changes: Any) -> FoldPlan:
    """What would be folded: six messages of `path`."""
    ids = tuple(message.id for message in path(3))
    return replace(PLAN, **{"message_ids": ids, "turns": (1, 3), **changes})


def value(text: str, fate: Fate, kind: ValueKind = ValueKind.ID, **more: Any) -> CheckedValue:
    """One exact value of the folded turns, said by the person in the first message."""
    stood = None if fate is Fate.INVENTED else "u1"
    return CheckedValue(kind, text, fate, message_id=stood, **more)


VALUES = (
    value("/srv/backup/nas-7", Fate.KEPT, ValueKind.PATH, sentence="On the NAS under /srv/backup/nas-7."),
    value("35 days", Fate.KEPT, ValueKind.AMOUNT),
    value("02:30", Fate.KEPT, ValueKind.DATE),
    value("restic 0.17.3", Fate.KEPT, ValueKind.VERSION),
    value("INV-2025-00417", Fate.KEPT),
    value("backup@example.com", Fate.KEPT, ValueKind.EMAIL),
    value("MN_BACKUP_ROOT", Fate.KEPT, ValueKind.CONSTANT),
    value("rsync -a --delete", Fate.KEPT, ValueKind.COMMAND),
    value("1.2 TB", Fate.REWORDED, ValueKind.AMOUNT, sentence="It holds 1.2 TB by now.", found="about 1.2 TB"),
    value("b2:mn-cold-9f31", Fate.LOST, ValueKind.HOST, sentence="The yearly copy lies in b2:mn-cold-9f31."),
    value("ticket 88-1203", Fate.LOST, sentence="The support has it as ticket 88-1203."),
    value("40 days", Fate.INVENTED, ValueKind.AMOUNT),
)
CHECK = SummaryCheck(VALUES, 0.71, right_language=True, shorter=True)


def line(number: int, one: Compaction, **changes: Any) -> CompactionLine:
    """A line of the log."""
    usual = CompactionLine(number, one, Decimal("0.0048"), 0.012, None, len(one.request_ids))
    return replace(usual, **changes)


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
    """A summary in place of all down to a message."""
    one = Compaction(
        id="k1",
        conversation_id="c1",
        until_message_id=until if isinstance(until, str) else until.id,
        summary=MEMO,
        folded=folded,
        before=118_420,
        after=27_160,
        created_at=datetime(2026, 11, 30, 4, 2, tzinfo=UTC),
        model="claude-haiku-5-5",
        seconds=6.4,
        request_ids=("r1",),
        cause=CompactionCause.AUTOMATIC,
        folded_tokens=93_215,
        summary_tokens=1_955,
        predicted=26_400,
    )
    return replace(one, **changes)


def entries(messages: list[Message], one: Compaction | None = None, *folding: str) -> list[Entry]:
    """A path as the chat shows it."""
    until, count = (one.until_message_id, one.folded) if one else (None, 0)
    return entries_of(messages, folds=Folds(until, count, frozenset(folding)))


def folded(messages: list[Message], one: Compaction) -> Any:
    """What a compaction folds of a path."""
    return folded_of(messages, one, ())


def proposed(messages: list[Message], one: Compaction) -> Any:
    """The same as a proposal that waits."""
    return folded(messages, replace(one, id="p1", state=CompactionState.PROPOSED))


def planned(messages: list[Message], *planned_ids: str) -> list[Entry]:
    """A path of which some messages would fold."""
    return entries_of(messages, folds=Folds(planned=frozenset(planned_ids)))
