"""`mnemoscope compact`: folds the past of a conversation into a memo, or tells what would be folded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from desktop_app.cli.failures import STOPPED
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note_piece, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core import turn_events as events
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.conversation import Conversation
from desktop_app.core.errors import AppError, NotFound
from desktop_app.services.turn import TurnControl


async def compact(
    run: RunOptions, given: str | None, focus: str, *, dry_run: bool, in_profile: Mapping[str, Any]
) -> int:
    """Folds by hand; raises NothingToFold, NotFound, Busy and what keeps a memo from being written."""
    async with open_session(run, **in_profile) as session:
        conversation = await _conversation(session, given)
        if dry_run:
            return await _plan(session, conversation)
        progress = _Progress(quiet=session.as_json)
        try:
            await session.services.chat.fold(conversation.id, focus, progress.take, TurnControl())
        except asyncio.CancelledError:
            return STOPPED
        if progress.error is not None:
            raise progress.error
        assert progress.done is not None
        return _tell(session, progress.done, "folded")


async def undo(run: RunOptions, given: str | None) -> int:
    """Takes the newest folding back."""
    async with open_session(run) as session:
        conversation = await _conversation(session, given)
        undone = await session.services.chat.undo_fold(conversation.id)
        if undone is None:
            if session.as_json:
                write_json(None)
            else:
                write(session.words.say("cli.compact.nothing_to_undo") + "\n")
            return 0
        return _tell(session, undone, "undone")


class _Progress:
    """Takes the events of a folding: the memo streams to standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self.done: Compaction | None = None
        self.error: AppError | None = None

    def take(self, event: events.TurnEvent) -> None:
        """One event, in the order they come."""
        match event:
            case events.MemoArrived(_, _, text) if not self._quiet:
                note_piece(text)
            case events.FoldingDone(_, _, compaction):
                self.done = compaction
                if not self._quiet:
                    note_piece("\n")
            case events.FoldingFailed(_, _, error):
                self.error = error


async def _plan(session: Session, conversation: Conversation) -> int:
    plan = await session.services.compaction.plan(conversation.id)
    if session.as_json:
        write_json(
            {
                "conversation": conversation.id,
                "messages": len(plan.message_ids),
                "kept_tokens": plan.kept_tokens,
                "before": plan.before.tokens,
            }
        )
        return 0
    said = session.words.say(
        "cli.compact.plan", n=len(plan.message_ids), kept=f"{plan.kept_tokens:,}", before=f"{plan.before.tokens:,}"
    )
    write(said + "\n")
    return 0


def _tell(session: Session, compaction: Compaction, word: str) -> int:
    if session.as_json:
        write_json(
            {
                "conversation": compaction.conversation_id,
                "done": word,
                "messages": compaction.folded,
                "before": compaction.before,
                "after": compaction.after,
                "memo": compaction.memo,
            }
        )
        return 0
    said = session.words.say(
        f"cli.compact.{word}", n=compaction.folded, before=f"{compaction.before:,}", after=f"{compaction.after:,}"
    )
    write(said + "\n")
    return 0


async def _conversation(session: Session, given: str | None) -> Conversation:
    found = await session.conversation_or_last(given)
    if found is None:
        raise NotFound(what="conversation")
    return found
