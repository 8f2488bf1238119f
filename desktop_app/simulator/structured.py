"""Answers that keep to a JSON schema: whether a value does, and one that does, made of the words of an answer."""

from __future__ import annotations

import json
from typing import Any

from .checks.output_format import resolved
from .reply import Part, Reply, Words

_PLAIN: dict[str, Any] = {"integer": 0, "number": 0, "boolean": False, "null": None}
_FORMATTED = {
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "date": "2026-01-01",
    "duration": "PT0S",
    "email": "nobody@example.org",
    "hostname": "example.org",
    "uri": "https://example.org/",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The schema a checked request asks its answer to keep to."""
    wanted = (body.get("output_config") or {}).get("format")
    return None if wanted is None else wanted["schema"]


def constrained(reply: Reply, schema: dict[str, Any]) -> Reply:
    """The same answer as one JSON text that keeps to a schema; a call, a refusal and what was cut stay as they are."""
    said = "".join(part.text for part in reply.parts if isinstance(part, Words))
    if reply.stop_reason != "end_turn":
        return reply
    try:
        value = json.loads(said)
    except ValueError:
        value = None
    if not keeps(value, schema, schema):
        value = _instance(schema, schema, said)
    parts: list[Part] = [part for part in reply.parts if not isinstance(part, Words)]
    reply.parts = [*parts, Words(json.dumps(value, ensure_ascii=False))]
    return reply


def keeps(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether a value keeps to a schema of the kind the API takes."""
    schema = resolved(schema, root)
    if "anyOf" in schema:
        return any(keeps(value, part, root) for part in schema["anyOf"])
    if "allOf" in schema:
        return all(keeps(value, part, root) for part in schema["allOf"])
    if "enum" in schema:
        return value in schema["enum"]
    if "const" in schema:
        return bool(value == schema["const"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, kind) for kind in kinds):
        return False
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        whole = set(schema.get("required", ())) <= value.keys() <= parts.keys()
        return whole and all(keeps(held, parts[name], root) for name, held in value.items())
    if isinstance(value, list):
        inside = schema.get("items", {"type": "string"})
        return len(value) >= schema.get("minItems", 0) and all(keeps(one, inside, root) for one in value)
    return True


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _instance(schema: dict[str, Any], root: dict[str, Any], said: str) -> Any:
    """The least value that keeps to a schema; free texts are what was said."""
    schema = resolved(schema, root)
    for name in ("anyOf", "allOf"):
        if name in schema:
            return _instance(schema[name][0], root, said)
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
    if kind == "object":
        parts = schema.get("properties", {})
        return {name: _instance(parts[name], root, said) for name in schema.get("required", parts) if name in parts}
    if kind == "array":
        inside = schema.get("items", {"type": "string"})
        return [_instance(inside, root, said)] * int(schema.get("minItems", 0))
    return _PLAIN[kind] if kind in _PLAIN else _FORMATTED.get(schema.get("format", ""), said)
