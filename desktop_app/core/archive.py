"""The archive of messages: what of a message can be found, what a query asks for, what is shown of a find."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import memo_in_use
from desktop_app.core.conversation import Block, Role, is_blank, well_formed
from desktop_app.core.lone_letters import lone_letters
from desktop_app.core.search_words import query_words, search_words
from desktop_app.core.tool_results import text_of_result

_MOST_ASKED = 1_000
# Written-out bytes, not words: images, keys and signatures inside a text.
_BYTES = re.compile(r"[A-Za-z0-9+/_-]{512,}={0,2}")
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
# From letter or digit to letter or digit with signs between them, as ids, paths and addresses are.
_JOINED = re.compile(r"\w+(?:[!-/:-@\[-`{-~]+\w+)+")
_JOINED_ASCII = re.compile(r"[A-Za-z0-9_]+(?:[!-/:-@\[-`{-~]+[A-Za-z0-9_]+)+")


class Standing(StrEnum):
    """Where a message stands as seen from the context of its conversation."""

    CONTEXT = "context"
    """On the path in use, behind what is folded: the model sees it."""
    FOLDED = "folded"
    """On the path in use, with a summary in its place."""
    BRANCH = "branch"
    """In a version of the conversation that is not in use."""


@dataclass(frozen=True, slots=True)
class ArchiveHit:
    """A message that was found. `number` counts the messages of its path from 1, `turn` the turns of the person.

    `excerpt` is one line around the find, which stands at `found` (start, end) in it, or at (0, 0) where only forms of
    the words stand there. `tool` names the tool whose call or result it is, `tool_use_id` the call. A larger `score`
    is better; scores of different queries cannot be compared.
    """

    conversation_id: str
    message_id: str
    number: int
    turn: int
    role: Role
    excerpt: str
    found: tuple[int, int]
    score: float
    created_at: datetime | None
    tool: str | None = None
    tool_use_id: str | None = None
    standing: Standing = Standing.CONTEXT


@dataclass(frozen=True, slots=True)
class ArchiveFound:
    """Hits, best first; `left` messages were written before there was full text and cannot be found yet."""

    hits: tuple[ArchiveHit, ...] = ()
    left: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as full text takes it.

    Each of `words` tells by itself. Words of a phrase stand one behind the other: ids, paths and what was put in
    quotation marks. `parts` are all words there are, for when nothing else is found; `letters` are to be looked for
    anywhere. `signs`, emoji and the like, stand in no words: they are looked for in what was said itself.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    parts: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()


def asked(query: str) -> Asked:
    """What a query asks for; of a long one its beginning counts."""
    text = well_formed(query)[:_MOST_ASKED]
    rest, phrases = text, []
    for quoted in _QUOTED.finditer(text):
        phrases.append(quoted[1])
        rest = rest.replace(quoted[0], " ")
    for joined in _JOINED.finditer(rest):
        # A particle may stand right behind an id: 4711-02는
        phrases += [joined[0], *_JOINED_ASCII.findall(joined[0])]
    rest = _JOINED.sub(" ", rest)
    found = dict.fromkeys(tuple(search_words(phrase)) for phrase in phrases if query_words(phrase))
    words, parts = tuple(query_words(rest)), tuple(query_words(text))
    lone = lone_letters(text)
    letters = () if found or any(len(word) > 1 for word in words) else tuple(filter(str.isalnum, lone))
    signs = tuple(one for one in lone if not one.isalnum() and one != "\ufffd")
    return Asked(words, tuple(found), parts, letters, signs)


def message_text(blocks: Sequence[Block]) -> str:
    """What a message says: text blocks, texts given to tools, what tools gave, text documents. Never thinking."""
    return "\n\n".join(text for block in blocks for text in _texts(block) if not is_blank(text))


def searchable_text(blocks: Sequence[Block]) -> str:
    """What of it can be found: all but bytes written out as letters."""
    return _BYTES.sub(" ", message_text(blocks))


def standings(
    path_ids: Sequence[str], compactions: Sequence[Compaction], *, blocks: bool = True
) -> dict[str, Standing]:
    """Where each message of the path in use stands; what is not among them is of another branch. Without `blocks` the
    API's own compactions fold nothing."""
    fold = memo_in_use(path_ids, compactions, blocks=blocks)
    folded = path_ids.index(fold.until_message_id) + 1 if fold else 0
    return {
        message_id: Standing.FOLDED if place < folded else Standing.CONTEXT for place, message_id in enumerate(path_ids)
    }


def _texts(block: Block) -> Iterator[str]:
    kind = str(block.get("type"))
    if kind == "text":
        yield from _strings(block.get("text"))
    elif kind in ("tool_use", "server_tool_use"):
        yield from _strings(block.get("input"))
    elif kind == "tool_result":
        yield text_of_result(block)
    elif kind.endswith("_tool_result"):
        yield from _server_texts(block.get("content"))
    elif kind == "document":
        source = block.get("source")
        yield from _strings(block.get("title"))
        if isinstance(source, Mapping) and source.get("type") == "text":
            yield from _strings(source.get("data"))


def _server_texts(content: object) -> Iterator[str]:
    """Titles, addresses and plain texts of a server's tool; what it encrypted is no text."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping):
            for name in ("title", "url", "text", "stdout", "stderr"):
                yield from _strings(part.get(name))


def _strings(value: Any) -> Iterator[str]:
    """The texts and numbers in a value, however deep, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
