"""Paths of the memory tool: what one may look like, checked segment by segment, and its one written form."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

from desktop_app.core.conversation import well_formed

ROOT = "/memories"
MOST_PATH_LETTERS = 2_400
"""A path longer than this names no file: the longest key and category, every letter of them escaped, fit."""
_MOST_SHOWN = 200
_MOST_DECODINGS = 8

Parts = tuple[str, ...]
"""The names of a path below `/memories`; empty for the root."""


class FileRefused(Exception):
    """A command cannot be carried out; the text is for the model."""


def parts_of(path: str) -> Parts:
    """The names of a path, in NFC, without empty ones and ".".

    Nothing of it is ever looked up on a disk; still every way out of the folder is refused, so that none can become
    one. Raises FileRefused.
    """
    if len(path) > MOST_PATH_LETTERS:
        raise FileRefused(f"The path is too long: it may have at most {MOST_PATH_LETTERS:,} characters.")
    names = unicodedata.normalize("NFC", well_formed(path)).split("/")
    if names[:2] != ["", ROOT[1:]]:
        raise FileRefused(f"Path must start with {ROOT}, got: {shown(path)}")
    if any(map(_leads_out, names[2:])):
        raise FileRefused(f"Path {shown(path)} would escape {ROOT} directory")
    return tuple(name for name in names[2:] if name not in ("", "."))


def text_of(parts: Parts) -> str:
    """A path as it is written: no slash at the end, none twice."""
    return "/".join((ROOT, *parts))


def shown(path: str) -> str:
    """A path or text of the model as an error quotes it."""
    text = well_formed(path)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _leads_out(name: str) -> bool:
    """Whether a segment is a step upwards or holds a separator, as it stands or decoded however often."""
    if any(unicodedata.category(char) == "Cc" for char in name):
        return True
    form = unicodedata.normalize("NFKC", name)
    for _ in range(_MOST_DECODINGS):
        bare = form.strip()
        if (len(bare) > 1 and set(bare) == {"."}) or not {"/", "\\", "\0"}.isdisjoint(form):
            return True
        decoded = unicodedata.normalize("NFKC", unquote(form, errors="replace"))
        if decoded == form:
            return form.strip() == "." and name != "."
        form = decoded
    return True
