"""The prompt cache: prefixes by exact bytes, marks, look-back, minimum size and time to live.

Entries are keyed by a hash chain over model, tools, system and messages. Parameters that spoil only part of the prefix
(speed at the system level; tool choice, thinking, effort and the presence of images at the message level) are
mixed into the chain where their level begins.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .clock import Clock
from .counting import Segment, segments_of, tail_tokens
from .models import Model

LOOK_BACK = 20  # content blocks
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
    """Entries of all models; kept in a file between runs where one is given."""

    def __init__(self, clock: Clock, state: Path | None = None) -> None:
        self._clock = clock
        self._state = state
        self._entries: dict[str, Entry] = {}
        if state is not None:
            state.parent.mkdir(parents=True, exist_ok=True)
            self._load(state)

    def _load(self, state: Path) -> None:
        if not state.exists():
            return
        try:
            saved = json.loads(state.read_text("utf-8"))
            self._clock.offset = float(saved["clock_offset"])
            self._entries = {key: Entry(float(ttl), float(end)) for key, (ttl, end) in saved["entries"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{state} is not a state file of the simulator") from None

    def clear(self) -> None:
        self._entries.clear()
        self.save()

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

    def _hit(self, keys: list[str], mark: int, now: float) -> int:
        for at in range(mark, max(-1, mark - LOOK_BACK - 1), -1):
            entry = self._entries.get(keys[at])
            if entry is not None and entry.expires > now:
                return at
        return -1

    def commit(self, outcome: Outcome) -> None:
        """The answer begins to stream: its writes become readable, what it read lives on."""
        for key, started in outcome.refreshed.items():
            if (entry := self._entries.get(key)) is not None:
                entry.expires = max(entry.expires, started + entry.ttl)
        self._entries.update(outcome.writes)
        if outcome.writes or outcome.refreshed:
            self.save()

    def save(self) -> None:
        """Write the state file in one step; expired entries are left out."""
        if self._state is None:
            return
        now = self._clock.now()
        self._entries = {key: entry for key, entry in self._entries.items() if entry.expires > now}
        entries = {key: [entry.ttl, entry.expires] for key, entry in self._entries.items()}
        fresh = self._state.with_name(self._state.name + ".new")
        fresh.write_text(json.dumps({"clock_offset": self._clock.offset, "entries": entries}), "utf-8")
        fresh.replace(self._state)


def _marks(steps: list[Segment], body: dict[str, Any]) -> dict[int, str]:
    marks = {at: step.mark for at, step in enumerate(steps) if step.mark}
    automatic = body.get("cache_control")
    if automatic:
        target = next((at for at in range(len(steps) - 1, -1, -1) if steps[at].cacheable), None)
        if target is not None:
            marks.setdefault(target, str(automatic.get("ttl") or "5m"))
    return marks


def _chain(steps: list[Segment], body: dict[str, Any], model: Model) -> list[str]:
    mixed = {"tools": model.id.encode(), "system": _system_salt(body), "messages": _message_salt(body, model)}
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


def _system_salt(body: dict[str, Any]) -> bytes:
    return str(body.get("speed") or "standard").encode()


def _message_salt(body: dict[str, Any], model: Model) -> bytes:
    thinking = body.get("thinking") or {"type": "adaptive" if model.thinks_unasked else "disabled"}
    effort = (body.get("output_config") or {}).get("effort") or model.default_effort
    choice = body.get("tool_choice") or {"type": "auto"}
    images = any(
        block.get("type") == "image"
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    )
    parts = [thinking["type"], thinking.get("budget_tokens"), effort, choice, images]
    return json.dumps(parts, sort_keys=True).encode()
