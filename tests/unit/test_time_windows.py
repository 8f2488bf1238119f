"""The days a question means, in both languages, counted from Wednesday 18 November 2026."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.recall.time_windows import time_windows

NOW = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did I say yesterday?", (2026, 11, 17), (2026, 11, 17)),
        ("어제 뭐라고 했지?", (2026, 11, 17), (2026, 11, 17)),
        ("그저께 산 것", (2026, 11, 16), (2026, 11, 16)),
        ("today's plan", (2026, 11, 18), (2026, 11, 18)),
        ("오늘 할 일", (2026, 11, 18), (2026, 11, 18)),
        ("last week", (2026, 11, 9), (2026, 11, 15)),
        ("지난주에 만난 사람", (2026, 11, 9), (2026, 11, 15)),
        ("지난 주 금요일에 뭐 했지", (2026, 11, 13), (2026, 11, 13)),
        ("last weekend", (2026, 11, 14), (2026, 11, 15)),
        ("3 days ago", (2026, 11, 15), (2026, 11, 15)),
        ("사흘이 아니라 3일 전", (2026, 11, 15), (2026, 11, 15)),
        ("two weeks ago", (2026, 11, 1), (2026, 11, 7)),
        ("두 달 전에", (2026, 9, 1), (2026, 9, 30)),
        ("last month", (2026, 10, 1), (2026, 10, 31)),
        ("지난달 지출", (2026, 10, 1), (2026, 10, 31)),
        ("last year", (2025, 1, 1), (2025, 12, 31)),
        ("작년 여행", (2025, 1, 1), (2025, 12, 31)),
        ("작년 5월에", (2025, 5, 1), (2025, 5, 31)),
        ("last May", (2026, 5, 1), (2026, 5, 31)),
        ("last December", (2025, 12, 1), (2025, 12, 31)),
        ("in May 2023", (2023, 5, 1), (2023, 5, 31)),
        ("2023년 5월에", (2023, 5, 1), (2023, 5, 31)),
        ("on 8 May, 2023", (2023, 5, 8), (2023, 5, 8)),
        ("on May 8th, 2023", (2023, 5, 8), (2023, 5, 8)),
        ("2023년 5월 8일", (2023, 5, 8), (2023, 5, 8)),
        ("since 2023-05-08", (2023, 5, 8), (2023, 5, 8)),
        ("in 2024", (2024, 1, 1), (2024, 12, 31)),
        ("last Friday", (2026, 11, 13), (2026, 11, 13)),
        ("on Wednesday", (2026, 11, 11), (2026, 11, 11)),
        ("금요일에", (2026, 11, 13), (2026, 11, 13)),
    ],
)
def test_a_time_is_a_window(question: str, first: tuple[int, int, int], last: tuple[int, int, int]) -> None:
    (window,) = time_windows(question, NOW)
    assert (window.first, window.last, window.yearly) == (date(*first), date(*last), False)


@pytest.mark.parametrize("question", ["What happened in May?", "5월에 뭐 했지?"])
def test_a_month_without_a_year_is_that_of_any_year(question: str) -> None:
    (window,) = time_windows(question, NOW)
    assert window.holds(date(2021, 5, 31)) and window.holds(date(2026, 5, 1)) and not window.holds(date(2026, 6, 1))


@pytest.mark.parametrize(
    "question",
    ["You may go", "Who will march?", "31 June", "", "99월", "version 3.2024.1", "second-hand", "일주일에 몇 번"],
)
def test_what_is_no_time_is_none(question: str) -> None:
    assert time_windows(question, NOW) == ()


def test_two_times_are_two_windows() -> None:
    assert [window.first.year for window in time_windows("in May 2023 or in 2025", NOW)] == [2023, 2025]


@settings(max_examples=40)
@given(st.text(alphabet="0123456789 년월일주전last week daysago-", max_size=30), st.datetimes())
def test_any_text_may_be_read(text: str, now: datetime) -> None:
    for window in time_windows(text, now):
        assert window.first <= window.last
