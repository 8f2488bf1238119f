"""Tool definitions and the tool choice."""

from __future__ import annotations

import re
from typing import Any

from ..errors import invalid
from ..models import Model
from .shapes import check_control, need, need_dict, need_list, need_string, one_of, only_keys

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
COMMON = ("type", "name", "cache_control", "defer_loading", "allowed_callers", "input_examples", "strict")
CUSTOM = (*COMMON, "description", "input_schema", "eager_input_streaming")
MEMORY = "memory_20250818"
CALLERS = ("direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521")


def check_tools(body: dict[str, Any], model: Model) -> None:
    """Refuse malformed tools, repeated names, and a choice the model or the list does not allow."""
    tools = body.get("tools")
    names: set[str] = set()
    for number, tool in enumerate(need_list(tools, "tools") if tools is not None else []):
        name = _check_tool(need_dict(tool, f"tools.{number}"), f"tools.{number}")
        if name in names:
            raise invalid("tools: Tool names must be unique.")
        names.add(name)
    if body.get("tool_choice") is not None:
        _check_choice(need_dict(body["tool_choice"], "tool_choice"), names, model)


def _check_tool(tool: dict[str, Any], path: str) -> str:
    kind = tool.get("type") or "custom"
    if kind == MEMORY:
        only_keys(tool, COMMON, path)
        one_of(need_string(tool, "name", path), ("memory",), f"{path}.name")
    elif kind == "custom":
        _check_custom(tool, f"{path}.custom")
    else:
        raise invalid(f"{path}: tools of type '{kind}' are not available on this server")
    _check_options(tool, path if kind == MEMORY else f"{path}.custom")
    check_control(tool, path)
    return str(tool["name"])


def _check_options(tool: dict[str, Any], path: str) -> None:
    """The optional fields every tool may have."""
    for name in ("defer_loading", "strict"):
        if not isinstance(tool.get(name, False), bool):
            raise invalid(f"{path}.{name}: Input should be a valid boolean")
    for number, caller in enumerate(need_list(tool.get("allowed_callers", []), f"{path}.allowed_callers")):
        one_of(caller, CALLERS, f"{path}.allowed_callers.{number}")
    for number, example in enumerate(need_list(tool.get("input_examples", []), f"{path}.input_examples")):
        need_dict(example, f"{path}.input_examples.{number}")


def _check_custom(tool: dict[str, Any], path: str) -> None:
    only_keys(tool, CUSTOM, path)
    if not NAME.fullmatch(need_string(tool, "name", path)):
        raise invalid(f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if not isinstance(tool.get("description", ""), str):
        raise invalid(f"{path}.description: Input should be a valid string")
    schema = need_dict(need(tool, "input_schema", path), f"{path}.input_schema")
    if schema.get("properties") is not None:
        need_dict(schema["properties"], f"{path}.input_schema.properties")
    one_of(need(schema, "type", f"{path}.input_schema"), ("object",), f"{path}.input_schema.type")


def _check_choice(choice: dict[str, Any], names: set[str], model: Model) -> None:
    kind = need(choice, "type", "tool_choice")
    one_of(kind, ("auto", "any", "tool", "none"), "tool_choice.type")
    allowed = {"tool": ("type", "name", "disable_parallel_tool_use"), "none": ("type",)}
    only_keys(choice, allowed.get(kind, ("type", "disable_parallel_tool_use")), f"tool_choice.{kind}")
    if not names:
        raise invalid("tool_choice: may only be specified while providing tools")
    if kind in ("any", "tool") and not model.forced_tool_choice:
        raise invalid(f'"tool_choice.type.{kind}" is not supported for this model. Use "tool_choice.type.auto".')
    if kind == "tool" and need_string(choice, "name", "tool_choice.tool") not in names:
        raise invalid(f"tool_choice.tool: Tool '{choice['name']}' not found in provided tools")
