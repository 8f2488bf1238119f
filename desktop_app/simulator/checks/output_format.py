"""The format of the answer a request asks for: a JSON schema, and what of one the API takes."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from ..models import STRUCTURED, Model
from .shapes import need, need_dict, need_list, one_of, only_keys

PATH = "output_config.format"
_SCHEMA = f"{PATH}.schema"
_COMMON = {"type", "title", "description", "default", "enum", "const", "$defs", "definitions"}
_TYPES: dict[str, set[str]] = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems"},
    "string": {"format", "pattern"},
    "integer": set(),
    "number": set(),
    "boolean": set(),
    "null": set(),
}
_FORMATS = (
    *("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),
)  # fmt: skip
_DEEPEST = 32


def check_format(given: Any, body: dict[str, Any], model: Model) -> None:
    """Refuse a format that is malformed, that the model does not have, or with a schema that cannot be kept to."""
    only_keys(need_dict(given, PATH), ("type", "schema"), PATH)
    one_of(need(given, "type", PATH), ("json_schema",), f"{PATH}.type")
    schema = need_dict(need(given, "schema", PATH), _SCHEMA)
    if not model.offers(STRUCTURED):
        raise invalid(f"'{model.id}' does not support output format.")
    _check(schema, schema, (), 0)
    messages = body.get("messages") or []
    if messages and isinstance(messages[-1], dict) and messages[-1].get("role") == "assistant":
        raise invalid(f"{PATH}: Prefilling assistant messages is not supported with structured outputs.")


def resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """What a schema with a reference points at; a schema without one is itself."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    place: Any = root
    for name in str(reference).removeprefix("#/").split("/"):
        place = place.get(name) if isinstance(place, dict) else None
    if not str(reference).startswith("#/") or not isinstance(place, dict):
        raise invalid(f"{_SCHEMA}: Could not resolve reference '{reference}'")
    return place


def _check(schema: Any, root: dict[str, Any], inside: tuple[str, ...], depth: int) -> None:
    if not isinstance(schema, dict):
        raise invalid(f"{_SCHEMA}: Input should be a valid dictionary")
    if (reference := schema.get("$ref")) is not None:
        if reference in inside or depth > _DEEPEST:
            raise invalid(f"{_SCHEMA}: Recursive schemas are not supported")
        _check(resolved(schema, root), root, (*inside, str(reference)), depth + 1)
        return
    if depth > _DEEPEST:
        raise invalid(f"{_SCHEMA}: Schema is too complex")
    for name in ("anyOf", "allOf"):
        if name in schema:
            for part in need_list(schema[name], f"{_SCHEMA}.{name}"):
                _check(part, root, inside, depth + 1)
            return
    if "enum" in schema or "const" in schema:
        return
    kind = schema.get("type")
    if isinstance(kind, list):
        for one in kind:
            _check(schema | {"type": one}, root, inside, depth + 1)
        return
    if kind not in _TYPES:
        raise invalid(f"{_SCHEMA}: Schema type '{kind}' is not supported")
    _check_kind(str(kind), schema, root, inside, depth)


def _check_kind(kind: str, schema: dict[str, Any], root: dict[str, Any], inside: tuple[str, ...], depth: int) -> None:
    """The keywords of a type, and what lies inside it."""
    others = {name for names in _TYPES.values() for name in names} - _TYPES[kind]
    unknown = [name for name in schema if name not in _COMMON | _TYPES[kind] | others]
    if unknown:
        plural = "properties" if len(unknown) > 1 else "property"
        verb = "are" if len(unknown) > 1 else "is"
        raise invalid(f"{_SCHEMA}: For '{kind}' type, {plural} {', '.join(sorted(unknown))} {verb} not supported")
    if kind == "object":
        if schema.get("additionalProperties") is not False:
            raise invalid(f"{_SCHEMA}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        for part in need_dict(schema.get("properties", {}), f"{_SCHEMA}.properties").values():
            _check(part, root, inside, depth + 1)
    if kind == "array":
        if schema.get("minItems", 0) not in (0, 1):
            raise invalid(f"{_SCHEMA}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
        _check(schema.get("items", {"type": "string"}), root, inside, depth + 1)
    if kind == "string" and schema.get("format", _FORMATS[0]) not in _FORMATS:
        raise invalid(f"{_SCHEMA}: For 'string' type, format '{schema['format']}' is not supported")
