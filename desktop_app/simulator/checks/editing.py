"""The `context_management` field: which edits there are, what each takes, and in which order."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from ..features import Features
from ..models import CLEAR_THINKING, CLEAR_TOOL_USES, COMPACT, Model
from .envelope import COMPACT_AT_THRESHOLD, CONTEXT_MANAGEMENT, Envelope
from .shapes import need, need_dict, need_list, need_string, one_of, only_keys

COMPACT_EDIT, TOOL_EDIT, THINKING_EDIT = "compact_20260112", "clear_tool_uses_20250919", "clear_thinking_20251015"
HEADERS = {
    TOOL_EDIT: CONTEXT_MANAGEMENT,
    THINKING_EDIT: CONTEXT_MANAGEMENT,
    COMPACT_EDIT: COMPACT_AT_THRESHOLD,
}
CAPABILITIES = {TOOL_EDIT: CLEAR_TOOL_USES, THINKING_EDIT: CLEAR_THINKING, COMPACT_EDIT: COMPACT}


def check_editing(body: dict[str, Any], model: Model, envelope: Envelope, features: Features) -> None:
    """Refuse edits that are malformed, not switched on by their header, not the model's, or in the wrong order."""
    given = body.get("context_management")
    if given is None:
        return
    only_keys(need_dict(given, "context_management"), ("edits",), "context_management")
    edits = need_list(given.get("edits", []), "context_management.edits")
    kinds = [_check_edit(edit, n, model, envelope) for n, edit in enumerate(edits)]
    for kind in HEADERS:
        if kinds.count(kind) > 1:
            raise invalid(f"context_management.edits: `{kind}` may only be given once")
    if THINKING_EDIT in kinds[1:]:
        raise invalid(f"context_management.edits: `{THINKING_EDIT}` must be the first edit")
    for number, edit in enumerate(edits):
        _SHAPES[edit["type"]](edit, f"context_management.edits.{number}.{edit['type']}")
    _check_trigger_of_compaction(edits, features)
    _check_thinking(body, kinds, model)


def _check_edit(edit: Any, number: int, model: Model, envelope: Envelope) -> str:
    path = f"context_management.edits.{number}"
    kind = need_string(need_dict(edit, path), "type", path)
    if kind not in HEADERS or HEADERS[kind] not in envelope.betas:
        tags = ", ".join(f"'{name}'" for name, header in HEADERS.items() if header in envelope.betas)
        raise invalid(f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    if not model.offers(CAPABILITIES[kind]):
        raise invalid(f"{path}: `{kind}` is not supported on this model")
    return kind


def _tool_uses(edit: dict[str, Any], path: str) -> None:
    keys = ("type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs")
    only_keys(edit, keys, path)
    _amount(edit, "trigger", path, ("input_tokens", "tool_uses"), least=1)
    _amount(edit, "keep", path, ("tool_uses",), least=0)
    if edit.get("clear_at_least") is not None:
        _amount(edit, "clear_at_least", path, ("input_tokens",), least=0)
    if edit.get("exclude_tools") is not None:
        _names(edit["exclude_tools"], f"{path}.exclude_tools")
    inputs = edit.get("clear_tool_inputs")
    if inputs is not None and not isinstance(inputs, bool):
        _names(inputs, f"{path}.clear_tool_inputs")


def _thinking(edit: dict[str, Any], path: str) -> None:
    only_keys(edit, ("type", "keep"), path)
    keep = edit.get("keep", "all")
    if keep != "all" and not (isinstance(keep, dict) and keep == {"type": "all"}):
        _amount(edit, "keep", path, ("thinking_turns",), least=1)


def _compact(edit: dict[str, Any], path: str) -> None:
    only_keys(edit, ("type", "trigger", "instructions", "pause_after_compaction"), path)
    if edit.get("trigger") is not None:
        _amount(edit, "trigger", path, ("input_tokens",), least=1)
    if not isinstance(edit.get("instructions") or "", str):
        raise invalid(f"{path}.instructions: Input should be a valid string")
    if not isinstance(edit.get("pause_after_compaction", False), bool):
        raise invalid(f"{path}.pause_after_compaction: Input should be a valid boolean")


_SHAPES = {TOOL_EDIT: _tool_uses, THINKING_EDIT: _thinking, COMPACT_EDIT: _compact}


def _amount(edit: dict[str, Any], name: str, path: str, kinds: tuple[str, ...], *, least: int) -> None:
    if name not in edit:
        return
    where = f"{path}.{name}"
    amount = need_dict(edit[name], where)
    only_keys(amount, ("type", "value"), where)
    one_of(need(amount, "type", where), kinds, f"{where}.type")
    value = need(amount, "value", where)
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid(f"{where}.value: Input should be a valid integer")
    if value < least:
        raise invalid(f"{where}.value: Input should be greater than or equal to {least}")


def _names(given: Any, path: str) -> None:
    for number, name in enumerate(need_list(given, path)):
        if not isinstance(name, str):
            raise invalid(f"{path}.{number}: Input should be a valid string")


def _check_trigger_of_compaction(edits: list[dict[str, Any]], features: Features) -> None:
    for number, edit in enumerate(edits):
        value = (edit.get("trigger") or {}).get("value") if edit["type"] == COMPACT_EDIT else None
        if value is not None and value < features.least_trigger:
            raise invalid(
                f"context_management.edits.{number}.{COMPACT_EDIT}.trigger.value: Input should be greater than or "
                f"equal to {features.least_trigger}"
            )


def _check_thinking(body: dict[str, Any], kinds: list[str], model: Model) -> None:
    mode = (body.get("thinking") or {}).get("type")
    thinks = mode in ("adaptive", "enabled", "between_tools") if mode else model.thinks_unasked
    if THINKING_EDIT in kinds and not thinks:
        raise invalid(f"context_management: `{THINKING_EDIT}` requires `thinking` to be enabled or adaptive")
