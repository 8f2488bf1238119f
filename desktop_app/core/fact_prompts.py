"""The prompts about facts, in the person's language: what an exchange holds, how facts stand to another."""

from __future__ import annotations

import tomllib
from functools import cache

from desktop_app import assets


def extraction_system(language: str) -> str:
    """The system prompt of an extraction, in `language` (`en` or `ko`)."""
    return _words(language)["extraction_system"]


def extraction_prompt(language: str, most: int) -> str:
    """What is asked about the exchange quoted before it, for at most so many facts."""
    return f"<extraction_request>\n{_words(language)['extraction'].replace('{most}', str(most))}"


def judging_system(language: str) -> str:
    """The system prompt of a judgement."""
    return _words(language)["judging_system"]


def judging_prompt(language: str) -> str:
    """What is asked about the facts quoted before it."""
    return f"<judging_request>\n{_words(language)['judging']}"


@cache
def _words(language: str) -> dict[str, str]:
    texts: dict[str, str] = tomllib.loads(assets.read_text(f"prompts/facts.{language}.toml"))
    return {name: text.strip() for name, text in texts.items()}
