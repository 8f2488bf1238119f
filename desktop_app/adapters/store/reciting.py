"""What a reply was given to say again: the question, and what was told of memory anywhere in its turn."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import messages
from desktop_app.adapters.store.tables import EPOCHS
from desktop_app.core.conversation import Message, Origin, tool_calls
from desktop_app.core.own_tools import REPEATING_TOOLS
from desktop_app.core.tool_results import text_of_result

_FURTHEST_QUESTION = 40


def told_beside(session: Session, reply: Message) -> tuple[str, list[str]]:
    """The question of a reply, and the app's notes beside it, results of the tools that only repeat what is kept
    elsewhere, and the facts block of its epoch."""
    lines: list[str] = []
    asked = ""
    above = reply.parent_id
    for _ in range(_FURTHEST_QUESTION):
        if above is None:
            break
        message = messages.one(session, above)
        if message.notes is not None:
            lines += [note.line for note in message.notes.notes]
            lines += [note.line for note in message.notes.passages]
        if message.origin is Origin.TOOL_RESULTS and message.parent_id is not None:
            lines += _repeated(message, messages.one(session, message.parent_id))
        if message.opens_turn:
            asked = message.text
            break
        above = message.parent_id
    mine = (EPOCHS.c.conversation_id == reply.conversation_id) & (EPOCHS.c.number == reply.epoch)
    block = session.execute(select(EPOCHS.c.facts).where(mine)).scalar()
    return asked, [*lines, block or ""]


def _repeated(results: Message, calling: Message) -> Iterator[str]:
    own = {call.get("id") for call in tool_calls(calling.blocks) if call.get("name") in REPEATING_TOOLS}
    for block in results.blocks:
        if block.get("type") == "tool_result" and block.get("tool_use_id") in own:
            yield text_of_result(block)
