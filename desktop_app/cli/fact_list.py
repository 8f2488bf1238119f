"""`mnemoscope facts list|show`: what is kept, as words or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.errors import BadInput, NotFound
from desktop_app.core.facts import Fact, FactState
from desktop_app.services.standing import Standing

SHORT_ID = 8
SHORTEST_ID = 4
"""Fewer letters are no beginning of an id: a short key that was mistyped must not hit another fact."""
_VALUE = 80


async def show_all(run: RunOptions, search: str = "", states: Sequence[FactState] = ()) -> int:
    """The active facts of the profile, or those in other states, or those that bear on a text."""
    async with open_session(run) as session:
        memory = session.services.memory
        found = [hit.fact for hit in await memory.search(search)] if search else await memory.facts(*states)
    if session.as_json:
        write_json([fact_json(fact) for fact in found])
    elif found:
        write(table([_row(session, fact) for fact in found], "<<<<<"))
    else:
        write(session.words.say("cli.facts.not_found" if search else "cli.facts.none") + "\n")
    return 0


async def show_one(run: RunOptions, name: str) -> int:
    """One fact with its source and where its text still stands; raises NotFound."""
    async with open_session(run) as session:
        fact = await fact_named(session, name)
        standing = await session.services.memory.still_stands(fact)
        holds = await _where_it_holds(session, fact)
    if session.as_json:
        counts = {name: getattr(standing, name) for name in ("messages", "conversations", "summaries")}
        write_json({**fact_json(fact), **counts})
        return 0
    say = session.words.say
    lines = [
        f"{one_line(fact.key)}: {fact.value}",
        say("cli.facts.state", state=say(f"memory.state.{fact.state}"), origin=say(f"memory.origin.{fact.origin}")),
        say("cli.facts.times", created=moment(fact.created_at), updated=moment(fact.updated_at), id=fact.id),
    ]
    if fact.source is not None and fact.source.quote:
        lines.append(say("cli.facts.source", quote=one_line(fact.source.quote), id=fact.source.conversation_id))
    lines += holds
    lines.append(told_standing(session, standing))
    write("\n".join(lines) + "\n")
    return 0


async def _where_it_holds(session: Session, fact: Fact) -> list[str]:
    """What narrows it, and what took its place."""
    say, lines = session.words.say, []
    if fact.scope:
        lines.append(say("cli.facts.only_in", id=fact.scope))
    if fact.expires_at is not None:
        lines.append(say("cli.facts.only_until", when=moment(fact.expires_at)))
    if fact.repeats:
        lines.append(say("cli.facts.told_again", n=fact.repeats))
    if fact.replaced_by is not None and fact.replaced_at is not None:
        other = fact.replaced_by
        with suppress(NotFound):
            other = one_line((await session.services.memory.fact(other)).key)
        lines.append(say("cli.facts.replaced", other=other, when=moment(fact.replaced_at)))
    return lines


async def fact_named(session: Session, name: str) -> Fact:
    """The fact with this key or id, or the only one whose id begins so; raises NotFound, BadInput."""
    memory = session.services.memory
    try:
        return await memory.fact(name)
    except NotFound:
        facts = await memory.facts(*FactState)
        found = [fact for fact in facts if len(name) >= SHORTEST_ID and fact.id.startswith(name)]
        if len(found) > 1:
            raise BadInput(what=name, why="ambiguous") from None
        if not found:
            raise
        return found[0]


def told_standing(session: Session, standing: Standing) -> str:
    """Where the text of a fact still stands."""
    said = session.words.say("cli.facts.standing", n=standing.messages)
    if standing.summaries:
        said += " " + session.words.say("cli.facts.standing_summaries", n=standing.summaries)
    return said


def moment(at: datetime) -> str:
    """A moment in the person's zone."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M")


def fact_json(fact: Fact) -> dict[str, Any]:
    """A fact as JSON."""
    source = fact.source
    return {
        "id": fact.id,
        "key": fact.key,
        "value": fact.value,
        "category": fact.category,
        "scope": fact.scope,
        "pinned": fact.pinned,
        "keeps_secrets": fact.keeps_secrets,
        "state": fact.state.value,
        "origin": fact.origin.value,
        "created_at": fact.created_at.isoformat(),
        "updated_at": fact.updated_at.isoformat(),
        "last_used_at": fact.last_used_at.isoformat() if fact.last_used_at else None,
        "expires_at": fact.expires_at.isoformat() if fact.expires_at else None,
        "uses": fact.uses,
        "repeats": fact.repeats,
        "replaced_by": fact.replaced_by,
        "replaced_at": fact.replaced_at.isoformat() if fact.replaced_at else None,
        "source": {"message": source.message_id, "conversation": source.conversation_id, "quote": source.quote}
        if source
        else None,
    }


def _row(session: Session, fact: Fact) -> tuple[str, ...]:
    return (
        fact.id[:SHORT_ID],
        "◆" if fact.pinned else "◇",
        one_line(fact.key, 40),
        one_line(fact.value, _VALUE),
        one_line(fact.category, 20) or session.words.say(f"memory.origin.{fact.origin}"),
    )
