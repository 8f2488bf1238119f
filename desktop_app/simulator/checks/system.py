"""The top-level system prompt."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from .blocks import check_blank
from .shapes import check_control, need_dict, need_list, need_string, one_of, only_keys


def check_system(body: dict[str, Any]) -> None:
    """A string or a list of text blocks, none blank."""
    system = body.get("system")
    if system is None:
        return
    if isinstance(system, str):
        check_blank(system, "system")
        return
    for number, block in enumerate(need_list(system, "system")):
        path = f"system.{number}"
        need_dict(block, path)
        one_of(block.get("type"), ("text",), f"{path}.type")
        only_keys(block, ("type", "text", "cache_control", "citations"), path)
        text = need_string(block, "text", path)
        if not text and block.get("cache_control"):
            raise invalid(f"{path}: cache_control cannot be set for empty text blocks")
        check_blank(text, "system")
        check_control(block, path)
