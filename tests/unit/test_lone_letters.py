"""What search words cannot find: a syllable inside a word, an emoji."""

from __future__ import annotations

import unicodedata

import pytest

from desktop_app.core.lone_letters import lone_letters


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("돈", ["돈"]),
        (unicodedata.normalize("NFD", "돈"), ["돈"]),
        ("API키", ["키"]),
        ("내 돈 그리고 내 집", ["내", "돈", "집"]),
        ("国", ["国"]),
        ("🐶", ["🐶"]),
        ("초코🐶 🐶!", ["🐶"]),
        ("👩‍👩‍👧 and 👍🏽", ["👩‍👩‍👧", "👍🏽"]),
        ("서울", []),
        ("a b c 1 é", []),
        ("!? + - ` ^ \u200d \ufe0f \0", []),
        ("", []),
        ("가 나 다 라 마 바 사 아 자 차", list("가나다라마바사아")),
    ],
)
def test_letters(text: str, letters: list[str]) -> None:
    assert lone_letters(text) == letters
