"""English words cut to their stems, exactly as the full-text index cuts them.

The algorithm is Porter's (An algorithm for suffix stripping, 1980), in the form SQLite's `porter` tokeniser has it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SHORTEST, _LONGEST = 3, 64
_MEASURE = re.compile("v+c+")
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word in lower case, without accents; a very short or very long one stays as it is."""
    plain = word if word.isascii() else _without_accents(word)
    # SQLite counts bytes, so that ß is two consonants.
    counted = plain.encode().decode("latin-1")
    if not plain[-1:].isascii() or not _SHORTEST <= len(counted) <= _LONGEST:
        return plain
    cut = _last_letters(_step_4(_step_3(_step_2(_y_to_i(_past_and_progressive(_plural(counted)))))))
    return cut.encode("latin-1").decode()


def _without_accents(word: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


def _shape(word: str) -> str:
    """c for each consonant, v for each vowel; y is a vowel behind a consonant."""
    shape = ""
    for place, char in enumerate(word):
        vowel = char in "aeiou" or (char == "y" and place > 0 and shape[-1] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often consonants follow vowels."""
    return len(_MEASURE.findall(_shape(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c"


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant that is not w, x or y."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_progressive(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word.removesuffix(ending)
            return _mended(base) if "v" in _shape(base) else word
    return word


def _mended(base: str) -> str:
    """What is left of hoping is hop, of hopping hopp: both are set right."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _ends_double(base) and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _ends_short(base) else base


def _y_to_i(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _longest(word: str, endings: dict[str, str]) -> str:
    for ending in sorted((one for one in endings if word.endswith(one)), key=len, reverse=True)[:1]:
        base = word.removesuffix(ending)
        return base + endings[ending] if _measure(base) > 0 else word
    return word


def _step_2(word: str) -> str:
    return _longest(word, _STEP_2)


def _step_3(word: str) -> str:
    return _longest(word, _STEP_3)


def _step_4(word: str) -> str:
    ending = max((one for one in _STEP_4 if word.endswith(one)), key=len, default="")
    base = word.removesuffix(ending)
    if not ending or _measure(base) < 2 or (ending == "ion" and not base.endswith(("s", "t"))):
        return word
    return base


def _last_letters(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _measure(base) > 1 or (_measure(base) == 1 and not _ends_short(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
