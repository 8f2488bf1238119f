"""Which script a text is in, as far as searching asks."""

from __future__ import annotations

import re

# Syllables, and the letters they are made of.
_HANGUL = re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")


def holds_hangul(text: str) -> bool:
    """Whether there is any Hangul in it."""
    return _HANGUL.search(text) is not None
