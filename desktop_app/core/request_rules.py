"""What the API refuses, as a checker used before every send and by property tests.

Source: the rules and texts of the Messages API documentation and of its published error messages.
Each rule is a function of the body that yields violations with the API's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from desktop_app.core.conversation import Block, is_blank, to_json
from desktop_app.core.model_rules import ModelRules, rules_of

MOST_MARKS = 4
MOST_MESSAGES = 100_000
MOST_BYTES = 32 * 1024 * 1024
_SAMPLING = ("temperature", "top_p", "top_k")
_FIELDS = frozenset(
    (
        "model",
        "messages",
        "max_tokens",
        "system",
        "tools",
        "tool_choice",
        "thinking",
        "output_config",
        "stop_sequences",
        "stream",
        "metadata",
        "cache_control",
        "service_tier",
    )
)
# Fields that need a beta header, and its name.
_BETA_FIELDS = {
    "context_management": "context-management-2025-06-27",
    "compaction": "compact-2026-09-04",
}
_BINDING_BETA = "thinking-binding-controls-2026-08-01"
_CLEAR_AT_BETA = "mid-conversation-system-clear-at-2026-08-21"
_THINKING = ("thinking", "redacted_thinking")


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: its name, and the text the API would answer."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the body. `issued` maps a thinking signature to the block as it was received."""

    betas: Sequence[str] = ()
    issued: Mapping[str, Block] | None = None
    window: int | None = None
    output_limit: int | None = None
    input_tokens: int | None = None
    paused: bool = False
    """The last reply ended with pause_turn and is sent back as it is."""


@dataclass(frozen=True, slots=True)
class _Case:
    body: Mapping[str, Any]
    known: Known
    rules: ModelRules
    messages: Sequence[Mapping[str, Any]] = field(default=())


def check_request(body: Mapping[str, Any], known: Known | None = None) -> list[Violation]:
    """All rules of the API this body breaks, in the order the API looks at them; empty when it may leave."""
    known = known or Known()
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        return [Violation("no_messages", "messages: at least one message is required")]
    case = _Case(body, known, rules_of(str(body.get("model", ""))), messages)
    return [violation for rule in _RULES for violation in rule(case)]


def content_blocks(message: Mapping[str, Any]) -> list[Block]:
    """The content of a message as blocks; a plain string is one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def _fields(case: _Case) -> Iterator[Violation]:
    for name in case.body:
        if name in _SAMPLING or name not in _FIELDS | _BETA_FIELDS.keys():
            yield Violation("unknown_field", f"{name}: Extra inputs are not permitted")
        elif name in _BETA_FIELDS and _BETA_FIELDS[name] not in case.known.betas:
            yield Violation("beta_missing", f"{name}: Extra inputs are not permitted")
    if not isinstance(case.body.get("max_tokens"), int):
        yield Violation("max_tokens", "max_tokens: Field required")
    if len(case.messages) > MOST_MESSAGES:
        yield Violation("too_many_messages", f"messages: at most {MOST_MESSAGES} messages are allowed")


def _size(case: _Case) -> Iterator[Violation]:
    if len(to_json(case.body).encode("utf-8", "surrogatepass")) > MOST_BYTES:
        yield Violation("too_large", "Request exceeds the maximum size")


def _encoding(case: _Case) -> Iterator[Violation]:
    try:
        to_json(case.body).encode()
    except UnicodeEncodeError:
        yield Violation("encoding", "The request body is not valid UTF-8")


def _roles(case: _Case) -> Iterator[Violation]:
    first = case.messages[0]
    if first.get("role") == "system":
        yield Violation(
            "system_first", "messages.0: use the top-level 'system' parameter for the initial system prompt"
        )
    elif first.get("role") != "user" and not _is_compaction(first):
        yield Violation("first_role", 'messages: first message must use the "user" role')
    for number, message in enumerate(case.messages):
        if message.get("role") not in ("user", "assistant", "system"):
            yield Violation("role", f"messages.{number}.role: Input should be 'user' or 'assistant'")


def _is_compaction(message: Mapping[str, Any]) -> bool:
    blocks = content_blocks(message)
    return message.get("role") == "assistant" and bool(blocks) and blocks[0].get("type") == "compaction"


def _system_messages(case: _Case) -> Iterator[Violation]:
    for number, message in enumerate(case.messages):
        if message.get("role") != "system" or number == 0:
            continue
        if not case.rules.mid_system:
            yield Violation("system_unsupported", "role 'system' is not supported on this model")
            return
        before = case.messages[number - 1]
        after = case.messages[number + 1] if number + 1 < len(case.messages) else None
        blocks = content_blocks(before)
        ends_in_server_tool = bool(blocks) and blocks[-1].get("type") == "server_tool_use"
        placed = before.get("role") == "user" or (before.get("role") == "assistant" and ends_in_server_tool)
        if not placed or (after is not None and after.get("role") != "assistant"):
            yield Violation(
                "system_place",
                f"messages.{number}: role 'system' must precede an 'assistant' message or end the array",
            )
        if "clear_at" in message and _CLEAR_AT_BETA not in case.known.betas:
            yield Violation("beta_missing", f"messages.{number}.clear_at: Extra inputs are not permitted")


def _blank(case: _Case) -> Iterator[Violation]:
    last = len(case.messages) - 1
    for number, message in enumerate(case.messages):
        blocks = content_blocks(message)
        if not blocks and not (number == last and message.get("role") == "assistant"):
            yield Violation(
                "empty_message",
                f"messages.{number}: all messages must have non-empty content except for the optional final "
                "assistant message",
            )
        yield from _blank_blocks(blocks, "messages")
        for block in blocks:
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                yield from _blank_blocks(block["content"], "messages")
    system = case.body.get("system")
    if isinstance(system, str):
        system = [{"type": "text", "text": system}]
    yield from _blank_blocks(system or [], "system")


def _blank_blocks(blocks: Sequence[Any], where: str) -> Iterator[Violation]:
    for block in blocks:
        if not isinstance(block, dict) or block.get("type") != "text":
            continue
        text = block.get("text")
        if not text:
            yield Violation("empty_text", f"{where}: text content blocks must be non-empty")
        elif is_blank(str(text)):
            yield Violation("blank_text", f"{where}: text content blocks must contain non-whitespace text")


def _ending(case: _Case) -> Iterator[Violation]:
    last = case.messages[-1]
    if last.get("role") != "assistant" or case.known.paused or _is_compaction(last):
        return
    if not case.rules.prefill:
        yield Violation(
            "prefill",
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        )
    blocks = content_blocks(last)
    if blocks and blocks[-1].get("type") == "text":
        text = str(blocks[-1].get("text", ""))
        if text != text.rstrip():
            yield Violation("trailing_space", "messages: final assistant content cannot end with trailing whitespace")


def _pairs(case: _Case) -> Iterator[Violation]:
    turns = _merged(case.messages)
    for place, (number, role, blocks) in enumerate(turns):
        following = turns[place + 1][2] if place + 1 < len(turns) and turns[place + 1][1] == "user" else []
        if role == "assistant":
            calls = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
            answers = [str(block.get("tool_use_id")) for block in following if block.get("type") == "tool_result"]
            missing = [call for call in calls if call not in answers]
            if missing:
                yield Violation(
                    "call_unanswered",
                    f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                    f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in "
                    "the next message.",
                )
            continue
        before = turns[place - 1] if place else None
        asked = {
            str(block.get("id"))
            for block in (before[2] if before and before[1] == "assistant" else [])
            if block.get("type") == "tool_use"
        }
        seen: set[str] = set()
        for index, block in enumerate(blocks):
            call = str(block.get("tool_use_id"))
            if block.get("type") == "tool_result" and (call not in asked or call in seen):
                yield Violation(
                    "result_orphan",
                    f"messages.{number}.content.{index}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{call}. Each `tool_result` block must have a corresponding `tool_use` block in the previous "
                    "message.",
                )
            seen |= {call} if block.get("type") == "tool_result" else set()


def _merged(messages: Sequence[Mapping[str, Any]]) -> list[tuple[int, str, list[Block]]]:
    """Neighbours of one role as one turn, mid-conversation system messages passed over."""
    turns: list[tuple[int, str, list[Block]]] = []
    for number, message in enumerate(messages):
        role = str(message.get("role"))
        if role == "system":
            continue
        if turns and turns[-1][1] == role:
            turns[-1][2].extend(content_blocks(message))
        else:
            turns.append((number, role, content_blocks(message)))
    return turns


def _marks(case: _Case) -> Iterator[Violation]:
    marks = list(_all_marks(case.body, case.messages))
    automatic = case.body.get("cache_control")
    found = len(marks) + (1 if automatic else 0)
    if found > MOST_MARKS:
        yield Violation(
            "too_many_marks",
            f"A maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {found}.",
        )
    short_seen = False
    for path, block, ttl in marks:
        if block.get("type") == "text" and is_blank(str(block.get("text", ""))):
            yield Violation("mark_on_blank", f"{path}.text: cache_control cannot be set for empty text blocks")
        if block.get("type") in _THINKING:
            yield Violation("mark_on_thinking", f"{path}.cache_control: Extra inputs are not permitted")
        if ttl == "1h" and short_seen:
            yield Violation(
                "ttl_order",
                f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' "
                "cache_control block. Note that blocks are processed in the following order: `tools`, `system`, "
                "`messages`.",
            )
        short_seen = short_seen or ttl == "5m"
    if automatic and marks:
        last = _last_block(case.messages)
        ttl, own = automatic.get("ttl", "5m"), (last or {}).get("cache_control", {}).get("ttl", "5m")
        if last is not None and "cache_control" in last and ttl != own:
            yield Violation(
                "automatic_clash",
                f"Top-level cache_control has ttl='{ttl}' but the target block already has cache_control with "
                f"ttl='{own}'",
            )


def _all_marks(body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Block, str]]:
    parts: list[tuple[str, Sequence[Any]]] = [("tools", body.get("tools") or [])]
    if isinstance(body.get("system"), list):
        parts.append(("system", body["system"]))
    parts += [(f"messages.{number}.content", content_blocks(message)) for number, message in enumerate(messages)]
    for where, blocks in parts:
        for index, block in enumerate(blocks):
            if isinstance(block, dict) and block.get("cache_control"):
                yield f"{where}.{index}", block, block["cache_control"].get("ttl", "5m")


def _last_block(messages: Sequence[Mapping[str, Any]]) -> Block | None:
    blocks = content_blocks(messages[-1])
    return blocks[-1] if blocks else None


def _thinking_blocks(case: _Case) -> Iterator[Violation]:
    if case.known.issued is None:
        return
    latest = max(
        (number for number, message in enumerate(case.messages) if message.get("role") == "assistant"),
        default=-1,
    )
    for number, message in enumerate(case.messages):
        for index, block in enumerate(content_blocks(message)):
            if block.get("type") != "thinking":
                continue
            issued = case.known.issued.get(str(block.get("signature")))
            if issued is None:
                yield Violation(
                    "signature", f"messages.{number}.content.{index}: Invalid `signature` in `thinking` block"
                )
            elif issued.get("thinking") != block.get("thinking") and number == latest:
                yield Violation(
                    "thinking_edited",
                    f"messages.{number}.content.{index}: `thinking` or `redacted_thinking` blocks in the latest "
                    "assistant message cannot be modified. These blocks must remain as they were in the original "
                    "response.",
                )


def _thinking_ends(case: _Case) -> Iterator[Violation]:
    for number, message in enumerate(case.messages):
        blocks = content_blocks(message)
        if message.get("role") == "assistant" and blocks and blocks[-1].get("type") in _THINKING:
            yield Violation(
                "thinking_last",
                f"messages.{number}: The final block in an assistant message cannot be `thinking`.",
            )


def _thinking_params(case: _Case) -> Iterator[Violation]:
    thinking = case.body.get("thinking")
    if not isinstance(thinking, Mapping):
        return
    kind = thinking.get("type")
    if kind in case.rules.refused_thinking:
        yield Violation(
            "thinking_mode",
            f'"thinking.type.{kind}" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
        )
    if kind == "enabled":
        budget, most = thinking.get("budget_tokens"), case.body.get("max_tokens")
        if not isinstance(budget, int) or budget < 1024:
            yield Violation(
                "thinking_budget",
                "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            )
        elif isinstance(most, int) and budget >= most:
            yield Violation("thinking_budget", "`max_tokens` must be greater than `thinking.budget_tokens`")
    if "block_binding" in thinking and _BINDING_BETA not in case.known.betas:
        yield Violation("beta_missing", "thinking.block_binding: Extra inputs are not permitted")


def _tool_choice(case: _Case) -> Iterator[Violation]:
    choice = case.body.get("tool_choice")
    if isinstance(choice, Mapping) and choice.get("type") in ("any", "tool") and not case.rules.forced_tools:
        yield Violation("tool_choice", "tool_choice: forced tool use is not supported for this model.")


def _assistant_content(case: _Case) -> Iterator[Violation]:
    for number, message in enumerate(case.messages):
        for index, block in enumerate(content_blocks(message)):
            where = f"messages.{number}.content.{index}"
            if message.get("role") == "assistant" and block.get("type") == "document":
                yield Violation("document_place", f"{where}: `document` blocks are not allowed here")
            if message.get("role") == "user" and block.get("type") == "text" and block.get("citations"):
                yield Violation("citations", f"{where}.citations: Extra inputs are not permitted")


def _limits(case: _Case) -> Iterator[Violation]:
    most, known = case.body.get("max_tokens"), case.known
    if not isinstance(most, int):
        return
    if most < 1:
        yield Violation("max_tokens", "max_tokens: Input should be greater than or equal to 1")
    if known.output_limit is not None and most > known.output_limit:
        yield Violation(
            "max_tokens",
            f"max_tokens: {most} > {known.output_limit}, which is the maximum allowed number of output tokens for "
            f"{case.body.get('model')}",
        )
    if known.window is None or known.input_tokens is None:
        return
    if known.input_tokens > known.window:
        yield Violation("window", f"prompt is too long: {known.input_tokens} tokens > {known.window} maximum")
    elif known.input_tokens + most > known.window and case.rules.strict_window:
        yield Violation(
            "window",
            f"input length and `max_tokens` exceed context limit: {known.input_tokens} + {most} > {known.window}, "
            "decrease input length or `max_tokens` and try again",
        )


_RULES: tuple[Callable[[_Case], Iterator[Violation]], ...] = (
    _encoding,
    _size,
    _fields,
    _roles,
    _system_messages,
    _blank,
    _ending,
    _pairs,
    _marks,
    _thinking_params,
    _thinking_blocks,
    _thinking_ends,
    _tool_choice,
    _assistant_content,
    _limits,
)
