"""`mnemoscope conversations branch`: going on from the end of a past turn, and taking that back."""

from __future__ import annotations

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.branching import Branching

_ID = 8
"""Characters of an id that are enough to name a conversation on the command line."""


async def branch(run: RunOptions, given: str, turn: int) -> int:
    """Ends the path in use behind a turn; raises NotFound, Busy."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        branching = await session.services.chat.branch_at(conversation.id, turn)
        return _done(session, conversation.id, branching, "branched", turn)


async def resume(run: RunOptions, given: str) -> int:
    """Brings the newest messages behind the end of the path into use again; raises NotFound, Busy."""
    async with open_session(run) as session:
        conversation = await session.conversation(given)
        return _done(session, conversation.id, await session.services.chat.resume(conversation.id), "resumed", 0)


def _done(session: Session, conversation_id: str, branching: Branching | None, word: str, turn: int) -> int:
    turn = branching.turn if branching else turn
    left = branching.left if branching else 0
    if session.as_json:
        facts = {"conversation": conversation_id, "turn": turn or None, "kept_aside": left}
        write_json({**facts, "done": word if branching else "nothing"})
        return 0
    message = f"cli.conversations.{word}"
    if branching is None:
        message += "_already" if word == "branched" else "_nothing"
    write(session.words.say(message, id=conversation_id[:_ID], turn=turn, n=left) + "\n")
    return 0
