"""A cache miss in words: what is behind it, where the first difference is, and what the API says of it."""

from __future__ import annotations

from desktop_app.core.cache_causes import Cause
from desktop_app.core.cache_culprit import Culprit, MissReport
from desktop_app.core.cache_diagnosis import DiagnosisKind
from desktop_app.core.words import Words


def cause_words(words: Words, culprit: Culprit) -> str:
    """What is behind a miss, in one sentence; a setting that was not set is called so."""
    nothing = words.say("cache.why.not_set")
    return words.say(
        f"cache.cause.{culprit.cause}",
        name=culprit.name or "…",
        was=culprit.was or nothing,
        is_now=culprit.is_now or nothing,
    )


def also_words(words: Words, culprit: Culprit) -> str:
    """What differs besides, empty where nothing does."""
    others = [cause for cause in dict.fromkeys(culprit.also) if cause not in (culprit.cause, Cause.NONE)]
    if not others:
        return ""
    return words.say("cache.why.also", others=", ".join(words.say(f"cache.also.{cause}") for cause in others))


def place_words(words: Words, culprit: Culprit, byte: str) -> str:
    """Where the first difference is: `First difference in facts › backup_retention, byte 9,412`; empty without one.

    `byte` is the number as the front end writes it.
    """
    difference = culprit.difference
    if difference is None or difference.part == "params":
        return ""
    if isinstance(difference.part, int):
        place = words.say("cache.why.message", n=difference.part + 1)
    else:
        place = words.say(f"context.segment.{difference.segment or difference.part}")
    where = f"{place} › {culprit.name}" if culprit.name and not isinstance(difference.part, int) else place
    return words.say("cache.why.where", where=where, byte=byte)


def api_words(words: Words, report: MissReport) -> str:
    """What the API itself says, and whether it agrees."""
    told = report.diagnosis
    if told is None:
        return words.say("cache.why.api_not_asked")
    if told.kind in (DiagnosisKind.NONE, DiagnosisKind.PENDING):
        said = words.say(f"cache.why.api_{told.kind}")
        return f"{said} {words.say('cache.why.disagrees')}" if report.agreement == "disagrees" else said
    return words.say(f"cache.why.api_{report.agreement}", told=told.told or told.kind.value)
