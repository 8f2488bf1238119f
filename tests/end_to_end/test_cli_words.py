"""Every error kind and every sentence of the command line has words in both languages that cannot fail to format."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from desktop_app.core import errors
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.core.words import LANGUAGES, load_words, placeholders

CLI = Path(__file__).parents[2] / "desktop_app" / "cli"
PARAMS: dict[str, dict[str, str | int]] = {
    "bad_input": {"what": "x", "why": "url"},
    "not_found": {"what": "conversation"},
    "store_unavailable": {"path": "/data"},
    "store_damaged": {"path": "/data/mnemoscope.db"},
    "not_a_folder": {"path": "/data"},
    "not_a_file": {"path": "/data"},
    "pipe_unread": {"path": "/data/pipe"},
    "not_messages_api": {"host": "localhost:8080"},
    "store_too_new": {"found": 9, "known": 1},
    "import_refused": {"file": "x.zip", "why": "empty_file"},
    "request_refused": {"rule": "a rule"},
    "context_too_large": {"tokens": 190_000, "reserve": 16_000, "window": 200_000},
    "model_unknown": {"reason": "model: x"},
    "summary_model_unknown": {"model": "claude-x"},
    "compaction_not_found": {"number": 9},
    "summary_too_long": {"tokens": 9_000, "most": 7_000},
    "invalid_request": {"reason": "messages: x"},
    "window_exceeded": {"reason": "prompt is too long"},
    "server_failed": {"reason": "simulator"},
    "attachment_unusable": {"file": "plan.png", "why": "empty"},
    "compaction_refused": {"reason": "compaction: x", "code": "compaction_nothing_to_summarize"},
    "compaction_unfit": {"reason": "compaction: x", "code": "compaction_signature_invalid"},
    "summary_unusable": {"why": "blank"},
    "unreachable": {"host": "localhost:1"},
    "hung_up": {"host": "localhost:1"},
    "network_settings": {"host": "llm.example.com"},
    "redirected": {"host": "localhost", "target": "https://llm.example.com"},
    "timed_out": {"host": "localhost:1"},
    "document_unusable": {"file": "lease.pdf", "why": "locked"},
    "fact_not_found": {"name": "coffee"},
    "fact_changed": {"name": "coffee"},
    "fact_pinned": {"name": "coffee"},
    "document_not_found": {"name": "lease.pdf"},
    "nothing_to_fold": {"tokens": 20_000},
    "memo_unusable": {"missing": "Goal"},
    "key_vault_silent": {"seconds": 5},
    "memory_paused": {"profile": "work"},
    "database_unreachable": {"path": "postgresql://db.example.com/mnemoscope"},
    "database_refused": {"path": "postgresql://db.example.com/mnemoscope"},
    "database_driver_missing": {"path": "postgresql://db.example.com/mnemoscope"},
    "embedder_unavailable": {"name": "use"},
    "embedder_not_installed": {"name": "e5", "package": "mnemoscope[e5]"},
    "embedder_unreachable": {"host": "localhost:1"},
    "embedder_key_refused": {"host": "api.example.com"},
    "embedder_model_unknown": {"host": "localhost:1", "model": "x"},
    "embedder_busy": {"host": "localhost:1", "reason": "rate limit"},
    "embedder_refused": {"host": "localhost:1", "reason": "too long"},
    "embedder_unfit": {"host": "localhost:1", "reason": "8 ≠ 16"},
}
"""What the places that raise a kind always give; a kind that is not here is raised without parameters."""


def kinds(root: type[errors.AppError] = errors.AppError) -> Iterator[type[errors.AppError]]:
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.word)
def test_each_kind_is_explained_with_nothing_left_open(kind: type[errors.AppError], language: str) -> None:
    words = load_words(language)
    error = kind(**PARAMS.get(kind.word, {}))
    sentence = words.explain(error)
    assert sentence.endswith(".") and not re.search(r"[{}]", sentence)
    assert placeholders(words.templates[error.message_id]) <= set(error.params)
    assert bool(re.search("[가-힣]", sentence)) is (language == "ko")


def test_both_languages_take_the_same_parameters() -> None:
    english, korean = load_words("en"), load_words("ko")
    mine = [name for name in english.templates if name.startswith(("errors.", "cli."))]
    assert mine == [name for name in korean.templates if name.startswith(("errors.", "cli."))]
    for name in mine:
        assert placeholders(english.templates[name]) == placeholders(korean.templates[name]), name


def test_words_inside_a_sentence_are_words_of_the_language() -> None:
    korean = load_words("ko")
    assert "시작되지 않았습니다" in korean.explain(errors.ServerFailed(reason="simulator"))
    assert "190,000" in korean.explain(errors.ContextTooLarge(tokens=190_000, reserve=1, window=2))
    assert "3번째 턴" in korean.explain(errors.NotFound(what="turn 3"))
    for part in (*fields(Settings), *fields(ProfileSettings)):
        assert f"errors.bad_input_why.{part.name}" in korean.templates
    # What a person typed is never taken for a word.
    assert "‘url’" in korean.explain(errors.BadInput(what="url", why="url"))


def test_every_sentence_the_command_line_says_is_in_the_catalogue() -> None:
    source = "\n".join(file.read_text("utf-8") for file in CLI.glob("*.py"))
    said = set(re.findall(r'"((?:cli|context)\.[a-z_.]+)"', source))
    assert len(said) > 15
    for language in LANGUAGES:
        assert said <= set(load_words(language).templates)


def test_each_cause_of_a_retry_has_its_short_words() -> None:
    words = load_words("en")
    for kind in kinds(errors.EndpointError):
        assert words.has(f"cli.cause.{kind.word}") is kind.retryable  # type: ignore[attr-defined]


def test_templates_have_no_format_that_a_text_could_not_take() -> None:
    for language in LANGUAGES:
        for name, template in load_words(language).templates.items():
            if name.startswith(("errors.", "cli.")) and isinstance(template, str):
                assert not [form for _, _, form, _ in string.Formatter().parse(template) if form], name
