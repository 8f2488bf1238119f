"""What was recalled for a message, and what came near: ids and the parts of each score, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from desktop_app.core.passages import PassageKind


class Fate(StrEnum):
    """What became of a find."""

    TOLD = "told"
    IN_PROMPT = "in_prompt"
    """It stands in the prompt anyway."""
    OVER_BUDGET = "over_budget"
    """It found no room in the budget."""
    SIMILAR = "similar"
    """It says what the context or a better find says already."""
    WEAK = "weak"
    """Too little speaks for it."""
    BELOW = "below"
    """Others were better."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """One find. `source_id` is the id of the fact, message or document, `passage_id` that of the passage of it."""

    kind: PassageKind
    source_id: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    fate: Fate = Fate.TOLD
    passage_id: str = ""


@dataclass(frozen=True, slots=True)
class Recollection:
    """All finds for one message, best first within each kind; `embedder` is the name of the model asked, "" for none.

    `in_block` counts the facts that stood in the prompt anyway, so that no search for facts was needed.
    """

    finds: tuple[Recalled, ...] = ()
    embedder: str = ""
    in_block: int = 0

    @property
    def told(self) -> tuple[Recalled, ...]:
        """Those that were told."""
        return tuple(find for find in self.finds if find.fate is Fate.TOLD)
