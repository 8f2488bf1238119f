"""`mnemoscope cache`: what the prompt cache did for a conversation, turn by turn and in all."""

from __future__ import annotations

from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, table, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.cache.figures import CacheFigures, CacheReport, CacheTurn
from desktop_app.core.cache.miss_words import unmarked_words
from desktop_app.core.conversation import Conversation
from desktop_app.core.money.price_sources import sources_words
from desktop_app.core.money.pricing import dollars
from desktop_app.core.request_log import RequestPurpose
from desktop_app.core.words import Words

_TITLE = 60


async def cache(run: RunOptions, conversation_id: str | None) -> int:
    """The report on a conversation, on the last one by default; nothing stored is no failure."""
    async with open_session(run) as session:
        conversation = await session.conversation_or_last(conversation_id)
        report = await session.services.cache.report(conversation.id) if conversation else None
    if run.as_json:
        write_json(_as_json(report))
    elif conversation is None or report is None or not report.turns:
        write(session.words.say("cli.cache.none") + "\n")
    else:
        write(_heading(session, conversation) + _table(session.words, report) + _notes(session.words, report))
    return 0


def _as_json(report: CacheReport | None) -> dict[str, Any]:
    """Tokens are None where unknown, money is a text with every digit."""
    if report is None:
        return {"conversation": None, "simulated": False, "prices": None, "turns": [], "total": None}
    turns = [
        {
            "turn": turn.turn,
            "purpose": turn.purpose.value,
            "other_version": turn.other_version,
            "sent_at": turn.sent_at.isoformat(),
            **_figures(turn.figures),
        }
        for turn in report.turns
    ]
    return {
        "conversation": report.conversation_id,
        "simulated": report.simulated,
        "prices": report.dated.isoformat(),
        "turns": turns,
        "total": _figures(report.total) if report.turns else None,
    }


def _figures(figures: CacheFigures) -> dict[str, Any]:
    cost = figures.cost
    return {
        "requests": figures.requests,
        "uncached": figures.uncached,
        "write_5m": figures.write_5m,
        "write_1h": figures.write_1h,
        "read": figures.read,
        "input_total": figures.input_total,
        "output": figures.output,
        "hit_rate": figures.hit_rate,
        "cost_usd": format(cost.total, "f") if cost else None,
        "saved_usd": format(figures.saved, "f") if figures.saved is not None else None,
        "estimated": figures.output_estimated or not figures.split_known,
        "unreported": figures.unreported,
        "unpriced": figures.unpriced,
        "unmarked": figures.unmarked,
    }


def _heading(session: Session, conversation: Conversation) -> str:
    title = one_line(conversation.title, _TITLE) or session.words.say("cli.conversations.untitled")
    return session.words.say("cli.cache.heading", title=title, id=conversation.id[:8]) + "\n"


def _table(words: Words, report: CacheReport) -> str:
    say = words.say
    parts = ("read", "write_5m", "write_1h", "uncached")
    names = [say("cache.column.turn"), *(say(f"cache.part.{part}") for part in parts), say("cache.column.rate")]
    rows = [[*names, say("cli.cache.cost"), say("cache.column.saved")]]
    rows += [_row(_name(words, turn), turn.figures) for turn in report.turns]
    rows.append(_row(say("cli.cache.total"), report.total))
    columns = 6 if report.simulated else 8
    return table([row[:columns] for row in rows], "<" + ">" * (columns - 1))


def _name(words: Words, turn: CacheTurn) -> str:
    name = str(turn.turn) if turn.purpose is RequestPurpose.CHAT else words.say(f"cache.{turn.purpose}")
    return words.say("cache.other_version", name=name) if turn.other_version else name


def _row(name: str, figures: CacheFigures) -> list[str]:
    """The cells of a line; `–` where nothing is known, `≈` before an estimate."""
    kinds = (figures.read, figures.write_5m, figures.write_1h, figures.uncached)
    cost, saved = figures.cost, figures.saved
    return [
        name,
        *("–" if tokens is None else f"{tokens:,}" for tokens in kinds),
        "–" if figures.hit_rate is None else f"{figures.hit_rate:.1%}",
        "–" if cost is None else f"{'≈ ' if cost.estimated else ''}{dollars(cost.total)}",
        "–" if saved is None else f"{'' if figures.split_known else '≈ '}{dollars(saved)}",
    ]


def _notes(words: Words, report: CacheReport) -> str:
    """What the sums leave out, and where the prices are from."""
    total, say = report.total, words.say
    notes = []
    if report.simulated:
        notes.append(say("cache.simulated"))
    if total.input_total is None:
        notes.append(say("cache.none_reported"))
    elif total.unreported:
        notes.append(say("cache.unreported", n=total.unreported))
    if total.unmarked:
        notes.append(unmarked_words(words, total.unmarked))
    if total.cost is not None and total.unpriced:
        notes.append(say("cache.unpriced", n=total.unpriced))
    if prices := sources_words(words, total.sources, report.dated.isoformat()):
        notes.append(prices)
    return "".join(f"{note}\n" for note in notes)
