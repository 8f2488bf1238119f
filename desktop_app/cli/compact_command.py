"""`mnemoscope compact`: folds the past of a conversation, leaves a proposal, or tells what would be folded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from desktop_app.cli.compaction_texts import as_json, plan_json, plan_lines, told, values_lines
from desktop_app.cli.failures import STOPPED
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import note, note_piece, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core import turn_events as events
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Conversation
from desktop_app.core.errors import AppError, NotFound
from desktop_app.services.turn import TurnControl


async def compact(
    run: RunOptions, given: str | None, order: FoldOrder, *, dry_run: bool, in_profile: Mapping[str, Any]
) -> int:
    """Folds by hand; raises NothingToFold, StrategyNotOffered, NotFound, Busy and what keeps a summary from being
    written."""
    async with open_session(run, **in_profile) as session:
        progress = Progress(quiet=session.as_json)
        try:
            conversation = await conversation_of(session, given)
            if dry_run:
                plan = await session.services.compaction.plan(conversation.id, order.strategy)
                if session.as_json:
                    write_json(plan_json(conversation.id, plan))
                else:
                    write("\n".join(plan_lines(session.words, plan)) + "\n")
                return 0
            await session.services.chat.fold(conversation.id, order, progress.take, TurnControl())
        except asyncio.CancelledError:
            return await tell_stopped(session, progress)
        return await tell_done(session, progress)


async def undo(run: RunOptions, given: str | None) -> int:
    """Takes the newest folding back."""
    async with open_session(run) as session:
        conversation = await conversation_of(session, given)
        undone = await session.services.chat.undo_fold(conversation.id)
        if not undone:
            if session.as_json:
                write_json(None)
            else:
                write(session.words.say("cli.compact.nothing_to_undo") + "\n")
            return 0
        return _tell(session, undone[0], "undone")


class Progress:
    """Takes the events of a compaction: the summary streams to standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._in_line = False
        self.done: Compaction | None = None
        self.error: AppError | None = None

    def take(self, event: events.TurnEvent) -> None:
        """One event, in the order they come."""
        match event:
            case events.FoldingStarted(attempt=attempt) if attempt > 1 and not self._quiet:
                note_piece("\n\n")
            case events.MemoArrived(_, _, text) if not self._quiet:
                note_piece(text)
                self._in_line = True
            case events.FoldingDone(_, _, compaction):
                self.done = compaction
                self.end_line()
            case events.FoldingFailed(_, _, error):
                self.error = error
                self.end_line()
            case events.FoldingStopped():
                self.end_line()

    def end_line(self) -> None:
        """What comes next begins a line of its own, wherever the summary broke off."""
        if self._in_line:
            note_piece("\n")
        self._in_line = False


async def tell_stopped(session: Session, progress: Progress) -> int:
    """What a Ctrl+C left: nothing changed, unless the result was being kept already."""
    progress.end_line()
    if progress.done is not None or progress.error is not None:
        await tell_done(session, progress)
    else:
        note(session.words.say("cli.compact.stopped"))
    return STOPPED


async def tell_done(session: Session, progress: Progress) -> int:
    """What came of it: of a proposal also the values, by their fate; raises what it failed of."""
    if progress.error is not None:
        raise progress.error
    assert progress.done is not None
    made = progress.done
    if made.state is not CompactionState.PROPOSED:
        return _tell(session, made, "folded")
    check = await session.services.review.check(made.id)
    if session.as_json:
        write_json(as_json(made, check=check) | {"done": "proposed"})
        return 0
    write(told(session.words, made, "proposed") + "\n")
    write("\n".join([*values_lines(session.words, check), "", made.summary]) + "\n")
    return 0


def _tell(session: Session, compaction: Compaction, word: str) -> int:
    if session.as_json:
        write_json(as_json(compaction) | {"done": word})
    else:
        write(told(session.words, compaction, word) + "\n")
    return 0


async def conversation_of(session: Session, given: str | None) -> Conversation:
    """The conversation named, or the last one; raises NotFound."""
    found = await session.conversation_or_last(given)
    if found is None:
        raise NotFound(what="conversation")
    return found
