"""`mnemoscope cache why`: what broke the cache of a turn, what that cost, and what the API says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, write, write_json
from desktop_app.cli.session import open_session
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Culprit, MissReport
from desktop_app.core.cache.miss_words import also_words, api_words, cause_words, place_words
from desktop_app.core.errors import NotFound
from desktop_app.core.money.pricing import dollars
from desktop_app.core.words import Words

_LINE = 200


async def why(run: RunOptions, conversation_id: str | None, turn: int | None) -> int:
    """The report on a turn; raises NotFound where nothing was sent."""
    async with open_session(run) as session:
        conversation = await session.conversation_or_last(conversation_id)
        if conversation is None:
            raise NotFound(what="request")
        report = await session.services.reasons.why(conversation.id, turn)
    if run.as_json:
        write_json(_as_json(report))
    else:
        write("".join(f"{line}\n" for line in _lines(session.words, report)))
    return 0


def _lines(words: Words, report: MissReport) -> Iterator[str]:
    """The cause, the place with its two lines, what it cost, and the API's word; only what there is."""
    culprit, say = report.culprit, words.say
    yield say("cli.why.heading", turn=report.after.turn, n=report.after.round)
    yield one_line(cause_words(words, culprit))
    if (culprit.was or culprit.is_now) and culprit.cause in (Cause.EXPIRED, Cause.LOOK_BACK, Cause.TOO_SMALL):
        was = say(f"cache.lifetime.{culprit.was}") if culprit.cause is Cause.EXPIRED else culprit.was
        yield say(f"cli.why.{culprit.cause}", was=was, is_now=culprit.is_now)
    if also := also_words(words, culprit):
        yield also
    if culprit.difference is not None:
        if where := place_words(words, culprit, f"{culprit.difference.byte:,}"):
            yield one_line(where)
        nothing = say("cache.why.nothing")
        yield "- " + (one_line(culprit.difference.before, _LINE) or nothing)
        yield "+ " + (one_line(culprit.difference.after, _LINE) or nothing)
    if culprit.cause is not Cause.UNREPORTED:
        yield _loss(words, culprit)
    yield one_line(api_words(words, report))


def _loss(words: Words, culprit: Culprit) -> str:
    if culprit.lost_tokens is None:
        return words.say("cli.why.unknown")
    if not culprit.lost_tokens:
        return words.say("cli.why.nothing")
    tokens = f"{culprit.lost_tokens:,}"
    if culprit.lost_usd is None:
        return words.say("cli.why.tokens", tokens=tokens)
    return words.say("cli.why.lost", tokens=tokens, usd=dollars(culprit.lost_usd))


def _as_json(report: MissReport) -> dict[str, Any]:
    """Tokens are None where unknown, money is a text with every digit."""
    culprit, told, difference = report.culprit, report.diagnosis, report.culprit.difference
    return {
        "conversation": report.after.conversation_id,
        "turn": report.after.turn,
        "request": report.after.id,
        "before": report.before.id if report.before else None,
        "cause": culprit.cause.value,
        "name": culprit.name,
        "was": culprit.was,
        "is_now": culprit.is_now,
        "facts": [{"key": fact.key, "change": fact.kind.value} for fact in culprit.facts],
        "also": [cause.value for cause in culprit.also],
        "difference": None
        if difference is None
        else {
            "part": difference.part,
            "block": difference.block,
            "byte": difference.byte,
            "segment": difference.segment.value if difference.segment else None,
            "name": difference.name,
            "before": difference.before,
            "after": difference.after,
        },
        "lost_tokens": culprit.lost_tokens,
        "lost_usd": format(culprit.lost_usd, "f") if culprit.lost_usd is not None else None,
        "diagnosis": {"kind": told.kind.value, "type": told.told, "missed_tokens": told.missed} if told else None,
        "agreement": report.agreement.value,
    }
