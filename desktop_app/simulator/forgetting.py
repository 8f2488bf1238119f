"""What the user tells the assistant to forget."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .lookup import SENTENCE, keywords, terms

LEAST_SHARE = 0.5  # of a key's words that must be named
_POLITE = r"(?:(?:please|also|and|now|so|then|ok|okay)[\s,]+)*(?:(?:can|could|would|will) you\s+(?:please\s+)?)?"
_MEMORY = r"(?:your |my |the |long-term )*memory"
_END = r"(?:,?\s*please)?[.!?~]*$"
_FIRST_EN = re.compile(
    rf"^{_POLITE}(?:forget\s+(?P<what>.+?)(?:\s+from\s+{_MEMORY})?|"
    rf"(?:delete|erase|remove)\s+(?P<other>.+?)\s+from\s+{_MEMORY}){_END}",
    re.IGNORECASE | re.DOTALL,
)
_LAST_EN = re.compile(
    rf"^(?P<what>.+?)\s*[,;–—-]\s*(?:so |and )*(?:please )?forget (?:it|that|this){_END}", re.IGNORECASE | re.DOTALL
)
_KOREAN = re.compile(
    r"^(?P<what>.+?)[\s,]*(?:잊어버려|(?:잊어|지워|삭제해)\s?(?:버려\s?)?(?:줘요?|주세요|주십시오|줄래요?|라))[.!?~]*$",
    re.DOTALL,
)
_ABOUT_KOREAN = re.compile(
    r"(?:장기\s)?(?:기억|메모리)에서\s*|에\s?(?:대한|관한)\s?(?:기억|것|내용|사실)(?:은|는|을|를)?\s*$|"
    r"(?:이?라는|다는|는)\s?(?:걸|것을|것|사실을|기억을)\s*$|\s?(?:기억|사실)(?:은|는|을|를)\s*$"
)


def wanted_gone(message: str) -> list[str]:
    """The words for what a message tells to forget, one text for each sentence that does; [] where none does."""
    found = []
    for sentence in (part.strip() for part in SENTENCE.split(message)):
        english = _FIRST_EN.match(sentence) or _LAST_EN.match(sentence)
        korean = _KOREAN.match(sentence)
        if english:
            what = english["what"] or english["other"]
        elif korean:
            what = _ABOUT_KOREAN.sub("", korean["what"])
        else:
            continue
        if keywords(what):
            found.append(what)
    return found


def named_key(words: str, keys: Iterable[str]) -> str | None:
    """The key the words name: the one of whose words they hold most; None where they hold half of none."""
    said = set(terms(words))
    shares = [(len(said & own) / len(own), key) for key in keys if (own := set(terms(key)))]
    share, key = max(shares, default=(0.0, ""))
    return key if share >= LEAST_SHARE else None
