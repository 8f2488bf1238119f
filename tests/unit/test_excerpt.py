"""An excerpt shows the place where most of the query stands."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.excerpt import LENGTH, excerpt_of, masked_excerpt
from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.text_cut import may_cut
from tests.unit.secret_samples import KEY

FILL = "Nothing of interest stands in this sentence. " * 30


def found(text: str, query: str) -> str:
    excerpt = excerpt_of(text, query)
    return excerpt.text[excerpt.start : excerpt.end]


@pytest.mark.parametrize(
    ("said", "query", "shown"),
    [
        ("the bucket b2:mn-offsite-eu is full", "b2:mn-offsite-eu", "b2:mn-offsite-eu"),
        ("the bucket B2:MN-offsite is full", "b2:mn-offsite", "B2:MN-offsite"),
        ("비밀번호는 바뀌지 않았습니다", "비밀번호가 뭐였지", "비밀번호"),
        ("two backups ran", "backups?", "backups"),
        ("one backup ran", "backups", "backup"),
        ("the sign 🐶 stands here", "🐶", "🐶"),
    ],
)
def test_the_find_stands_in_the_excerpt(said: str, query: str, shown: str) -> None:
    text = f"{FILL}\n\n{said}\n{FILL}"
    assert found(text, query) == shown
    assert found(unicodedata.normalize("NFD", text), unicodedata.normalize("NFD", query)) == shown
    assert said in excerpt_of(text, query).text


def test_the_place_with_most_of_the_query_wins() -> None:
    text = f"The key is here. {FILL} The door has a blue key. {FILL} A blue sky."
    assert "The door has a blue key." in excerpt_of(text, "blue door key").text


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert excerpt_of(" one\n\ttwo \n", "two") == ("one two", 4, 7, 3)
    assert excerpt_of("", "two") == ("", 0, 0, 0)
    assert excerpt_of("nothing of it", "else") == ("nothing of it", 0, 0, 0)


def test_what_is_left_out_is_marked_and_words_stay_whole() -> None:
    shown = excerpt_of(f"{FILL}needle {FILL}", "needle").text
    assert shown.startswith("…") and shown.endswith("…")
    assert set(shown.strip("…").split()) <= {*FILL.split(), "needle"}
    assert excerpt_of(FILL, "absent").text == FILL[: len(excerpt_of(FILL, "absent").text) - 1].rstrip() + "…"


@given(st.text(max_size=900), st.text(max_size=30))
def test_any_text_gives_an_excerpt_of_itself(text: str, query: str) -> None:
    excerpt = excerpt_of(text, query)
    line = " ".join(unicodedata.normalize("NFC", text).split())
    assert len(excerpt.text) <= LENGTH + 2
    assert 0 <= excerpt.start <= excerpt.end <= len(excerpt.text)
    if len(line) > LENGTH:
        core = excerpt.text.removeprefix("…").removesuffix("…")
        assert core in line
        start = line.index(core)
        assert may_cut(line, start) or line.count(core) > 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"the needle is {KEY} here", "the needle is ⟨API key …STAA⟩ here"),
        (f"the needle is {KEY[:40]}\n{KEY[40:]}\nand  more", "the needle is ⟨API key …STAA⟩ and more"),
        ("nothing of the\nneedle", "nothing of the needle"),
        ("", ""),
    ],
)
def test_an_excerpt_for_a_model_has_no_secrets(text: str, shown: str) -> None:
    assert masked_excerpt(text, "needle", find_secrets) == shown


@pytest.mark.parametrize("place", range(0, 260, 13))
def test_a_secret_that_a_border_of_an_excerpt_cuts_is_masked_whole(place: int) -> None:
    for text in (f"{FILL}{KEY}{'f' * place} needle {FILL}", f"{FILL} needle {'w ' * (place // 2)}{KEY} {FILL}"):
        excerpt = masked_excerpt(text, "needle", find_secrets)
        assert "FAKE0" not in excerpt and "needle" in excerpt
        assert excerpt.startswith("…") and excerpt.endswith("…")


@settings(max_examples=60, deadline=None)
@given(st.text("ab é\u0301\n\t가", max_size=700), st.text("ab 가", max_size=5))
def test_an_excerpt_without_secrets_is_the_same_for_a_model(text: str, query: str) -> None:
    assert masked_excerpt(text, query, find_secrets) == excerpt_of(text, query).text
