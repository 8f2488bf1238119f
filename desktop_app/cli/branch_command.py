"""`mnemoscope conversations branch|versions|use`: on from the end of a past turn, and between what is kept beside."""

from __future__ import annotations

from desktop_app.cli.listing import distinct, moment_text
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.branching import Branching, Version
from desktop_app.core.errors import BadInput, NotFound

_ID = 8
"""Characters of an id that are enough to name a conversation on the command line."""
_ASKED = 60


async def branch(run: RunOptions, given: str, turn: int) -> int:
    """Ends the path in use behind a turn; raises NotFound, Busy."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        branching = await session.services.chat.branch_at(conversation.id, turn)
        return _done(session, conversation.id, branching, "branched" if branching else "branched_already", turn)


async def resume(run: RunOptions, given: str) -> int:
    """Brings the newest messages behind the end of the path into use again; raises NotFound, Busy."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        branching = await session.services.chat.resume(conversation.id)
        if branching is not None:
            return _done(session, conversation.id, branching, "resumed")
        others = len(await session.services.chat.versions(conversation.id)) > 1
        return _done(session, conversation.id, None, "resumed_others" if others else "resumed_nothing")


async def versions(run: RunOptions, given: str) -> int:
    """All ends of the conversation, the one in use first and marked, with the last turn of each."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        found = await session.services.chat.versions(conversation.id)
    if run.as_json:
        write_json([_as_json(one) for one in found])
    elif found:
        length = distinct([one.head_id for one in found])
        write(table([_row(session, one, length) for one in found], "<<<<<"))
    else:
        write(session.words.say("cli.conversations.versions_none", id=conversation.id[:_ID]) + "\n")
    return 0


async def use(run: RunOptions, given: str, version: str) -> int:
    """Brings the version whose id begins so into use; raises NotFound, Busy, BadInput where several do."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        chat = session.services.chat
        found = [one for one in await chat.versions(conversation.id) if version and one.head_id.startswith(version)]
        if not found:
            raise NotFound(what="version")
        if len(found) > 1:
            raise BadInput(what=version, why="ambiguous")
        branching = await chat.use_version(conversation.id, found[0].head_id)
        return _done(session, conversation.id, branching, "used", found[0].turn)


def _row(session: Session, version: Version, length: int) -> tuple[str, ...]:
    say = session.words.say
    turn = say("cli.conversations.version_turn", turn=version.turn)
    asked = one_line(version.asked, _ASKED)
    if version.apart:
        asked = f"{asked} · {say('cli.conversations.version_apart', n=version.apart)}"
    mark = "*" if version.in_use else " "
    return mark, version.head_id[:length], moment_text(session, version.at), turn, asked


def _as_json(version: Version) -> dict[str, str | int | bool | None]:
    return {
        "version": version.head_id,
        "turn": version.turn,
        "at": version.at.isoformat() if version.at else None,
        "asked": version.asked,
        "apart": version.apart,
        "in_use": version.in_use,
    }


def _done(session: Session, conversation_id: str, branching: Branching | None, word: str, turn: int = 0) -> int:
    turn = branching.turn if branching else turn
    left = branching.left if branching else 0
    if session.as_json:
        facts = {"conversation": conversation_id, "turn": turn or None, "kept_aside": left}
        write_json({**facts, "done": word if branching else "nothing"})
        return 0
    short = conversation_id[:_ID]
    said = session.words.say(
        f"cli.conversations.{word}",
        id=short,
        turn=turn,
        n=left,
        undo=session.command("conversations", "branch", short, "--undo"),
        versions=session.command("conversations", "versions", short),
    )
    write(said + "\n")
    return 0
