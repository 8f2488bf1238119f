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
        ("두 달 전부터 쓰던 것", (2026, 9, 1), (2026, 9, 30)),
        ("3일 전쯤에는", (2026, 11, 15), (2026, 11, 15)),
        ("한달전이었나?", (2026, 10, 1), (2026, 10, 31)),
        ("이 년 전, 겨울", (2024, 1, 1), (2024, 12, 31)),
        ("약3일 전에", (2026, 11, 15), (2026, 11, 15)),
        ("그제는 뭐 했지", (2026, 11, 16), (2026, 11, 16)),
        ("엊그제", (2026, 11, 16), (2026, 11, 16)),
        ("어젯밤에", (2026, 11, 17), (2026, 11, 17)),
        ("지난 주까지는", (2026, 11, 9), (2026, 11, 15)),
        ("이번 달에", (2026, 11, 1), (2026, 11, 30)),
        ("이번 주말 계획", (2026, 11, 16), (2026, 11, 22)),
        ("What did we do on sat?", (2026, 11, 14), (2026, 11, 14)),
        ("on Sun we went out", (2026, 11, 15), (2026, 11, 15)),
        ("last sun", (2026, 11, 15), (2026, 11, 15)),
        ("on Sat night", (2026, 11, 14), (2026, 11, 14)),
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


@pytest.mark.parametrize(
    "question",
    [
        "이 달 전체 지출",
        "한 달 전기요금",
        "한 달 전화 요금",
        "이 주전자 어디서 샀지",
        "매일 주전부리를 먹어",
        "2년 전세 계약",
        "2주 전시회",
        "몇 달 전기세",
        "며칠 전단지를 돌렸어",
        "그제야 알았어",
        "그제서야 알았어",
        "로그제거 방법",
        "영어제목을 달아 줘",
        "지난 주문 번호",
        "이번 주제는 뭐야",
        "이번 달력은 어디 있어",
        "저번 달걀은 어땠어",
        "I sat on sun lounger 12",
        "We agreed on sun, sea and sand",
        "the last sat nav I bought",
    ],
)
def test_a_word_that_begins_or_ends_like_a_time_is_none(question: str) -> None:
    assert time_windows(question, NOW) == ()


def test_two_times_are_two_windows() -> None:
    assert [window.first.year for window in time_windows("in May 2023 or in 2025", NOW)] == [2023, 2025]


@settings(max_examples=40)
@given(st.text(alphabet="0123456789 년월일주전last week daysago-", max_size=30), st.datetimes())
def test_any_text_may_be_read(text: str, now: datetime) -> None:
    for window in time_windows(text, now):
        assert window.first <= window.last
