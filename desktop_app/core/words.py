"""The catalogue of user-visible sentences: ids with parameters in, text in the chosen language out."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from math import ceil, isfinite
from typing import Any

from desktop_app import assets
from desktop_app.core.errors import AppError, EndpointError

LANGUAGES = ("en", "ko")
Template = str | dict[str, str]

# Parameters of an error whose value names a word below this one.
_WORDS_BELOW = {
    ("not_found", "what"): "errors.what",
    ("import_refused", "why"): "errors.import_why",
    ("bad_input", "why"): "errors.bad_input_why",
    ("attachment_unusable", "why"): "errors.attachment_why",
    ("document_unusable", "why"): "errors.document_why",
    ("server_failed", "reason"): "errors.reason",
    ("summary_unusable", "why"): "errors.summary_why",
}


class Words:
    """One language's catalogue. `say("chat.send")`, `say("chat.messages", n=3)`.

    A template is `str.format` text; one with plural forms is a table of `one` and `other`, chosen by `n`.
    """

    def __init__(self, language: str, templates: Mapping[str, Template]) -> None:
        self.language = language
        self.templates = templates

    def say(self, message_id: str, /, **params: Any) -> str:
        """The sentence; raises KeyError for an id that is not in the catalogue."""
        template = self.templates[message_id]
        if isinstance(template, dict):
            template = template.get("one" if params.get("n") == 1 else "other") or template["other"]
        return template.format(**params)

    def explain(self, error: AppError, *, with_wait: bool = True) -> str:
        """The sentence of an error: what happened, what was kept, what to do.

        A parameter that names a reason is said in words; one the error does not carry becomes an ellipsis.
        `with_wait` adds how long the endpoint asks to wait; a countdown says that better.
        """
        message_id = error.message_id if self.has(error.message_id) else "errors.unknown"
        template = self.templates[message_id]
        params = _Params({name: self._said(error.word, name, value) for name, value in error.params.items()})
        sentence = (template if isinstance(template, str) else template["other"]).format_map(params)
        wait = error.retry_after if with_wait and isinstance(error, EndpointError) else None
        if wait is None or wait <= 0 or not isfinite(wait):
            return sentence
        return f"{sentence} {self.say('time.asked_to_wait', time=self._span(ceil(wait)))}"

    def _span(self, seconds: int) -> str:
        """A time in its two largest units, never less than it is: `42 s`, `5 min 20 s`, `2 h 0 min`."""
        if seconds < 60:
            return self.say("time.seconds", value=seconds)
        if seconds < 3600:
            return self.say("time.minutes", minutes=seconds // 60, seconds=seconds % 60)
        hours, minutes = divmod(ceil(seconds / 60), 60)
        return self.say("time.hours", hours=f"{hours:,}", minutes=minutes)

    def _said(self, error: str, name: str, value: str | int) -> str:
        if isinstance(value, int):
            return f"{value:,}"
        table = _WORDS_BELOW.get((error, name))
        # A turn is named with its number: `turn 3`.
        kind, _, number = value.partition(" ") if table == "errors.what" else (value, "", "")
        word = f"{table}.{kind}"
        return self.say(word, number=number) if self.has(word) else value

    def has(self, message_id: str) -> bool:
        """Whether the catalogue holds this id."""
        return message_id in self.templates


class _Params(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "…"


def load_words(language: str) -> Words:
    """The catalogue of `language` (`en` or `ko`; anything else reads English)."""
    return _catalogue(language if language in LANGUAGES else "en")


@cache
def _catalogue(language: str) -> Words:
    return Words(language, dict(_flatten(tomllib.loads(assets.read_text(f"messages/{language}.toml")))))


def placeholders(template: Template) -> set[str]:
    """The parameter names a template uses, over all its plural forms."""
    forms = template.values() if isinstance(template, dict) else [template]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Template]]:
    for name, value in table.items():
        if isinstance(value, str) or (isinstance(value, dict) and "other" in value):
            yield prefix + name, value
        else:
            yield from _flatten(value, f"{prefix}{name}.")
