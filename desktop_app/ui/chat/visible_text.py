"""Characters that turn a text around or hide in it, made visible; everything else stays as it is."""

from __future__ import annotations

import re

from desktop_app.core.visible import TURNING

# Bidi embeddings, overrides and isolates; tag characters; what QTextDocument keeps for itself.
_HIDDEN = re.compile(
    "\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f"  # a flag of a region is spelt with tags and stays
    f"|[{''.join(TURNING)}\U000e0000-\U000e007f]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufdd0\ufdd1\ufffc]"
)
_BREAKS = re.compile("\r\n|[\r\u2028\u2029\x85]")


def visible(text: str) -> str:
    """`text` with overrides and tags written as `⟨U+202E⟩`; line and paragraph separators as line breaks."""
    return _HIDDEN.sub(_named, _BREAKS.sub("\n", text))


def _named(found: re.Match[str]) -> str:
    char = found.group()
    if len(char) > 1:
        return char
    return "\ufffd" if char in "\ufdd0\ufdd1\ufffc" else f"⟨U+{ord(char):04X}⟩"
