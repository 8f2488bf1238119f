"""The arguments of a call of the memory tool, each of the kind it must be; raises FileRefused for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from desktop_app.core.memory_files.paths import FileRefused


def text_in(arguments: Mapping[str, object], name: str) -> str:
    """A text."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise FileRefused(f"The argument `{name}` is missing or not a text.")
    return value


def number_in(arguments: Mapping[str, object], name: str) -> int:
    """A whole number."""
    value = arguments.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise FileRefused(f"The argument `{name}` is missing or not a whole number.")
    return value


def range_of(value: object) -> tuple[int, int | None]:
    """First and last line of a `view_range`, the end of the text as None; a list of another length counts as none."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return 1, None
    first, last = value
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in (first, last)):
        raise FileRefused("`view_range` must hold two whole numbers.")
    return first, None if last == -1 else max(0, last)
