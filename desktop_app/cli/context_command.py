"""`mnemoscope context` and `mnemoscope request`: what fills a request, and its body as sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.cli.figures import budget_json, mark
from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import table, write, write_bytes, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.context_budget import Budget
from desktop_app.core.errors import NotFound
from desktop_app.core.words import Words
from desktop_app.services.context_view import PastRequest


async def context(
    run: RunOptions, conversation_id: str | None, draft: str, turn: int | None, in_profile: Mapping[str, Any]
) -> int:
    """The budget of the next request, with `draft` as its message, or of the last request of a past turn."""
    async with open_session(run, **in_profile) as session:
        if turn is None:
            facts, budget = await _next(session, conversation_id, draft)
        else:
            past = await _past(session, conversation_id, turn)
            facts, budget = _facts(past), past.budget
        if run.as_json:
            write_json({**facts, "model": budget.model, **budget_json(budget)})
        else:
            write(_heading(session.words, facts, budget) + _table(session.words, budget))
    return 0


async def request(run: RunOptions, conversation_id: str | None, turn: int | None, *, raw: bool) -> int:
    """The body of the last request of a turn; `raw` prints the bytes that went over the wire and nothing else."""
    async with open_session(run) as session:
        past = await _past(session, conversation_id, turn)
    if raw:
        write_bytes(past.request.body_bytes())
    else:
        write_json(past.request.body(), indent=None if run.as_json else 2)
    return 0


async def _next(session: Session, conversation_id: str | None, draft: str) -> tuple[dict[str, Any], Budget]:
    conversation = await session.conversation_or_last(conversation_id)
    known_id = conversation.id if conversation else None
    prepared = await session.services.context.next_request(known_id, draft)
    if prepared is None:
        raise NotFound(what="request")
    return {"conversation": known_id, "turn": None}, prepared.budget


async def _past(session: Session, conversation_id: str | None, turn: int | None) -> PastRequest:
    conversation = await session.conversation_or_last(conversation_id)
    if conversation is None:
        raise NotFound(what="request")
    record = await session.services.context.of_turn(conversation.id, turn)
    return await session.services.context.past(record.id)


def _facts(past: PastRequest) -> dict[str, Any]:
    record = past.record
    return {
        "conversation": record.conversation_id,
        "turn": record.turn,
        "request": record.id,
        "host": record.host,
        "sent_at": record.sent_at.isoformat(),
        "state": record.state.value,
    }


def _heading(words: Words, facts: Mapping[str, Any], budget: Budget) -> str:
    turn = facts["turn"]
    what = words.say("cli.context.next") if turn is None else words.say("cli.context.turn", turn=turn)
    return f"{what} · {budget.model}\n"


def _table(words: Words, budget: Budget) -> str:
    """Segment, mark, tokens and share of the total; below it what the window leaves."""
    say, total = words.say, budget.total
    rows = [(say("context.column.segment"), "", say("context.column.tokens"), say("context.column.share"))]
    for row in budget.rows:
        share = row.figure.tokens / total.tokens if total.tokens else 0.0
        name = say(f"context.segment.{row.segment}")
        rows.append((name, mark(row.figure), f"{row.figure.tokens:,}", f"{share:.1%}"))
    rows.append((say("cli.context.total"), mark(total), f"{total.tokens:,}", ""))
    rows.append((say("context.segment.reserve"), "", f"{budget.reserve:,}", ""))
    if budget.window is None or budget.free is None:
        rows.append((say("cli.context.window"), "", say("cli.context.unknown"), ""))
        return table(rows, "<<>>")
    left = "free" if budget.free >= 0 else "over"
    rows.append((say(f"context.segment.{left}"), mark(total), f"{abs(budget.free):,}", ""))
    rows.append((say("cli.context.window"), "", f"{budget.window:,}", ""))
    return table(rows, "<<>>")
