"""How two requests differ in what counts for the cache, in the order it reads them.

Cache marks, `max_tokens`, `stream`, `stop_sequences`, `diagnostics` and how thinking is displayed do not count, nor
does whether a model's usual effort is written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from desktop_app.core.cache.block_findings import BothSides, Finding, message_findings, system_findings, tool_findings
from desktop_app.core.cache.causes import Cause, Difference, SentRequest
from desktop_app.core.conversation import to_json
from desktop_app.core.models import same_effort
from desktop_app.core.request import Request
from desktop_app.core.request_diff import placed_blocks
from desktop_app.core.text_difference import cut


def cache_differences(before: SentRequest, after: SentRequest) -> tuple[Finding, ...]:
    """All that differs, first what spoils the cache first; empty when the earlier request is the beginning of the
    later one."""
    versions = before.record.app_version, after.record.app_version
    both = BothSides(placed_blocks(before), placed_blocks(after), versions)
    return (
        *_whole(before, after),
        *tool_findings(both),
        *system_findings(both),
        *_switches(before.request, after.request),
        *message_findings(both),
    )


def shared_messages(before: Request, after: Request) -> int:
    """How many messages both begin with."""
    pairs = zip(before.messages, after.messages, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), min(map(_length, (before, after))))


def images_in(request: Request) -> int:
    """How many images a request holds, those in tool results too."""
    return sum(1 for block in _blocks_within(request) if block.get("type") == "image")


def _length(request: Request) -> int:
    return len(request.messages)


def _whole(before: SentRequest, after: SentRequest) -> Iterator[Finding]:
    """What spoils everything, and the speed."""
    pairs = (
        (Cause.ENDPOINT, "host", before.record.host, after.record.host),
        (Cause.MODEL, "model", before.request.model, after.request.model),
        (Cause.SPEED, "speed", _speed(before.request), _speed(after.request)),
    )
    for cause, field, was, is_now in pairs:
        if was != is_now:
            yield _setting(cause, field, was, is_now)


def _switches(before: Request, after: Request) -> Iterator[Finding]:
    """Settings that spoil the messages although none of them changed."""
    if _cites(before) != _cites(after):
        yield _setting(Cause.CITATIONS, "citations", _on(_cites(before)), _on(_cites(after)))
    for cause, field, of in (
        (Cause.TOOL_CHOICE, "tool_choice", _tool_choice),
        (Cause.THINKING, "thinking", _thinking),
    ):
        was, is_now = of(before), of(after)
        if was != is_now:
            yield _setting(cause, field, was, is_now)
    efforts = _effort(before), _effort(after)
    if not same_effort(before.model, *efforts):
        yield _setting(Cause.EFFORT, "effort", *efforts)
    images = images_in(before), images_in(after)
    if bool(images[0]) != bool(images[1]):
        yield _setting(Cause.IMAGES, "images", str(images[0]), str(images[1]))


def _setting(cause: Cause, field: str, was: str, is_now: str) -> Finding:
    lines = (f"{field}: {value}" if value else "" for value in (was, is_now))
    return Finding(cause, Difference("params", 0, 0, None, *map(cut, lines)), field, was, is_now)


def _speed(request: Request) -> str:
    return str(request.params.get("speed") or "standard")


def _tool_choice(request: Request) -> str:
    choice = request.params.get("tool_choice") or {"type": "auto"}
    return str(choice["type"]) if list(choice) == ["type"] else to_json(choice)


def _thinking(request: Request) -> str:
    given = request.params.get("thinking") or {}
    counted = {name: value for name, value in given.items() if name not in ("display", "block_binding")}
    return str(counted.get("type", "")) if len(counted) <= 1 else to_json(counted)


def _effort(request: Request) -> str:
    return str((request.params.get("output_config") or {}).get("effort") or "")


def _cites(request: Request) -> bool:
    given = (block.get("citations") for block in _blocks_within(request))
    return any(isinstance(one, Mapping) and one.get("enabled") is True for one in given)


def _on(switched: bool) -> str:
    return "on" if switched else "off"


def _blocks_within(request: Request) -> Iterator[Mapping[str, Any]]:
    """Every block of the messages, and those inside tool results."""
    for message in request.messages:
        for block in message.blocks:
            yield block
            content = block.get("content")
            if isinstance(content, list):
                yield from (inner for inner in content if isinstance(inner, Mapping))
