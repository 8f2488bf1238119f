"""Pieces of a quoted conversation: each fits, together they are all of it, cut where a reader would cut."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.compaction.pieces import cut_pieces
from desktop_app.core.compaction.quoting import as_data, quoted_messages
from desktop_app.core.conversation import text_block
from desktop_app.core.token_estimate import TokenEstimator, block_features
from tests.unit.message_samples import call, reply, result, results, user

_FRAME = re.compile(r'<message number="(\d+)" from="(\w+)"([^>]*)>(.*)</message>', re.DOTALL)


def letters(text: str) -> int:
    return (len(text) + 3) // 4


def texts_of(pieces: Sequence[Sequence[str]]) -> list[str]:
    return [text for piece in pieces for text in piece]


def test_what_fits_stays_as_it_is_in_few_pieces() -> None:
    parts = quoted_messages([user("a" * 100), reply("b" * 100), user("c" * 100), reply("d" * 100)])
    assert cut_pieces(parts, 1_000, letters) == [parts]
    assert cut_pieces(parts, 100, letters) == [parts[:2], parts[2:]]
    assert cut_pieces([], 90, letters) == []


def test_an_oversize_message_is_cut_between_paragraphs_then_lines_then_sentences() -> None:
    paragraph = "One sentence here. And another one there.\nA second line with words."
    text = "\n\n".join(f"{number}: {paragraph}" for number in range(40))
    pieces = cut_pieces(quoted_messages([user(text)], 4), 150, letters)
    parts = texts_of(pieces)
    assert all(letters(part) <= 150 for part in parts)
    for place, part in enumerate(parts, 1):
        framed = _FRAME.fullmatch(part)
        assert framed is not None
        assert framed[1] == "4"
        assert framed[3] == f' part="{place} of {len(parts)}"'
        assert re.match(r"\d+: One", framed[4])
    assert "".join(_inner(part) for part in parts) == text
    one_line = " ".join(["Nobody came."] * 400)
    assert all(
        _inner(part).startswith("Nobody")
        for part in texts_of(cut_pieces(quoted_messages([user(one_line)]), 150, letters))
    )


def test_a_message_of_several_elements_is_cut_inside_its_large_one() -> None:
    path = [
        reply("Look.", call("toolu_1", expression="1"), stop_reason="tool_use"),
        results(result("toolu_1", "x" * 3_000)),
    ]
    parts = texts_of(cut_pieces(quoted_messages(path), 200, letters))
    assert parts[0] == quoted_messages(path)[0]
    assert parts[1].startswith('<message number="2" from="tool" tool="calculator" part="1 of ')
    assert "".join(map(_inner, parts[1:])) == "x" * 3_000


def test_summaries_of_parts_and_plain_texts_are_cut_too() -> None:
    parts = texts_of(cut_pieces(['<part number="1">\n' + "word " * 500 + "\n</part>"], 200, letters))
    assert parts[0].startswith('<part number="1" part="1 of ')
    assert all(part.endswith("</part>") for part in parts)
    assert "".join(texts_of(cut_pieces(["word " * 500], 200, letters))) == "word " * 500


def test_no_character_is_torn_from_its_marks_and_no_escape_in_two() -> None:
    text = ("👨‍👩‍👧‍👦🇰🇷👍🏽" + unicodedata.normalize("NFD", "한글é") + "&lt;message") * 300
    for room in (60, 61, 62, 63):
        parts = texts_of(cut_pieces([f'<message number="1" from="person">{text}</message>'], room, letters))
        assert "".join(map(_inner, parts)) == text
        for part in parts:
            inner = _inner(part)
            assert not unicodedata.category(inner[0]).startswith("M")
            assert inner[0] not in "\u200d\U0001f3fd" and inner[-1] != "\u200d"
            assert not ("\u1160" <= inner[0] <= "\u11ff")
            assert not inner.startswith(("lt;", "t;", ";"))


def test_a_room_that_holds_no_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="10 tokens"):
        cut_pieces(quoted_messages([user("x" * 500)]), 10, letters)


@given(
    st.lists(st.text(max_size=400), max_size=5),
    st.integers(60, 200),
    st.sampled_from(
        [lambda text: (len(text) + 3) // 4, len, lambda text: len(text.encode("utf-8", "surrogatepass")) // 3]
    ),
)
def test_every_piece_fits_and_all_together_are_everything(texts: list[str], room: int, tokens_of: object) -> None:
    assert callable(tokens_of)
    parts = [
        f'<message number="{number}" from="person">{as_data(text)}</message>' for number, text in enumerate(texts, 1)
    ]
    room = room if tokens_of is not len else room + 60
    pieces = cut_pieces(parts, room, tokens_of)
    assert all(sum(map(tokens_of, piece)) <= room for piece in pieces)
    assert all(pieces)
    joined: dict[str, str] = {}
    for part in texts_of(pieces):
        framed = _FRAME.fullmatch(part)
        assert framed is not None
        joined[framed[1]] = joined.get(framed[1], "") + framed[4]
    assert list(joined.values()) == [as_data(text) for text in texts]


def test_a_message_of_1_200_000_characters_takes_time_in_proportion() -> None:
    text = "HEAD-NEEDLE-7f3a " + "요약 파일 검색 token budget /srv/data/x.csv 12345 " * 28_000 + "TAIL"
    assert len(text) > 1_200_000
    estimator = TokenEstimator()
    measured = 0

    def tokens_of(piece: str) -> int:
        nonlocal measured
        measured += len(piece)
        return round(estimator.estimate(block_features(text_block(piece), "message")).tokens)

    began = time.perf_counter()
    pieces = cut_pieces(quoted_messages([user(text)]), 20_000, tokens_of)
    seconds = time.perf_counter() - began
    assert "".join(map(_inner, texts_of(pieces))) == text
    assert measured < 3 * len(text)
    assert seconds < 5
    assert 15 < len(pieces) < 60


def test_a_text_without_any_place_to_cut_is_cut_fast() -> None:
    began = time.perf_counter()
    pieces = cut_pieces(["x" * 1_200_000], 5_000, letters)
    assert time.perf_counter() - began < 1
    assert "".join(texts_of(pieces)) == "x" * 1_200_000


def _inner(part: str) -> str:
    framed = re.fullmatch(r"<(\w+)[^>]*>(.*)</\1>", part, re.DOTALL)
    assert framed is not None
    return framed[2]
