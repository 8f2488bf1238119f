"""The file a fact is: from key and category to a path and back; odd characters are written as `~` and hex digits."""

from __future__ import annotations

import re
import unicodedata

from desktop_app.core.conversation import clean_title
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import clean_category, clean_key
from desktop_app.core.memory_files.paths import ROOT, FileRefused, Parts, parts_of, text_of

_ENDING = ".md"
_DOT = "~2E"
_ESCAPES = re.compile(r"(?:~[0-9A-F]{2})+")
_ODD = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Categories of characters nobody sees: two names could look alike."""


def path_of(key: str, category: str) -> Parts:
    """Where a fact stands: `<category>/<key>.md`, without a category directly in the root.

    A key that is a path itself stands at that path.
    """
    if (own := _own_path(key)) is not None:
        return own
    folder = (_folder(category),) if clean_title(category) else ()
    return (*folder, name_of(key) + _ENDING)


def fact_at(parts: Parts) -> tuple[str, str]:
    """Key and category of the fact a new file becomes: what `path_of` turns back into this path.

    Anywhere but at `<category>/<key>.md` the key is the path itself. Raises FileRefused for a path no key can be made
    of.
    """
    *folder, name = parts
    if len(folder) <= 1 and name.endswith(_ENDING):
        key, category = _text_of_name(name[: -len(_ENDING)]), _text_of_name(folder[0]) if folder else ""
        if clean_category(category) == category and _is_key(key) and path_of(key, category) == parts:
            return key, category
    return path_key(parts), ""


def path_key(parts: Parts) -> str:
    """The path as the key of a fact; raises FileRefused where it is none."""
    key = text_of(parts)
    if not _is_key(key) or _own_path(key) != parts:
        raise FileRefused(
            f"The path {key[:200]} cannot be a memory file: choose a short name without blanks at its ends."
        )
    return key


def name_of(text: str) -> str:
    """A text as the name of a file or folder; `text` in NFC comes back from it letter for letter."""
    written: list[str] = []
    escaped = False
    for char in text:
        # A mark behind an escape would melt into its last hex digit.
        escaped = _is_odd(char) or (escaped and unicodedata.combining(char) > 0)
        written.append("".join(f"~{byte:02X}" for byte in char.encode()) if escaped else char)
    name = "".join(written)
    return _DOT + name[1:] if name.startswith(".") else name


def _folder(category: str) -> str:
    """The name of the folder of a category; none looks like a file."""
    name = name_of(unicodedata.normalize("NFC", clean_title(category)))
    return name[:-3] + _DOT + name[-2:] if name.lower().endswith(_ENDING) else name


def _text_of_name(name: str) -> str:
    return _ESCAPES.sub(lambda run: bytes.fromhex(run[0].replace("~", "")).decode("utf-8", "replace"), name)


def _is_odd(char: str) -> bool:
    if "0" <= char <= "9" or "a" <= char <= "z" or "A" <= char <= "Z":
        return False
    form = unicodedata.normalize("NFKC", char)
    return (
        char == "~"
        or unicodedata.category(char) in _ODD
        or not {"/", "\\", "%"}.isdisjoint(form)
        or (char != "." and set(form) == {"."})
    )


def _own_path(key: str) -> Parts | None:
    """The path a key is, None for any other key."""
    if not key.startswith(f"{ROOT}/"):
        return None
    try:
        parts = parts_of(key)
    except FileRefused:
        return None
    return parts if text_of(parts) == key and parts else None


def _is_key(text: str) -> bool:
    try:
        return clean_key(text) == text
    except BadInput:
        return False
