"""What in the prefix of the next request is likely to change from one request to the next, and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from desktop_app.core.cache.block_findings import Finding
from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.difference import cache_differences
from desktop_app.core.cache.volatile_words import VolatileWord, speaks_of_now, volatile_words
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.fact_lines import read_fact_line
from desktop_app.core.request import Request
from desktop_app.core.request_log import SYSTEM_PART, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.text_difference import cut


class LintKind(StrEnum):
    """What was found."""

    DATE = "date"
    TIME = "time"
    UUID = "uuid"
    IDENTIFIER = "identifier"
    """A session, user or request id, or a long random word."""
    UNSORTED_JSON = "unsorted_json"
    TOOL_ORDER = "tool_order"
    MODEL = "model"
    """The model is another than that of the last request."""
    EFFORT = "effort"
    THINKING = "thinking"
    TOOLS = "tools"
    """Tools came or went since the last request."""
    INSTRUCTIONS = "instructions"
    """The instructions are others than those of the last request."""


class Remedy(StrEnum):
    """What a button beside a finding does; NONE where only words help."""

    NONE = "none"
    EDIT_INSTRUCTIONS = "edit_instructions"
    SHOW_FACT = "show_fact"
    BACK_MODEL = "back_model"
    BACK_EFFORT = "back_effort"
    BACK_THINKING = "back_thinking"
    BACK_TOOLS = "back_tools"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One finding: where it stands (`segment`, the fact's key or tool's name in `name`), the words found in `quote`,
    and for a setting what it was (`was`) and is (`is_now`)."""

    kind: LintKind
    segment: Segment | None
    quote: str = ""
    name: str = ""
    was: str = ""
    is_now: str = ""
    remedy: Remedy = Remedy.NONE


_SETTLED = timedelta(days=1)
"""What stood in a request sent so long ago and stands in this one is a fixed date, not that of today."""
_DECODER = json.JSONDecoder()
_SETTINGS = {
    Cause.MODEL: (LintKind.MODEL, Remedy.BACK_MODEL),
    Cause.EFFORT: (LintKind.EFFORT, Remedy.BACK_EFFORT),
    Cause.THINKING: (LintKind.THINKING, Remedy.BACK_THINKING),
    Cause.TOOL_ADDED: (LintKind.TOOLS, Remedy.BACK_TOOLS),
    Cause.TOOL_REMOVED: (LintKind.TOOLS, Remedy.BACK_TOOLS),
    Cause.TOOL_CHANGED: (LintKind.TOOLS, Remedy.NONE),
    Cause.INSTRUCTIONS: (LintKind.INSTRUCTIONS, Remedy.EDIT_INSTRUCTIONS),
}


def lint(
    request: Request, spans: Sequence[SegmentSpan], before: SentRequest | None, moment: datetime | None = None
) -> tuple[LintFinding, ...]:
    """What the prefix of a request holds that will cost the cache now (against `before`) or next time.

    `spans` are those of its plan. `moment` is when it will be sent: a date that stood there a day before is no longer
    suspected of being that of the day.
    """
    settled = before is not None and moment is not None and moment - before.record.sent_at >= _SETTLED
    known = _prefix_text(before.request) if before is not None and settled else ""
    found = [*_against(request, spans, before), *_tool_order(request.tools)]
    for place, block in enumerate(request.system):
        segment = _segment(spans, place)
        text = str(block.get("text", ""))
        find = _in_facts(text) if segment is Segment.FACTS else _in_instructions(text)
        found += [finding for finding in find if not (known and finding.quote in known)]
    told: dict[tuple[object, ...], LintFinding] = {}
    for finding in found:
        name = "" if finding.kind in (LintKind.TOOL_ORDER, LintKind.TOOLS) else finding.name
        told.setdefault((finding.kind, finding.segment, finding.quote, name), finding)
    return tuple(told.values())


def _prefix_text(request: Request) -> str:
    return "\n".join(str(block.get("text", "")) for block in request.system)


def _segment(spans: Sequence[SegmentSpan], place: int) -> Segment:
    inside = (one for one in spans if one.message == SYSTEM_PART and one.first <= place < one.first + one.count)
    return next((span.segment for span in inside), Segment.SYSTEM)


def _in_instructions(text: str) -> Iterator[LintFinding]:
    words = volatile_words(text)
    days = [word for word in words if word.kind == "date"]
    for word in words:
        # A time alone is a habit ("lunch at 12:30"); with a date, or where the line is about now, it is a clock.
        if word.kind != "time" or word.present or any(_one_line(text, word, day) for day in days):
            kind, quote = LintKind(word.kind), cut(word.quote)
            yield LintFinding(kind, Segment.SYSTEM, quote, remedy=Remedy.EDIT_INSTRUCTIONS)
    for quote in _unsorted_json(text):
        yield LintFinding(LintKind.UNSORTED_JSON, Segment.SYSTEM, cut(quote), remedy=Remedy.EDIT_INSTRUCTIONS)


def _one_line(text: str, one: VolatileWord, other: VolatileWord) -> bool:
    return "\n" not in text[min(one.start, other.start) : max(one.end, other.end)]


def _in_facts(text: str) -> Iterator[LintFinding]:
    """Facts change only when somebody changes them, so a date is suspect only in one about this moment."""
    for line in text.split("\n"):
        fact = read_fact_line(line)
        if fact is None or not speaks_of_now(" ".join(fact).replace("_", " ")):
            continue
        for word in volatile_words(fact[1]):
            yield LintFinding(LintKind(word.kind), Segment.FACTS, cut(word.quote), fact[0], remedy=Remedy.SHOW_FACT)


def _unsorted_json(text: str) -> Iterator[str]:
    """Objects inside a text whose keys have no order: what wrote them may write them otherwise next time."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if not _is_sorted(value):
                yield " ".join(text[at:end].split())
        at = text.find("{", end)


def _is_sorted(value: object) -> bool:
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(map(_is_sorted, value.values()))
    return all(map(_is_sorted, value)) if isinstance(value, list) else True


def _tool_order(tools: Sequence[Block]) -> Iterator[LintFinding]:
    names = [str(tool.get("name", "")) for tool in tools]
    if names != sorted(names):
        yield LintFinding(LintKind.TOOL_ORDER, Segment.TOOLS, cut(", ".join(names)))


def _against(request: Request, spans: Sequence[SegmentSpan], before: SentRequest | None) -> Iterator[LintFinding]:
    """What differs from the request before in settings a person can take back."""
    if before is None:
        return
    coming = SentRequest(replace(before.record, spans=tuple(spans)), request)
    for finding in cache_differences(before, coming):
        yield from _of_difference(finding, before.request, request)


def _of_difference(finding: Finding, before: Request, after: Request) -> Iterator[LintFinding]:
    was, is_now, difference = finding.was, finding.is_now, finding.difference
    if finding.cause is Cause.TOOL_ORDER:
        yield LintFinding(LintKind.TOOL_ORDER, Segment.TOOLS, cut(is_now), finding.name, was, is_now)
    elif finding.cause is Cause.DATE:
        first = next(_in_instructions(is_now), LintFinding(LintKind.DATE, Segment.SYSTEM, cut(is_now)))
        yield replace(first, was=was, is_now=is_now, remedy=Remedy.EDIT_INSTRUCTIONS)
    elif finding.cause is Cause.TOOL_CHANGED and _same_but_for_order(finding.name, before, after):
        yield LintFinding(LintKind.UNSORTED_JSON, Segment.TOOLS, difference.after, finding.name)
    elif finding.cause in _SETTINGS:
        kind, remedy = _SETTINGS[finding.cause]
        if kind is LintKind.TOOLS:
            yield LintFinding(kind, Segment.TOOLS, "", finding.name, _names(before), _names(after), remedy)
        elif kind is LintKind.INSTRUCTIONS:
            lines = difference.before, difference.after
            yield LintFinding(kind, Segment.SYSTEM, "", "", *lines, remedy)
        else:
            yield LintFinding(kind, None, "", "", was, is_now, remedy)


def _names(request: Request) -> str:
    return ", ".join(str(tool.get("name", "")) for tool in request.tools)


def _same_but_for_order(name: str, before: Request, after: Request) -> bool:
    """Whether a tool holds the same in both, its keys in another order."""
    one, other = (next(tool for tool in request.tools if tool.get("name") == name) for request in (before, after))
    return one == other and to_json(one) != to_json(other)
