"""The parts a context window is divided into, wherever they are shown."""

from __future__ import annotations

from enum import StrEnum


class Segment(StrEnum):
    """What fills the window, in the order the rows are shown."""

    SYSTEM = "system"
    TOOLS = "tools"
    FACTS = "facts"
    RECALLED = "recalled"
    SUMMARY = "summary"
    MESSAGES = "messages"
    CURRENT = "current"
