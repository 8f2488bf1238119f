"""Where the cache breakpoints of a request stand."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.core.conversation import Block
from desktop_app.core.request import Mark, RequestMessage
from desktop_app.core.rule_case import THINKING


def place_marks(
    tools: Sequence[Block], system: Sequence[Block], messages: Sequence[RequestMessage]
) -> tuple[Mark, ...]:
    """One mark behind the fixed prefix (system, or tools where there is none), one on the last block."""
    marks: list[Mark] = []
    if system:
        marks.append(Mark("system", len(system) - 1))
    elif tools:
        marks.append(Mark("tools", len(tools) - 1))
    for number in range(len(messages) - 1, -1, -1):
        places = [place for place, block in enumerate(messages[number].blocks) if block.get("type") not in THINKING]
        if places:
            marks.append(Mark(number, places[-1]))
            break
    return tuple(marks)
