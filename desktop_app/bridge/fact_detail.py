"""What the panel tells about one fact: a frozen value."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.facts import Fact, FactChange, newest_to_undo
from desktop_app.services.standing import Standing


@dataclass(frozen=True, slots=True)
class FactDetail:
    """The chosen fact. `in_prompt` tells whether it fits the facts block.

    `history` is empty and `standing` None until they are read.
    """

    fact: Fact
    tokens: int
    in_prompt: bool
    history: tuple[FactChange, ...] = ()
    standing: Standing | None = None

    @property
    def last_change(self) -> FactChange | None:
        """The newest change that can be taken back."""
        return newest_to_undo(self.history)
