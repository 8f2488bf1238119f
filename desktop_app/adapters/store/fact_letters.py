"""Letters found anywhere in the active facts, for what full text does not index: insides of words, and signs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from desktop_app.adapters.store.sql import sql
from desktop_app.core.conversation import to_json

# What is kept is composed and in lower case.
_IN_WORDS = sql(
    """
    SELECT asked.value, fact.id FROM {each:asked}
    {then} {kept:fact_words} ON {instr}(kept.words, asked.value) > 0 {then} fact ON fact.number = kept.number
    WHERE fact.profile = :profile AND fact.state = 'active'
    """
)
_IN_TEXT = sql(
    """
    SELECT asked.value, fact.id FROM {each:asked}
    {then} fact ON {instr}(fact.key, asked.value) > 0 OR {instr}(fact.value, asked.value) > 0
    WHERE fact.profile = :profile AND fact.state = 'active'
    """
)


def holding(session: Session, profile: str, letters: Sequence[str]) -> dict[str, list[str]]:
    """By each of these letters or signs the ids of the active facts of a profile it stands in."""
    found: dict[str, list[str]] = {one: [] for one in letters}
    parts = [one for one in letters if one.isalnum()]
    signs = [one for one in letters if not one.isalnum()]
    for statement, asked in ((_IN_WORDS, parts), (_IN_TEXT, signs)):
        if asked:
            for one, fact_id in session.execute(statement, {"profile": profile, "asked": to_json(asked)}):
                found[one].append(fact_id)
    return found
