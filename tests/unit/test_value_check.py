"""What becomes of exact values in a summary: kept, reworded, lost, invented."""

from __future__ import annotations

import unicodedata

import pytest

from desktop_app.core.compaction.value_check import Fate, SourceText, check_values
from tests.unit.summary_samples import ENGLISH, KOREAN, Sample


def _fates(source: str, summary: str) -> dict[str, Fate]:
    return {value.text: value.fate for value in check_values([SourceText(source)], summary)}


def _fate(source: str, value: str, summary: str) -> Fate:
    return _fates(source, summary)[value]


@pytest.mark.parametrize(
    ("source", "value", "summary"),
    [
        ("ticket TCK-88213", "TCK-88213", "티켓은 TCK-88213입니다."),
        ("it took 35 days", "35 days", "(35 days)"),
        ("값은 12", "12", "총 12개"),
        ("see /srv/a.txt", "/srv/a.txt", "**/srv/a.txt**"),
        ("uses 3.11", "3.11", "It uses 3.11."),
        ("김하늘 씨", "김하늘", "김하늘 씨가 승인"),
        ("say “go on now”", "go on now", "He said: go on now."),
    ],
)
def test_kept_byte_for_byte(source: str, value: str, summary: str) -> None:
    assert _fate(source, value, summary) is Fate.KEPT


@pytest.mark.parametrize(
    ("source", "value", "summary"),
    [
        ("there are 12", "12", "there are 1234"),
        ("there are 12", "12", "there are 3.12"),
        ("there are 12", "12", "there are 12,345"),
        ("uses 3.11", "3.11", "uses 3.11.2"),
        ("at 5", "5", "at -5"),
        ("see /srv/a", "/srv/a", "see /srv/a/b.txt"),
        ("see TCK-88", "TCK-88", "see TCK-88213"),
        ("see CK-88", "CK-88", "see TCK-88"),
        ("is MAX_SIZE", "MAX_SIZE", "is MAX_SIZE_LIMIT"),
        ("it took 35 days", "35 days", "it took 35 weeks"),
        ("at 2:30 pm", "2:30 pm", "at 2:30 am"),
        ("on 2025-11-03", "2025-11-03", "on 2025-11-04"),
        ("for ₩5,000", "₩5,000", "for $5,000"),
        ("run git push origin main", "git push origin main", "pushed"),
    ],
)
def test_lost_where_only_something_like_it_stands(source: str, value: str, summary: str) -> None:
    assert _fate(source, value, summary) is Fate.LOST


@pytest.mark.parametrize(
    ("source", "value", "summary", "found"),
    [
        ("paid ₩12,345,670", "₩12,345,670", "12345670원을 지불", "12345670원"),
        ("paid 3만 5천원", "3만 5천원", "paid 35,000 won", "35,000 won"),
        ("it was 12,345", "12,345", "it was 12345", "12345"),
        ("it was 12 %", "12 %", "12퍼센트였다", "12퍼센트"),
        ("after 35 days", "35 days", "35일 뒤", "35일"),
        ("it was −3.5 °C", "−3.5 °C", "it was -3.5℃", "-3.5℃"),
        ("on 2025-11-03", "2025-11-03", "2025년 11월 3일에", "2025년 11월 3일"),
        ("on 7 May 2023", "7 May 2023", "on May 7, 2023", "May 7, 2023"),
        ("at 14:30", "14:30", "오후 2시 30분에", "오후 2시 30분"),
        ("at 1:56 pm", "1:56 pm", "at 13:56", "13:56"),
        (r"in C:\Users\test\a.txt", r"C:\Users\test\a.txt", "in ~/a.txt", "~/a.txt"),
        (r"in D:\docs\a.txt", r"D:\docs\a.txt", "in D:/docs/a.txt", "D:/docs/a.txt"),
        ("is ORDER_STATUS", "ORDER_STATUS", "is order status", "order status"),
        ("see INV-2025-00417", "INV-2025-00417", "see inv 2025 00417", "inv 2025 00417"),
        ("call 010-1234-5678", "010-1234-5678", "call +82 10-1234-5678", "+82 10-1234-5678"),
        ("see １２３", "１２３", "see 123", "123"),
        (
            "on 2025-11-03 14:30 KST",
            "2025-11-03 14:30 KST",
            "3 November 2025 at 2:30 pm KST",
            "3 November 2025 at 2:30 pm KST",
        ),
    ],
)
def test_reworded_in_another_form(source: str, value: str, summary: str, found: str) -> None:
    (checked,) = [one for one in check_values([SourceText(source)], summary) if one.text == value]
    assert (checked.fate, checked.found) == (Fate.REWORDED, found)


def test_a_decomposed_name_in_a_composed_summary_is_reworded() -> None:
    path = "/srv/프로젝트/최종.xlsx"
    source = unicodedata.normalize("NFD", f"파일은 {path}입니다")
    (checked,) = check_values([SourceText(source)], f"파일: {path}")
    assert (checked.text, checked.fate, checked.found) == (unicodedata.normalize("NFD", path), Fate.REWORDED, path)


def test_invented_is_what_no_source_states() -> None:
    source = "We pay $20 for TCK-88213 on 2025-11-03 at 14:30 in /srv/a.txt; Mira agreed after 3 days."
    summary = "Mira pays $25 for TCK-99999 on 4 November 2025 in /srv/b.txt after 5 days, says “never again”."
    invented = [value.text for value in check_values([SourceText(source)], summary) if value.fate is Fate.INVENTED]
    assert invented == ["$25", "TCK-99999", "4 November 2025", "/srv/b.txt", "5 days", "never again"]


def test_combined_dates_plurals_headings_and_list_marks_are_not_invented() -> None:
    source = "It was 2025. On 3 November we met at 14:30. It took 1 day. There are 7 of them, and 1,234 lines."
    summary = "## 4 Facts\n1. Met 3 November 2025, 2:30 pm.\n2. One took 1 days; 7 items, 1234 lines.\n"
    summary += "## Episode 9 (messages 21-40)\n"
    assert not [value.text for value in check_values([SourceText(source)], summary) if value.fate is Fate.INVENTED]


def test_each_value_once_with_where_it_first_stood() -> None:
    sources = [
        SourceText("Earlier: budget 500 EUR.", None, "summary"),
        SourceText("Hello. The ticket is TCK-88213, do not lose it! Bye.", "m1", "person"),
        SourceText("TCK-88213 noted, 500 EUR too.", "m2", "assistant"),
    ]
    checked = check_values(sources, "")
    assert [(value.text, value.message_id, value.by) for value in checked] == [
        ("500 EUR", None, "summary"),
        ("TCK-88213", "m1", "person"),
    ]
    assert checked[1].sentence == "The ticket is TCK-88213, do not lose it!"


def test_the_sentence_is_cut_around_the_value() -> None:
    (checked,) = check_values([SourceText("word " * 80 + "TCK-88213 " + "word " * 80)], "")
    assert "TCK-88213" in checked.sentence
    assert len(checked.sentence) <= 160


@pytest.mark.parametrize("sample", [*ENGLISH, *KOREAN])
def test_an_honest_summary_invents_nothing(sample: Sample) -> None:
    for summary in (sample.extractive, sample.abstractive):
        checked = check_values([SourceText(turn) for turn in sample.turns], summary)
        assert not [value for value in checked if value.fate is Fate.INVENTED]
        assert any(value.fate is Fate.KEPT for value in checked) or summary is sample.extractive
