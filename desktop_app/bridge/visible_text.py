"""Text that came from outside made safe to show on one line: nothing hidden, nothing that turns the line around."""

from __future__ import annotations

import unicodedata

from desktop_app.core.visible import FILLERS, JOINING, NAMES


def visible_line(text: str, limit: int = 400) -> str:
    """`text` on one line of at most `limit` characters; what could not be seen is written as `⟨RLO⟩`.

    Runs of white space become one space. Conjoining letters are composed, so that Hangul from
    macOS file names looks like any other.
    """
    if len(text) > 4 * limit:
        text = text[: 4 * limit]
    line = " ".join(unicodedata.normalize("NFC", text).split())
    shown = "".join(_shown(char) for char in line)
    return shown if len(shown) <= limit else shown[: limit - 1].rstrip() + "…"


def search_form(text: str) -> str:
    """The form in which two texts are compared: composed or not, upper or lower, wide or narrow do not count."""
    return unicodedata.normalize("NFKC", text).casefold()


def _shown(char: str) -> str:
    if char in JOINING:
        return char
    category = unicodedata.category(char)
    if category == "Cc" or (category == "Cf" or char in FILLERS):
        return f"⟨{NAMES.get(char) or f'U+{ord(char):04X}'}⟩"
    return char
