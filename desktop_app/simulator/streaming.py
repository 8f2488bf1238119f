"""An answer as the client gets it: the JSON message, or the events of a stream in the order of the API."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .cache import Outcome
from .conversation import Block
from .diagnosis import Diagnosis, Fingerprint
from .reply import Sent
from .tokens import count_text

LONGEST_PIECE = 9  # characters of one delta
PING = ("ping", {"type": "ping"})


@dataclass
class Message:
    """A finished answer with its identity and usage."""

    id: str
    model: str
    sent: Sent
    outcome: Outcome
    speed: str | None = None
    fingerprint: Fingerprint | None = None  # of the request, where it asked for a diagnosis
    diagnostics: Diagnosis | None = None
    transformations: list[dict[str, str]] | None = None
    applied_edits: list[dict[str, Any]] | None = None  # where the request asked for edits
    iterations: list[dict[str, Any]] | None = None  # where it asked for a compaction

    def usage(self) -> dict[str, Any]:
        """The complete usage object of the finished answer."""
        usage = self._input_usage() | {"output_tokens": self.sent.output_tokens}
        usage |= {"output_tokens_details": {"thinking_tokens": self.sent.thinking_tokens}}
        return usage if self.iterations is None else usage | {"iterations": self.iterations}

    def _input_usage(self) -> dict[str, Any]:
        speed = {} if self.speed is None else {"speed": self.speed}
        return self.outcome.usage() | {"service_tier": "standard", "inference_geo": "not_available"} | speed

    def _head(self) -> dict[str, Any]:
        head: dict[str, Any] = {"id": self.id, "type": "message", "role": "assistant", "model": self.model}
        head |= {"diagnostics": self.diagnostics}
        return head if self.transformations is None else head | {"input_transformations": self.transformations}

    def _end(self) -> dict[str, Any]:
        end: dict[str, Any] = {"stop_reason": self.sent.stop_reason, "stop_sequence": self.sent.stop_sequence}
        return end | ({"stop_details": self.sent.stop_details} if self.sent.stop_details else {})

    def as_json(self) -> dict[str, Any]:
        """The body of an answer that is not streamed."""
        body = self._head() | {"content": self.sent.blocks} | self._end() | {"usage": self.usage()}
        return body | self._edits()

    def _edits(self) -> dict[str, Any]:
        return {} if self.applied_edits is None else {"context_management": {"applied_edits": self.applied_edits}}

    def opening(self) -> tuple[str, dict[str, Any]]:
        """The `message_start` event, with the whole input side of the usage."""
        usage = self._input_usage() | {"output_tokens": min(self.sent.output_tokens, 2)}
        message = self._head() | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return "message_start", {"type": "message_start", "message": message}

    def closing(self) -> list[tuple[str, dict[str, Any]]]:
        """`message_delta` with cumulative usage, then `message_stop`."""
        counted = {key: value for key, value in self.usage().items() if key in _CUMULATIVE}
        delta: dict[str, Any] = {"type": "message_delta", "delta": self._end(), "usage": counted} | self._edits()
        return [("message_delta", delta), ("message_stop", {"type": "message_stop"})]


_CUMULATIVE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
    "output_tokens_details",
    "iterations",
)


@dataclass(frozen=True)
class Step:
    """One event of a stream and the output tokens it stands for."""

    name: str
    data: dict[str, Any]
    tokens: float = 0.0

    @property
    def is_delta(self) -> bool:
        return self.name == "content_block_delta"

    def encode(self) -> bytes:
        return encode(self.name, self.data)


def encode(name: str, data: dict[str, Any]) -> bytes:
    """One event on the wire."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def block_steps(sent: Sent) -> Iterator[Step]:
    """The events of all content blocks, between `message_start` and `message_delta`."""
    for index, block in enumerate(sent.blocks):
        yield Step(
            "content_block_start", {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        )
        for delta, tokens in _deltas(sent, index, block):
            yield Step("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}, tokens)
        yield Step("content_block_stop", {"type": "content_block_stop", "index": index})


def _empty(block: Block) -> Block:
    blanks: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
        "server_tool_use": {"input": {}},
        "compaction": {"content": None, "encrypted_content": None},
    }
    return {**block, **blanks.get(block["type"], {})}


def _deltas(sent: Sent, index: int, block: Block) -> Iterator[tuple[dict[str, Any], float]]:
    kind = block["type"]
    if kind == "text":
        for piece, tokens in _paced(block["text"]):
            yield {"type": "text_delta", "text": piece}, tokens
    elif kind == "thinking":
        for piece, tokens in _paced(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}, tokens
        yield {"type": "signature_delta", "signature": block["signature"]}, sent.hidden.get(index, 0)
    elif kind == "compaction":
        told = {name: block[name] for name in ("content", "encrypted_content")}
        yield {"type": "compaction_delta", **told}, count_text(block["content"] or "")
    elif kind in ("tool_use", "server_tool_use"):
        text = sent.streamed_json.get(index)
        yield {"type": "input_json_delta", "partial_json": ""}, 1
        for piece, tokens in _paced(json.dumps(block["input"], ensure_ascii=False) if text is None else text):
            yield {"type": "input_json_delta", "partial_json": piece}, tokens


def _paced(text: str) -> Iterator[tuple[str, float]]:
    """Fragments with their share of the tokens of the whole text."""
    share = count_text(text) / max(len(text), 1)
    for piece in fragments(text):
        yield piece, share * len(piece)


def fragments(text: str) -> Iterator[str]:
    """A text cut at places that look random but are always the same, also inside words and syllable groups."""
    rng = random.Random(zlib.crc32(text.encode("utf-8", "surrogatepass")))
    at = 0
    while at < len(text):
        size = rng.randint(1, LONGEST_PIECE)
        yield text[at : at + size]
        at += size
