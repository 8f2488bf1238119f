"""The text of a summary as it stands in a prompt and in the editor: the body, then what is carried word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from desktop_app.core.compaction.carried import Carried
from desktop_app.core.compaction.list_items import HEADING, fence_end, item_text, opened_fence, read_items
from desktop_app.core.compaction.value_lines import value_lines
from desktop_app.core.conversation import is_blank

__all__ = ["HEADINGS", "compose", "split", "value_lines"]

Part = Literal["rules", "question", "unfinished", "files", "values"]

HEADINGS: dict[str, dict[Part, str]] = {
    "en": {
        "rules": "Standing rules (the person's words)",
        "question": "Last question (word for word)",
        "unfinished": "Unfinished (word for word)",
        "values": "Exact values (word for word)",
        "files": "Attachments",
    },
    "ko": {
        "rules": "계속 지킬 규칙 (사용자의 말 그대로)",
        "question": "마지막 질문 (그대로)",
        "unfinished": "끝나지 않은 요청 (그대로)",
        "values": "정확한 값 (그대로)",
        "files": "첨부",
    },
}
"""The heading of each section by language, in the order they stand."""


def compose(body: str, carried: Carried, language: str) -> str:
    """The whole text: the body and a section for everything carried that is not blank.

    Sections of these names in the body (a model may copy them from the earlier summary) go; lines of theirs that are
    not carried stay as a plain list at the end of the body.
    """
    parted = _part(body)
    shown = {part: _lines_of(carried, part) for part in HEADINGS["en"]}
    known = {text.strip() for texts in shown.values() for text in texts}
    left = [text for text in parted.items() if text.strip() not in known and text.strip(" .").lower() not in _NOTHING]
    blocks = [_closed(parted.body), "\n".join(map(item_text, left))]
    for part, heading in HEADINGS[language].items():
        if shown[part]:
            blocks.append("\n".join([f"## {heading}", *map(item_text, shown[part])]))
    return "\n\n".join(block for block in blocks if block)


def split(text: str) -> tuple[str, Carried]:
    """The inverse of `compose`, in both languages.

    Edits by hand are read with good will: headings of any level and place, with or without what stands in brackets;
    lines with another list mark or none; lines indented below an item belong to it.
    """
    parted = _part(text)
    found = {part: tuple(texts) for part, texts in parted.carried.items()}
    return parted.body, Carried(
        rules=found.get("rules", ()),
        question="\n".join(found.get("question", ())),
        unfinished=found.get("unfinished", ()),
        values=found.get("values", ()),
        files=found.get("files", ()),
    )


_NOTHING = ("", "none", "없음", "없음입니다", "-")


def _lines_of(carried: Carried, part: Part) -> list[str]:
    texts = (carried.question,) if part == "question" else getattr(carried, part)
    return [text for text in texts if not is_blank(text)]


# -- reading ---------------------------------------------------------------------------------------------

_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


def _name_key(name: str) -> str:
    return "".join(_BRACKETS.sub("", name.strip().rstrip("#:：* ").lstrip("*")).split()).casefold()


_PART_BY_NAME: dict[str, Part] = {
    _name_key(heading): part for headings in HEADINGS.values() for part, heading in headings.items()
}


@dataclass(slots=True)
class _Parted:
    """A text taken apart: its body, and the texts under each heading of ours."""

    body: str
    carried: dict[Part, list[str]] = field(default_factory=dict)

    def items(self) -> Iterator[str]:
        """All that stands under headings of ours."""
        for texts in self.carried.values():
            yield from texts


def _part(text: str) -> _Parted:
    bodies: list[list[str]] = [[]]
    carried: dict[Part, list[str]] = {}
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        part = _part_of(lines[place])
        if part is None:
            bodies[-1].append(lines[place])
            place += 1
            continue
        items, place = read_items(lines, place + 1)
        carried.setdefault(part, []).extend(items)
        bodies.append([])
    blocks = ("\n".join(body).strip() for body in bodies)
    return _Parted("\n\n".join(block for block in blocks if block), carried)


def _part_of(line: str) -> Part | None:
    """Which of our sections a line opens."""
    heading = HEADING.fullmatch(line.rstrip())
    return _PART_BY_NAME.get(_name_key(heading["name"])) if heading else None


def _closed(body: str) -> str:
    """The body with a fence closed that it leaves open: else all behind it would stand inside."""
    lines = body.split("\n")
    place = 0
    while place < len(lines):
        end = fence_end(lines, place)
        opening = opened_fence(lines[place])
        if opening and end is None:
            return f"{body}\n{opening}"
        place = (end if end is not None else place) + 1
    return body
