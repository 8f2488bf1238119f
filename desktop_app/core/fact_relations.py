"""How what is to be kept stands to facts there are: what code can tell of two statements; the rest a model judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from desktop_app.core.facts import Fact


class Relation(StrEnum):
    """How a new fact stands to one there is. Similarity alone is none of these."""

    SAME = "same"
    """They say the same, in other words or another language: the new one is a repeat."""
    CONTRADICTS = "contradicts"
    """Both cannot hold now: the new one takes the place of the other, if it is kept."""
    DIFFERENT = "different"
    """Both can hold."""
    UNSURE = "unsure"
    """Nobody could tell; the person decides."""


class JudgedBy(StrEnum):
    """Who said so."""

    RULE = "rule"
    """Code, where it is certain."""
    MODEL = "model"
    NOBODY = "nobody"
    """No model could be asked, or its answer was none."""


@dataclass(frozen=True, slots=True)
class Related:
    """A fact there is, and how the new one stands to it."""

    fact: Fact
    relation: Relation
    judged_by: JudgedBy
