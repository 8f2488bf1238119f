"""The prompt cache: prefixes by exact bytes, marks, look-back, minimum size and time to live.

Entries are keyed by a hash chain over model, tools, system and messages. Settings that spoil only part of the prefix
(`switches`) are mixed into the chain where their level begins.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from .clock import Clock
from .counting import Segment, segments_of, tail_tokens
from .models import Model
from .state import StateFile
from .switches import message_switches, speed_of, system_switches, tool_switches

LOOK_BACK = 20  # content blocks
LEAST_SWEPT = 1_000  # entries
SECONDS = {"5m": 300.0, "1h": 3_600.0}


@dataclass
class Entry:
    """A stored prefix: its time to live in seconds, and when it runs out."""

    ttl: float
    expires: float


@dataclass
class Outcome:
    """How the input of one request is split; `commit` makes what it wrote readable."""

    read: int
    written_5m: int
    written_1h: int
    uncached: int
    writes: dict[str, Entry] = field(default_factory=dict)
    refreshed: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return self.read + self.written_5m + self.written_1h + self.uncached

    def usage(self) -> dict[str, Any]:
        """The input side of a usage object."""
        return {
            "input_tokens": self.uncached,
            "cache_creation_input_tokens": self.written_5m + self.written_1h,
            "cache_read_input_tokens": self.read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": self.written_5m,
                "ephemeral_1h_input_tokens": self.written_1h,
            },
        }


class PromptCache:
    """Entries of all models; part of the state file."""

    def __init__(self, clock: Clock, state: StateFile) -> None:
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._sweep_above = LEAST_SWEPT
        state.attach("entries", self._load, self._dump)

    def _load(self, saved: Any) -> None:
        self._entries = {key: Entry(float(ttl), float(end)) for key, (ttl, end) in saved.items()}

    def _dump(self) -> dict[str, list[float]]:
        """What to keep; expired entries are left out."""
        now = self._clock.now()
        return {key: [entry.ttl, entry.expires] for key, entry in self._entries.copy().items() if entry.expires > now}

    def clear(self) -> None:
        self._entries.clear()

    def look_up(self, body: dict[str, Any], model: Model, dropped: set[str], started: float) -> Outcome:
        """Split the input of a checked request; nothing is stored before `commit`."""
        steps = segments_of(body, dropped)
        keys = _chain(steps, body, model)
        reach: list[int] = []
        for step in steps:
            reach.append(step.tokens + (reach[-1] if reach else 0))
        marks = _marks(steps, body)
        total = (reach[-1] if reach else 0) + tail_tokens(body)
        hit = max((self._hit(keys, at, started) for at in marks), default=-1)
        outcome = Outcome(reach[hit] if hit >= 0 else 0, 0, 0, 0)
        for key in [keys[at] for at in marks if at <= hit] + ([keys[hit]] if hit >= 0 else []):
            outcome.refreshed[key] = started
        done = outcome.read
        for at, ttl in sorted(marks.items()):
            if at <= hit or reach[at] < model.minimum_prefix:
                continue
            outcome.writes[keys[at]] = Entry(SECONDS[ttl], started + SECONDS[ttl])
            if ttl == "1h":
                outcome.written_1h += reach[at] - done
            else:
                outcome.written_5m += reach[at] - done
            done = reach[at]
        outcome.uncached = total - outcome.read - outcome.written_5m - outcome.written_1h
        return outcome

    def _sweep(self) -> None:
        """Leave out what has expired; the next time when there are twice as many."""
        now = self._clock.now()
        self._entries = {key: entry for key, entry in self._entries.items() if entry.expires > now}
        self._sweep_above = max(LEAST_SWEPT, 2 * len(self._entries))

    def _hit(self, keys: list[str], mark: int, now: float) -> int:
        for at in range(mark, max(-1, mark - LOOK_BACK - 1), -1):
            entry = self._entries.get(keys[at])
            if entry is not None and entry.expires > now:
                return at
        return -1

    def commit(self, outcome: Outcome) -> bool:
        """The answer begins to stream: its writes become readable, what it read lives on; True where that is new."""
        for key, started in outcome.refreshed.items():
            if (entry := self._entries.get(key)) is not None:
                entry.expires = max(entry.expires, started + entry.ttl)
        self._entries.update(outcome.writes)
        if len(self._entries) > self._sweep_above:
            self._sweep()
        return bool(outcome.writes or outcome.refreshed)


def _marks(steps: list[Segment], body: dict[str, Any]) -> dict[int, str]:
    marks = {at: step.mark for at, step in enumerate(steps) if step.mark}
    automatic = body.get("cache_control")
    if automatic:
        target = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].cacheable), None)
        if target is not None:
            marks.setdefault(target, str(automatic.get("ttl") or "5m"))
    return marks


def _chain(steps: list[Segment], body: dict[str, Any], model: Model) -> list[str]:
    system = speed_of(body).encode() + system_switches(body)
    mixed = {"tools": tool_switches(body, model), "system": system, "messages": message_switches(body, model)}
    levels = list(mixed)
    hasher = hashlib.sha256()
    keys: list[str] = []
    reached = -1
    for step in steps:
        while reached < levels.index(step.level):
            reached += 1
            hasher.update(mixed[levels[reached]] + b"|")
        hasher.update(f"{step.level}:{len(step.key)}:".encode() + step.key)
        keys.append(hasher.copy().hexdigest())
    return keys
