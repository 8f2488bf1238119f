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


def breakable(text: str, run: int = 16) -> str:
    """A text that is to be shown which can be wrapped after every `run` letters, also where it has no spaces."""
    words = text.split(" ")
    return " ".join("\u200b".join(word[at : at + run] for at in range(0, len(word), run)) for word in words)


def search_form(text: str) -> str:
    """The form in which two texts are compared: composed or not, upper or lower, wide or narrow do not count."""
    return unicodedata.normalize("NFKC", text).casefold()


def _shown(char: str) -> str:
    if char in JOINING:
        return char
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Zl", "Zp") or char in FILLERS:
        return f"⟨{NAMES.get(char) or f'U+{ord(char):04X}'}⟩"
    return char


def visible_text(text: str) -> str:
    """`text` with its line breaks and spaces as they are; what could not be seen in it is written as `⟨RLO⟩`."""
    return "".join(char if char in "\n\t" else _shown(char) for char in _one_break(text))


def hidden_marks(text: str) -> str:
    """What in `text` nobody sees, each once: `⟨RLO⟩ ⟨ZWSP⟩`; empty where all of it can be seen."""
    found = dict.fromkeys(shown for char in _one_break(text) if char not in "\n\t" and (shown := _shown(char)) != char)
    return " ".join(found)


def _one_break(text: str) -> str:
    return text.replace("\r\n", "\n")
