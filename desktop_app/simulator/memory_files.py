"""How the assistant uses the memory tool of files: it looks what is there, then reads, creates, edits or deletes."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

from .conversation import Block, text_of
from .forgetting import named_key, wanted_gone
from .intents import is_question
from .lookup import keywords, terms
from .passages import MEMORY, fact_keys, file_in
from .remembering import tellings
from .reply import Call

TYPE = "memory_20250818"
_ROOT = "/memories"
_LISTED = re.compile(r"^[\d.]+[BKMG]\t(/memories/.+)$", re.MULTILINE)
_MOST_READ = 3  # files for one question

Steps = Generator[Call, str, None]
"""Calls to make one after the other; each is sent the text of its result."""


def offered(body: dict[str, Any]) -> bool:
    """Whether the tool may be called."""
    none = (body.get("tool_choice") or {}).get("type") == "none"
    return not none and any(tool.get("type") == TYPE for tool in body.get("tools") or [])


def writes(body: dict[str, Any], asked: str) -> bool:
    """Whether the user's words want something of memory changed."""
    return offered(body) and bool(wanted_gone(asked) or tellings(asked, fact_keys(body)))


def next_call(body: dict[str, Any], asked: str, made: Sequence[Block], results: dict[str, Block]) -> Call | None:
    """The call to make after those made for the user's words so far; None where none is left, or one failed."""
    if not offered(body):
        return None
    steps = _steps(body, asked)
    call = next(steps, None)
    for block in made:
        if block["name"] != MEMORY or call is None:
            continue
        result = results.get(block["id"])
        if result is None or result.get("is_error"):
            return None
        try:
            call = steps.send(text_of(result))
        except StopIteration:
            return None
    return call


def _steps(body: dict[str, Any], asked: str) -> Steps:
    if gone := wanted_gone(asked):
        return _forgetting(gone)
    if told := tellings(asked, fact_keys(body)):
        return _remembering(told)
    return _looking(asked)


def _remembering(told: Sequence[tuple[str, str]]) -> Steps:
    """A file for each fact; one that is there is edited."""
    paths = _paths((yield _view(_ROOT)))
    for key, value in told:
        path = next((path for path in paths if set(terms(_name(path))) == set(terms(key))), None)
        if path is None:
            yield Call(MEMORY, {"command": "create", "path": f"{_ROOT}/{_file(key)}", "file_text": value})
            continue
        _, old = file_in((yield _view(path))) or ("", "")
        if old and old != value:
            yield Call(MEMORY, {"command": "str_replace", "path": path, "old_str": old, "new_str": value})


def _forgetting(gone: Sequence[str]) -> Steps:
    paths = {_name(path): path for path in _paths((yield _view(_ROOT)))}
    for words in gone:
        if (name := named_key(words, paths)) is not None:
            yield Call(MEMORY, {"command": "delete", "path": paths[name]})


def _looking(asked: str) -> Steps:
    """The files whose names share a word with a question."""
    if not is_question(asked) or not keywords(asked):
        return
    wanted = set(terms(asked))
    paths = [path for path in _paths((yield _view(_ROOT))) if wanted & set(terms(_name(path)))]
    for path in paths[:_MOST_READ]:
        yield _view(path)


def _view(path: str) -> Call:
    return Call(MEMORY, {"command": "view", "path": path})


def _paths(listing: str) -> list[str]:
    """The files of a listing."""
    return [path for path in _LISTED.findall(listing) if not path.endswith("/")]


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md").replace("_", " ")


def _file(key: str) -> str:
    """A file name for a key."""
    return re.sub(r"[/\\~%\s]+", " ", key).strip().lstrip(".") + ".md"
