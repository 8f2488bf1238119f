"""The split into search words is the same for what is kept and what is asked."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.search_words import query_words, search_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("보리차를 마신다", ["보리", "리차", "차를", "마신", "신다"]),
        ("개", ["개"]),
        ("갤럭시S24와 iPhone", ["갤럭", "럭시", "s24", "와", "iphone"]),
        ("Order #A-1042, 2026-11-30", ["order", "a", "1042", "2026", "11", "30"]),
        ("snake_case ~/dir/file_1.txt", ["snake_case", "dir", "file_1", "txt"]),
        ("Ärger mit Straße, ÉCOLE", ["ärger", "mit", "straße", "école"]),
        ("Привет, Мир", ["привет", "мир"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("東京に住む", ["東京", "京に", "に住", "住む"]),
        ("ㅋㅋㅋ 좋아", ["ㅋㅋㅋ", "좋아"]),
        ("_ __ — … \u0000 🐶 '\"", []),
        ("", []),
        ("a\u0000b", ["a", "b"]),
    ],
)
def test_search_words(text: str, words: list[str]) -> None:
    assert search_words(text) == words


def test_decomposed_letters_are_the_same_words() -> None:
    for text in ("보리차를 마신다", "ÉCOLE Ärger"):
        assert search_words(unicodedata.normalize("NFD", text)) == search_words(text)


def test_a_word_is_found_inside_a_longer_one() -> None:
    assert set(search_words("산책")) <= set(search_words("아침산책을"))


def test_questions_leave_out_what_stands_in_every_question() -> None:
    assert query_words("What's the name of my dog? The dog's name?") == ["name", "dog"]
    assert query_words("우리 강아지 이름이 뭐였지? 강아지!") == search_words("우리 강아지 이름이 뭐였지")
    assert query_words("who is it") == []


@given(st.text(), st.text())
def test_words_of_two_texts_do_not_run_into_each_other(one: str, other: str) -> None:
    assert search_words(f"{one}\n{other}") == search_words(one) + search_words(other)


@given(st.text())
def test_words_hold_nothing_that_separates(text: str) -> None:
    for word in search_words(text):
        assert any(char.isalnum() for char in word)
        assert not any(char.isspace() or char in "\0\"'*():^-" for char in word)


@given(st.text(alphabet=st.characters(max_codepoint=127, exclude_characters="\n")))
def test_plain_lines_are_split_as_all_others(line: str) -> None:
    assert search_words(f"é {line}") == ["é", *search_words(line)]
