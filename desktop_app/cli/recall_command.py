"""`mnemoscope recall`: what would be recalled for a text, or was for a turn, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.errors import BadInput
from desktop_app.core.recall.recollection import Fate
from desktop_app.services.recalling import ShownFind

_TEXT = 90


async def recall(run: RunOptions, query: str, *, explain: bool) -> int:
    """What the model would be told of a text in the profile, facts of the prompt included; with `explain` also what
    came near, and the parts of every score."""
    if not query.strip():
        raise BadInput(what=query, why="recall_blank")
    async with open_session(run) as session:
        finds = await session.services.memory.recall(query)
        _warn(session)
    shown = [find for find in finds if explain or find.find.fate in (Fate.TOLD, Fate.IN_PROMPT)]
    if session.as_json:
        write_json([_json(find) for find in shown])
    elif not shown:
        write(session.words.say("cli.recall.none") + "\n")
    elif explain:
        write("\n".join(line for find in shown for line in _explained(session, find)) + "\n")
    else:
        write(table([_row(session, find) for find in shown], "<<<<"))
    return 0


def _warn(session: Session) -> None:
    """Says what was not as it should be while finding."""
    memory, say = session.services.memory, session.words.say
    if memory.index_trouble:
        note(say("recall.panel.no_index", place=memory.index_trouble))
    if memory.meaning_trouble is not None:
        note(say("recall.panel.no_meaning", why=session.words.explain(memory.meaning_trouble)))


def _row(session: Session, shown: ShownFind) -> tuple[str, ...]:
    say, find = session.words.say, shown.find
    kind, fate = say(f"recall.kind.{find.kind}"), say(f"recall.fate.{find.fate}")
    return kind, fate, one_line(_name(shown)), one_line(_text(shown), _TEXT)


def _explained(session: Session, shown: ShownFind) -> list[str]:
    say = session.words.say
    find = shown.find
    parts = " · ".join(f"{say(f'recall.part.{name}')} {value:+.2f}" for name, value in find.parts.items())
    return [
        say(
            "cli.recall.find",
            kind=say(f"recall.kind.{find.kind}"),
            name=one_line(_name(shown)),
            fate=say(f"recall.fate.{find.fate}"),
        ),
        f"    {one_line(_text(shown), _TEXT)}",
        say("cli.recall.score", score=f"{find.score:.2f}", parts=parts),
    ]


def _name(shown: ShownFind) -> str:
    if shown.fact is not None:
        return shown.fact.key
    return shown.passage.title if shown.passage is not None else ""


def _text(shown: ShownFind) -> str:
    if shown.fact is not None:
        return shown.fact.value
    return shown.passage.text if shown.passage is not None else ""


def _json(shown: ShownFind) -> dict[str, Any]:
    find, passage = shown.find, shown.passage
    told: dict[str, Any] = {
        "kind": find.kind.value,
        "id": find.source_id,
        "name": _name(shown),
        "text": _text(shown),
        "score": round(find.score, 3),
        "parts": {name: round(value, 3) for name, value in find.parts.items()},
        "fate": find.fate.value,
    }
    if passage is not None:
        when: datetime | None = passage.when
        told |= {"passage": find.passage_id, "conversation": passage.conversation_id or None}
        told["when"] = None if when is None else when.isoformat()
    return told
