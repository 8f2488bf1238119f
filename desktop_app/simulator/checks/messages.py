"""The messages: roles, empty content, mid-conversation system messages, prefill, and tool pairing."""

from __future__ import annotations

from typing import Any

from ..compaction_block import AT_THRESHOLD
from ..conversation import turns_of
from ..errors import invalid
from ..models import Model
from ..view import View
from .blocks import check_blank, check_block
from .compaction import check_finished
from .envelope import CLEAR_AT, MESSAGE_CONFIG, Envelope
from .pairing import check_pairing
from .shapes import extra, need, need_dict, need_list, one_of, only_keys

MOST_MESSAGES = 100_000
UNKNOWN_ROLE = (
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an '
    "input message role."
)
NO_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."


def check_messages(body: dict[str, Any], model: Model, envelope: Envelope, view: View, *, counting: bool) -> None:
    """Refuse whatever makes the list of messages one the API does not take; `view` tells whether they begin with a
    compaction block."""
    messages = need_list(body["messages"], "messages")
    if not messages:
        raise invalid("messages: at least one message is required")
    if len(messages) > MOST_MESSAGES:
        raise invalid(f"messages: at most {MOST_MESSAGES} messages are allowed, found {len(messages)}")
    for number, message in enumerate(messages):
        _check_message(need_dict(message, f"messages.{number}"), number, number == len(messages) - 1, envelope)
    _check_system_roles(messages, model)
    if messages[0]["role"] != "user" and view.block is None:
        raise invalid('messages: first message must use the "user" role')
    if body.get("compaction") is None:
        _check_end(messages, model, view)
    elif not counting:
        check_finished(body, view)
    check_pairing(turns_of(messages))


def _check_message(message: dict[str, Any], number: int, is_last: bool, envelope: Envelope) -> None:
    path = f"messages.{number}"
    role = need(message, "role", path)
    one_of(role, ("user", "assistant", "system"), f"{path}.role")
    _check_message_fields(message, role, path, envelope)
    content = need(message, "content", path)
    if not isinstance(content, str):
        need_list(content, f"{path}.content")
    if not content:
        if is_last and role == "assistant":
            return
        raise invalid(
            f"{path}: all messages must have non-empty content except for the optional final assistant message"
        )
    if isinstance(content, str):
        check_blank(content, "messages")
        return
    for index, block in enumerate(content):
        if isinstance(block, dict) and block.get("type") == "document" and role == "assistant":
            raise invalid(f"{path}.content.{index}: `document` blocks are not permitted in `assistant` content")
        check_block(block, role, f"{path}.content.{index}", newest=envelope.newest)


def _check_message_fields(message: dict[str, Any], role: str, path: str, envelope: Envelope) -> None:
    only_keys(message, ("role", "content", "clear_at", "output_config"), path)
    if "clear_at" in message:
        if CLEAR_AT not in envelope.betas or role != "system":
            raise invalid(extra(f"{path}.clear_at"))
        if message["clear_at"] is not None:
            one_of(message["clear_at"], ("next_user_message", "never"), f"{path}.clear_at")
    if "output_config" in message:
        if MESSAGE_CONFIG not in envelope.betas or role != "system":
            raise invalid(extra(f"{path}.output_config"))
        raise invalid(f"{path}.output_config: output_config in messages is not available on this server")


def _check_system_roles(messages: list[dict[str, Any]], model: Model) -> None:
    roles = [message["role"] for message in messages]
    if "system" not in roles:
        return
    if not model.system_messages:
        raise invalid("role 'system' is not supported on this model" if model.system_role_known else UNKNOWN_ROLE)
    if roles[0] == "system":
        raise invalid("messages.0: use the top-level 'system' parameter for the initial system prompt")
    for number, role in enumerate(roles):
        if role != "system":
            continue
        if number + 1 < len(roles) and roles[number + 1] != "assistant":
            raise invalid(f"messages.{number}: role 'system' must precede an 'assistant' message or end the array")
        if roles[number - 1] != "user" and not _ends_in_server_tool(messages[number - 1]):
            raise invalid(f"messages.{number}: role 'system' must follow a 'user' message")


def _ends_in_server_tool(message: dict[str, Any]) -> bool:
    content = message["content"]
    return (
        message["role"] == "assistant"
        and isinstance(content, list)
        and bool(content)
        and content[-1]["type"] == "server_tool_use"
    )


def _check_end(messages: list[dict[str, Any]], model: Model, view: View) -> None:
    last = messages[-1]
    if last["role"] != "assistant" or _ends_in_server_tool(last) or _paused(messages, view):
        return
    if not model.prefill:
        raise invalid(NO_PREFILL)
    content = last["content"]
    text = content if isinstance(content, str) else (content[-1].get("text", "") if content else "")
    if text != text.rstrip():
        raise invalid("messages: final assistant content cannot end with trailing whitespace")


def _paused(messages: list[dict[str, Any]], view: View) -> bool:
    """The answer goes on behind the block of a compaction at a threshold."""
    at_threshold = view.block is not None and view.block.kind == AT_THRESHOLD
    return at_threshold and len(messages) == 1 and len(messages[0]["content"]) == 1
