"""The usual effort of each model, as its ids are written, and nothing made up for others."""

from __future__ import annotations

import pytest

from desktop_app.core.models import EFFORTS, same_effort, undated, usual_effort
from desktop_app.simulator.models import all_models


@pytest.mark.parametrize(
    ("model", "effort"),
    [
        ("claude-opus-5-5", "medium"),
        ("claude-haiku-5-5", "medium"),
        ("claude-haiku-5-5-20261028", "medium"),
        ("claude-sonnet-5-5", "high"),
        ("claude-fable-5-2", "high"),
        ("claude-opus-4-5-20251101", "high"),
        ("claude-haiku-4-5-20251001", ""),
        ("claude-opus-5-55", ""),
        ("llama3", ""),
        ("", ""),
    ],
)
def test_what_a_model_works_with_by_itself(model: str, effort: str) -> None:
    assert usual_effort(model) == effort


def test_the_simulated_assistant_has_the_same_habits() -> None:
    known = [model for model in all_models() if usual_effort(model.id)]
    assert len(known) == 17
    for model in known:
        assert usual_effort(model.id) == usual_effort(undated(model.id)) == model.default_effort
        assert model.default_effort in EFFORTS


def test_a_usual_effort_is_the_same_named_or_not() -> None:
    assert same_effort("claude-opus-5-5", "", "medium")
    assert same_effort("claude-opus-5-5", "medium", "")
    assert same_effort("llama3", "", "")
    assert not same_effort("claude-opus-5-5", "", "high")
    assert not same_effort("llama3", "", "high")
