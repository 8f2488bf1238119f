"""Entries and budgets the chat tests show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from desktop_app.bridge.entries import Entry, Part, TextPart
from desktop_app.core.context_budget import Budget, BudgetRow
from desktop_app.core.conversation import Origin, Role
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known

MOMENT = datetime(2026, 3, 2, 14, 2, tzinfo=UTC)


def asked(number: int, text: str, **more: Any) -> Entry:
    """A message of the person."""
    moment = MOMENT + timedelta(minutes=number)
    return Entry(f"u{number}", Role.USER, Origin.TYPED, (TextPart(0, text),), created_at=moment, **more)


def answered(number: int, *parts: Part | str, **more: Any) -> Entry:
    """A reply; texts become text parts in order."""
    blocks = tuple(TextPart(at, part) if isinstance(part, str) else part for at, part in enumerate(parts))
    known = {"model": "claude-sonnet-5-5", "seconds": 0.9, "output_tokens": 1214} | more
    moment = MOMENT + timedelta(minutes=number)
    return Entry(f"a{number}", Role.ASSISTANT, Origin.REPLY, blocks, created_at=moment, **known)


def turns(count: int) -> list[Entry]:
    """`count` entries, asked and answered in turn."""
    text = "An answer of some length with **bold** words, `code` and enough text to fill two lines of the column."
    return [
        asked(number, f"Question {number}?") if number % 2 == 0 else answered(number, f"{number}. {text}")
        for number in range(count)
    ]


def budget(
    known: Known = Known.ESTIMATED, window: int | None = 1_000_000, current: int = 683, reserve: int = 32_000
) -> Budget:
    """61,204 tokens when `current` is 683."""
    figures = ((Segment.SYSTEM, 1840), (Segment.TOOLS, 2310), (Segment.MESSAGES, 56371), (Segment.CURRENT, current))
    rows = tuple(BudgetRow(segment, Figure(tokens, known)) for segment, tokens in figures)
    total = sum(tokens for _, tokens in figures)
    return Budget("claude-sonnet-5-5", Figure(total, known), rows, reserve, window, total)
