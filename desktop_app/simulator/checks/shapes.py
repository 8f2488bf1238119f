"""Small shape checks with the messages the API words them in."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from ..errors import invalid

_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and signs that draw nothing


def is_blank(text: str) -> bool:
    """True for text of which nothing would be seen: whitespace, format characters, blank letters."""
    if not text.strip():
        return True
    return all(char.isspace() or char in _BLANK_LETTERS or unicodedata.category(char) in ("Cf", "Cc") for char in text)


def only_keys(value: dict[str, Any], allowed: Iterable[str], path: str) -> None:
    """Refuse the first field that is not allowed."""
    for key in value:
        if key not in allowed:
            raise invalid(f"{path}.{key}: Extra inputs are not permitted" if path else extra(key))


def extra(name: str) -> str:
    """The text for a field that does not exist (or is not switched on)."""
    return f"{name}: Extra inputs are not permitted"


def need(value: dict[str, Any], key: str, path: str) -> Any:
    """The field, or a refusal where it is missing."""
    if key not in value:
        raise invalid(f"{path}.{key}: Field required" if path else f"{key}: Field required")
    return value[key]


def need_string(value: dict[str, Any], key: str, path: str) -> str:
    text = need(value, key, path)
    if not isinstance(text, str):
        raise invalid(f"{path}.{key}: Input should be a valid string")
    return text


def need_dict(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise invalid(f"{path}: Input should be a valid dictionary")
    return value


def need_list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise invalid(f"{path}: Input should be a valid list")
    return value


def one_of(value: Any, allowed: Iterable[str], path: str) -> None:
    names = list(allowed)
    if not isinstance(value, str) or value not in names:
        quoted = [f"'{name}'" for name in names]
        listed = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"
        raise invalid(f"{path}: Input should be {listed}")


def check_control(block: dict[str, Any], path: str) -> None:
    """The shape of a `cache_control` field, where there is one."""
    control = block.get("cache_control")
    if control is None:
        return
    where = f"{path}.cache_control" if path else "cache_control"
    only_keys(need_dict(control, where), ("type", "ttl"), where)
    one_of(need(control, "type", where), ("ephemeral",), f"{where}.type")
    if control.get("ttl") is not None:
        one_of(control["ttl"], ("5m", "1h"), f"{where}.ttl")
