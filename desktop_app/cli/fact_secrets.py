"""Secrets in facts as the commands tell of them: what was masked, and `mnemoscope facts suspected`."""

from __future__ import annotations

from desktop_app.cli.fact_list import SHORT_ID, fact_json, fact_named
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.facts import FactChange

_VALUE = 80


def told_masked(session: Session, change: FactChange, *, proposed: bool = False) -> str:
    """What was masked in a fact that was kept, and how to keep it; empty where nothing was. What was masked when it was
    `proposed` is kept nowhere: only the person can give it again."""
    if not change.masked:
        return ""
    say = session.words.say
    kinds = ", ".join(say(f"secrets.kind.{kind}") for kind in change.masked)
    return say(f"cli.facts.masked{'_before' * proposed}", kinds=kinds, option="--keep-secrets", value="--value")


async def mask_one(run: RunOptions, name: str) -> int:
    """Masks a fact and its history for good; raises NotFound."""
    async with open_session(run) as session:
        fact = await session.services.memory.mask((await fact_named(session, name)).id)
        if session.as_json:
            write_json(fact_json(fact))
        else:
            said = session.words.say("cli.facts.edited", key=one_line(fact.key), value=one_line(fact.value, _VALUE))
            write(f"{said}\n")
    return 0


async def show_suspected(run: RunOptions, *, mask: bool) -> int:
    """Lists the facts in which a secret is kept from before they were masked; with `mask` masks them for good."""
    async with open_session(run) as session:
        memory = session.services.memory
        found = await memory.suspected()
        if mask:
            found = [await memory.mask(fact.id) for fact in found]
        if session.as_json:
            write_json([fact_json(fact) for fact in found])
            return 0
        say = session.words.say
        if found:
            rows = [(fact.id[:SHORT_ID], one_line(fact.key, 40), one_line(fact.value, _VALUE)) for fact in found]
            write(table(rows, "<<<"))
        word = "masked_now" if mask else "suspected"
        command = session.command("facts", "suspected", "--mask")
        write(say(f"cli.facts.{word}" if found else "cli.facts.suspected_none", n=len(found), command=command) + "\n")
    return 0
