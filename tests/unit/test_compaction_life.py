"""When compaction rests, what a doubt looks like, how a failure is kept, and what of a prefix survives it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.compaction import (
    Compaction,
    CompactionCause,
    CompactionState,
    Strategy,
    failure_of,
)
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import now
from desktop_app.core.errors import SummaryUnusable
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.services.compaction.leaving import Leaving
from desktop_app.services.compaction.strategies import RUNNING_FORM
from desktop_app.services.compaction.summing_up import with_doubts
from tests.unit.message_samples import call, path_of, reply, result, results, user


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


def test_a_failure_is_kept_with_what_fills_its_sentence() -> None:
    kept = made(state=CompactionState.FAILED, failure=failure_of("summary_unusable", {"why": "blank"}))
    assert kept.failed_of == ("summary_unusable", {"why": "blank"})
    assert made(failure=failure_of("overloaded", {})).failed_of == ("overloaded", {})
    assert made(failure="stopped", cause=CompactionCause.AUTOMATIC).failed_of == ("stopped", {})


def test_saved_is_measured_against_what_was_folded() -> None:
    assert made(folded_tokens=1_000, summary_tokens=200).saved == pytest.approx(0.8)
    assert made().saved == 0.0


def test_a_long_result_counts_as_it_is_quoted_not_as_it_is_sent() -> None:
    long = "row 17: 4,711 boxes in the attic. " * 3_000
    path = path_of(user("Read it"), reply(call("c1")), results(result("c1", long)), reply("Read."))
    leaving = Leaving(
        path=path,
        folded=path,
        first_number=1,
        base=None,
        language="en",
        strategy=Strategy.RUNNING,
        tokens=900,
        stands_for=900,
        threshold=10_000,
        sizes={message.id: 200 for message in path},
        estimator=TokenEstimator(),
    )
    assert leaving.quoted_tokens > len(long) // 6
    assert leaving.tokens_of(leaving.quoted[2]) > len(long) // 6
    assert leaving.tokens_of(leaving.quoted[0]) < 300


def test_a_summary_that_only_copies_our_headings_is_blank() -> None:
    with pytest.raises(SummaryUnusable) as raised:
        RUNNING_FORM.read("## Exact values (word for word)\n- A-1\n", "en")
    assert raised.value.params["why"] == "blank"
    assert RUNNING_FORM.read("They talked.\n\n## Exact values (word for word)\n- A-1\n", "en")[0] == "They talked."
