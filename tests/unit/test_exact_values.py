"""Exact values are found in English and Korean sentences, byte for byte, and in linear time."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.exact_values.finding import ValueKind, find_values, values_of
from tests.unit.value_samples import NEEDLES, SENTENCES

_LONG = 250_000
_ANY = re.compile(".", re.DOTALL)


def _found(text: str) -> list[tuple[str, str]]:
    return [(value.text, value.kind.value) for value in find_values(text)]


@pytest.mark.parametrize("needle", NEEDLES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "frame", ["메모 1: {} 를 확인해 줘. 배경 설명", "{} 확인했습니다. 추가 설명 문장.", "Please check {} today."]
)
def test_each_needle_is_a_value(needle: str, form: str, frame: str) -> None:
    written = unicodedata.normalize(form, needle)
    text = unicodedata.normalize(form, frame.format(needle))
    assert any(written in value.text for value in find_values(text))


@pytest.mark.parametrize(("sentence", "values"), SENTENCES)
def test_a_sentence_gives_just_its_values(sentence: str, values: tuple[str, ...]) -> None:
    assert [value.text for value in find_values(sentence)] == list(values)


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("see /tmp/a.txt", "/tmp/a.txt", ValueKind.PATH),
        ("see https://a.kr/b", "https://a.kr/b", ValueKind.URL),
        ("to a@b.kr", "a@b.kr", ValueKind.EMAIL),
        ("see TCK-88213", "TCK-88213", ValueKind.ID),
        ("at 10.0.0.1:80", "10.0.0.1:80", ValueKind.HOST),
        ("at api.example.com", "api.example.com", ValueKind.HOST),
        ("call 010-1234-5678", "010-1234-5678", ValueKind.PHONE),
        ("uses Python 3.11", "3.11", ValueKind.VERSION),
        ("took 3.11", "3.11", ValueKind.NUMBER),
        ("on 7 May 2023", "7 May 2023", ValueKind.DATE),
        ("for ₩5,000", "₩5,000", ValueKind.AMOUNT),
        ("is MAX_SIZE", "MAX_SIZE", ValueKind.CONSTANT),
        ("run git status", "git status", ValueKind.COMMAND),
        ("use `x = 1`", "x = 1", ValueKind.CODE),
        ("says “go on”", "go on", ValueKind.QUOTE),
        ("met Anna Kim", "Anna Kim", ValueKind.NAME),
    ],
)
def test_a_value_has_its_kind(text: str, value: str, kind: ValueKind) -> None:
    assert (value, kind.value) in _found(text)


def test_the_longest_of_overlapping_values_stands() -> None:
    assert _found('he wrote "send 35 days of /srv/a.log to TCK-88213"') == [
        ("send 35 days of /srv/a.log to TCK-88213", "quote")
    ]


def test_what_is_set_apart_and_another_value_is_that_value() -> None:
    assert _found('"INV-2025-00417" and `/srv/a.txt`') == [("INV-2025-00417", "id"), ("/srv/a.txt", "path")]


def test_lines_of_code_and_commands_in_fences() -> None:
    text = "Do this:\n```bash\n$ ls -la\nmake all\n```\nthen\n```python\n    total = 7\n}\n```\n"
    assert _found(text) == [("ls -la", "command"), ("make all", "command"), ("total = 7", "code")]


def test_list_marks_and_keys_of_json_are_no_values() -> None:
    assert _found("1. first\n2) second\n- third") == []
    assert [text for text, _ in _found('{"status": "done today", "n": 3}')] == ["done today", "3"]


def test_particles_and_sentence_signs_stay_outside() -> None:
    for particle in (
        "은",
        "는",
        "이",
        "가",
        "을",
        "를",
        "에",
        "에서",
        "으로",
        "의",
        "와",
        "도",
        "만",
        "까지",
        "부터",
        "입니다",
        "이에요",
    ):
        for value in ("/srv/a/plan.docx", "TCK-88213", "https://example.com/a", "v2.4.7", "a@b.com", "MAX_SIZE"):
            assert [text for text, _ in _found(f"그것은 {value}{particle}.")] == [value]


def test_full_width_and_typographic_signs_are_given_back_as_they_stand() -> None:
    assert [text for text, _ in _found("값은 １２３ 개, −3.5 °C")] == ["１２３ 개", "−3.5 °C"]


@given(st.text(alphabet="ab가나1２.,:/\\-_@\"'`“” \n한글é₩$%KST년월시분", max_size=120))
def test_values_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    end = 0
    for value in find_values(text):
        assert end <= value.start < value.end <= len(text)
        assert text[value.start : value.end] == value.text
        end = value.end


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for value in find_values(text):
        assert text[value.start : value.end] == value.text


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "A",
        "7",
        '"',
        "'",
        "`",
        "/",
        "\\",
        "-",
        "_",
        ".",
        "@",
        "://",
        "/a",
        "a/",
        '"a',
        "가",
        "가 ",
        "a@",
        "/a b",
        "A_",
        "1.",
        "1-",
    ],
)
def test_a_line_of_250_000_characters_takes_no_longer_than_a_few_plain_passes(piece: str) -> None:
    text = piece * (_LONG // len(piece))
    plain = min(_seconds(lambda: [found.span() for found in _ANY.finditer(text)]) for _ in range(2))
    assert min(_seconds(lambda: values_of.__wrapped__(text)) for _ in range(2)) < 10 * plain


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
