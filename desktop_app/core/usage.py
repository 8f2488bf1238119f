"""Tokens of one reply as the endpoint reported them, and how each figure is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

_IMPOSSIBLE = 10**8
"""No request holds this many tokens, a hundred of the largest windows; a server that says so reported nothing."""
_ANSWERING = ("message", "fallback_message")
"""The kinds of pass that write the answer; all others are made beside it."""
_COMPACTING = "compaction"
"""The kind of pass that writes a summary."""


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
class SidePass:
    """A pass the server made beside the answer: billed, outside the totals of the answer, and no part of what fills
    the window. Tokens. `kind` is the API's word: compaction, advisor_message, …; message for an earlier pass of the
    same answer."""

    kind: str
    uncached: int = 0
    write_5m: int = 0
    write_1h: int = 0
    read: int = 0
    output: int = 0

    @property
    def answers(self) -> bool:
        """Whether it wrote a part of the answer."""
        return self.kind in _ANSWERING

    @property
    def input_total(self) -> int:
        """All input tokens of the pass."""
        return self.uncached + self.write_5m + self.write_1h + self.read


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by kind; None where the endpoint reported nothing (never 0 by default).

    `uncached` input, cache `write_5m` and `write_1h`, cache `read`, `output` (thinking included),
    `thinking`. `split_known` is False when a cache write came without its 5 m / 1 h split;
    `output_estimated` when the reply broke off before its final count. `sides` are billed besides.
    """

    uncached: int | None = None
    write_5m: int | None = None
    write_1h: int | None = None
    read: int | None = None
    output: int | None = None
    thinking: int | None = None
    split_known: bool = True
    output_estimated: bool = False
    sides: tuple[SidePass, ...] = ()

    @property
    def input_total(self) -> int | None:
        """All input tokens: uncached, written and read; None when the endpoint reported no input."""
        if self.uncached is None:
            return None
        return self.uncached + (self.write_5m or 0) + (self.write_1h or 0) + (self.read or 0)

    @property
    def billed_input(self) -> int | None:
        """All input tokens that are paid for: those of the answer and of every pass beside it."""
        if self.uncached is None and not self.sides:
            return None
        return (self.input_total or 0) + sum(side.input_total for side in self.sides)

    @property
    def billed_output(self) -> int | None:
        """All output tokens that are paid for."""
        if self.output is None and not self.sides:
            return None
        return (self.output or 0) + sum(side.output for side in self.sides)

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

    Source of the rules: the usage table of the streaming documentation (message_start, then message_delta). A list of
    passes (`iterations`) tells what the totals leave out.
    """
    if not reported:
        return usage
    return _with_passes(_with_totals(usage, reported), reported.get("iterations"))


def _with_totals(usage: Usage, reported: Mapping[str, Any]) -> Usage:
    details = reported.get("output_tokens_details")
    changes = {
        "uncached": _tokens(reported.get("input_tokens")),
        "read": _tokens(reported.get("cache_read_input_tokens")),
        "output": _tokens(reported.get("output_tokens")),
        "thinking": _tokens(details.get("thinking_tokens")) if isinstance(details, Mapping) else None,
    }
    known: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    return replace(usage, **known, **_writes(usage, reported))


def _with_passes(usage: Usage, iterations: object) -> Usage:
    """The usage with the passes beside the answer, and of an answer in several passes the last: it fills the window."""
    if not isinstance(iterations, list):
        return usage
    entries = [entry for entry in iterations if isinstance(entry, Mapping) and isinstance(entry.get("type"), str)]
    told = [(str(entry["type"]), _with_totals(Usage(), entry)) for entry in entries]
    answers = [one for one in told if one[0] in _ANSWERING]
    if told and all(kind == _COMPACTING and one.uncached is not None for kind, one in told):
        # Nothing was answered: what stands in the totals is what the first event foresaw.
        usage = replace(usage, uncached=0, write_5m=0, write_1h=0, read=0, output=0, thinking=None, split_known=True)
    return _last_answer(_beside(replace(usage, sides=()), [one for one in told if one not in answers]), answers)


def _last_answer(usage: Usage, answers: Sequence[tuple[str, Usage]]) -> Usage:
    """The last pass as the answer and those before it beside it, where the totals are their sum or tell nothing."""
    if not answers:
        return usage
    *earlier, (_, last) = answers
    if usage.input_total:
        sums = [sum(kind) for kind in zip(*(_kinds(one) for _, one in answers), strict=True)]
        if not earlier or list(_kinds(usage)) != sums:
            return usage
    answer = replace(
        usage,
        uncached=last.uncached or 0,
        write_5m=last.write_5m or 0,
        write_1h=last.write_1h or 0,
        read=last.read or 0,
        output=last.output or 0,
        thinking=None if usage.thinking is None else min(usage.thinking, last.output or 0),
        split_known=last.split_known,
    )
    return _beside(answer, earlier)


def _beside(usage: Usage, passes: Sequence[tuple[str, Usage]]) -> Usage:
    """The usage with further passes beside it; one that tells no tokens cost nothing."""
    billed = [(kind, one) for kind, one in passes if any(_kinds(one))]
    sides = (
        SidePass(kind, one.uncached or 0, one.write_5m or 0, one.write_1h or 0, one.read or 0, one.output or 0)
        for kind, one in billed
    )
    split_known = usage.split_known and all(one.split_known for _, one in billed)
    return replace(usage, sides=(*sides, *usage.sides), split_known=split_known)


def _kinds(usage: Usage) -> tuple[int, int, int, int]:
    return usage.uncached or 0, usage.written or 0, usage.read or 0, usage.output or 0


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
