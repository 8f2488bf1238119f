"""Texts as items of a list in Markdown, to the byte and back: what is no plain line stands in a fence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_app.core.conversation import is_blank

HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<name>.*)")
"""A line that is a heading."""
_OPENING = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[^`]*")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:- |[*•+·][ \t]+)?(?P<text>.*)")

_PLAIN = re.compile(r"(?![#>|\s]|```|~~~|-+\s|=+\s*$)[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?<!\s)")
"""What can stand on a line behind a list mark without being read as a heading, a quotation or a fence."""
_TICKS = re.compile(r"`+")


def item_text(text: str) -> str:
    """One text as it is written: a list item, or in a fence what is no single plain line."""
    if _PLAIN.fullmatch(text):
        return f"- {text}"
    fence = "`" * max((3, *(len(run) + 1 for run in _TICKS.findall(text))))
    return f"{fence}\n{text}\n{fence}"


def read_items(lines: Sequence[str], place: int) -> tuple[list[str], int]:
    """The texts of a section, and the line the next heading stands on."""
    items: list[str] = []
    while place < len(lines) and not HEADING.match(lines[place]):
        end = fence_end(lines, place)
        if end is not None:
            items.append("\n".join(lines[place + 1 : end]))
            place = end + 1
            continue
        _add_line(items, lines[place])
        place += 1
    return items, place


def opened_fence(line: str) -> str:
    """The fence a line opens; empty for any other line."""
    opening = _OPENING.fullmatch(line)
    return opening["fence"] if opening else ""


def fence_end(lines: Sequence[str], place: int) -> int | None:
    """The line that closes the fence a line opens; None where it opens none, or one that nobody closes."""
    fence = opened_fence(lines[place])
    if not fence:
        return None
    for end in range(place + 1, len(lines)):
        closing = lines[end].strip()
        if len(closing) >= len(fence) and not closing.strip(fence[0]):
            return end
    return None


def _add_line(items: list[str], line: str) -> None:
    if is_blank(line):
        return
    if line.startswith("- "):
        items.append(line[2:])
        return
    found = _ITEM.fullmatch(line.rstrip())
    if found is None:
        items.append(line.strip())
    elif found["indent"] and items and not line.lstrip().startswith(("- ", "* ", "• ", "+ ")):
        items[-1] = f"{items[-1]}\n{found['text']}"
    elif not is_blank(found["text"]):
        items.append(found["text"])
