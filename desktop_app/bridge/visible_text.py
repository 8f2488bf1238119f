"""Text that came from outside made safe to show on one line: nothing hidden, nothing that turns the line around."""

from __future__ import annotations

import unicodedata

_SHOWN_BY_NAME = {
    "\u00ad": "SHY",
    "\u200b": "ZWSP",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2060": "WJ",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\ufeff": "BOM",
}
# Joiners and selectors are part of emoji and of some scripts; they turn nothing around.
_HARMLESS = frozenset("\u200c\u200d\ufe0e\ufe0f")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")


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
    if char in _HARMLESS:
        return char
    category = unicodedata.category(char)
    if category == "Cc" or (category == "Cf" or char in _FILLERS):
        return f"⟨{_SHOWN_BY_NAME.get(char) or f'U+{ord(char):04X}'}⟩"
    return char
