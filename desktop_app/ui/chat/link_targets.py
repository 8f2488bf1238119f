"""Which link targets may be opened, and how a target is shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "mailto")
# A bare address in running text; closing signs of the sentence around it stay outside.
BARE = re.compile(r"https?://[^\s<>\"'`\u3000-\u303f\uff08\uff09]+[^\s<>\"'`.,;:!?)\]}\u3000-\u303f\uff08\uff09]")


def may_open(target: str) -> bool:
    """Whether a click on it does anything: http and https with a host, and mail addresses."""
    if any(ord(char) < 33 for char in target):
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    if parts.scheme == "mailto":
        return bool(parts.path)
    return parts.scheme in SCHEMES and bool(parts.hostname)


def host_of(target: str) -> str:
    """The host of a web address; the target itself where it has none."""
    try:
        return urlsplit(target).hostname or target
    except ValueError:
        return target
