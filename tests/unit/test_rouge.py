"""An honest summary scores at least 0.45, that of another conversation far less."""

from __future__ import annotations

import pytest

from desktop_app.core.compaction.rouge import rouge_l
from tests.unit.summary_samples import ENGLISH, KOREAN, Sample

_PAIRS = [(one, other) for pair in (ENGLISH, KOREAN) for one, other in (pair, pair[::-1])]
_SMALL_TALK = (
    "I think it is good that you were there when we had to be at the place, and it was so nice to see all of them "
    "again with the kids. What did you do after that? We were in the house for a week or two before the month was over."
)


@pytest.mark.parametrize("sample", [*ENGLISH, *KOREAN])
def test_an_honest_summary_comes_from_its_source(sample: Sample) -> None:
    assert rouge_l(sample.extractive, sample.turns) == pytest.approx(1)
    assert rouge_l(sample.abstractive, sample.turns) >= 0.5


@pytest.mark.parametrize(("sample", "other"), _PAIRS)
def test_the_summary_of_another_conversation_does_not(sample: Sample, other: Sample) -> None:
    for summary in (sample.extractive, sample.abstractive):
        assert rouge_l(summary, other.turns) < 0.2


@pytest.mark.parametrize(("sample", "other"), _PAIRS)
def test_nor_does_it_come_from_one_very_long_turn(sample: Sample, other: Sample) -> None:
    long = " ".join([*other.turns, _SMALL_TALK] * 60)
    assert rouge_l(sample.abstractive, [long]) < 0.3


def test_headings_and_empty_texts_say_nothing() -> None:
    assert rouge_l("", ["a turn"]) == 0
    assert rouge_l("## Goal\n", ["a turn"]) == 0
    assert rouge_l("word", []) == 0
    assert rouge_l("## Facts\n- backup disk full", ["The backup disk is full."]) == 1


def test_particles_do_not_count() -> None:
    assert rouge_l("서버가 백업을", ["서버는 백업이 끝났다"]) == 1


def test_sentences_are_averaged_by_their_length() -> None:
    assert rouge_l("red green blue. yellow", ["red green blue"]) == 0.75
