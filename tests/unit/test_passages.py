"""Passages: each fits, all together are the whole text, cut where a reader would cut."""

from __future__ import annotations

import re
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.passages import Passage, passages_of
from desktop_app.core.text_cut import may_cut
from desktop_app.core.token_estimate import TokenEstimator, text_features

_ENGLISH = "The kettle of Dr. Han holds 1.7 litres. Nobody knows why! Was it bought in Busan? It may well be so. "
_KOREAN = "보리차는 아침에 끓인다. 저녁에는 식혜를 마셔요. 그래도 되겠습니까? 강아지 이름은 두부이다! "
_CODE = "    if total > limit:\n        raise ValueError(f'{total} > {limit}')\n"


def tokens(text: str) -> float:
    return TokenEstimator().estimate(text_features(text)).tokens


def texts_of(text: str, most: int = 256, overlap: int = 32) -> list[str]:
    return [text[passage.start : passage.end] for passage in passages_of(text, most, overlap)]


def check(text: str, most: int = 256, overlap: int = 32) -> None:
    passages = passages_of(text, most, overlap)
    assert [passage.part for passage in passages] == list(range(len(passages)))
    assert passages[0].start == 0
    assert passages[-1].end == len(text)
    assert all(one.start < two.start <= one.end < two.end for one, two in pairwise(passages))
    assert all(tokens(text[passage.start : passage.end]) <= most + 1e-6 for passage in passages)


def test_what_fits_is_one_passage_and_nothing_is_none() -> None:
    assert passages_of("보리차") == (Passage(0, 0, 3),)
    assert passages_of(_ENGLISH * 4) == (Passage(0, 0, len(_ENGLISH) * 4),)
    assert passages_of("") == passages_of(" \n\t ") == ()


@pytest.mark.parametrize("text", [_ENGLISH, _KOREAN])
def test_sentences_stay_whole_and_about_32_tokens_come_again(text: str) -> None:
    long = text * 40
    check(long)
    sentences = set(re.findall(r"\S.*?[^r][.!?] ", text))
    for part in texts_of(long):
        assert any(part.startswith(sentence[:8]) for sentence in sentences)
        assert re.search(r"[.!?] $", part)
    assert all(tokens(part) > 192 for part in texts_of(long)[:-1])
    for one, two in pairwise(passages_of(long)):
        assert 30 <= tokens(long[two.start : one.end]) <= 49


def test_paragraphs_go_before_sentences_and_lines_before_words() -> None:
    paragraph = _ENGLISH * 2 + "\n\n"
    assert all(part.endswith("\n\n") for part in texts_of(paragraph * 20))
    code = _CODE * 60
    check(code)
    assert all(part.endswith("\n") and part.startswith("    ") for part in texts_of(code))
    assert all(part.startswith("word ") for part in texts_of("word " * 2_000))


def test_korean_sentences_without_spaces_are_told_apart() -> None:
    parts = texts_of("비가왔다.우산이없어요.어떻게갈까?그냥갔죠." * 60)
    assert len(parts) > 3
    assert all(re.search(r"[다요까죠][.?]$", part) for part in parts)


@pytest.mark.parametrize(
    "text",
    ["x" * 30_000, "가" * 3_000, "漢字" * 1_500, "7" * 3_000, "=" * 3_000, " " * 200_000 + "end", "\n" * 5_000 + "end"],
)
def test_endless_lines_and_blanks(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "unit", ["👨‍👩‍👧‍👦", "🇰🇷", "👍🏽", unicodedata.normalize("NFD", "한글é"), "e" + "\u0301" * 40], ids=ascii
)
def test_no_character_is_torn_from_its_marks(unit: str) -> None:
    text = unit * 300
    check(text)
    for passage in passages_of(text):
        assert may_cut(text, passage.start)
        assert may_cut(text, passage.end)


def test_marks_without_end_are_cut_all_the_same() -> None:
    check("e" + "\u0301" * 20_000)


def test_the_overlap_has_to_leave_room() -> None:
    with pytest.raises(ValueError, match="100 tokens cannot have 34"):
        passages_of("word " * 500, 100, 34)
    parts = texts_of("word " * 2_000, 100, 0)
    assert "".join(parts) == "word " * 2_000


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(["a", "Zé", " ", "\n", "\n\n", ". ", "다.", "가", "漢", "7", "#", "👍🏽", "\0"]), min_size=1
    ),
    st.integers(1, 30),
    st.sampled_from([(256, 32), (40, 10), (24, 0)]),
)
def test_every_passage_fits_and_all_together_are_everything(
    pieces: list[str], times: int, sizes: tuple[int, int]
) -> None:
    text = "".join(pieces) * times
    if text.strip():
        check(text, *sizes)
    if text.strip() and "  " not in text and tokens(text) <= sizes[0] * 0.9:
        assert len(passages_of(text, *sizes)) == 1


@pytest.mark.timed
def test_a_million_letters_take_less_than_a_second() -> None:
    for text in (_ENGLISH * 10_000, _KOREAN * 20_000, "x" * 1_000_000):
        began = time.perf_counter()
        assert passages_of(text[:1_000_000])
        assert time.perf_counter() - began < 1
