"""`mnemoscope compactions`: the log, one in full, and what the person decides about it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from desktop_app.cli.compact_command import Progress, conversation_of, tell_done, tell_stopped
from desktop_app.cli.compaction_texts import as_json, saved_text, told, usd, values_lines
from desktop_app.cli.listing import moment_text
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.compaction.plan import CompactionLine
from desktop_app.core.conversation import well_formed
from desktop_app.core.errors import CompactionNotFound, NotFound
from desktop_app.services.turn import TurnControl

_STATES = {
    CompactionState.ACTIVE: "in_use",
    CompactionState.PROPOSED: "proposed",
    CompactionState.UNDONE: "undone",
    CompactionState.REJECTED: "rejected",
    CompactionState.FAILED: "failed",
}


async def show_log(run: RunOptions, given: str | None) -> int:
    """Every folding of a conversation, oldest first."""
    async with open_session(run) as session:
        conversation = await conversation_of(session, given)
        lines = await session.services.review.log(conversation.id)
        if run.as_json:
            write_json([as_json(line.compaction, line) for line in lines])
        elif lines:
            write(table([_row(session, line) for line in lines], "><<<>><>><"))
        else:
            write(session.words.say("cli.compact.log_none") + "\n")
    return 0


async def show_one(run: RunOptions, given: str | None, number: int) -> int:
    """One in full: figures, values by their fate, text."""
    async with open_session(run) as session:
        line = await _line(session, given, number)
        made = line.compaction
        checks = made.state is not CompactionState.FAILED
        check = await session.services.review.check(made.id) if checks else None
        if run.as_json:
            write_json(as_json(made, line, check))
            return 0
        write(table([_row(session, line)], "><<<>><>><"))
        if check is not None:
            write("\n".join(values_lines(session.words, check)) + "\n")
        if made.block is not None:
            signed = session.words.say("compaction.memo.signed")
            write(f"\n{signed}\n\n{made.block.get('content') or ''}\n")
        if made.summary:
            write("\n" + made.summary + "\n")
    return 0


async def undo(run: RunOptions, given: str | None, number: int) -> int:
    """Takes one and all newer ones back; raises CompactionNotFound, CompactionNotInUse, Busy."""
    async with open_session(run) as session:
        line = await _line(session, given, number)
        one = line.compaction
        undone = await session.services.chat.undo_fold(one.conversation_id, one.id)
        if run.as_json:
            write_json([as_json(made) | {"done": "undone"} for made in undone])
        else:
            write("".join(told(session.words, made, "undone") + "\n" for made in undone))
    return 0


async def decide(run: RunOptions, given: str | None, number: int | None, act: str) -> int:
    """Commits or rejects a proposal, the one that waits by default; raises NotFound, ProposalOutdated, Busy."""
    async with open_session(run) as session:
        made = await _proposal(session, given, number)
        chat = session.services.chat
        done = await (chat.commit_fold(made.id) if act == "committed" else chat.reject_fold(made.id))
        lost = len((await session.services.review.check(done.id)).lost) if act == "committed" else 0
        return _done(session, done, act, session.words.say("cli.compact.lost", n=lost) if lost else "")


async def edit(run: RunOptions, given: str | None, number: int | None, text: str) -> int:
    """Puts another text in place of a summary; raises NotFound, NotEditable, BadInput, Busy."""
    async with open_session(run) as session:
        made = await _proposal(session, given, number)
        done = await session.services.chat.revise_fold(made.id, well_formed(text))
        longer = done.summary_tokens >= done.folded_tokens > 0
        return _done(session, done, "edited", session.words.say("compaction.check.longer") if longer else "")


async def again(run: RunOptions, given: str | None, number: int | None, in_profile: Mapping[str, Any]) -> int:
    """Another proposal in place of one, naming what it lost; raises NotFound, ProposalOutdated, Busy."""
    async with open_session(run, **in_profile) as session:
        made = await _proposal(session, given, number)
        progress = Progress(quiet=session.as_json)
        try:
            await session.services.chat.fold_again(made.id, progress.take, TurnControl())
        except asyncio.CancelledError:
            return await tell_stopped(session, progress)
        return await tell_done(session, progress)


def _done(session: Session, made: Compaction, word: str, more: str = "") -> int:
    if session.as_json:
        write_json(as_json(made) | {"done": word})
    else:
        write(" ".join(part for part in (told(session.words, made, word), more) if part) + "\n")
    return 0


async def _line(session: Session, given: str | None, number: int) -> CompactionLine:
    conversation = await conversation_of(session, given)
    lines = await session.services.review.log(conversation.id)
    if not 1 <= number <= len(lines):
        raise CompactionNotFound(number=number)
    return lines[number - 1]


async def _proposal(session: Session, given: str | None, number: int | None) -> Compaction:
    if number is not None:
        return (await _line(session, given, number)).compaction
    conversation = await conversation_of(session, given)
    waiting = (await session.services.compaction.state(conversation.id)).proposal
    if waiting is None:
        raise NotFound(what="proposal")
    return waiting


def _row(session: Session, line: CompactionLine) -> list[str]:
    made, say = line.compaction, session.words.say
    after = "–" if made.state is CompactionState.FAILED else f"{line.measured_after or made.after:,}"
    share = "" if line.share is None else f" {line.share:.1%}"
    return [
        str(line.number),
        moment_text(session, made.created_at),
        say(f"compaction.strategy.{made.strategy}"),
        say(f"compaction.log.{_STATES[made.state]}"),
        f"{made.before:,}",
        after,
        saved_text(session.words, made),
        "?" if line.cost is None else usd(line.cost) + share,
        f"{made.seconds:.1f} s",
        made.model,
    ]
