"""How a request of the past is named in one line."""

from __future__ import annotations

from collections.abc import Set

from desktop_app.bridge.figures import clock, marked
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.words import Words


def request_kind(words: Words, record: RequestRecord, *, on_path: bool) -> list[str]:
    """What is unusual about a request: for a memo or for memory, of another version, failed or stopped."""
    kinds = []
    if record.purpose is not RequestPurpose.CHAT:
        kinds.append(words.say(f"context.machine.{record.purpose}"))
    if not on_path:
        kinds.append(words.say("context.machine.other_version"))
    if record.state in (RequestState.FAILED, RequestState.STOPPED):
        kinds.append(words.say(f"context.machine.{record.state}"))
    return kinds


def request_name(words: Words, record: RequestRecord, turns: Set[str]) -> str:
    """`turn 37 · 13:41 · request 2 · memo · 61,204 tokens`; `turns` are the messages of the path in use."""
    parts = [words.say("context.shown", turn=record.turn, time=clock(record.sent_at))]
    if record.round > 1:
        parts.append(words.say("context.machine.round", n=record.round))
    parts += request_kind(words, record, on_path=record.turn_id in turns)
    parts.append(words.say("context.machine.tokens", tokens=marked(words, record.total)))
    return " · ".join(parts)
