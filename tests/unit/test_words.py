"""Both languages hold the same sentences, each can be said, and the code asks for none that is missing."""

from __future__ import annotations

import ast
import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import assets
from desktop_app.core import errors
from desktop_app.core.words import LANGUAGES, Words, load_words, placeholders

ROOT = Path(__file__).parents[2]
CATALOGUES = {language: load_words(language) for language in LANGUAGES}
EN = CATALOGUES["en"]
IDS = sorted({name for words in CATALOGUES.values() for name in words.templates})
ASKING = ("say", "has")
"""Methods that take an id of the catalogue first."""
SHAPE = re.compile(r"[a-z_]+(\.[a-z_0-9]+)+")


def code() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted((ROOT / "desktop_app").rglob("*.py")):
        if "simulator" not in path.parts:
            name = path.relative_to(ROOT).as_posix()
            yield from (
                (f"{name}:{getattr(node, 'lineno', 0)}", node) for node in ast.walk(ast.parse(path.read_text("utf-8")))
            )


def wanted_by(node: ast.AST) -> str | None:
    """A pattern of the ids a call asks for: a literal, or an f-string whose gaps may be anything."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    first = node.args[0]
    if name not in ASKING:
        return None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return re.escape(first.value)
    if isinstance(first, ast.JoinedStr):
        parts = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in first.values]
        return "".join(parts)
    return None


def test_both_languages_hold_the_same_ids() -> None:
    missing = {language: [name for name in IDS if not words.has(name)] for language, words in CATALOGUES.items()}
    assert missing == {"en": [], "ko": []}


@pytest.mark.parametrize("name", IDS)
def test_sentence_can_be_said_in_both_languages(name: str) -> None:
    used = {language: placeholders(words.templates[name]) for language, words in CATALOGUES.items()}
    assert used["en"] == used["ko"]
    assert all(place.isidentifier() for place in used["en"]), "a placeholder must be a plain name"
    for words in CATALOGUES.values():
        for number in (1, 3):
            said = words.say(name, **dict.fromkeys(used["en"], number))
            assert said.strip() or not EN.say(name, **dict.fromkeys(used["en"], number)).strip()
            assert "{" not in said and "}" not in said


@pytest.mark.parametrize("name", [name for name in IDS if isinstance(EN.templates.get(name), dict)])
def test_plural_forms_are_one_and_other_and_take_a_number(name: str) -> None:
    for words in CATALOGUES.values():
        template = words.templates[name]
        if isinstance(template, dict):
            assert set(template) <= {"one", "other"}
    assert "n" in placeholders(EN.templates[name])


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_lost_in_the_file(language: str) -> None:
    def leaves(table: dict[str, object]) -> int:
        return sum(leaves(part) if isinstance(part, dict) and "other" not in part else 1 for part in table.values())

    table = tomllib.loads(assets.read_text(f"messages/{language}.toml"))
    assert leaves(table) == len(CATALOGUES[language].templates) > 300


def test_korean_is_korean() -> None:
    hangul = [name for name in IDS if re.search("[가-힣]", str(CATALOGUES["ko"].templates[name]))]
    assert len(hangul) > 0.85 * len(IDS)
    assert not [name for name in IDS if re.search("[가-힣]", str(EN.templates[name])) and "language" not in name]


def test_every_id_the_code_asks_for_exists() -> None:
    asked = [(where, pattern) for where, node in code() if (pattern := wanted_by(node)) is not None]
    assert len(asked) > 50
    assert [(where, one) for where, one in asked if not any(re.fullmatch(one, name) for name in IDS)] == []


def test_every_literal_that_looks_like_an_id_is_one() -> None:
    tables = {name.split(".")[0] for name in IDS}
    literals = [
        (where, node.value)
        for where, node in code()
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SHAPE.fullmatch(node.value)
    ]
    unknown = [
        (where, text)
        for where, text in literals
        if text.split(".")[0] in tables
        and not text.endswith((".json", ".ini"))
        # An f-string begins with the start of an id, a lookup with the name of a table.
        and not any(name == text or name.startswith((text + ".", text if text[-1] == "_" else "\0")) for name in IDS)
    ]
    assert unknown == []


def test_every_reason_given_in_the_code_has_its_words() -> None:
    tables = {
        "BadInput": "errors.bad_input_why",
        "ImportRefused": "errors.import_why",
        "AttachmentUnusable": "errors.attachment_why",
    }
    reasons = [
        (where, f"{tables[name]}.{word.value.value}")
        for where, node in code()
        if isinstance(node, ast.Call) and (name := getattr(node.func, "attr", getattr(node.func, "id", ""))) in tables
        for word in node.keywords
        if word.arg == "why" and isinstance(word.value, ast.Constant)
    ]
    assert len(reasons) >= 4
    assert [(where, name) for where, name in reasons if not EN.has(name)] == []


def test_every_error_has_its_sentence() -> None:
    def kinds(kind: type[errors.AppError]) -> Iterator[type[errors.AppError]]:
        for below in kind.__subclasses__():
            yield below
            yield from kinds(below)

    # `EndpointError` is the root of kinds and raised only as one of them.
    ids = {f"errors.{kind.word}" for kind in kinds(errors.AppError) if kind is not errors.EndpointError}
    assert len(ids) > 15
    assert sorted(ids - set(IDS)) == []


def test_templates_use_no_conversions_of_unknown_types() -> None:
    for name in IDS:
        for words in CATALOGUES.values():
            template = words.templates[name]
            for form in template.values() if isinstance(template, dict) else [template]:
                assert all(not spec for _, _, spec, _ in string.Formatter().parse(form)), name


def test_saying() -> None:
    words = Words("en", {"a": "Hello {name}", "b": {"one": "{n} word", "other": "{n} words"}, "c": {"other": "{n}개"}})
    assert words.say("a", name="<b>{x}</b>") == "Hello <b>{x}</b>"
    assert [words.say("b", n=n) for n in (0, 1, 2)] == ["0 words", "1 word", "2 words"]
    assert [words.say("c", n=n) for n in (1, 2)] == ["1개", "2개"]
    assert (words.has("a"), words.has("z")) == (True, False)
    with pytest.raises(KeyError):
        words.say("z")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_is_explained_with_its_reason_in_words(language: str) -> None:
    words = CATALOGUES[language]
    said = words.explain(errors.BadInput(what="http://example.com", why="url_plain_http"))
    assert "http://example.com" in said
    assert words.say("errors.bad_input_why.url_plain_http") in said
    assert words.say("errors.what.conversation") in words.explain(errors.NotFound(what="conversation"))
    assert "200,000" in words.explain(errors.ContextTooLarge(tokens=199_000, reserve=16_000, window=200_000))
    # Text from elsewhere is shown as it is, and what an error does not carry is no failure.
    assert "{markup} <b>" in words.explain(errors.BadInput(what="{markup} <b>", why="url"))
    assert "…" in words.explain(errors.StoreUnavailable())


@pytest.mark.parametrize(
    ("seconds", "english", "korean"),
    [
        (0.4, "The endpoint asks to wait 1 s.", "서버가 1초 기다려 달라고 합니다."),
        (59.2, "The endpoint asks to wait 1 min 0 s.", "서버가 1분 0초 기다려 달라고 합니다."),
        (320, "The endpoint asks to wait 5 min 20 s.", "서버가 5분 20초 기다려 달라고 합니다."),
        (4000, "The endpoint asks to wait 1 h 7 min.", "서버가 1시간 7분 기다려 달라고 합니다."),
    ],
)
def test_how_long_the_endpoint_asks_to_wait_is_said(seconds: float, english: str, korean: str) -> None:
    error = errors.RateLimited(retry_after=seconds)
    plain = errors.RateLimited()
    for words, wait in ((EN, english), (CATALOGUES["ko"], korean)):
        assert words.explain(error) == f"{words.explain(plain)} {wait}"
        assert words.explain(error, with_wait=False) == words.explain(plain)


@pytest.mark.parametrize("seconds", [0.0, float("inf")])
def test_a_wait_that_is_none_is_not_said(seconds: float) -> None:
    assert EN.explain(errors.Overloaded(retry_after=seconds)) == EN.explain(errors.Overloaded())


def test_every_error_can_be_explained_without_its_parameters() -> None:
    for kind in (errors.AppError, errors.Unexpected, errors.RateLimited, errors.TimedOut, errors.StoreTooNew):
        for words in CATALOGUES.values():
            assert len(words.explain(kind())) > 10


def test_unknown_languages_read_english() -> None:
    assert load_words("ko").language == "ko"
    assert load_words("fr").language == "en"
    assert load_words("fr").templates == EN.templates
