"""What is read from the look of a turn, and that reading takes no longer than its length asks for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

from desktop_app.core.recall.turn_features import turn_features
from desktop_app.core.self_told import why_nothing

_LONG = 250_000
_ANY = re.compile(r"\S|\s")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Chapter 12 년", (True, True, False)),
        ("2023년에 부산에서 살았어", (True, True, True)),
        ("집에서", (False, False, False)),
        ("우리 집은 서울에서 멀다", (False, False, True)),
        ("I met Anna", (False, False, True)),
        ("그냥", (False, False, False)),
    ],
)
def test_times_numbers_and_names_are_told_apart(text: str, told: tuple[bool, bool, bool]) -> None:
    features = turn_features(text)
    assert (features.tells_time, features.tells_number, features.tells_name) == told


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Look. [a photo: what is it?]", False),
        ("Look. [a photo: what is it?]  \n", False),
        ("What is it? [a photo]", True),
        ("See [1]. Why? [a [photo]", True),
        ("no bracket opens?]", True),
        ("[What?] he said", False),
        ("[What?]", False),
    ],
)
def test_a_note_behind_what_was_said_asks_nothing(text: str, asks: bool) -> None:
    assert turn_features(text).asks is asks


@pytest.mark.parametrize("piece", ["7", "가", "a", "A", " ", "\n", "[", "]", "[ ", "한", "1 ", "a'", ". ", "? ", "a:"])
def test_a_turn_of_250_000_characters_takes_no_longer_than_a_few_plain_passes(piece: str) -> None:
    text = "x" + piece * (_LONG // len(piece)) + "x"
    plain = min(_seconds(lambda: [found.span() for found in _ANY.finditer(text)]) for _ in range(2))
    assert _seconds(lambda: turn_features.__wrapped__(text)) < 30 * plain


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "- ", "1. "])
def test_blanks_before_a_sentence_take_no_longer_than_a_few_plain_passes(blank: str) -> None:
    text = "Fine." + blank * (15_000 // len(blank)) + "I live in Busan now."
    plain = min(_seconds(lambda: [found.span() for found in _ANY.finditer(text)]) for _ in range(2))
    assert _seconds(lambda: why_nothing(text)) < 60 * plain


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
