"""Secrets are found by shape and by label, however they are written; what is harmless stays byte for byte."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.secrets.kinds import Secret, SecretKind, apart
from desktop_app.core.secrets.long_texts import count_secrets, masked_piece
from desktop_app.core.secrets.masking import masked
from desktop_app.core.secrets.numbers import is_card_number, is_resident_number
from tests.unit.secret_samples import HARMLESS, KEY, OPENAI_KEY, RAW

_FULL_WIDTH = {char: char + 0xFEE0 for char in range(ord("!"), ord("~") + 1)}


def _mask(text: str) -> str:
    return masked(text, find_secrets(text))


@pytest.mark.parametrize(("text", "secret", "kind"), RAW)
def test_a_secret_is_found_where_it_stands(text: str, secret: str, kind: SecretKind) -> None:
    start = text.index(secret)
    assert find_secrets(text) == (Secret(start, start + len(secret), kind),)
    once = _mask(text)
    assert secret not in once and _mask(once) == once
    assert once.startswith(text[:start]) and once.endswith(text[start + len(secret) :])


@pytest.mark.parametrize("form", ["NFD", "full width", "zero width", "invisible marks"])
def test_a_secret_is_found_in_disguise(form: str) -> None:
    for plain, secret, kind in RAW:
        disguised, text = _disguised(secret, form), _disguised(plain, form) if form == "NFD" else plain
        text = text.replace(secret, disguised)
        found = find_secrets(text)
        assert [(text[one.start : one.end], one.kind) for one in found] == [(disguised, kind)], text


def _disguised(text: str, form: str) -> str:
    match form:
        case "NFD":
            return unicodedata.normalize("NFD", text)
        case "full width":
            return text.translate(_FULL_WIDTH)
        case "zero width":
            return text[0] + "\u200b" + text[1:3] + "\u200b" + text[3:]
    return text[0] + "\u2060\ufe0f" + text[1:]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_stays(text: str) -> None:
    assert find_secrets(text) == ()
    assert _mask(text) == text
    decomposed = unicodedata.normalize("NFD", text)
    assert _mask(decomposed) == decomposed


def test_the_words_of_a_mask_are_those_of_its_text() -> None:
    assert _mask(f"key {KEY}") == "key ⟨API key …STAA⟩"
    assert _mask(f"키 {KEY}") == "키 ⟨API 키 …STAA⟩"
    assert _mask("pay 4111-1111-1111-1111") == "pay ⟨card number …1111⟩"
    assert _mask("비밀번호: fake1234!") == "비밀번호: ⟨비밀번호⟩"


@pytest.mark.parametrize("width", [20, 64])
@pytest.mark.parametrize("end", ["\n", "\r\n  ", " \\\n"])
def test_a_key_that_goes_on_in_the_next_line_is_found_whole(width: int, end: str) -> None:
    wrapped = end.join(KEY[at : at + width] for at in range(0, len(KEY), width))
    text = f"the key: {wrapped}\nimportant: keep it"
    assert _mask(text) == "the key: ⟨API key …STAA⟩\nimportant: keep it"


def test_the_line_behind_a_key_is_no_part_of_it() -> None:
    assert _mask(f"{KEY}\nand more\n") == "⟨API key …STAA⟩\nand more\n"
    assert _mask(f"{KEY}\n{OPENAI_KEY}\nImportant") == "⟨API key …STAA⟩\n⟨API key …0000⟩\nImportant"


def test_several_secrets_of_one_text_are_all_found() -> None:
    env = f"ANTHROPIC_API_KEY={KEY}\nDB_PASSWORD=hunter2-FAKE\nDEBUG=true\nPORT=5432\n"
    assert _mask(env) == "ANTHROPIC_API_KEY=⟨API key …STAA⟩\nDB_PASSWORD=⟨password⟩\nDEBUG=true\nPORT=5432\n"


def test_a_label_behind_a_label_counts() -> None:
    assert _mask("password: 비밀번호: fake1234!") == "password: 비밀번호: ⟨비밀번호⟩"
    assert _mask("token: password=hunter2-FAKE") == "token: password=⟨password⟩"


def test_a_piece_of_a_text_is_masked_though_a_border_cuts_the_secret() -> None:
    pem = "-----BEGIN " + "PRIVATE KEY-----\n" + "RkFLRUZBS0VGQUtF\n" * 60 + "-----END " + "PRIVATE KEY-----"
    text = f"before\n{pem}\nafter password: hunter2-FAKE and more"
    middle = masked_piece(text, 300, 600, find_secrets)
    assert middle == "⟨private key⟩"
    end = text.index("after")
    assert masked_piece(text, 600, end + 5, find_secrets) == "⟨private key⟩\nafter"
    value = text.index("hunter2")
    assert masked_piece(text, value, value + 16, find_secrets) == "⟨password⟩ and"
    assert masked_piece(text, 0, 6, find_secrets) == "before"


def test_secrets_of_a_long_text_are_counted_once_each() -> None:
    text = "filler line\n" * 3_000 + f"{KEY}\npassword=hunter2-FAKE\n" + "x" * 25_000 + f"\n{KEY}\n"
    assert count_secrets(text, find_secrets) == {SecretKind.API_KEY: 2, SecretKind.PASSWORD: 1}


def test_numbers_are_known_by_their_check_digits() -> None:
    assert is_resident_number("9001011234568") and not is_resident_number("9001011234567")
    assert not is_resident_number("9013011234568")  # no month 13
    assert not is_resident_number("9002301234568")  # no 30th of February
    assert is_resident_number("2011033000000")  # born when the last digits were random already
    assert is_card_number("4111111111111111") and not is_card_number("4111111111111112")
    assert not is_card_number("9791100000000")  # the beginning of an ISBN


def test_secrets_that_overlap_are_one() -> None:
    wide, narrow = Secret(2, 20, SecretKind.API_KEY), Secret(0, 8, SecretKind.PASSWORD)
    assert apart([wide, narrow, Secret(20, 22, SecretKind.TOKEN)]) == (
        Secret(0, 20, SecretKind.API_KEY),
        Secret(20, 22, SecretKind.TOKEN),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*(text for text, *_ in RAW), *HARMLESS, "\u200b", "⟨", "⟩", " ", "\n"]), max_size=5))
def test_masking_twice_changes_nothing_more(parts: list[str]) -> None:
    once = _mask(" ".join(parts))
    assert _mask(once) == once


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_be_masked(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert _mask(_mask(text)) == _mask(text)


def test_the_shared_samples() -> None:
    path = Path(__file__).parents[1] / "adapters" / "data" / "secrets.json"
    cases = json.loads(path.read_text(encoding="utf-8"))
    for given_text in cases["must_be_caught"]:
        assert find_secrets("".join(given_text)), given_text
    for text in cases["must_stay_unchanged"]:
        assert _mask(text) == text


@pytest.mark.parametrize(
    "piece", ["authorization:", "bearer ", "password:", "token=", "a@", "://", "-----BEGIN ", "계좌 가"]
)
def test_twice_the_text_takes_about_twice_the_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        find_secrets(text)
        return time.process_time() - started

    short, long = (min(seconds(length) for _ in range(3)) for length in (20_000, 80_000))
    assert long < 10 * short + 0.02
