"""`mnemoscope conversations`: the list, and naming, deleting and restoring one."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.conversation import Conversation, clean_title
from desktop_app.core.errors import BadInput

_SHORTEST_ID = 8
_TITLE = 60


async def show(run: RunOptions) -> int:
    """The conversations of the profile, last used first."""
    async with open_session(run) as session:
        found = await session.conversations()
    if run.as_json:
        write_json([_as_json(one) for one in found])
    elif found:
        length = distinct([one.id for one in found])
        write(table([_row(session, one, length) for one in found], "<<<"))
    else:
        write(session.words.say("cli.conversations.none") + "\n")
    return 0


async def rename(run: RunOptions, given: str, title: str) -> int:
    """Gives a conversation a title; raises BadInput for one that shows nothing."""
    shown = clean_title(title)
    if not shown:
        raise BadInput(what=title, why="title")
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        await session.services.store.rename(conversation.id, shown)
        return _done(session, conversation.id, "renamed", shown)


async def delete(run: RunOptions, given: str) -> int:
    """Takes a conversation out of the list."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        await session.services.store.delete(conversation.id)
        return _done(session, conversation.id, "deleted", conversation.title)


async def restore(run: RunOptions, given: str) -> int:
    """Brings a deleted conversation back; raises NotFound when it is gone."""
    async with open_session(run) as session:
        conversation = await session.deleted_conversation(given)
        await session.services.store.restore(conversation.id)
        return _done(session, conversation.id, "restored", conversation.title)


def _done(session: Session, conversation_id: str, word: str, title: str) -> int:
    if session.as_json:
        write_json({"conversation": conversation_id, "title": title, "done": word})
    else:
        back = session.command("conversations", "restore", conversation_id)
        said = session.words.say(
            f"cli.conversations.{word}", title=one_line(title, _TITLE), id=conversation_id, command=back
        )
        write(said + "\n")
    return 0


def _row(session: Session, conversation: Conversation, length: int) -> tuple[str, str, str]:
    title = one_line(conversation.title, _TITLE) or session.words.say("cli.conversations.untitled")
    if conversation.simulated:
        title += f" ({session.words.say('cli.conversations.simulated')})"
    return conversation.id[:length], moment_text(session, conversation.updated_at), title


def moment_text(session: Session, moment: datetime | None) -> str:
    """A moment in the zone of the machine, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else session.words.say("cli.conversations.no_time")


def distinct(ids: list[str]) -> int:
    """How many characters tell these ids apart, at least eight."""
    return next(n for n in range(_SHORTEST_ID, 33) if n == 32 or len({one[:n] for one in ids}) == len(ids))


def _as_json(conversation: Conversation) -> dict[str, Any]:
    created, updated = conversation.created_at, conversation.updated_at
    return {
        "id": conversation.id,
        "title": conversation.title,
        "created_at": created.isoformat() if created else None,
        "updated_at": updated.isoformat() if updated else None,
        "excerpt": conversation.excerpt,
        "imported": conversation.imported,
        "simulated": conversation.simulated,
    }
