"""The shape of every kind of content block, and which role may carry it."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

from ..errors import invalid
from .shapes import check_control, is_blank, need, need_dict, need_list, need_string, one_of, only_keys

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
ALLOWED = {
    "user": ("text", "image", "document", "search_result", "tool_result"),
    "assistant": (
        "text",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "web_search_tool_result",
        "compaction",
    ),
    "system": ("text",),
    "tool_result": ("text", "image", "document", "search_result"),
}
FIELDS = {
    "text": ("text", "citations", "cache_control"),
    "image": ("source", "cache_control"),
    "document": ("source", "title", "context", "citations", "cache_control"),
    "search_result": ("source", "title", "content", "citations", "cache_control"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input", "caller", "cache_control"),
    "tool_result": ("tool_use_id", "content", "is_error", "cache_control"),
    "server_tool_use": ("id", "name", "input", "caller", "cache_control"),
    "web_search_tool_result": ("tool_use_id", "content", "caller", "cache_control"),
    "compaction": ("content", "encrypted_content", "signature", "tool_changes", "cache_control"),
}


def check_blank(text: str, where: str) -> None:
    """Refuse empty and invisible text; `where` is "messages" or "system"."""
    if not text:
        raise invalid(f"{where}: text content blocks must be non-empty")
    if is_blank(text):
        raise invalid(f"{where}: text content blocks must contain non-whitespace text")


def check_block(block: Any, carrier: str, path: str, *, newest: bool) -> None:
    """Refuse a block that is malformed or that its carrier (a role or "tool_result") may not hold."""
    need_dict(block, path)
    kind = need_string(block, "type", path)
    if kind not in ALLOWED[carrier]:
        if kind in FIELDS:
            raise invalid(f"{path}: `{kind}` blocks are not permitted in `{carrier}` content")
        raise invalid(f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags")
    where = f"{path}.{kind}"
    only_keys(block, ("type", *FIELDS[kind]), where)
    CHECKS[kind](block, where)
    check_control(block, path)
    if kind == "text" and carrier == "user" and newest and block.get("citations"):
        raise invalid(f"{where}.citations: citations are not permitted on user text blocks")


def _text(block: dict[str, Any], path: str) -> None:
    text = need_string(block, "text", path)
    if block.get("cache_control") and is_blank(text):
        raise invalid(f"{path}: cache_control cannot be set for empty text blocks")
    check_blank(text, "messages")


def _image(block: dict[str, Any], path: str) -> None:
    source = _source(block, path, ("base64",))
    one_of(need(source, "media_type", f"{path}.source"), IMAGE_TYPES, f"{path}.source.base64.media_type")
    _base64(source, f"{path}.source.base64")


def _document(block: dict[str, Any], path: str) -> None:
    source = _source(block, path, ("base64", "text", "content"))
    if source["type"] == "base64":
        one_of(need(source, "media_type", f"{path}.source"), ("application/pdf",), f"{path}.source.base64.media_type")
        _base64(source, f"{path}.source.base64")
    elif source["type"] == "text":
        one_of(need(source, "media_type", f"{path}.source"), ("text/plain",), f"{path}.source.text.media_type")
        check_blank(need_string(source, "data", f"{path}.source.text"), "messages")
    else:
        _inner(need(source, "content", f"{path}.source"), f"{path}.source.content")


def _source(block: dict[str, Any], path: str, kinds: tuple[str, ...]) -> dict[str, Any]:
    source = need_dict(need(block, "source", path), f"{path}.source")
    kind = need(source, "type", f"{path}.source")
    if kind in ("url", "file"):
        raise invalid(f"{path}.source: sources of type '{kind}' are not available on this server")
    one_of(kind, kinds, f"{path}.source.type")
    return source


def _base64(source: dict[str, Any], path: str) -> None:
    data = need_string(source, "data", path)
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise invalid(f"{path}.data: Invalid base64 data") from None
    if not decoded:
        raise invalid(f"{path}.data: must not be empty")


def _search_result(block: dict[str, Any], path: str) -> None:
    need_string(block, "source", path)
    need_string(block, "title", path)
    _inner(need_list(need(block, "content", path), f"{path}.content"), f"{path}.content", ("text",))


def _thinking(block: dict[str, Any], path: str) -> None:
    need_string(block, "thinking", path)
    need_string(block, "signature", path)


def _redacted(block: dict[str, Any], path: str) -> None:
    need_string(block, "data", path)


def _tool_use(block: dict[str, Any], path: str) -> None:
    if not TOOL_ID.fullmatch(need_string(block, "id", path)):
        raise invalid(f"{path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not need_string(block, "name", path):
        raise invalid(f"{path}.name: String should have at least 1 character")
    need_dict(need(block, "input", path), f"{path}.input")


def _tool_result(block: dict[str, Any], path: str) -> None:
    need_string(block, "tool_use_id", path)
    if not isinstance(block.get("is_error", False), bool):
        raise invalid(f"{path}.is_error: Input should be a valid boolean")
    content = block.get("content", "")
    if block.get("cache_control") and (not content or (isinstance(content, str) and is_blank(content))):
        raise invalid(f"{path}: cache_control cannot be set for empty tool_result blocks")
    if content is not None:
        _inner(content, f"{path}.content")


def _inner(content: Any, path: str, kinds: tuple[str, ...] = ALLOWED["tool_result"]) -> None:
    if isinstance(content, str):
        return
    for index, block in enumerate(need_list(content, path)):
        one_of(need_dict(block, f"{path}.{index}").get("type"), kinds, f"{path}.{index}.type")
        check_block(block, "tool_result", f"{path}.{index}", newest=False)


def _server_result(block: dict[str, Any], path: str) -> None:
    need_string(block, "tool_use_id", path)
    need(block, "content", path)


def _compaction(block: dict[str, Any], path: str) -> None:
    """A summary or null, never an empty one; the opaque fields are strings where they are given."""
    for name in ("content", "encrypted_content", "signature"):
        if block.get(name) is not None and not isinstance(block[name], str):
            raise invalid(f"{path}.{name}: Input should be a valid string")
    if block.get("content") == "":
        raise invalid(f"{path}.content: String should have at least 1 character")
    if block.get("tool_changes") is not None:
        for number, change in enumerate(need_list(block["tool_changes"], f"{path}.tool_changes")):
            need_dict(change, f"{path}.tool_changes.{number}")


CHECKS = {
    "text": _text,
    "image": _image,
    "document": _document,
    "search_result": _search_result,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "server_tool_use": _tool_use,
    "web_search_tool_result": _server_result,
    "compaction": _compaction,
}
