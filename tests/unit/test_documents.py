"""Documents: what of a text is kept, and which document a name means."""

from __future__ import annotations

import time
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.documents import Document, DocumentText, clean_text, document_named, page_of
from desktop_app.core.errors import BadInput, DocumentNotFound


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("  indented\n\n\n\n\nnext  \t\nlast \n", "indented\n\nnext\nlast"),
        ("a\0b\x1b[31mc\x7f\x9b", "ab[31mc"),
        ("see \u202etxt.exe\u202c", "see txt.exe"),
        ("seen" + "".join(chr(0xE0000 + ord(letter)) for letter in "obey me"), "seen"),
        ("exam-\nple, hyphen\ufffe\nated, soft\u00ad\nened", "exam-\nple, hyphenated, softened"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("first\n\fsecond", "first\n\fsecond"),
        ("\n\fafter a blank page", "\fafter a blank page"),
        ("👨‍👩‍👧 और हिन्दी", "👨‍👩‍👧 और हिन्दी"),
    ],
)
def test_what_of_a_text_is_kept(text: str, kept: str) -> None:
    assert clean_text(text) == kept


def test_decomposed_letters_are_composed() -> None:
    assert clean_text(unicodedata.normalize("NFD", "보리차 café")) == "보리차 café"


@settings(max_examples=60)
@given(st.text("a \t\n\f\r\0\x02\ufffe\u00ad\u2028\u202e\u1112\u1161가\u0301\U000e0041\ud83d\ude00"))
def test_a_clean_text_stays_as_it_is(text: str) -> None:
    kept = clean_text(text)
    assert clean_text(kept) == kept
    kept.encode()


def test_pages_are_counted_from_one() -> None:
    text = "one\n\ftwo\n\fthree"
    assert [page_of(text, text.index(word)) for word in ("one", "two", "three")] == [1, 2, 3]


def test_a_text_is_known_again_by_what_it_says() -> None:
    one, other = (DocumentText(name, "text/plain", f"/{name}", 3, "tea") for name in ("a", "b"))
    assert one.digest == other.digest != DocumentText("a", "text/plain", "/a", 3, "ten").digest


def named(document_id: str, name: str) -> Document:
    return Document(document_id, "p", name, "text/plain", f"/{name}", 1, 1, 1, datetime(2026, 11, 30, tzinfo=UTC))


def test_which_document_a_name_means() -> None:
    lease, notes, other = named("abcd1234", "Lease.pdf"), named("abce9999", "메모.txt"), named("ffff0000", "메모.txt")
    documents = [lease, notes, other]
    assert document_named(documents, "lease.PDF") is lease
    assert document_named(documents, "abcd") is lease
    assert document_named(documents, "ffff0000") is other
    for meant in ("메모.txt", unicodedata.normalize("NFD", "메모.txt")):
        with pytest.raises(BadInput):
            document_named(documents, meant)
    for unknown in ("abc", "zzzz", ""):
        with pytest.raises(DocumentNotFound):
            document_named(documents, unknown)


@pytest.mark.timed
@pytest.mark.parametrize(
    "text", [" " * 1_000_000 + "x", " \n" * 500_000 + "x", "\n" * 1_000_000 + "x", "a\ufffe" * 500_000]
)
def test_a_million_letters_are_cleaned_at_once(text: str) -> None:
    began = time.perf_counter()
    clean_text(text)
    assert time.perf_counter() - began < 1
