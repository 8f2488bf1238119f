"""`mnemoscope facts add|edit|pin|delete|undo|accept|deny`: one change, told in one line."""

from __future__ import annotations

from desktop_app.cli import fact_prices
from desktop_app.cli.fact_list import SHORTEST_ID, change_json, fact_json, fact_named, told_standing
from desktop_app.cli.fact_secrets import told_masked
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.errors import FactNotFound
from desktop_app.core.facts import FactAction, FactChange, FactState, same_key

_VALUE = 200


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
        return _tell(session, change, told_masked(session, change))


async def edit(run: RunOptions, name: str, value: str, *, keep_secrets: bool = False, price: bool = False) -> int:
    """Gives a fact another value; raises NotFound, BadInput. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await fact_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.keeping(fact, fact.key, value))
        change = await session.services.memory.edit(fact.id, value=value, allow_secrets=keep_secrets)
        return _tell(session, change, told_masked(session, change))


async def pin(run: RunOptions, name: str, pinned: bool, *, price: bool = False) -> int:
    """Pins or unpins a fact; raises NotFound. With `price` it only tells the price."""
    async with open_session(run) as session:
        fact = await fact_named(session, name)
        if price:
            return await fact_prices.tell(session, fact_prices.pinning(), "" if pinned else "fact_unpinned")
        return _tell(session, await session.services.memory.pin(fact.id, pinned))


async def delete(run: RunOptions, name: str, *, price: bool = False) -> int:
    """Deletes a fact, and tells in how many messages its text still stands; raises NotFound.

    What that writes anew in the conversation used last is told before; with `price` nothing else is done.
    """
    async with open_session(run) as session:
        fact = await fact_named(session, name)
        if fact.state is FactState.DELETED:
            raise FactNotFound(name=name)
        if price:
            return await fact_prices.tell(session, fact_prices.deleting(fact))
        await fact_prices.warn(session, fact_prices.deleting(fact))
        change = await session.services.memory.delete(fact.id)
        standing = await session.services.memory.still_stands(fact)
        return _tell(session, change, told_standing(session, standing))


async def restore(run: RunOptions, name: str) -> int:
    """Brings a deleted fact back; raises FactNotFound, BadInput where another has its key now."""
    async with open_session(run) as session:
        memory = session.services.memory
        deleted = await memory.facts(FactState.DELETED)
        found = [fact for fact in deleted if same_key(fact.key) == same_key(name) or _names(name, fact.id)]
        if not found:
            raise FactNotFound(name=name)
        changes = [one for one in await memory.history(found[0].id) if one.after.state is FactState.DELETED]
        change = await memory.undo(changes[-1].number)
        if change is None:
            raise FactNotFound(name=name)
        return _tell(session, change)


async def undo(run: RunOptions) -> int:
    """Takes back the newest change of the profile's facts."""
    async with open_session(run) as session:
        change = await session.services.memory.undo()
        if change is None:
            if session.as_json:
                write_json(None)
            else:
                write(session.words.say("cli.facts.nothing_to_undo") + "\n")
            return 0
        return _tell(session, change)


async def accept(run: RunOptions, name: str, value: str | None) -> int:
    """Keeps a proposed fact; raises NotFound, BadInput."""
    async with open_session(run) as session:
        fact_id = await _pending(session, name)
        change = await session.services.memory.accept(fact_id, value)
        return _tell(session, change, told_masked(session, change))


async def deny(run: RunOptions, name: str) -> int:
    """Refuses a proposed fact; raises NotFound."""
    async with open_session(run) as session:
        fact_id = await _pending(session, name)
        return _tell(session, await session.services.memory.deny(fact_id), word="denied")


async def _pending(session: Session, name: str) -> str:
    """The proposal with this key or id: there may be an active fact of the same key."""
    for fact in await session.services.memory.facts(FactState.PENDING):
        if same_key(fact.key) == same_key(name) or _names(name, fact.id):
            return fact.id
    raise FactNotFound(name=name)


def _names(given: str, fact_id: str) -> bool:
    """Whether a text is the beginning of an id, and long enough to be meant as one."""
    return len(given) >= SHORTEST_ID and fact_id.startswith(given)


def _tell(session: Session, change: FactChange, more: str = "", word: str = "") -> int:
    if session.as_json:
        write_json({**change_json(change), "fact": fact_json(change.after)})
        return 0
    word = word or change.action.value
    if change.action is FactAction.UNDONE:
        state = change.after.state
        word = {FactState.DELETED: "undone_deleted", FactState.PENDING: "undone_pending"}.get(state, "undone_kept")
    said = session.words.say(
        f"cli.facts.{word}",
        key=one_line(change.after.key),
        value=one_line(change.after.value, _VALUE),
        command=session.command("facts", "restore", change.fact_id[:8]),
    )
    write(f"{said} {more}".rstrip() + "\n")
    return 0
