"""Which messages of conversations stand on the path in use: what was edited away does not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from sqlalchemy.orm import Session

from desktop_app.adapters.store.sql import sql
from desktop_app.core.conversation import to_json

# A conversation without branches is as long as its path; most are, and need no walk.
_BRANCHED = sql(
    """
    SELECT conversation.id FROM {each:conversations} {then} conversation ON conversation.id = asked.value
    LEFT JOIN message ON message.id = conversation.head_id
    LEFT JOIN {kept:message_words} ON kept.number = message.number
    WHERE kept.place IS NULL
    OR kept.place <> (SELECT count(*) FROM message AS each_one WHERE each_one.conversation_id = conversation.id)
    """
)
_PATHS = sql(
    """
    WITH RECURSIVE up(conversation_id, id) AS (
        SELECT conversation.id, conversation.head_id
        FROM {each:conversations} {then} conversation ON conversation.id = asked.value
        UNION ALL
        SELECT up.conversation_id, message.parent_id
        FROM up JOIN message ON message.id = up.id WHERE message.parent_id IS NOT NULL
    )
    SELECT up.conversation_id, up.id FROM up
    """
)


def of_branched(session: Session, conversation_ids: Collection[str]) -> Mapping[str, Collection[str]]:
    """By conversation the ids of the messages on its path, of those among these that have others beside it."""
    branched = list(session.scalars(_BRANCHED, {"conversations": to_json(sorted(conversation_ids))}))
    found: dict[str, set[str]] = defaultdict(set)
    if branched:
        for row in session.execute(_PATHS, {"conversations": to_json(branched)}):
            found[row.conversation_id].add(row.id)
    return found
