"""Regular expressions that are compiled when first used: hundreds at once would keep the window from opening."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """Takes over the methods of the compiled pattern one by one, as they are asked for."""

    def __init__(self, pattern: str, flags: re.RegexFlag) -> None:
        self._pattern, self._flags = pattern, flags

    def __repr__(self) -> str:
        return repr(re.compile(self._pattern, self._flags))

    def __getattr__(self, name: str) -> Any:
        # `re` keeps 512 compiled ones; the second method of a pattern finds it there.
        found = getattr(re.compile(self._pattern, self._flags), name)
        setattr(self, name, found)
        return found


def lazy_pattern(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """What behaves as `re.compile` of the same."""
    return cast(re.Pattern[str], _LazyPattern(pattern, flags))
