"""Full text over the messages of a profile.

A message is found by its words (BM25), by phrases, and where these fail by letters anywhere in its words: the inside
of an id. How rare a word is counts over all profiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.store import message_words, messages
from desktop_app.adapters.store.backend import Phrase, backend_of
from desktop_app.adapters.store.sql import instr, sql
from desktop_app.adapters.store.tables import BLOCKS, MESSAGE_BLOCKS, MESSAGES
from desktop_app.core.archive import ArchiveFound, ArchiveHit, Asked, asked, message_text
from desktop_app.core.conversation import Block, Message, MessageState, from_json, to_json, tool_calls
from desktop_app.core.excerpt import excerpt_of, masked_excerpt
from desktop_app.core.recall.words import word_weight

_find = SecretDetector().find
_FREQUENT = 3_000
"""A word in more messages than this is not asked for while others are: it tells little and costs most of the time."""
_BESIDE = 0.4
"""What of a neighbour's score counts for a message."""
_WIDER = 10
_LEAST_SHARE = 0.15
"""Of the best score; what is worse has met a word by chance."""

_COUNT = sql("SELECT count(*) FROM (SELECT 1 FROM {holding:message_words} LIMIT :most) AS those")
_NEWEST = select(func.coalesce(func.max(MESSAGES.c.number), 0))
_MINE = """
    JOIN message ON message.number = %s JOIN conversation ON conversation.id = message.conversation_id
    WHERE conversation.profile = :profile AND conversation.deleted_at IS NULL
    AND (CAST(:conversation AS TEXT) IS NULL OR message.conversation_id = :conversation)
"""
_FOUND = _MINE % "found.number"
_BY_WORDS = sql(
    "SELECT message.number, found.score FROM {found:message_words}"
    + _FOUND
    + "ORDER BY found.score DESC, message.number DESC LIMIT :limit"
)
_STANDS = sql("SELECT 1 FROM {holding:message_words}" + _FOUND + "LIMIT 1")
# What is kept is composed and in lower case.
_BY_LETTERS = sql(
    "SELECT message.number FROM {kept:message_words}"
    + _MINE % "kept.number"
    + "AND {instr}(kept.words, :letters) > 0 ORDER BY message.number DESC"
)
_MARKS = (('"', '"'), ("“", "”"), ("‘", "’"), ("'", "'"), ("「", "」"), ("『", "』"), ("`", "`"))
_IN_BLOCKS = (
    "SELECT DISTINCT message.number FROM block JOIN message_block ON message_block.block_id = block.id"
    + _MINE % "message_block.message_number"
)
_STANDING = sql(
    "SELECT message.id, message.number, kept.turn, kept.place FROM {each:numbers} "
    "JOIN message ON message.number = CAST(asked.value AS INTEGER) "
    "JOIN {kept:message_words} ON kept.number = message.number"
)


def search(
    session: Session, profile: str, query: str, limit: int, conversation_id: str | None = None, *, masked: bool = False
) -> ArchiveFound:
    """The messages of conversations that are not deleted that answer a query best, at most `limit`; `masked` are the
    secrets in their excerpts where a model asks."""
    scope = {"profile": profile, "conversation": conversation_id}
    wanted, most = asked(query), limit * _WIDER
    found = (
        _scores(session, wanted, scope, most)
        or _shown(session, wanted.signs, scope, most)
        or _quoted(session, query, scope, most)
    )
    least = _LEAST_SHARE * max(found.values(), default=0.0)
    scores = _beside({number: score for number, score in found.items() if score >= least})
    ranked = sorted(scores, key=lambda number: (-scores[number], -number))
    return ArchiveFound(tuple(_hits(session, ranked[:limit], scores, query, masked)), message_words.left(session))


def _shown(session: Session, signs: Sequence[str], scope: Mapping[str, Any], limit: int) -> dict[int, float]:
    """Signs such as emoji are no words: the newest messages that show one, the more of them the better."""
    numbers = sorted(_in_blocks(session, signs, scope, limit)) if signs else []
    texts = [
        message_text(message.blocks) if message.state is not MessageState.STREAMING else ""
        for message in messages.numbered(session, numbers)
    ]
    counts = {number: sum(sign in text for sign in signs) for number, text in zip(numbers, texts, strict=True)}
    return {number: float(count) for number, count in counts.items() if count}


def _quoted(session: Session, query: str, scope: Mapping[str, Any], limit: int) -> dict[int, float]:
    """What is asked with stop words alone is told from the rest by its quotation marks: the newest messages in which it
    stands between some."""
    said = " ".join(query.split())
    return dict.fromkeys(_in_blocks(session, [f"{mark}{said}{end}" for mark, end in _MARKS], scope, limit), 1.0)


def _in_blocks(session: Session, texts: Sequence[str], scope: Mapping[str, Any], limit: int) -> list[int]:
    """The newest messages in whose blocks one of these texts stands as it is."""
    forms = [to_json(text)[1:-1] for text in texts]
    stands = " OR ".join(f"{{instr}}(block.body, :form{place}) > 0" for place in range(len(forms)))
    rows = session.execute(
        sql(_IN_BLOCKS + f"AND ({stands}) ORDER BY message.number DESC LIMIT :limit"),
        {**scope, "limit": limit, **{f"form{place}": form for place, form in enumerate(forms)}},
    )
    return list(rows.scalars())


def _beside(scores: Mapping[int, float]) -> dict[int, float]:
    """A message tells more when the one before or behind it answers, too: question and answer share their words.

    Messages of a conversation follow each other by number, but for those written while others were, too.
    """
    return {
        number: score + _BESIDE * max(scores.get(number - 1, 0.0), scores.get(number + 1, 0.0))
        for number, score in scores.items()
    }


def tool_results(session: Session, conversation_id: str, tool_use_id: str) -> list[tuple[str, Block]]:
    """The `tool_result` blocks for a call, oldest first, each with the id of its message: some servers give an id
    again."""
    written = f'"tool_use_id":{to_json(tool_use_id)}'
    rows = session.execute(
        select(MESSAGES.c.id, BLOCKS.c.body)
        .join(MESSAGE_BLOCKS, MESSAGE_BLOCKS.c.message_number == MESSAGES.c.number)
        .join(BLOCKS, BLOCKS.c.id == MESSAGE_BLOCKS.c.block_id)
        .where(MESSAGES.c.conversation_id == conversation_id, instr(BLOCKS.c.body, written) > 0)
        .order_by(MESSAGES.c.number, MESSAGE_BLOCKS.c.position)
    )
    found = [(message_id, from_json(body)) for message_id, body in rows]
    return [one for one in found if one[1].get("type") == "tool_result" and one[1].get("tool_use_id") == tool_use_id]


def _scores(session: Session, wanted: Asked, scope: Mapping[str, Any], limit: int) -> dict[int, float]:
    """By number of a message how well it answers."""
    standing = [phrase for phrase in wanted.phrases if _stands(session, phrase, scope)]
    scores = _by_words(session, _expression(session, wanted.words, standing), scope, limit)
    inside = [*map(" ".join, wanted.phrases), *wanted.letters] if not standing else []
    for letters in inside:
        _add_letters(scores, session, letters, scope, limit)
    everything = " ".join(wanted.parts)
    if not scores and everything not in inside:
        _add_letters(scores, session, everything, scope, limit)
    if not scores and wanted.phrases:
        scores = _by_words(session, _expression(session, wanted.parts, []), scope, limit)
    if len(wanted.parts) > 1:
        # Where all of it stands as it was asked, frequent words too, comes before what only shares some of it.
        most = max(scores.values(), default=0.0)
        for number, score in _by_words(session, backend_of(session).asked([wanted.parts]), scope, limit).items():
            scores[number] = max(scores.get(number, 0.0), score) + most
    return scores


def _expression(session: Session, words: Sequence[str], phrases: Sequence[Phrase]) -> str:
    """What is asked for: any of the telling words and phrases; where all words are frequent, all of them at once.
    Empty where there is nothing to ask."""
    asked_for = backend_of(session).asked
    counts = {word: _count(session, asked_for([[word]]), _FREQUENT) for word in words}
    rare = [[word] for word in words if 0 < counts[word] < _FREQUENT]
    if rare or phrases:
        return asked_for([*phrases, *rare])
    frequent = [[word] for word in words if counts[word]]
    together = asked_for(frequent, together=True) if frequent else ""
    return together if len(frequent) < 2 or _count(session, together, 1) else asked_for(frequent)


def _stands(session: Session, phrase: Phrase, scope: Mapping[str, Any]) -> bool:
    return session.execute(_STANDS, {**scope, "asked": backend_of(session).asked([phrase])}).first() is not None


def _by_words(session: Session, expression: str, scope: Mapping[str, Any], limit: int) -> dict[int, float]:
    if not expression:
        return {}
    rows = session.execute(_BY_WORDS, {**scope, "asked": expression, "limit": limit})
    return {row.number: row.score for row in rows}


def _add_letters(
    scores: dict[int, float], session: Session, letters: str, scope: Mapping[str, Any], limit: int
) -> None:
    """Adds the newest messages in whose words these letters stand, as if they were one word."""
    if not letters:
        return
    numbers = list(session.execute(_BY_LETTERS, {**scope, "letters": letters}).scalars())
    weight = word_weight(int(session.execute(_NEWEST).scalar_one()), len(numbers))
    for number in numbers[:limit]:
        scores[number] = scores.get(number, 0.0) + weight


def _count(session: Session, expression: str, most: int) -> int:
    return int(session.execute(_COUNT, {"asked": expression, "most": most}).scalar_one())


def _hits(
    session: Session, numbers: Sequence[int], scores: Mapping[int, float], query: str, masked: bool
) -> list[ArchiveHit]:
    rows = {row.id: row for row in session.execute(_STANDING, {"numbers": to_json(list(numbers))})}
    hits = {}
    for message in messages.numbered(session, numbers):
        row = rows[message.id]
        hits[row.number] = _hit(session, message, row, scores[row.number], query, masked)
    return [hits[number] for number in numbers if number in hits]


def _hit(session: Session, message: Message, row: Row[Any], score: float, query: str, masked: bool) -> ArchiveHit:
    """The excerpt is of the block in which most of the query stands."""
    shown = [(excerpt_of(message_text([block]), query), block) for block in message.blocks]
    excerpt, block = max(shown, key=lambda one: one[0].worth, default=(excerpt_of("", query), {}))
    tool, tool_use_id = _tool(session, message, block)
    return ArchiveHit(
        conversation_id=message.conversation_id,
        message_id=message.id,
        number=row.place,
        turn=row.turn,
        role=message.role,
        excerpt=masked_excerpt(message_text([block]), query, _find) if masked else excerpt.text,
        found=(0, 0) if masked else (excerpt.start, excerpt.end),
        score=score,
        created_at=message.created_at,
        tool=tool,
        tool_use_id=tool_use_id,
    )


def _tool(session: Session, message: Message, block: Block) -> tuple[str | None, str | None]:
    """The name of the tool a call or result belongs to, and the id of the call."""
    if block.get("type") in ("tool_use", "server_tool_use"):
        return str(block.get("name")), str(block.get("id"))
    if block.get("type") != "tool_result":
        return None, None
    asked_for = str(block.get("tool_use_id"))
    calls = tool_calls(messages.one(session, message.parent_id).blocks) if message.parent_id else []
    names = [str(call.get("name")) for call in calls if call.get("id") == asked_for]
    return (names[0] if names else None), asked_for
