"""Lines of two texts: all of them, or the two where they part."""

from __future__ import annotations

import time

import pytest

from desktop_app.core.line_diff import DiffLine, LineSign, diff_lines, first_lines

SAME, GONE, NEW = LineSign.SAME, LineSign.GONE, LineSign.NEW


def signs(before: str, after: str) -> str:
    return "\n".join(f"{line.sign.value}{line.text}" for line in diff_lines(before, after))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\nb\nc", "a\nB\nc", "=a\n−b\n+B\n=c"),
        ("", "a\nb", "+a\n+b"),
        ("a\nb", "", "−a\n−b"),
        ("a\na", "a", "=a\n−a"),
        ("a\nb\n", "a\nb", "=a\n=b\n−"),
        ("x", "x", "=x"),
        ("", "", ""),
        ("a\nb\nc\nd", "b\nc\nx\nd", "−a\n=b\n=c\n+x\n=d"),
    ],
)
def test_every_line_of_both_is_there_once(before: str, after: str, shown: str) -> None:
    assert signs(before, after) == shown


def test_either_text_can_be_read_out_of_the_lines_again() -> None:
    before = "\n".join(str(number * number % 17) for number in range(300))
    after = "\n".join(str(number * number % 19) for number in range(280))
    lines = diff_lines(before, after)
    assert "\n".join(line.text for line in lines if line.sign is not NEW) == before
    assert "\n".join(line.text for line in lines if line.sign is not GONE) == after


def test_the_first_difference_is_cut_around_the_place() -> None:
    left, right = "x" * 1_000 + "13:41" + "y" * 1_000, "x" * 1_000 + "13:52" + "y" * 1_000
    gone, come = first_lines(f"head\n{left}\ntail", f"head\n{right}\ntail")
    assert (gone.sign, come.sign) == (GONE, NEW)
    assert "13:41" in gone.text and "13:52" in come.text
    assert all(line.text.startswith("…") and line.text.endswith("…") and len(line.text) == 162 for line in (gone, come))


def test_a_line_too_many_stands_alone() -> None:
    assert first_lines("a\nb", "a") == [DiffLine(GONE, "b")]
    assert first_lines("a", "a\nb") == [DiffLine(NEW, "b")]
    assert first_lines("a", "a") == []
    assert first_lines("a\n", "a") == [DiffLine(SAME, "a"), DiffLine(GONE, "")]
    assert first_lines("", "글") == [DiffLine(NEW, "글")]


def test_two_long_texts_without_a_common_line_are_told_at_once() -> None:
    before, after = ("\n".join(f"{name}{number}" for number in range(20_000)) for name in "ab")
    began = time.perf_counter()
    lines = diff_lines(before, after)
    assert time.perf_counter() - began < 2
    assert [line.sign for line in (lines[0], lines[-1])] == [GONE, NEW] and len(lines) == 40_000
