"""`mnemoscope chat`: one turn, its answer on standard output as it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop_app.cli.cost_command import warn_of_budget
from desktop_app.cli.failures import READER_GONE, STOPPED
from desktop_app.cli.figures import budget_json, usage_json
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, one_line, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.cli.terminal_approver import TerminalApprover
from desktop_app.cli.turn_output import TurnOutput
from desktop_app.core.attachments import AttachedFile, AttachmentKind, message_blocks
from desktop_app.core.conversation import Conversation, is_blank
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import NothingToSend
from desktop_app.core.facts import FactState
from desktop_app.services.turn import TurnControl


async def chat(
    run: RunOptions,
    text: str,
    conversation_id: str | None,
    *,
    attach: Sequence[Path] = (),
    show_thinking: bool,
    allow_memory: bool,
    in_profile: Mapping[str, Any],
) -> int:
    """Sends a text with the files to `attach` and shows the answer; Ctrl+C keeps what had arrived.

    What the assistant wants to save is asked about where there is a terminal; `allow_memory` allows it beforehand.

    Raises NothingToSend, AttachmentUnusable, NoKey and others before anything is stored; later ones leave a
    conversation to go on with.
    """
    if is_blank(text) and not attach:
        raise NothingToSend()
    async with open_session(run, **in_profile) as session:
        files = [await session.services.attachments.from_file(path) for path in attach]
        message_blocks(text, files)  # what is too large together is told while nothing is stored yet
        await session.services.store.mark_interrupted()
        if archived := await session.services.aging.run():
            note(session.words.say("notices.facts_archived", n=archived))
        found = await session.conversation(conversation_id) if conversation_id is not None else None
        # A missing key or an unusable address is told while nothing is stored yet.
        await session.services.access.client()
        await _tell_what_is_not_taken(session, files)
        conversation = found or await session.services.chat.new_conversation(text, files)
        gate = session.services.gate
        gate.allow_all = allow_memory
        gate.approver = TerminalApprover(session.words) if TerminalApprover.can_ask() else None
        turn = asyncio.current_task()
        assert turn is not None
        output = TurnOutput(session.words, turn.cancel, streaming=not run.as_json, show_thinking=show_thinking)
        return await _answer(session, conversation, text, files, output)


async def _tell_what_is_not_taken(session: Session, files: Sequence[AttachedFile]) -> None:
    """Says before it is sent that the model gets but the names of some."""
    if not files:
        return
    access = session.services.access
    model = await access.model(session.services.settings.profile.model)
    features = await access.features(model)
    kinds = {file.attachment.kind for file in files}
    if AttachmentKind.IMAGE in kinds and not features.images:
        note(session.words.say("attachments.images_not_taken", model=one_line(model.name)))
    if AttachmentKind.PDF in kinds and not features.pdfs:
        note(session.words.say("attachments.pdfs_not_taken", model=one_line(model.name)))


async def _answer(
    session: Session, conversation: Conversation, text: str, files: Sequence[AttachedFile], output: TurnOutput
) -> int:
    simulated = (await session.services.access.endpoint()).kind is EndpointKind.SIMULATOR
    code = 0
    try:
        await session.services.chat.send(conversation.id, text, output.take, TurnControl(), attachments=files)
    except asyncio.CancelledError:
        code = READER_GONE if output.reader_gone else STOPPED
    output.end()
    if session.as_json and output.error is None:
        write_json(_result(conversation, output, simulated=simulated))
    if not output.reader_gone:
        await _learnt(session)
        pending = await session.services.memory.facts(FactState.PENDING)
        waiting = [fact for fact in pending if fact.source and fact.source.conversation_id == conversation.id]
        if waiting:
            note(session.words.say("cli.gate.waiting", n=len(waiting)))
        await warn_of_budget(session)
        note(session.words.say("cli.chat.conversation", id=conversation.id))
    if output.error is not None:
        raise output.error
    return code


async def _learnt(session: Session) -> None:
    """Lets what the person wrote be looked through for facts; Ctrl+C leaves it at that."""
    try:
        await session.services.extraction.idle()
    except asyncio.CancelledError:
        session.services.extraction.stop()


def _result(conversation: Conversation, output: TurnOutput, *, simulated: bool) -> dict[str, Any]:
    reply, refusal = output.reply, output.refusal
    return {
        "conversation": conversation.id,
        "message": reply.id if reply else None,
        "text": output.text,
        "stop_reason": reply.stop_reason if reply else None,
        "refusal": {"category": refusal.category, "explanation": refusal.explanation} if refusal else None,
        "stopped": output.stopped,
        "model": reply.model if reply else None,
        "host": output.host,
        "simulated": simulated,
        "requests": len(output.usages),
        "usage": usage_json(output.usages),
        "context": budget_json(output.budget) if output.budget else None,
    }
