"""`mnemoscope facts history`: every change of a fact, as words or JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.cli.fact_list import fact_named, moment
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.facts import Fact, FactAction, FactChange, told_differences

_VALUE = 80
_TITLE = 60


async def history(run: RunOptions, name: str) -> int:
    """Every change of a fact, oldest first; raises NotFound."""
    async with open_session(run) as session:
        fact = await fact_named(session, name)
        changes = await session.services.memory.history(fact.id)
        titles = {one.id: one.title for one in await session.conversations()}
    if session.as_json:
        write_json([change_json(change) for change in changes])
        return 0
    say = session.words.say
    rows = [
        (
            moment(change.at),
            say(f"memory.by.{change.by}"),
            _action(session, change),
            "; ".join(_told(session, change, titles)),
            say("cli.facts.undone") if change.undone else "",
        )
        for change in changes
    ]
    write(table(rows, "<<<<<"))
    return 0


def change_json(change: FactChange) -> dict[str, Any]:
    """A change as JSON: values and what else the history tells, before and after."""
    return {
        "number": change.number,
        "action": change.action.value,
        "by": change.by.value,
        "at": change.at.isoformat(),
        "before": change.before.value if change.before else None,
        "after": change.after.value,
        "undone": change.undone,
        "masked": [kind.value for kind in change.masked],
        "changed": _changed(change),
    }


def _changed(change: FactChange) -> dict[str, list[Any]]:
    if change.before is None:
        return {}
    before, after = change.before, change.after
    return {name: [_plain(before, name), _plain(after, name)] for name in told_differences(before, after)}


def _plain(fact: Fact, name: str) -> str | None:
    if name == "expires_at":
        return fact.expires_at.isoformat() if fact.expires_at else None
    return str(getattr(fact, name))


def _action(session: Session, change: FactChange) -> str:
    edited = change.action is FactAction.EDITED and change.before is not None
    if edited and change.before is not None and told_differences(change.before, change.after):
        return session.words.say("cli.facts.changed")
    return session.words.say(f"memory.action.{change.action}")


def _told(session: Session, change: FactChange, titles: Mapping[str, str]) -> list[str]:
    """What a change did to the fact; its value where it left all that is told as it was."""
    before, after = change.before, change.after
    names = () if before is None else told_differences(before, after)
    if before is None or not names:
        return [one_line(after.value, _VALUE)]
    return [_difference(session, name, before, after, titles) for name in names]


def _difference(session: Session, name: str, before: Fact, after: Fact, titles: Mapping[str, str]) -> str:
    say = session.words.say
    if name == "origin":
        return say("memory.history_origin", who=say(f"memory.origin.{after.origin}"))
    if name == "expires_at":
        if after.expires_at is None:
            return say("memory.history_endless")
        return say("memory.history_until", day=moment(after.expires_at))
    if name == "scope":
        if not after.scope:
            return say("memory.history_everywhere")
        title = one_line(titles.get(after.scope, ""), _TITLE) or say("memory.untitled")
        return say("memory.history_only_in", title=title)
    old, new = (one_line(getattr(fact, name), _VALUE) for fact in (before, after))
    arrow = say("memory.history_change", before=old or "–", after=new or "–")
    return arrow if name == "value" else say(f"memory.history_{name}", change=arrow)
