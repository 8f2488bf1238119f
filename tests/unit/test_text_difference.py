"""The first difference of two texts, the lines around it, and facts read out of their block."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.fact_lines import FactDifference, first_fact, read_fact_line
from desktop_app.core.fact_notes import fact_line
from desktop_app.core.text_difference import bytes_shared, cut, first_difference
from tests.unit.fact_samples import fact


@pytest.mark.parametrize(
    ("before", "after", "at", "lines"),
    [
        ("one\ntwo\nthree", "one\n2\nthree", 4, ("two", "2")),
        ("one", "one\ntwo", 3, ("", "two")),
        ("one\ntwo", "one", 3, ("two", "")),
        ("one\nthree", "one\ntwo\nthree", 5, ("three", "two")),
        ("한 글", "한 말", 2, ("한 글", "한 말")),
        ("", "x", 0, ("", "x")),
    ],
)
def test_the_lines_around_the_first_difference(before: str, after: str, at: int, lines: tuple[str, str]) -> None:
    found = first_difference(before, after)
    assert (found.at, (found.before, found.after)) == (at, lines)


@given(st.text(), st.text(), st.text())
def test_bytes_shared_are_those_both_begin_with(start: str, one: str, other: str) -> None:
    before, after = (start + one).encode(), (start + other).encode()
    shared = bytes_shared(start + one, start + other)
    assert shared >= len(start.encode())
    assert before[:shared] == after[:shared]


def test_a_long_line_is_cut_around_the_difference() -> None:
    shown = cut("a" * 500 + "HERE" + "b" * 500, 500)
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert "HERE" in shown
    assert len(shown) <= 162
    assert cut("short", 3) == "short"


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_fact_is_read_back_from_its_line(key: str, value: str) -> None:
    assert read_fact_line(fact_line(fact(1, key, value))) == (key, value)


@pytest.mark.parametrize("line", ["", "- city: Seoul", '- "city"', '- "city": ', "</long_term_facts>", '- "a": 1'])
def test_other_lines_are_no_facts(line: str) -> None:
    assert read_fact_line(line) is None


def test_words_of_the_program_around_the_facts_are_none() -> None:
    assert first_fact('Facts:\n- "a": "1"', 'Your facts:\n- "a": "1"') == FactDifference(None)
    assert first_fact("", 'Facts:\n- "a": "1"') == FactDifference("a", "", "1")
