"""Code cut into coloured pieces by Pygments."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

COLOURED_LIMIT = 8_000
"""Longest code, in characters, that is coloured; a longer one stays in one colour, so that nothing stalls."""

# Pygments' token types are tuples of names; by these the colours can be told before it is imported.
_COLOURS: dict[tuple[str, ...], str] = {
    ("Comment",): "comment",
    ("Keyword",): "keyword",
    ("Literal", "String"): "string",
    ("Literal",): "number",
    ("Name", "Builtin"): "name",
    ("Name", "Function"): "name",
    ("Name", "Class"): "name",
    ("Name", "Tag"): "keyword",
    ("Name", "Attribute"): "name",
    ("Name", "Decorator"): "name",
    ("Generic", "Inserted"): "inserted",
    ("Generic", "Deleted"): "deleted",
    ("Generic", "Heading"): "name",
    ("Generic", "Subheading"): "name",
}


def coloured(code: str, language: str) -> Iterator[tuple[str, str]]:
    """Pieces of `code` in order, each with a name of CodeColours or an empty string; joined they are the code."""
    lexer = _lexer(language) if language and len(code) <= COLOURED_LIMIT else None
    if lexer is None:
        yield code, ""
        return
    pieces: list[str] = []
    last = ""
    for kind, piece in lexer.get_tokens(code):
        colour = last if piece.isspace() else _colour(kind)
        if colour != last:
            yield "".join(pieces), last
            pieces, last = [], colour
        pieces.append(piece)
    yield "".join(pieces), last


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=256)
def _colour(kind: tuple[str, ...]) -> str:
    names = tuple(kind)
    while names and names not in _COLOURS:
        names = names[:-1]
    return _COLOURS.get(names, "")
