"""A cache miss in words: what is behind it, where the first difference is, and what the API says of it."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Culprit, MissReport
from desktop_app.core.cache.diagnosis import DiagnosisKind
from desktop_app.core.fact_lines import ToldChange, ToldChangeKind
from desktop_app.core.words import Words

_NAMED = 3
"""So many facts are named in one sentence."""


def cause_words(words: Words, culprit: Culprit) -> str:
    """What is behind a miss, in one sentence; a setting that was not set is called so."""
    nothing = words.say("cache.why.not_set")
    return words.say(
        "cache.cause.facts" if len(culprit.facts) > 1 else f"cache.cause.{culprit.cause}",
        name=_fact_names(words, culprit.facts) or culprit.name or "…",
        was=culprit.was or nothing,
        is_now=culprit.is_now or nothing,
        setting=words.say("settings.plain"),
    )


def unmarked_words(words: Words, n: int) -> str:
    """That so many requests carried no cache marks, and the setting that sends them."""
    return words.say("cache.unmarked", n=n, setting=words.say("settings.plain"))


def _fact_names(words: Words, facts: Sequence[ToldChange]) -> str:
    """`tea (deleted), cat (changed)`, three at most and how many more; a single one that changed is its key alone."""
    if [fact.kind for fact in facts] == [ToldChangeKind.CHANGED]:
        return facts[0].key
    named = [words.say(f"cache.fact.{fact.kind}", key=fact.key) for fact in facts[:_NAMED]]
    more = [words.say("cache.fact.more", n=len(facts) - _NAMED)] if len(facts) > _NAMED else []
    return ", ".join([*named, *more])


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
    name = difference.name or culprit.name
    where = f"{place} › {name}" if name and not isinstance(difference.part, int) else place
    return words.say("cache.why.where", where=where, byte=byte)


def api_words(words: Words, report: MissReport) -> str:
    """What the API itself says, in words, and whether it agrees."""
    told = report.diagnosis
    if told is None:
        return words.say("cache.why.api_not_asked")
    if told.kind in (DiagnosisKind.NONE, DiagnosisKind.PENDING):
        said = words.say(f"cache.why.api_{told.kind}")
        return f"{said} {words.say('cache.why.disagrees')}" if report.agreement == "disagrees" else said
    return words.say(f"cache.why.api_{report.agreement}", told=words.say(f"cache.why.told_{told.kind}"))
