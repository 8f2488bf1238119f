"""An answer before it is sent: its parts, and how output limits and stop sequences cut them."""

from __future__ import annotations

import json
import secrets
import zlib
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from .conversation import Block
from .thinking import Chain
from .tokens import count_text, cut_to

THINKING_FRAME = 3
BLOCK_FRAME = 1
TOOL_FRAME = 12
_SERIAL = count(1)
_RUN = secrets.token_hex(4)


@dataclass(frozen=True)
class Thought:
    """Reasoning; shown only where the request asks for it."""

    text: str


@dataclass(frozen=True)
class Words:
    """Visible text."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call."""

    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class Literal:
    """A block that is sent as it stands."""

    block: Block


Part = Thought | Words | Call | Literal


@dataclass
class Reply:
    """What the assistant would say without any limit."""

    parts: list[Part]
    stop_reason: str = "end_turn"
    stop_details: dict[str, Any] | None = None
    truncate: tuple[int, str] | None = None  # tokens, and the stop reason the cut gets


@dataclass
class Sent:
    """A finished answer: blocks as the client gets them, with the JSON a call streams (perhaps cut off)."""

    blocks: list[Block] = field(default_factory=list)
    streamed_json: dict[int, str] = field(default_factory=dict)
    hidden: dict[int, int] = field(default_factory=dict)  # tokens of thinking that is not shown, by block
    stop_reason: str = "end_turn"
    stop_sequence: str | None = None
    stop_details: dict[str, Any] | None = None
    output_tokens: int = 0
    thinking_tokens: int = 0


def new_id(prefix: str, seed: bytes) -> str:
    """An identifier of this process, its counter and the request, so that two runs do not meet."""
    return f"{prefix}_01{_RUN}{zlib.crc32(seed):08x}{next(_SERIAL):06d}"


@dataclass
class _Cutter:
    """Spends the output limit part by part."""

    sent: Sent
    limit: int
    stops: list[str]
    shown: bool
    model: str
    chain: Chain
    seed: bytes

    def add(self, part: Part) -> bool:
        """Append a part; False where the answer ends inside it."""
        left = self.limit - self.sent.output_tokens
        if isinstance(part, Thought):
            return self._think(part.text, left)
        if isinstance(part, Words):
            return self._say(part.text, left)
        if isinstance(part, Call):
            return self._call(part, left)
        self._append(dict(part.block), 0)
        return True

    def _append(self, block: Block, cost: int) -> None:
        self.sent.blocks.append(block)
        self.sent.output_tokens += cost
        self.chain.add("assistant", block)

    def _think(self, text: str, left: int) -> bool:
        kept = cut_to(text, max(left - THINKING_FRAME, 0))
        visible = kept if self.shown else ""
        cost = min(count_text(kept) + THINKING_FRAME, left)
        if not self.shown:
            self.sent.hidden[len(self.sent.blocks)] = cost
        signature = self.chain.sign(self.model, visible)
        self._append({"type": "thinking", "thinking": visible, "signature": signature}, cost)
        self.sent.thinking_tokens += cost
        return kept == text

    def _say(self, text: str, left: int) -> bool:
        found = min(((at, stop) for stop in self.stops if (at := text.find(stop)) >= 0), default=None)
        wanted = text if found is None else text[: found[0]]
        kept = cut_to(wanted, max(left - BLOCK_FRAME, 0))
        if kept:
            self._append({"type": "text", "text": kept}, min(count_text(kept) + BLOCK_FRAME, left))
        if kept != wanted:
            return False
        if found is not None:
            self.sent.stop_reason, self.sent.stop_sequence = "stop_sequence", found[1]
            return False
        return True

    def _call(self, call: Call, left: int) -> bool:
        text = json.dumps(call.input, ensure_ascii=False)
        if left <= TOOL_FRAME:
            return False
        kept = cut_to(text, left - TOOL_FRAME)
        block: Block = {"type": "tool_use", "id": new_id("toolu", self.seed), "name": call.name, "input": call.input}
        if kept != text:
            block["input"] = {}
        self.sent.streamed_json[len(self.sent.blocks)] = kept
        self._append(block, min(count_text(kept) + TOOL_FRAME, left))
        return kept == text


def finish(
    reply: Reply, *, limit: int, at_limit: str, stops: list[str], shown: bool, model: str, chain: Chain, seed: bytes
) -> Sent:
    """Cut a reply to `limit` tokens (stop reason `at_limit`) and at stop sequences; sign its thinking.

    `shown` says whether thinking text is visible; `chain` is the checked conversation the reply continues.
    """
    if reply.truncate is not None and reply.truncate[0] < limit:
        limit, at_limit = reply.truncate
    sent = Sent(stop_reason=reply.stop_reason, stop_details=reply.stop_details)
    cutter = _Cutter(sent, limit, stops, shown, model, chain, seed)
    for part in reply.parts:
        if not cutter.add(part):
            if sent.stop_sequence is None:
                sent.stop_reason = at_limit
            break
    sent.output_tokens = max(sent.output_tokens, 1)
    return sent
