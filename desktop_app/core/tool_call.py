"""One call of a tool: where it was made, and what the turn it belongs to holds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`typed` is what the person wrote in this turn.

    `foreign_text` tells whether the turn also holds text of a tool, a file or the web: words that may not be the
    person's.
    """

    profile: str
    conversation_id: str
    turn_id: str
    call_id: str
    typed: str = ""
    foreign_text: bool = False
