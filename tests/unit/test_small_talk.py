"""What is small talk recalls nothing; anything that could ask for something is none."""

from __future__ import annotations

import unicodedata

import pytest

from desktop_app.core.recall.small_talk import is_small_talk, tells_nothing


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


@pytest.mark.parametrize(
    "reply",
    [
        "I do not know.",
        "I don’t know when her birthday is.",
        "Sorry, I don't have that information. Could you tell me?",
        "I'm sorry, but I can't recall that.",
        "I have no record of it.",
        "I'm not sure. Please tell me more.",
        "I do not know: nothing in this request tells me that.",
        "모릅니다. 이 요청에는 그 내용이 적혀 있지 않습니다.",
        "모릅니다.",
        "잘 모르겠어요",
        "죄송합니다. 그건 기억나지 않아요. 알려 주세요.",
        "생일이 언제인지는 알 수 없습니다.",
        unicodedata.normalize("NFD", "모르겠습니다."),
    ],
)
def test_not_knowing_tells_nothing(reply: str) -> None:
    assert tells_nothing(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I don't know her number, but her mail is anna@example.org.",
        "I don't know her age, she lives in Busan.",
        "열쇠는 서랍에 있고 번호는 모릅니다.",
        "I do not know. It hangs behind the shutter.",
        "The key hangs behind the shutter.",
        "What do you mean?",
        "전화번호는 모르지만 생일은 5월 3일입니다.",
        "잘 모르겠어요. 열쇠는 서랍에 있습니다.",
        "모르는 사람에게 열쇠를 주지 마세요.",
        "I know that nobody knows.",
    ],
)
def test_what_tells_something_besides_does(reply: str) -> None:
    assert not tells_nothing(reply)
