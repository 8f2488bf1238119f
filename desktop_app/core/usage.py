"""Tokens of one reply as the endpoint reported them, and how each figure is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

_IMPOSSIBLE = 10**12
"""No request holds this many tokens; a server that says so reported nothing."""


class Known(StrEnum):
    """How a figure is known: usage of a reply, count_tokens, or our estimate."""

    MEASURED = "measured"
    COUNTED = "counted"
    ESTIMATED = "estimated"

    @property
    def sign(self) -> str:
        """`≈` for an estimate, `=` for what was counted or measured."""
        return "≈" if self is Known.ESTIMATED else "="


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of tokens and how it is known."""

    tokens: int
    known: Known


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by kind; None where the endpoint reported nothing (never 0 by default).

    `uncached` input, cache `write_5m` and `write_1h`, cache `read`, `output` (thinking included),
    `thinking`. `split_known` is False when a cache write came without its 5 m / 1 h split;
    `output_estimated` when the reply broke off before its final count.
    """

    uncached: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    read: int | None = None
    output: int | None = None
    thinking: int | None = None
    split_known: bool = True
    output_estimated: bool = False

    @property
    def input_total(self) -> int | None:
        """All input tokens: uncached, written and read; None when the endpoint reported no input."""
        if self.uncached is None:
            return None
        return self.uncached + (self.write_5m or 0) + (self.write_1h or 0) + (self.read or 0)

    @property
    def written(self) -> int | None:
        """Tokens written to the cache, both lifetimes."""
        if self.write_5m is None and self.write_1h is None:
            return None
        return (self.write_5m or 0) + (self.write_1h or 0)


def exact_total(usage: Usage | None, counted: int | None) -> Figure | None:
    """The input of a request as it was measured, else as it was counted; None when it was neither.

    No request is empty: 0 is what a server says that did not look.
    """
    if usage is not None and (measured := usage.input_total):
        return Figure(measured, Known.MEASURED)
    return Figure(counted, Known.COUNTED) if counted else None


def merge_usage(usage: Usage, reported: Mapping[str, Any] | None) -> Usage:
    """`usage` after a further report of the stream: values overwrite, absent ones keep what stood.

    Source of the rules: the usage table of the streaming documentation (message_start, then message_delta).
    """
    if not reported:
        return usage
    details = reported.get("output_tokens_details")
    changes = {
        "uncached": _tokens(reported.get("input_tokens")),
        "read": _tokens(reported.get("cache_read_input_tokens")),
        "output": _tokens(reported.get("output_tokens")),
        "thinking": _tokens(details.get("thinking_tokens")) if isinstance(details, Mapping) else None,
    }
    known: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    return replace(usage, **known, **_writes(usage, reported))


def _tokens(value: object) -> int | None:
    """A number of tokens as a server reported it; None for anything that can be none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _IMPOSSIBLE else None


def _writes(usage: Usage, reported: Mapping[str, Any]) -> dict[str, Any]:
    """The changes of both cache writes. The sum is binding: what no split explains counts at the shorter lifetime."""
    written, split = _tokens(reported.get("cache_creation_input_tokens")), reported.get("cache_creation")
    split = split if isinstance(split, Mapping) else {}
    short, long = _tokens(split.get("ephemeral_5m_input_tokens")), _tokens(split.get("ephemeral_1h_input_tokens"))
    has_split = short is not None or long is not None
    if not has_split:
        if written is None or written == usage.written:
            return {}
        short, long = usage.write_5m, usage.write_1h
    one_hour = long or 0
    if written is None or written == (short or 0) + one_hour:
        return {"write_5m": short or 0, "write_1h": one_hour, "split_known": has_split or not written}
    one_hour = min(one_hour, written)
    return {"write_5m": written - one_hour, "write_1h": one_hour, "split_known": not written}
