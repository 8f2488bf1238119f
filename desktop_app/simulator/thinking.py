"""Signatures of thinking blocks: checked from the request alone, so they outlive a restart.

A signature carries, under one HMAC, the model, a digest of the visible thinking text, a digest of the conversation
before the block (system, tools and all earlier blocks except thinking and cache marks) and the identity of the thinking
block directly before it (zeros when there was none). Removing thinking from the start of a history
leaves every remaining link intact; removing one from between breaks the link of its successor. Where the messages begin
with a compaction block, the conversation begins there; thinking made while the block was being written, or kept behind
it, may as well hang on the conversation the block stands for.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any

from .compaction_block import Ends, stands_for_nothing
from .conversation import THINKING_TYPES, Block, canonical, turns_of
from .errors import invalid
from .models import Model

_KEY = b"mnemoscope simulated thinking, version 1"
_SIZE = 16
NOTHING_BEFORE = bytes(_SIZE)
REBOUND = (
    "{path}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove "
    'the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
EDITED = (
    "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


@dataclass(frozen=True)
class Seal:
    """What a genuine signature says about its block."""

    model: str
    text: bytes
    conversation: bytes
    previous: bytes
    identity: bytes

    @classmethod
    def make(cls, model: str, text: str, conversation: bytes, previous: bytes) -> Seal:
        body = _short(text.encode("utf-8", "surrogatepass"))
        return cls(model, body, conversation, previous, _mac(model, body, conversation, previous))

    def encode(self) -> str:
        raw = b"\x01" + self.identity + self.text + self.conversation + self.previous + self.model.encode()
        return base64.b64encode(raw).decode()

    @classmethod
    def decode(cls, signature: str) -> Seal | None:
        """The seal in a signature, or None where this server never made it."""
        try:
            raw = base64.b64decode(signature, validate=True)
            if len(raw) <= 4 * _SIZE or raw[0] != 1:
                return None
            identity, text, conversation, previous = (raw[1 + n * _SIZE :][:_SIZE] for n in range(4))
            model = raw[1 + 4 * _SIZE :].decode()
        except (binascii.Error, ValueError):
            return None
        genuine = hmac.compare_digest(identity, _mac(model, text, conversation, previous))
        return cls(model, text, conversation, previous, identity) if genuine else None


def _short(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:_SIZE]


def _mac(model: str, *parts: bytes) -> bytes:
    return hmac.new(_KEY, b"\0".join([model.encode(), *parts]), "sha256").digest()[:_SIZE]


class Context:
    """The running digest of a conversation, thinking and cache marks left out."""

    def __init__(self, state: bytes) -> None:
        self._state = state

    @classmethod
    def before_messages(cls, body: dict[str, Any]) -> Context:
        """Where the messages of a request begin: behind its tools and its system prompt."""
        context = cls(NOTHING_BEFORE)
        for tool in body.get("tools") or []:
            context._feed("tool", canonical(tool))
        system = body.get("system") or []
        for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
            context._feed("system", canonical(block))
        return context

    def _feed(self, role: str, data: bytes) -> None:
        self._state = _short(self._state + f"{role}:{len(data)}:".encode() + data)

    def add(self, role: str, block: Block) -> None:
        """Take in the next block; thinking and failed compactions do not count."""
        if block["type"] not in THINKING_TYPES and not stands_for_nothing(block):
            self._feed(role, canonical(block))

    def digest(self) -> bytes:
        return self._state


@dataclass
class Chain:
    """Where the next thinking block of this conversation would hang, and what was dropped on the way.

    `others` are the same conversation with, in place of a compaction block at its beginning, what that stands for.
    """

    context: Context
    previous: bytes
    dropped: list[dict[str, str]]
    dropped_paths: set[str]
    others: list[Context] = field(default_factory=list)

    @classmethod
    def begin(cls, body: dict[str, Any]) -> Chain:
        """The chain in front of the first message."""
        return cls(Context.before_messages(body), NOTHING_BEFORE, [], set())

    def sign(self, model: str, text: str) -> str:
        """The signature of a thinking block made now; the chain goes on behind it."""
        seal = Seal.make(model, text, self.context.digest(), self.previous)
        self.previous = seal.identity
        return seal.encode()

    def add(self, role: str, block: Block) -> None:
        """Take in the next block of the conversation, by every way it may be read."""
        for context in (self.context, *self.others):
            context.add(role, block)

    def digests(self) -> tuple[bytes, ...]:
        """Of the conversation up to here, the newest way to read it first."""
        return tuple(dict.fromkeys(context.digest() for context in (self.context, *self.others)))


def check_thinking(body: dict[str, Any], model: Model, stands_for: Ends | None = None) -> Chain:
    """Verify every thinking block sent back; `stands_for` is told by a compaction block the messages begin with.

    Blocks of another model are dropped silently. On a model with bound thinking a block whose conversation changed is
    refused, or dropped where the request asks for it. Raises ApiError 400.
    """
    turns = turns_of(body["messages"])
    latest = max((n for n, turn in enumerate(turns) if turn.role == "assistant"), default=-1)
    binding = (body.get("thinking") or {}).get("block_binding") or {}
    may_drop = binding.get("prefix_mismatch_behavior") == "drop_block"
    chain = Chain.begin(body)
    resumed = stands_for is not None and stands_for.start == chain.context.digest()
    first = True
    for number, turn in enumerate(turns):
        for entry in turn.placed:
            if entry.block["type"] not in THINKING_TYPES:
                chain.add(f"{turn.role} {turn.clear_at or ''}".strip(), entry.block)
                if resumed and stands_for is not None:
                    chain.others, resumed = [Context(end) for end in stands_for.ends], False
                continue
            seal = _genuine(entry.block, entry.path, number == latest)
            reason = _mismatch(seal, model, chain, first)
            if reason == "prefix_binding_mismatch" and not may_drop:
                raise invalid(REBOUND.format(path=entry.path))
            if reason:
                chain.dropped.append({"type": "thinking_dropped", "path": entry.path, "reason": reason})
                chain.dropped_paths.add(entry.path)
            else:
                chain.previous, first = seal.identity, False
    return chain


def _genuine(block: Block, path: str, in_latest: bool) -> Seal:
    seal = Seal.decode(block["signature"]) if block["type"] == "thinking" else None
    if seal is None:
        if block["type"] == "redacted_thinking":
            raise invalid(f"{path}: Invalid `data` in `redacted_thinking` block")
        raise invalid(f"{path}: Invalid `signature` in `thinking` block")
    if seal.text != _short(block["thinking"].encode("utf-8", "surrogatepass")):
        raise invalid(EDITED.format(path=path) if in_latest else f"{path}: Invalid `signature` in `thinking` block")
    return seal


def _mismatch(seal: Seal, model: Model, chain: Chain, first: bool) -> str:
    if seal.model != model.id:
        return "model_binding_mismatch"
    if not model.bound_thinking:
        return ""
    linked = first or seal.previous == chain.previous
    return "" if linked and seal.conversation in chain.digests() else "prefix_binding_mismatch"
