"""`mnemoscope facts add|edit|pin|delete|undo`: one change, told in one line."""

from __future__ import annotations

from desktop_app.cli import fact_prices
from desktop_app.cli.fact_list import fact_named, told_standing
from desktop_app.cli.fact_secrets import told_masked
from desktop_app.cli.fact_told import standing_named, tell
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import write, write_json
from desktop_app.cli.session import open_session
from desktop_app.core.facts import newest_to_undo, same_key


async def add(
    run: RunOptions,
    key: str,
    value: str,
    category: str,
    *,
    pinned: bool,
    keep_secrets: bool = False,
    price: bool = False,
) -> int:
    """Keeps a fact, or gives the one of this key the value; raises BadInput. With `price` it only tells the price."""
    async with open_session(run) as session:
        if price:
            active = await session.services.memory.facts()
            known = next((fact for fact in active if same_key(fact.key) == same_key(key)), None)
            return await fact_prices.tell(session, fact_prices.keeping(known, key, value))
        change = await session.services.memory.add(key, value, category, pinned=pinned, allow_secrets=keep_secrets)
        return tell(session, change, told_masked(session, change))


async def edit(run: RunOptions, name: str, value: str, *, keep_secrets: bool = False, price: bool = False) -> int:
    """Gives a fact another value; raises NotFound, BadInput, FactChanged. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.keeping(fact, fact.key, value))
        change = await session.services.memory.edit(
            fact.id, value=value, expected=fact.revision, allow_secrets=keep_secrets
        )
        return tell(session, change, told_masked(session, change))


async def pin(run: RunOptions, name: str, pinned: bool, *, price: bool = False) -> int:
    """Pins or unpins a fact; raises NotFound. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.pinning(), "" if pinned else "fact_unpinned")
        return tell(session, await session.services.memory.pin(fact.id, pinned))


async def delete(run: RunOptions, name: str, *, price: bool = False) -> int:
    """Deletes a fact, and tells in how many messages its text still stands; raises NotFound.

    What that writes anew in the conversation used last is told before; with `price` nothing else is done.
    """
    async with open_session(run) as session:
        fact = await standing_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.deleting(fact))
        await fact_prices.warn(session, fact_prices.deleting(fact))
        change = await session.services.memory.delete(fact.id)
        standing = await session.services.memory.still_stands(fact)
        return tell(session, change, told_standing(session, standing))


async def undo(run: RunOptions, name: str | None = None) -> int:
    """Takes back the person's newest change of the profile's facts, or the newest of a fact, whoever made it; raises
    NotFound, BadInput where a key is in use now."""
    async with open_session(run) as session:
        memory = session.services.memory
        if name is None:
            change = await memory.undo()
        else:
            newest = newest_to_undo(await memory.history((await fact_named(session, name)).id))
            change = None if newest is None else await memory.undo(newest.number)
        if change is None:
            if session.as_json:
                write_json(None)
            else:
                write(session.words.say("cli.facts.nothing_to_undo") + "\n")
            return 0
        return tell(session, change)
