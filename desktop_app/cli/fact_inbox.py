"""`mnemoscope facts pending|approve|deny`: what waits for the person, with what it would stand beside or replace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from desktop_app.cli.fact_list import SHORT_ID, fact_json, fact_named, moment
from desktop_app.cli.fact_secrets import told_masked
from desktop_app.cli.fact_told import naming_even_pinned, pending_named, tell
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.fact_relations import Related
from desktop_app.services.memory import Waiting

_VALUE = 200


async def pending(run: RunOptions) -> int:
    """The facts that wait, the oldest first, each with what it was taken from and how it stands to others."""
    async with open_session(run) as session:
        waiting = await session.services.memory.pending()
        if session.as_json:
            write_json([_as_json(one) for one in waiting])
        elif waiting:
            write("\n".join(_lines(session, one) for one in waiting) + "\n")
        else:
            write(session.words.say("cli.facts.none_waiting") + "\n")
    return 0


async def approve(
    run: RunOptions,
    name: str,
    value: str | None = None,
    *,
    replacing: Sequence[str] = (),
    key: str | None = None,
    even_pinned: bool = False,
    keep_secrets: bool = False,
) -> int:
    """Keeps a proposed fact, in place of others or under another key; raises NotFound, BadInput."""
    async with open_session(run) as session:
        memory = session.services.memory
        fact_id = await pending_named(session, name)
        if key is not None:
            change = await memory.keep_both(fact_id, key, value, allow_secrets=keep_secrets)
        else:
            others = [(await fact_named(session, other)).id for other in replacing]
            with naming_even_pinned():
                change = await memory.accept(
                    fact_id, value, replacing=others, even_pinned=even_pinned, allow_secrets=keep_secrets
                )
        return tell(session, change, told_masked(session, change, proposed=value is None))


async def deny(run: RunOptions, name: str) -> int:
    """Refuses a proposed fact; raises NotFound, FactChanged."""
    async with open_session(run) as session:
        fact_id = await pending_named(session, name)
        return tell(session, await session.services.memory.deny(fact_id))


def _lines(session: Session, waiting: Waiting) -> str:
    say, fact = session.words.say, waiting.fact
    lines = [
        f"{fact.id[:SHORT_ID]}  {one_line(fact.key)}: {one_line(fact.value, _VALUE)}",
        say("cli.facts.waits", who=say(f"memory.origin.{fact.origin}"), when=moment(fact.created_at)),
    ]
    if fact.source is not None and fact.source.quote:
        lines.append(say("cli.facts.source", quote=one_line(fact.source.quote, _VALUE), id=fact.source.conversation_id))
    lines += [_relation(session, related) for related in waiting.relations]
    return "\n    ".join(lines)


def _relation(session: Session, related: Related) -> str:
    fact, say = related.fact, session.words.say
    said = say(
        f"cli.facts.relation_{related.relation}",
        key=one_line(fact.key),
        value=one_line(fact.value, _VALUE),
        id=fact.id[:SHORT_ID],
    )
    return f"{said} ({say(f'cli.facts.judged_{related.judged_by}')})"


def _as_json(waiting: Waiting) -> dict[str, Any]:
    relations = [
        {"fact": fact_json(one.fact), "relation": one.relation.value, "judged_by": one.judged_by.value}
        for one in waiting.relations
    ]
    return {**fact_json(waiting.fact), "relations": relations}
