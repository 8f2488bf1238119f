"""`mnemoscope mcp`: long-term memory of one profile for other assistants, over standard input and output."""

from __future__ import annotations

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line
from desktop_app.cli.session import open_session
from desktop_app.mcp_server.answers import Answers
from desktop_app.mcp_server.server import MemoryServer


async def serve(run: RunOptions, *, allow_memory: bool, allow_forget: bool) -> int:
    """Serves until standard input ends; nothing but the protocol is written to standard output."""
    async with open_session(run) as session:
        gate = session.services.gate
        gate.allow_all, gate.allow_deleting = allow_memory, allow_forget
        note(session.words.say("cli.mcp.serving", profile=one_line(session.profile)))
        answers = Answers(session.words, session.profile, session.command)
        await MemoryServer(session.services.outside, session.profile, session.words, answers).serve()
    return 0
