"""`mnemoscope facts pause|resume|archive|restore|expire|scope|supersede|merge`: where a fact stands and holds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta

from desktop_app.cli import fact_prices
from desktop_app.cli.fact_list import fact_named, moment
from desktop_app.cli.fact_told import find_in, naming_even_pinned, standing_named, tell
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line
from desktop_app.cli.session import open_session
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import GONE, FactState

_TITLE = 60


async def pause(run: RunOptions, name: str, *, price: bool = False) -> int:
    """Tells a fact to nobody until it is resumed; raises NotFound, BadInput. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.deleting(fact), "fact_paused")
        await fact_prices.warn(session, fact_prices.deleting(fact), "fact_paused")
        return tell(session, await session.services.memory.pause(fact.id))


async def resume(run: RunOptions, name: str) -> int:
    """Uses a paused fact again; raises NotFound, BadInput."""
    async with open_session(run) as session:
        fact = await find_in(session, name, FactState.PAUSED) or await fact_named(session, name)
        return tell(session, await session.services.memory.resume(fact.id))


async def archive(run: RunOptions, name: str, *, price: bool = False) -> int:
    """Puts a fact away; raises NotFound, BadInput. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.deleting(fact), "fact_archived")
        await fact_prices.warn(session, fact_prices.deleting(fact), "fact_archived")
        return tell(session, await session.services.memory.archive(fact.id))


async def restore(run: RunOptions, name: str, key: str | None = None) -> int:
    """Brings an archived, replaced or deleted fact back, under another key if given; raises NotFound, BadInput where
    another has the key now."""
    away = (FactState.ARCHIVED, FactState.SUPERSEDED, *GONE)
    async with open_session(run) as session:
        fact = await find_in(session, name, *away) or await fact_named(session, name)
        try:
            change = await session.services.memory.restore(fact.id, key)
        except BadInput as error:
            if error.params.get("why") == "fact_key_taken":
                raise BadInput(what=fact.key if key is None else key, why="fact_key_taken_back") from None
            raise
        return tell(session, change)


async def expire(run: RunOptions, name: str, until: str | None) -> int:
    """Lets a fact hold through a day or until a moment, or for good (None); raises NotFound, BadInput."""
    at = None if until is None else _end_of(until)
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        change = await session.services.memory.expire(fact.id, at)
        word = "holds_for_good" if at is None else "holds_until"
        return tell(session, change, word=word, when="" if at is None else moment(at))


async def scope(run: RunOptions, name: str, conversation_id: str | None) -> int:
    """Lets a fact hold in one conversation only, or everywhere (None); raises NotFound, BadInput."""
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        conversation = None if conversation_id is None else await session.conversation(conversation_id)
        change = await session.services.memory.narrow(fact.id, conversation.id if conversation else "")
        word, title = ("holds_in", conversation.title) if conversation else ("holds_everywhere", "")
        return tell(session, change, word=word, title=one_line(title, _TITLE))


async def supersede(run: RunOptions, old: str, new: str, *, even_pinned: bool) -> int:
    """Lets one fact take the place of another; raises NotFound, BadInput."""
    async with open_session(run) as session:
        gone, taker = await fact_named(session, old), await fact_named(session, new)
        with naming_even_pinned():
            change = await session.services.memory.supersede(gone.id, taker.id, even_pinned=even_pinned)
        return tell(session, change, other=one_line(taker.key))


async def merge(run: RunOptions, kept: str, gone: Sequence[str], value: str | None, *, even_pinned: bool) -> int:
    """Makes one fact of several; raises NotFound, BadInput."""
    async with open_session(run) as session:
        taker = await fact_named(session, kept)
        others = [(await fact_named(session, name)).id for name in gone]
        with naming_even_pinned():
            change = await session.services.memory.merge(taker.id, others, value, even_pinned=even_pinned)
        return tell(session, change)


def _end_of(text: str) -> datetime:
    """The end of a day, or a moment, in the person's zone; raises BadInput."""
    try:
        with suppress(ValueError):
            day = date.fromisoformat(text)
            return datetime.combine(day + timedelta(days=1), time()).astimezone()
        with suppress(ValueError):
            return datetime.fromisoformat(text).astimezone()
    except OverflowError:  # the calendar ends in 9999
        raise BadInput(what=text, why="fact_expiry_far") from None
    raise BadInput(what=text, why="fact_until")
