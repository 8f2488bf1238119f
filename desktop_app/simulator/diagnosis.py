"""Cache diagnosis: how a request differs from the one that an earlier reply answered.

The comparison looks at the structure of two requests, never at the cache: model and speed first, then the first
difference in the order tools, system, messages. Cache marks, `max_tokens` and `stream` do not count. A system message
that is hidden by now is still sent and compared; a request that only appends messages has no difference.

Where the blocks of the earlier request all come again and only settings differ that spoil the cache without changing a
block (tool choice, thinking, effort, citations switched on, the first image), the answer is `unavailable`. So an image
appended to a chat without images is `unavailable`, as the cache of the messages is lost although they only grew, and a
further image is no difference. An image put into or taken out of an earlier message is `messages_changed`. So is a
request with fewer messages than the earlier one.

Stricter than the real servers: `previous_message_id` must be given (null on the first turn), and a day after its
reply a fingerprint is gone without fail.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .clock import Clock
from .conversation import canonical, turns_of
from .counting import segments_of
from .models import Model
from .state import StateFile
from .switches import message_switches, speed_of, system_switches

Diagnosis = dict[str, Any]
LEVELS = ("tools", "system", "messages")
MOST_KEPT = 10_000  # fingerprints
KEPT_FOR = 86_400.0  # seconds
LEAST_SWEPT = 10_000  # blocks
_NOTHING_BEFORE = ""


@dataclass(frozen=True)
class Link:
    """One block of a request: its level, its tokens, and the key of the block before it."""

    before: str
    level: str
    tokens: int


@dataclass(frozen=True)
class Fingerprint:
    """What is compared of a request. `blocks` are links by a key that stands for all blocks up to there."""

    model: str
    speed: str
    settings: str
    blocks: dict[str, Link]


@dataclass(frozen=True)
class _Kept:
    model: str
    speed: str
    settings: str
    last: str
    expires: float


def fingerprint(body: dict[str, Any], model: Model, dropped: set[str]) -> Fingerprint:
    """The fingerprint of a checked request; `dropped` are paths of thinking blocks that are not counted."""
    blocks: dict[str, Link] = {}
    before = _NOTHING_BEFORE
    for level, data, tokens in _blocks(body, dropped):
        key = _digest(before.encode() + level.encode() + data)
        blocks[key] = Link(before, level, tokens)
        before = key
    settings = _digest(system_switches(body) + b"|" + message_switches(body, model))
    return Fingerprint(model.id, speed_of(body), settings, blocks)


def _blocks(body: dict[str, Any], dropped: set[str]) -> Iterator[tuple[str, bytes, int]]:
    tokens: dict[str, int] = {}
    for segment in segments_of(body, dropped):
        tokens[segment.path] = segment.tokens
        if segment.level != "messages":
            yield segment.level, segment.key, segment.tokens
    for turn in turns_of(body["messages"]):
        for entry in turn.placed:
            role = f"{turn.role} {turn.clear_at or ''}:"
            yield "messages", role.encode() + canonical(entry.block), tokens.get(entry.path, 0)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:24]


class Fingerprints:
    """Those of the requests that asked for a diagnosis, by the id of their reply; a chat's blocks are kept once."""

    def __init__(self, clock: Clock, state: StateFile) -> None:
        self._clock = clock
        self._kept: dict[str, _Kept] = {}
        self._links: dict[str, Link] = {}
        self._sweep_above = LEAST_SWEPT
        self._lock = threading.Lock()  # what is kept and its blocks belong together; the state file is another thread
        state.attach("fingerprints", self._load, self._dump)

    def _load(self, saved: Any) -> None:
        self._links = {key: Link(before, level, int(size)) for key, (before, level, size) in saved["blocks"].items()}
        for message_id, (model, speed, settings, last, expires) in saved["requests"].items():
            self._kept[message_id] = _Kept(model, speed, settings, last, float(expires))
        self._sweep()

    def _dump(self) -> dict[str, Any]:
        with self._lock:
            kept, links = self._kept.copy(), self._links.copy()
        kept, links = self._alive(kept, links)
        requests = {key: [k.model, k.speed, k.settings, k.last, k.expires] for key, k in kept.items()}
        return {"requests": requests, "blocks": {k: [b.before, b.level, b.tokens] for k, b in links.items()}}

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._links.clear()

    def keep(self, message_id: str, taken: Fingerprint) -> None:
        """Keep the fingerprint of a request that is being answered; the oldest ones give way."""
        last = next(reversed(taken.blocks))
        expires = self._clock.now() + KEPT_FOR
        with self._lock:
            self._kept[message_id] = _Kept(taken.model, taken.speed, taken.settings, last, expires)
            for key, link in taken.blocks.items():
                self._links.setdefault(key, link)
            while len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            if len(self._links) > self._sweep_above:
                self._sweep()

    def _sweep(self) -> None:
        """Leave out what nobody asks for any more; the next time when there are twice as many blocks."""
        self._kept, self._links = self._alive(self._kept, self._links)
        self._sweep_above = max(LEAST_SWEPT, 2 * len(self._links))

    def _alive(self, kept: dict[str, _Kept], links: dict[str, Link]) -> tuple[dict[str, _Kept], dict[str, Link]]:
        """Those that have not expired, and the blocks they refer to."""
        now = self._clock.now()
        kept = {key: one for key, one in kept.items() if one.expires > now}
        alive: dict[str, Link] = {}
        for one in kept.values():
            key = one.last
            while key != _NOTHING_BEFORE and key not in alive:
                alive[key] = links[key]
                key = alive[key].before
        return kept, alive

    def diagnose(self, previous: str | None, new: Fingerprint) -> Diagnosis | None:
        """The `diagnostics` of a reply; None on a first turn and where the request only goes on."""
        if previous is None:
            return None
        kept = self._kept.get(previous)
        if kept is None or kept.expires <= self._clock.now():
            return {"cache_miss_reason": {"type": "previous_message_not_found"}}
        reason = _reason(kept, self._chain(kept.last), new)
        return None if reason is None else {"cache_miss_reason": reason}

    def _chain(self, last: str) -> dict[str, Link]:
        """The blocks of a kept request, in order."""
        found: list[tuple[str, Link]] = []
        while last != _NOTHING_BEFORE:
            found.append((last, self._links[last]))
            last = self._links[last].before
        return dict(reversed(found))


def _reason(old: _Kept, blocks: dict[str, Link], new: Fingerprint) -> dict[str, Any] | None:
    lost = [link for key, link in blocks.items() if key not in new.blocks]
    if old.model != new.model:
        return _changed("model", list(blocks.values()))
    if old.speed != new.speed:
        # Another speed leaves the tools readable.
        kept = [link for key, link in blocks.items() if key in new.blocks and link.level == "tools"]
        return _changed("model", list(blocks.values())[len(kept) :])
    if lost:
        fresh = next((link for key, link in new.blocks.items() if key not in blocks), lost[0])
        return _changed(min(lost[0].level, fresh.level, key=LEVELS.index), lost)
    return {"type": "unavailable"} if old.settings != new.settings else None


def _changed(what: str, lost: list[Link]) -> dict[str, Any]:
    return {"type": f"{what}_changed", "cache_missed_input_tokens": sum(link.tokens for link in lost)}
