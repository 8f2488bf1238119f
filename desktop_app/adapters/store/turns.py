"""What was said, as it is recalled: messages cut into passages, found by words, told with their neighbours.

Said is the text of the person's messages and of replies; results of tools, thinking and the app's own words are not.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import blocks, passages, recollections, used_paths, withholding
from desktop_app.adapters.store.backend import backend_of
from desktop_app.adapters.store.passage_tables import DOCUMENTS, MESSAGES_UNCUT, PASSAGES
from desktop_app.adapters.store.reciting import told_beside
from desktop_app.adapters.store.spoken import spoken
from desktop_app.adapters.store.sql import sql
from desktop_app.adapters.store.tables import CONVERSATIONS, MESSAGES
from desktop_app.adapters.store.threads import StoreThreads
from desktop_app.core.conversation import Message, MessageState, Origin, Role, to_json
from desktop_app.core.fact_notes import PassageNote, names_conversation
from desktop_app.core.passages import PassageKind, passages_of
from desktop_app.core.recall.recollection import Recollection
from desktop_app.core.recall.said import Said, SaidPassage
from desktop_app.core.recall.values import WordMatches
from desktop_app.core.reciting import Recited
from desktop_app.core.repeating import quotes
from desktop_app.core.scripts import holds_hangul
from desktop_app.core.vectors import Unembedded

_FREQUENT = 3_000
"""A word in more messages than this is not asked for while others are: it tells little and costs most of the time."""
_AROUND = 2
_MOST_KNOWN = 20_000

_FIRST = f"passage.profile = :profile AND passage.kind = 'turn' AND {passages.LEADING} AND {passages.FINDABLE}"
_TOTAL = sql(
    "SELECT count(*) FROM passage WHERE passage.profile = :profile AND passage.kind = 'turn' "
    f"AND {passages.LEADING} AND {passages.RECALLED}"
)
_HOLDING = sql(
    "SELECT count(*) FROM (SELECT 1 FROM {holding:message_words} "
    f"JOIN passage ON passage.message_number = found.number WHERE {_FIRST} LIMIT :most) AS those"
)
_SCORES = sql(
    "SELECT message.id, found.score FROM {found:message_words} "
    "JOIN passage ON passage.message_number = found.number JOIN message ON message.number = found.number "
    f"WHERE {_FIRST} AND message.id NOT IN (SELECT asked.value FROM {{each:messages}}) "
    "ORDER BY found.score DESC, message.number DESC LIMIT :most"
)
_LETTERS = sql(
    "SELECT message.id FROM {starting:message_words} "
    "JOIN passage ON passage.message_number = found.number JOIN message ON message.number = found.number "
    f"WHERE {_FIRST} AND message.id NOT IN (SELECT asked.value FROM {{each:messages}}) "
    "ORDER BY message.number DESC LIMIT :most"
)
_WANTED = sql(
    """
    SELECT message.id, message.conversation_id FROM {each:messages} {then} message ON message.id = asked.value
    UNION
    SELECT message.id, message.conversation_id FROM {each:passages}
    {then} passage ON passage.number = CAST(asked.value AS INTEGER)
    {then} message ON message.number = passage.message_number
    """
)
_CUTS = sql(
    f"""
    SELECT passage.message_number, passage.number, passage.start, passage."end" FROM {{each:numbers}}
    {{then}} passage ON passage.message_number = CAST(asked.value AS INTEGER)
    WHERE {passages.RECALLED} ORDER BY passage.number
    """
)
_PASSAGES_OF = sql(
    f"""
    SELECT passage.number, message.id FROM {{each:messages}} {{then}} message ON message.id = asked.value
    {{then}} passage ON passage.message_number = message.number
    WHERE passage.profile = :profile AND {passages.RECALLED}
    """
)
_ANYTHING = sql(
    """
    SELECT 1 FROM message JOIN conversation ON conversation.id = message.conversation_id
    WHERE conversation.profile = :profile AND conversation.deleted_at IS NULL AND message.origin IN ('typed', 'reply')
    AND message.id NOT IN (SELECT asked.value FROM {each:messages}) LIMIT 1
    """
)
_PLACES = sql(
    f"""
    SELECT message.number, message.id, message.conversation_id FROM passage
    JOIN message ON message.number = passage.message_number
    WHERE {_FIRST} AND message.conversation_id IN (SELECT asked.value FROM {{each:conversations}})
    ORDER BY message.number
    """
)


class SaidStore:
    """Fulfils `core.ports.SaidStore`; works on the threads of the store."""

    def __init__(self, threads: StoreThreads) -> None:
        self._threads = threads
        self._known = KnownMessages()

    async def matches(
        self, profile: str, words: Sequence[str], most: int, without: Collection[str] = ()
    ) -> WordMatches:
        """BM25 of the messages that hold any of these words, the best `most` of those that are not `without`."""
        return await self._threads.read(lambda session: matches(session, profile, words, most, without))

    async def holding(
        self, profile: str, letters: Sequence[str], without: Collection[str] = ()
    ) -> dict[str, list[str]]:
        """By each of these letters the ids of messages in which a word begins with it, or goes on after it."""
        return await self._threads.read(lambda session: holding(session, profile, letters, without))

    async def told(
        self, profile: str, message_ids: Sequence[str], passage_ids: Sequence[str], *, in_use: bool = False
    ) -> list[Said]:
        """These messages and those the passages are of, with their neighbours; `in_use`: none that was edited away."""
        return await self._threads.read(
            lambda session: told(session, profile, message_ids, passage_ids, self._known, in_use=in_use)
        )

    async def passage_ids(self, profile: str, message_ids: Collection[str]) -> dict[str, str]:
        """The passages of these messages that can be found, each with its message."""
        values = {"profile": profile, "messages": to_json(sorted(message_ids))}
        return await self._threads.read(
            lambda session: {str(row.number): row.id for row in session.execute(_PASSAGES_OF, values)}
        )

    async def anything(self, profile: str, without: Collection[str]) -> bool:
        """Whether anything was said besides these messages."""
        return await self._threads.read(lambda session: anything(session, profile, without))

    async def standing(self, profile: str, told: Collection[PassageNote]) -> set[str]:
        """Ids of those of these passages that may still be told."""
        return await self._threads.read(lambda session: standing(session, profile, told))

    async def recollection(self, profile: str, message_id: str) -> Recollection | None:
        """What was recalled for a message."""
        return await self._threads.read(lambda session: recollections.of(session, profile, message_id))


def cut(session: Session, limit: int, profile: str | None) -> int:
    """Cuts the oldest messages that were not yet cut into passages, at most `limit`; how many of them there were."""
    waiting = (
        select(MESSAGES_UNCUT.c.message_number, CONVERSATIONS.c.profile)
        .join(MESSAGES, MESSAGES.c.number == MESSAGES_UNCUT.c.message_number)
        .join(CONVERSATIONS, CONVERSATIONS.c.id == MESSAGES.c.conversation_id)
        .where(MESSAGES.c.state != MessageState.STREAMING.value)
        .order_by(MESSAGES_UNCUT.c.message_number)
        .limit(limit)
    )
    if profile is not None:
        waiting = waiting.where(CONVERSATIONS.c.profile == profile)
    profiles = {row.message_number: row.profile for row in session.execute(waiting)}
    numbers = list(profiles)
    passages.drop(session, numbers)
    said = dict(spoken(session, numbers))
    rows = [row for number, one in said.items() for row in _passages(session, number, one, profiles[number])]
    if rows:
        session.execute(insert(PASSAGES), rows)
    for name in sorted({profiles[number] for number in said}):
        withholding.withhold_cut(
            session, name, {number: one for number, one in said.items() if profiles[number] == name}
        )
    for some in blocks.chunks(numbers):
        session.execute(delete(MESSAGES_UNCUT).where(MESSAGES_UNCUT.c.message_number.in_(some)))
    return len(numbers)


def lacking(session: Session, embedder: str, limit: int, profile: str | None, tried_since: str) -> list[Unembedded]:
    """Passages of messages and documents that can be found and have no vector of this embedder, oldest first."""
    rows = passages.lacking(session, embedder, limit, profile, tried_since) if limit > 0 else []
    said = dict(spoken(session, [row.message_number for row in rows if row.message_number is not None]))
    texts = {number: message.text for number, message in said.items()}
    found = []
    for row in rows:
        own = row.said if row.message_number is None else texts[row.message_number][row.start : row.end]
        found.append(Unembedded(str(row.number), 0, own, PassageKind(row.kind)))
    return found


def matches(session: Session, profile: str, words: Sequence[str], most: int, without: Collection[str]) -> WordMatches:
    """BM25 of the messages of a profile that hold any of these words, the best `most` of those that are not `without`;
    by message id.

    How rare a word is counts over all profiles, how many messages hold it only in this one (up to a bound).
    """
    frequency = {word: _holding(session, profile, word) for word in words}
    held = [word for word in words if frequency[word]]
    telling = [word for word in held if frequency[word] < _FREQUENT] or held
    total = int(session.execute(_TOTAL, {"profile": profile}).scalar_one())
    if not telling:
        return WordMatches(total, frequency, {})
    asked = backend_of(session).asked([[word] for word in telling])
    values = {"profile": profile, "asked": asked, "most": most, "messages": to_json(sorted(without))}
    return WordMatches(total, frequency, {row.id: row.score for row in session.execute(_SCORES, values)})


def holding(session: Session, profile: str, letters: Sequence[str], without: Collection[str]) -> dict[str, list[str]]:
    """By each letter of a script of pairs the ids of messages of a profile that hold a pair it begins, or nothing but
    it; none for one that too many hold: it tells little."""
    values = {"profile": profile, "most": _FREQUENT, "messages": to_json(sorted(without))}
    found = {one: list(session.scalars(_LETTERS, {**values, "letters": one})) for one in letters}
    return {one: ids if len(ids) < _FREQUENT else [] for one, ids in found.items()}


def told(
    session: Session,
    profile: str,
    message_ids: Sequence[str],
    passage_ids: Sequence[str],
    known: KnownMessages,
    *,
    in_use: bool,
) -> list[Said]:
    """These messages and those the passages are of, with up to two before and behind each in its conversation;
    `in_use`: only what stands on the path in use there, which what was edited away does not."""
    asked = {"messages": to_json(list(message_ids)), "passages": to_json([int(one) for one in passage_ids])}
    wanted = {row.id: row.conversation_id for row in session.execute(_WANTED, asked)}
    places = _places(session, profile, set(wanted.values()))
    if in_use:
        standing = used_paths.of_branched(session, places)
        places = {
            one: [row for row in rows if one not in standing or row.id in standing[one]] for one, rows in places.items()
        }
    chosen: dict[int, tuple[str, int]] = {}
    for rows in places.values():
        hit = [place for place, row in enumerate(rows) if row.id in wanted]
        for place in {near for at in hit for near in range(at - _AROUND, at + _AROUND + 1) if 0 <= near < len(rows)}:
            chosen[rows[place].number] = (rows[place].conversation_id, place)
    cuts = _cuts(session, list(chosen))
    titles = _titles(session, {conversation for conversation, _ in chosen.values()})
    found = known.get(session, list(chosen))
    return [
        Said(
            message_id=message.id,
            conversation_id=message.conversation_id,
            place=chosen[number][1],
            role=message.role,
            text=message.text,
            when=message.created_at,
            passages=tuple(cuts[number]),
            title=titles[message.conversation_id],
        )
        for number, message in found.items()
    ]


class KnownMessages:
    """The last messages that were told: they never change, and reading them takes most of a search."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, KnownMessage] = OrderedDict()

    def get(self, session: Session, numbers: Sequence[int]) -> dict[int, KnownMessage]:
        """Those of these messages in which somebody speaks, by number."""
        missing = [number for number in numbers if number not in self._known]
        for number, message in spoken(session, missing):
            whole = KnownMessage(message.id, message.conversation_id, message.role, message.text, message.created_at)
            self._known[number] = whole
        found = {number: self._known[number] for number in numbers if number in self._known}
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return found


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """What of a message is needed again and again."""

    id: str
    conversation_id: str
    role: Role
    text: str
    created_at: datetime | None


def anything(session: Session, profile: str, without: Collection[str]) -> bool:
    """Whether anything was said in a profile besides these messages."""
    values = {"profile": profile, "messages": to_json(sorted(without))}
    return session.execute(_ANYTHING, values).first() is not None


def standing(session: Session, profile: str, told: Collection[PassageNote]) -> set[str]:
    """Ids of those of these passages whose message or document was not deleted, and that are not withheld, nor named
    by a title that is."""
    sources: set[str] = set()
    talks: dict[str, str] = {}
    for some in blocks.chunks(sorted({one.source_id for one in told})):
        said = select(MESSAGES.c.id, MESSAGES.c.conversation_id).join(
            CONVERSATIONS, CONVERSATIONS.c.id == MESSAGES.c.conversation_id
        )
        mine = (CONVERSATIONS.c.profile == profile) & CONVERSATIONS.c.deleted_at.is_(None)
        talks |= {row.id: row.conversation_id for row in session.execute(said.where(mine, MESSAGES.c.id.in_(some)))}
        kept = (DOCUMENTS.c.profile == profile) & DOCUMENTS.c.deleted_at.is_(None)
        sources |= set(session.execute(select(DOCUMENTS.c.id).where(kept, DOCUMENTS.c.id.in_(some))).scalars())
    untitled = withholding.untitled(session, talks.values())
    named = {one.passage_id for one in told if talks.get(one.source_id) in untitled and names_conversation(one.line)}
    stand = {one.passage_id for one in told if one.source_id in sources or one.source_id in talks}
    return stand - named - withholding.withheld(session, stand)


def _passages(session: Session, number: int, said: Message, profile: str) -> list[dict[str, Any]]:
    text_of_all = said.text
    asked, lines = told_beside(session, said) if said.origin is Origin.REPLY else ("", [])
    beside = Recited(lines)
    rows = []
    for one in passages_of(text_of_all):
        own = text_of_all[one.start : one.end]
        rows.append(
            {
                "profile": profile,
                "kind": PassageKind.TURN.value,
                "message_number": number,
                "part": one.part,
                "start": one.start,
                "end": one.end,
                "hangul": holds_hangul(own),
                "echo": beside.holds(own) or (asked != "" and quotes(own, asked)),
            }
        )
    return rows


def _holding(session: Session, profile: str, word: str) -> int:
    values = {"profile": profile, "asked": backend_of(session).asked([[word]]), "most": _FREQUENT}
    return int(session.execute(_HOLDING, values).scalar_one())


def _places(session: Session, profile: str, conversation_ids: Collection[str]) -> Mapping[str, list[Row[Any]]]:
    """The messages of these conversations that can be found, in their order."""
    places: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in session.execute(_PLACES, {"profile": profile, "conversations": to_json(sorted(conversation_ids))}):
        places[row.conversation_id].append(row)
    return places


def _cuts(session: Session, numbers: Sequence[int]) -> Mapping[int, list[SaidPassage]]:
    found: dict[int, list[SaidPassage]] = defaultdict(list)
    for row in session.execute(_CUTS, {"numbers": to_json(list(numbers))}):
        found[row.message_number].append(SaidPassage(str(row.number), row.start, row.end))
    return found


def _titles(session: Session, conversation_ids: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for some in blocks.chunks(sorted(conversation_ids)):
        rows = session.execute(select(CONVERSATIONS.c.id, CONVERSATIONS.c.title).where(CONVERSATIONS.c.id.in_(some)))
        found |= {row.id: row.title for row in rows}
    return found | dict.fromkeys(withholding.untitled(session, conversation_ids), "")
