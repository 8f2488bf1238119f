"""Letters found anywhere in the active facts, for what full text does not index: insides of words, and signs."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.orm import Session

from desktop_app.core.conversation import to_json

# Where FTS5 keeps the words: composed and in lower case; read past it, which is ten times as quick.
_IN_WORDS = text(
    """
    SELECT asked.value, fact.id FROM json_each(:asked) AS asked
    CROSS JOIN fact_words_content AS kept CROSS JOIN fact ON fact.number = kept.id
    WHERE instr(kept.c0, asked.value) AND fact.profile = :profile AND fact.state = 'active'
    """
)
_IN_TEXT = text(
    """
    SELECT asked.value, fact.id FROM json_each(:asked) AS asked CROSS JOIN fact
    WHERE fact.profile = :profile AND fact.state = 'active'
    AND (instr(fact.key, asked.value) OR instr(fact.value, asked.value))
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
