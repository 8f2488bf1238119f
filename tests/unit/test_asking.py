"""Which sentences ask: English ones by their mark, Korean ones also without."""

from __future__ import annotations

import pytest

from desktop_app.core.recall.asking import asks, sentences


@pytest.mark.parametrize(
    "sentence",
    [
        *("Did you go?", "정말?", "뭐 했어", "어디 갔니", "밥 먹었니", "언제 오시나요", "그게 맞습니까", "같이 갈까요"),
        *("이거 누구 거지", "얼마나 걸렸어요", "왜 안 왔냐", "괜찮은가요", "Really?!", "뭐라고 했더라? ㅋㅋ"),
    ],
)
def test_a_question_asks(sentence: str) -> None:
    assert asks(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *("I went.", "어머니", "우리 언니", "피곤하니까 쉬자", "그건 아니", "밥 먹었어", "재미있었지", "", "!"),
        *("where I grew up", "어제 부산에 갔어요", "비가 와서 못 갔다", "What a day!"),
    ],
)
def test_a_statement_does_not(sentence: str) -> None:
    assert not asks(sentence)


def test_a_text_is_told_by_its_sentences() -> None:
    assert sentences("I moved. Did you know?\n뭐 했어") == (
        ("I moved.", False),
        ("Did you know?", True),
        ("뭐 했어", True),
    )
    assert sentences("  \n ") == ()
