"""Cache marks over the whole request: how many, in which order, and the automatic one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..conversation import THINKING_TYPES, blocks_of
from ..errors import invalid

MOST_MARKS = 4


def check_marks(body: dict[str, Any]) -> None:
    """At most four marks (an automatic one is one of them), 1h before 5m, no clash at the automatic target."""
    marks = list(_marks(body))
    automatic = body.get("cache_control")
    if automatic:
        path, block = _target(body)
        ttl = automatic.get("ttl") or "5m"
        explicit = (block.get("cache_control") or {}) if block else {}
        if explicit and (explicit.get("ttl") or "5m") != ttl:
            raise invalid(
                f"Top-level cache_control has ttl='{ttl}' but the target block already has cache_control with "
                f"ttl='{explicit.get('ttl') or '5m'}'"
            )
        if block is not None and not explicit:
            marks.append((path, ttl))
    if len(marks) > MOST_MARKS:
        raise invalid(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    short_seen = False
    for path, ttl in marks:
        if ttl == "1h" and short_seen:
            raise invalid(
                f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`."
            )
        short_seen = short_seen or ttl == "5m"


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, tool in enumerate(body.get("tools") or []):
        yield f"tools.{number}", tool
    system = body.get("system") or []
    for number, block in enumerate([] if isinstance(system, str) else system):
        yield f"system.{number}", block
    for number, message in enumerate(body["messages"]):
        for index, block in enumerate(blocks_of(message["content"])):
            yield f"messages.{number}.content.{index}", block


def _marks(body: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, block in _blocks(body):
        if block.get("cache_control"):
            yield path, str(block["cache_control"].get("ttl") or "5m")
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            for index, inner in enumerate(block["content"]):
                if inner.get("cache_control"):
                    yield f"{path}.content.{index}", str(inner["cache_control"].get("ttl") or "5m")


def _target(body: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The last cacheable block, where the automatic mark goes."""
    cacheable = [entry for entry in _blocks(body) if entry[1].get("type") not in THINKING_TYPES]
    return cacheable[-1] if cacheable else ("", None)
