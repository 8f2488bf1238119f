"""The text of a memory file: shown with line numbers, one place of it replaced, lines put in."""

from __future__ import annotations

from desktop_app.core.memory_files.paths import FileRefused, shown

_WIDTH = 6
_AROUND = 2
"""Lines shown before and behind a change."""


def numbered(text: str, first: int = 1, last: int | None = None) -> str:
    """Lines from `first` to `last` (both counted from 1 and included; None: to the end), each with its number."""
    lines = text.split("\n")
    start = max(1, first)
    chosen = lines[start - 1 : last]
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(chosen, start))


def replaced(text: str, old: str, new: str, path: str) -> tuple[str, int]:
    """The text with the one place of `old` replaced, and the number of the line it stood in; raises FileRefused."""
    if not old:
        raise FileRefused("No replacement was performed: `old_str` is empty.")
    count = text.count(old)
    if count == 0:
        raise FileRefused(f"No replacement was performed, old_str `{shown(old)}` did not appear verbatim in {path}.")
    if count > 1:
        lines = ", ".join(map(str, _lines_with(text, old)))
        raise FileRefused(
            f"No replacement was performed. Multiple occurrences of old_str `{shown(old)}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    return text.replace(old, new), text[: text.index(old)].count("\n") + 1


def around(text: str, line: int) -> str:
    """The lines around one."""
    return numbered(text, line - _AROUND, line + _AROUND)


def inserted(text: str, line: int, added: str) -> str:
    """The text with lines put in behind line number `line` (0: before the first); raises FileRefused."""
    lines = text.split("\n")
    if not 0 <= line <= len(lines):
        raise FileRefused(f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}].")
    return "\n".join([*lines[:line], added.rstrip("\n"), *lines[line:]])


def _lines_with(text: str, old: str) -> list[int]:
    """The line of every occurrence, overlapping ones too."""
    found, start = [], text.find(old)
    while start >= 0:
        found.append(text.count("\n", 0, start) + 1)
        start = text.find(old, start + 1)
    return found
