"""When compaction rests, what a doubt looks like, how a failure is kept, and what of a prefix survives it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.compaction import (
    Compaction,
    CompactionCause,
    CompactionState,
    failure_of,
)
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import now
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.services.compaction.summing_up import put_back, with_doubts


def made(**changes: object) -> Compaction:
    values = {
        "id": "k",
        "conversation_id": "c",
        "until_message_id": "m",
        "summary": "## Goal\nTea",
        "folded": 2,
        "before": 1_000,
        "after": 400,
        "created_at": now() - timedelta(minutes=1),
        "model": "m",
        "seconds": 1.0,
    }
    return Compaction(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("at", "limit", "window", "undone", "until"),
    [
        (10_000, 10_000, 200_000, True, 12_000),  # 20 % of the trigger after an undo
        (10_000, 10_000, 200_000, False, 11_000),
        (150_000, 150_000, 160_000, True, 144_000),  # never beyond 0.9 of the window
        (150_000, 150_000, None, True, 180_000),
    ],
)
def test_after_what_it_rests(at: int, limit: int, window: int | None, undone: bool, until: int) -> None:
    assert trigger.rests_until(at, limit, window, undone=undone) == until


def test_a_gain_below_a_tenth_is_none() -> None:
    assert trigger.real_gain(1_000, 900)
    assert not trigger.real_gain(1_000, 901)


def test_an_invented_value_is_marked_wherever_it_stands_and_nothing_else_is() -> None:
    invented = [
        CheckedValue(ValueKind.NUMBER, "40 days", Fate.INVENTED),
        CheckedValue(ValueKind.ID, "A-1", Fate.INVENTED),
    ]
    body = "Keep 40 days, then 140 days.\nTicket A-1, not A-12."
    marked = "Keep 40 days (?), then 140 days.\nTicket A-1 (?), not A-12."
    assert with_doubts(body, invented) == marked
    assert with_doubts(marked, invented) == marked
    assert with_doubts(body, []) == body


def test_values_are_put_back_once_behind_the_text() -> None:
    text = put_back(made(), ["INV-2025-00417", "₩12,345,670"], "en")
    assert text.startswith("## Goal\nTea\n")
    assert "INV-2025-00417" in text and "₩12,345,670" in text
    assert put_back(made(summary=text), ["INV-2025-00417"], "en") == text


def test_a_failure_is_kept_with_what_fills_its_sentence() -> None:
    kept = made(state=CompactionState.FAILED, failure=failure_of("summary_unusable", {"why": "blank"}))
    assert kept.failed_of == ("summary_unusable", {"why": "blank"})
    assert made(failure=failure_of("overloaded", {})).failed_of == ("overloaded", {})
    assert made(failure="stopped", cause=CompactionCause.AUTOMATIC).failed_of == ("stopped", {})


def test_saved_is_measured_against_what_was_folded() -> None:
    assert made(folded_tokens=1_000, summary_tokens=200).saved == pytest.approx(0.8)
    assert made().saved == 0.0
