"""What is small talk recalls nothing; anything that could ask for something is none."""

from __future__ import annotations

import unicodedata

import pytest

from desktop_app.core.recall.small_talk import is_small_talk


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "hi there",
        "Thanks, thank you so much!",
        "ok",
        "안녕하세요",
        "네, 고마워요!",
        "응",
        "좋아 계속해줘",
        "Good morning, Claude",
        "nope",
        "Thanks a lot!",
        "got it, thanks",
        "haha :)",
        "ㅋㅋㅋ",
        "네ㅎㅎ",
        "응응",
        "네네, 알았어요",
        "수고했어",
        "수고하셨습니다~",
        unicodedata.normalize("NFD", "안녕하세요, 고마워요"),
    ],
)
def test_greetings_and_thanks_are_small_talk(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello, where is the key?",
        "no sugar",
        "예산",
        "네이버 계정",
        "ok google",
        "yesterday",
        "great aunt",
        "안녕동 주소",
        "nope, the blue one",
        "응급실",
        "수고비는 얼마였지",
        "right wing of the house",
        "ㅋㅋㅋ 그 식당 어디였지",
    ],
)
def test_what_asks_for_something_is_not(text: str) -> None:
    assert not is_small_talk(text)
