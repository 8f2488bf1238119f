"""The whole check of a summary: values, words, language, length, sections."""

from __future__ import annotations

import time

import pytest

from desktop_app.core.attachments import Attachment, AttachmentKind, pointer_line
from desktop_app.core.compaction.carried import Carried
from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.compaction.memo import Section, memo_text
from desktop_app.core.compaction.summary_check import SummaryCheck, check_summary, is_written_in
from desktop_app.core.compaction.summary_text import compose
from desktop_app.core.compaction.value_check import SourceText
from desktop_app.core.exact_values.finding import values_of
from tests.unit.summary_samples import BACKUPS, GARDEN, REPORT, Sample


def _check(
    sample: Sample, summary: str, language: str = "en", strategy: Strategy = Strategy.RUNNING, tokens: int = 90
) -> SummaryCheck:
    sources = [SourceText(turn, str(number)) for number, turn in enumerate(sample.turns)]
    return check_summary(
        sources, summary, language=language, strategy=strategy, folded_tokens=400, summary_tokens=tokens
    )


def test_an_honest_summary_with_all_values_is_good() -> None:
    first = _check(BACKUPS, BACKUPS.abstractive)
    assert first.grounded and first.right_language and first.shorter and not first.invented
    assert {value.text for value in first.lost} >= {"02:30", "1.2 TB", "4127"}
    assert not first.good
    whole = BACKUPS.abstractive + "\n" + "\n".join(f"- {value.text}" for value in first.lost)
    assert _check(BACKUPS, whole).good


def test_a_summary_of_something_else_is_not() -> None:
    check = _check(REPORT, GARDEN.abstractive, "ko")
    assert not check.grounded and not check.good
    assert [value.text for value in check.invented] == ["1 L", "2 ml"]


def test_a_memo_names_the_sections_it_lacks() -> None:
    sections = dict.fromkeys(Section, "none") | {Section.WORK: ""}
    check = _check(BACKUPS, memo_text(sections, "en"), strategy=Strategy.MEMO)
    assert check.missing_sections == (Section.WORK,)
    assert _check(BACKUPS, memo_text(sections, "en")).missing_sections == ()


def test_longer_than_its_source_and_wrong_language() -> None:
    assert not _check(BACKUPS, BACKUPS.abstractive, tokens=400).shorter
    assert not _check(BACKUPS, BACKUPS.abstractive, "ko").right_language
    assert not _check(REPORT, REPORT.abstractive, "en").right_language


def test_a_window_is_judged_by_its_values_alone() -> None:
    check = _check(BACKUPS, "", "ko", Strategy.WINDOW, 0)
    assert check.rouge == 1 and check.right_language and check.lost


def test_what_is_carried_word_for_word_counts_for_the_values_alone() -> None:
    body = "아무 상관이 없는 이야기를 길게 적었다."
    carried = compose(body, Carried(rules=BACKUPS.turns[:3], values=("4127",)), "ko")
    check = _check(BACKUPS, carried, "ko")
    assert check.right_language and check.rouge == 0
    assert "4127" in {value.text for value in check.kept}


@pytest.mark.parametrize("language", ["en", "ko"])
def test_how_an_attachment_is_read_again_is_nothing_invented(language: str) -> None:
    plan = Attachment("a1b2c3", AttachmentKind.TEXT, "notes.txt", "text/plain", 8_231, characters=231)
    carried = Carried(files=(pointer_line(plan, language),))
    body = BACKUPS.abstractive + " It cost 777 euros."
    check = _check(BACKUPS, compose(body, carried, language))
    assert [value.text for value in check.invented] == ["777 euros"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The plan is done.", "en"),
        ("계획을 끝냈습니다.", "ko"),
        ("API server deploy를 끝냈고 Docker image를 올렸습니다", "ko"),
        ('The file is "겨울의 정원을 위한 아주 긴 제목" and done.', "en"),
        ("`git push origin main` 실행함", "ko"),
    ],
)
def test_the_language_of_the_prose_counts(text: str, language: str) -> None:
    assert is_written_in(text, language)
    assert not is_written_in(text, "ko" if language == "en" else "en")


def test_values_alone_are_no_language() -> None:
    assert is_written_in("/srv/a.txt 12,345 TCK-88213", "ko") and is_written_in("/srv/a.txt", "en")


@pytest.mark.timed
def test_two_hundred_thousand_tokens_are_checked_in_half_a_second() -> None:
    sample = BACKUPS.turns
    turns = [f"{sample[number % len(sample)]} Round number {number} is done." for number in range(5400)]
    assert sum(map(len, turns)) > 690_000
    sources = [SourceText(turn) for turn in turns]
    summary = (BACKUPS.abstractive + "\n") * 13

    def seconds() -> float:
        values_of.cache_clear()
        started = time.process_time()
        check_summary(
            sources, summary, language="en", strategy=Strategy.RUNNING, folded_tokens=200_000, summary_tokens=3000
        )
        return time.process_time() - started

    assert min(seconds() for _ in range(3)) < 0.5
