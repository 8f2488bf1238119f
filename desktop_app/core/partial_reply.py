"""The answer as far as it has come: deltas gathered into blocks that may be stored and sent again."""

from __future__ import annotations

import json
from dataclasses import replace

from desktop_app.core.cache.diagnosis import CacheDiagnosis
from desktop_app.core.conversation import Block, well_formed_block
from desktop_app.core.stream import (
    BlockClosed,
    BlockOpened,
    InputDelta,
    ReplyClosed,
    ReplyOpened,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from desktop_app.core.token_estimate import TokenEstimator, add_features, block_features
from desktop_app.core.usage import Usage


class PartialReply:
    """Gathers a stream. `blocks()` is what stands at any moment; `closed` the last event once it came."""

    def __init__(self) -> None:
        self.model = ""
        self.usage = Usage()
        self.diagnosis: CacheDiagnosis | None = None
        self.closed: ReplyClosed | None = None
        self._whole: dict[int, Block] = {}
        self._opened: dict[int, BlockOpened] = {}
        self._pieces: dict[int, list[str]] = {}

    @property
    def anything(self) -> bool:
        """Whether the endpoint began to answer."""
        return bool(self.model) or bool(self._opened) or self.usage != Usage()

    def take(self, event: StreamEvent) -> None:
        """Adds one event of the stream."""
        match event:
            case ReplyOpened(model, usage, diagnosis):
                self.model, self.usage, self.diagnosis = model, usage, diagnosis
            case BlockOpened(index):
                self._opened[index] = event
                self._pieces[index] = []
            case TextDelta(index, piece) | ThinkingDelta(index, piece) | InputDelta(index, piece):
                self._pieces.setdefault(index, []).append(piece)
            case BlockClosed(index, block):
                self._whole[index] = block
            case ReplyClosed():
                self.closed = event
                self.model = event.model or self.model
                self.usage = event.usage

    def blocks(self) -> tuple[Block, ...]:
        """Whole blocks as they came, unfinished ones as far as they make sense."""
        if self.closed is not None and self.closed.stop_reason is not None:
            return tuple(map(well_formed_block, self.closed.blocks))
        blocks = [self._whole.get(index) or self._unfinished(index) for index in sorted(self._opened)]
        return tuple(well_formed_block(block) for block in blocks if block is not None)

    def estimated_usage(self, estimator: TokenEstimator) -> Usage:
        """Usage of a reply that broke off: the input as reported, the output estimated and said to be so."""
        if self.closed is not None and self.closed.stop_reason is not None:
            return self.usage
        parts = [block_features(block, "message") for block in self.blocks()]
        guess = max(1, round(estimator.estimate(add_features(parts)).tokens)) if parts else 0
        # What the stream said itself is a floor: the first event already carries a small count.
        output = max(guess, self.usage.output or 0)
        return replace(self.usage, output=output, output_estimated=True)

    def _unfinished(self, index: int) -> Block | None:
        opened, text = self._opened[index], "".join(self._pieces.get(index, []))
        match opened.kind:
            case "text":
                return {"type": "text", "text": text} if text else None
            case "thinking":
                # Without its signature it can be shown but is never sent back.
                return {"type": "thinking", "thinking": text} if text else None
            case "tool_use":
                return {"type": "tool_use", "id": opened.call_id, "name": opened.name, "input": _input_so_far(text)}
        # Half a compaction is none: the API signs the whole.
        return None


def _input_so_far(text: str) -> object:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return {}
