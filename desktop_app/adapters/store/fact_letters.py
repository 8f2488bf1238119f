"""Letters found anywhere in the active facts, for what full text does not index: inside of words, and signs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.core.conversation import to_json

# The words are kept composed and in lower case, the text beside them as it was written.
_HOLDING = text(
    """
    SELECT asked.key AS place, fact.id AS fact_id
    FROM fact JOIN fact_words ON fact_words.rowid = fact.number CROSS JOIN json_each(:asked) AS asked
    WHERE fact.profile = :profile AND fact.state = 'active'
    AND instr(fact_words.words || char(10) || fact.key || char(10) || fact.value, asked.value)
    """
)


def holding(session: Session, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
    """By each of these letters the ids of the active facts of a profile they stand in."""
    found: dict[str, list[str]] = {one: [] for one in letters}
    for row in session.execute(_HOLDING, {"profile": profile, "asked": to_json(list(letters))}):
        found[letters[row.place]].append(row.fact_id)
    return found
