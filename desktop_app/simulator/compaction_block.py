"""Compaction blocks: made and verified from themselves alone, so they outlive a restart.

A block's `signature` carries, under one HMAC, its kind (made at a threshold or on demand) and digests of the summary,
of `tool_changes` and of `encrypted_content`; further where the summarised conversation began (system and tools) and
where it ended, for thinking made behind that place: it stays valid behind the block. `encrypted_content` holds what was
still open when a block was made at a threshold: the turn that waits for its answer. The content of a block whose
summary failed is null; such a block stands for nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

from .conversation import Block, canonical
from .errors import invalid

AT_THRESHOLD, ON_DEMAND = b"t", b"d"
SIGNATURE_INVALID = "compaction_signature_invalid"
CONTENT_MISMATCH = "compaction_content_mismatch"
TOOL_CHANGES_MISMATCH = "compaction_tool_changes_mismatch"
_KEY = b"mnemoscope simulated compaction, version 1"
_SIZE = 16
_VERSION = b"\x01"
_FIXED = 5 * _SIZE + 2


@dataclass(frozen=True)
class Ends:
    """Digests of a conversation: of its system prompt and tools, and of all of it, by every way it may be read."""

    start: bytes
    ends: tuple[bytes, ...]


@dataclass(frozen=True)
class Genuine:
    """What a verified block says of itself: its kind, the conversation it stands for, and the messages left open."""

    kind: bytes
    ends: Ends
    open_turn: list[dict[str, Any]]


def stands_for_nothing(block: Any) -> bool:
    """Whether a block is a compaction that failed."""
    return isinstance(block, dict) and block.get("type") == "compaction" and block.get("content") is None


def make_block(kind: bytes, content: str | None, ends: Ends, open_turn: list[dict[str, Any]]) -> Block:
    """A block as the API returns it; one without content needs no signature."""
    if content is None:
        return {"type": "compaction", "content": None, "encrypted_content": None}
    sealed = base64.b64encode(json.dumps(open_turn, ensure_ascii=False).encode()).decode()
    block = {"type": "compaction", "content": content, "encrypted_content": sealed, "tool_changes": []}
    body = kind + b"".join(_digests(block)) + ends.start + b"".join(ends.ends)
    return block | {"signature": base64.b64encode(_VERSION + _mac(body) + body).decode()}


def _digests(block: Block) -> tuple[bytes, bytes, bytes]:
    """Of the summary, of the tool changes, and of what is encrypted."""
    changes = block.get("tool_changes")
    told = b"absent" if changes is None else b"".join(map(canonical, changes))
    return _short(str(block["content"]).encode("utf-8", "surrogatepass")), _short(told), _short(_encrypted(block))


def _encrypted(block: Block) -> bytes:
    return str(block.get("encrypted_content") or "").encode("utf-8", "surrogatepass")


def _short(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()[:_SIZE]


def _mac(body: bytes) -> bytes:
    return hmac.new(_KEY, body, "sha256").digest()[:_SIZE]


def kind_of(block: Block) -> bytes | None:
    """The kind a block with content says it is; None where this server never signed it."""
    body = _body(block)
    return None if body is None else body[:1]


def _body(block: Block) -> bytes | None:
    """What the signature covers, where it verifies."""
    try:
        raw = base64.b64decode(block.get("signature") or "", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) < _FIXED or raw[:1] != _VERSION or not hmac.compare_digest(raw[1 : 1 + _SIZE], _mac(raw[1 + _SIZE :])):
        return None
    return raw[1 + _SIZE :]


def verify(block: Block, path: str) -> Genuine:
    """What a block with content says. Raises ApiError 400 where it is not as it was returned."""
    body = _body(block)
    if body is None:
        raise invalid(f"{path}: Invalid `signature` in `compaction` block", SIGNATURE_INVALID)
    parts = [body[at : at + _SIZE] for at in range(1, len(body), _SIZE)]
    content, changes, encrypted = _digests(block)
    if parts[0] != content:
        raise invalid(f"{path}: `content` does not match the `signature` of the `compaction` block", CONTENT_MISMATCH)
    if parts[1] != changes:
        text = f"{path}: `tool_changes` must be sent back as they were returned with the `compaction` block"
        raise invalid(text, TOOL_CHANGES_MISMATCH)
    if parts[2] != encrypted:
        raise invalid(f"{path}: Invalid `encrypted_content` in `compaction` block", SIGNATURE_INVALID)
    open_turn = json.loads(base64.b64decode(_encrypted(block)))
    return Genuine(body[:1], Ends(parts[3], tuple(parts[4:])), open_turn)
