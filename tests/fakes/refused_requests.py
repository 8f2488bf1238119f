"""Requests the Messages API refuses: one row per rule, with the status, type and text it answers.

`ROWS` are complete bodies, usable against any server and against a checker without one. Rows about thinking need blocks
with real signatures: `thinking_rows` makes them from the messages of a real exchange.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]
Message = dict[str, Any]

NEW_MODEL = "claude-opus-5-5"
OLD_MODEL = "claude-haiku-4-5"
SYSTEM_MODEL = "claude-opus-5"
INVALID = "invalid_request_error"
FIVE_MINUTES = {"type": "ephemeral"}
ONE_HOUR = {"type": "ephemeral", "ttl": "1h"}
CALCULATOR = {
    "name": "calculator",
    "description": "Calculates one expression.",
    "input_schema": {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
}


@dataclass(frozen=True)
class Refused:
    """One row; `given` says whether the fact sheet gives the text word for word."""

    name: str
    body: Body
    text: str
    status: int = 400
    error_type: str = INVALID
    betas: tuple[str, ...] = ()
    version: str = "2026-10-21"
    key: str | None = "sk-test"
    path: str = "/v1/messages"
    given: bool = True
    details: dict[str, Any] | None = field(default=None)

    def headers(self) -> dict[str, str]:
        """The headers this row is sent with."""
        headers = {"anthropic-version": self.version} if self.version else {}
        if self.betas:
            headers["anthropic-beta"] = ",".join(self.betas)
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key}"
        return headers


def valid_body(**changes: Any) -> Body:
    """A request that is accepted, with some top-level fields changed (None takes a field out)."""
    body: Body = {"model": NEW_MODEL, "max_tokens": 64, "messages": [user("Hello")]}
    body |= changes
    return {name: value for name, value in body.items() if value is not None}


def user(*content: Any) -> Message:
    """A user message: one string, or blocks."""
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> Message:
    """An assistant message: one string, or blocks."""
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


def system(text: str, **more: Any) -> Message:
    """A system message in the middle of a conversation."""
    return {"role": "system", "content": text} | more


def text(words: str, mark: dict[str, str] | None = None) -> dict[str, Any]:
    """A text block, perhaps with a cache mark."""
    return {"type": "text", "text": words} | ({"cache_control": mark} if mark else {})


def call(identity: str) -> dict[str, Any]:
    """A call of the calculator."""
    return {"type": "tool_use", "id": identity, "name": "calculator", "input": {"expression": "1+1"}}


def result(identity: str, content: str = "2") -> dict[str, Any]:
    """A tool result."""
    return {"type": "tool_result", "tool_use_id": identity, "content": content}


def _chat(*messages: Message, **changes: Any) -> Body:
    return valid_body(messages=list(messages), **changes)


def _unanswered(index: int, identity: str) -> str:
    return (
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {identity}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _orphan(path: str, identity: str) -> str:
    return (
        f"{path}: unexpected `tool_use_id` found in `tool_result` blocks: {identity}. Each `tool_result` block must "
        "have a corresponding `tool_use` block in the previous message."
    )


NO_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
EMPTY_TEXT = "messages: text content blocks must be non-empty"
BLANK_TEXT = "messages: text content blocks must contain non-whitespace text"
NON_EMPTY = "all messages must have non-empty content except for the optional final assistant message"
TTL_ORDER = (
    "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that "
    "blocks are processed in the following order: `tools`, `system`, `messages`."
)
THINKING_OFF = (
    '"thinking.type.{}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to '
    "control thinking behavior."
)
NO_SYSTEM_ROLE = "role 'system' is not supported on this model"
UNKNOWN_SYSTEM_ROLE = (
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an '
    "input message role."
)
SYSTEM_BEFORE_USER = "messages.{}: role 'system' must precede an 'assistant' message or end the array"
SYSTEM_FIRST = "messages.0: use the top-level 'system' parameter for the initial system prompt"
PDF_BLOCK = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "A page."}}


def _extra(name: str) -> str:
    return f"{name}: Extra inputs are not permitted"


_MARKED = text("Something to keep.", FIVE_MINUTES)
_TALK = (user("Hello"), assistant("Hi."))

ROLES = (
    Refused(
        "first message is the assistant's",
        _chat(assistant("Hi."), user("Hello")),
        'messages: first message must use the "user" role',
        given=False,
    ),
    Refused("no messages", _chat(), "messages: at least one message is required", given=False),
    Refused(
        "unknown role",
        _chat({"role": "tool", "content": "x"}),
        "messages.0.role: Input should be 'user', 'assistant' or 'system'",
        given=False,
    ),
    Refused("prefill on a newer model", _chat(user("Hello"), assistant("Hi")), NO_PREFILL),
    Refused(
        "prefill after a tool result", _chat(user("1+1?"), assistant(call("toolu_1")), user(result("toolu_1")),
        assistant("It is"), tools=[CALCULATOR]), NO_PREFILL,
    ),
    Refused(
        "final assistant text ends in a space",
        _chat(user("Hello"), assistant("Hi "), model=OLD_MODEL),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    Refused(
        "final assistant block ends in a newline",
        _chat(user("Hello"), assistant(text("Hi\n")), model=OLD_MODEL),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
)  # fmt: skip

BLANKS = (
    Refused("empty text block", _chat(user(text(""))), EMPTY_TEXT),
    Refused(
        "empty text block later", _chat(user("Hello"), assistant(text("Hi."), text("")), user("Go on")), EMPTY_TEXT
    ),
    Refused("blank string", _chat(user(" \n")), BLANK_TEXT),
    Refused("reply of two newlines kept", _chat(user("Hello"), assistant("\n\n"), user("Go on")), BLANK_TEXT),
    Refused("zero-width text", _chat(user(text("\u200b"))), BLANK_TEXT),
    Refused("Hangul filler", _chat(user("\u3164")), BLANK_TEXT),
    Refused("empty string", _chat(user("")), f"messages.0: {NON_EMPTY}"),
    Refused("empty list", _chat(*_TALK, {"role": "user", "content": []}), f"messages.2: {NON_EMPTY}"),
    Refused(
        "empty assistant message inside", _chat(user("Hello"), assistant(""), user("Go on")), f"messages.1: {NON_EMPTY}"
    ),
    Refused("empty system block", valid_body(system=[text("")]), "system: text content blocks must be non-empty"),
    Refused("blank system", valid_body(system="  "), "system: text content blocks must contain non-whitespace text"),
)

TOOLS = (
    Refused(
        "unanswered tool call",
        _chat(user("1+1?"), assistant(call("toolu_a")), user("Go on"), tools=[CALCULATOR]),
        _unanswered(1, "toolu_a"),
    ),
    Refused(
        "one of two calls unanswered",
        _chat(user("1+1?"), assistant(call("toolu_a"), call("toolu_b")), user(result("toolu_a")), tools=[CALCULATOR]),
        _unanswered(1, "toolu_b"),
    ),
    Refused(
        "text before the result",
        _chat(user("1+1?"), assistant(call("toolu_a")), user(text("Here:"), result("toolu_a")), tools=[CALCULATOR]),
        _unanswered(1, "toolu_a"),
    ),
    Refused(
        "orphan result",
        _chat(user("1+1?"), assistant("No."), user(result("toolu_x")), tools=[CALCULATOR]),
        _orphan("messages.2.content.0", "toolu_x"),
    ),
    Refused(
        "result in the first message", _chat(user(result("toolu_x")), tools=[CALCULATOR]),
        _orphan("messages.0.content.0", "toolu_x"),
    ),
    Refused(
        "two results for one call",
        _chat(user("1+1?"), assistant(call("toolu_a")), user(result("toolu_a"), result("toolu_a")), tools=[CALCULATOR]),
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
        "toolu_a",
        given=False,
    ),
    Refused(
        "tool names twice", valid_body(tools=[CALCULATOR, CALCULATOR]), "tools: Tool names must be unique.", given=False
    ),
    Refused(
        "forced tool on a newer model",
        valid_body(tools=[CALCULATOR], tool_choice={"type": "any"}),
        '"tool_choice.type.any" is not supported for this model. Use "tool_choice.type.auto".',
        given=False,
    ),
    Refused(
        "named tool on a newer model",
        valid_body(model="claude-sonnet-5-5", tools=[CALCULATOR], tool_choice={"type": "tool", "name": "calculator"}),
        '"tool_choice.type.tool" is not supported for this model. Use "tool_choice.type.auto".',
        given=False,
    ),
    Refused(
        "choice without tools",
        valid_body(tool_choice={"type": "auto"}),
        "tool_choice: may only be specified while providing tools",
        given=False,
    ),
)  # fmt: skip

MARKS = (
    Refused(
        "five cache marks",
        _chat(user(*[_MARKED] * 5)),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Refused(
        "four marks and the automatic one",
        _chat(user(*[_MARKED] * 4, text("The question")), cache_control=FIVE_MINUTES),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Refused(
        "marks on tools, system and messages together",
        _chat(
            user(_MARKED, _MARKED),
            tools=[CALCULATOR | {"cache_control": FIVE_MINUTES}],
            system=[_MARKED, _MARKED],
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    Refused(
        "1h after 5m in a message",
        _chat(user(_MARKED, text("Later", ONE_HOUR))),
        f"messages.0.content.1.{TTL_ORDER}",
    ),
    Refused(
        "1h message after 5m system",
        _chat(user(text("Later", ONE_HOUR)), system=[_MARKED]),
        f"messages.0.content.0.{TTL_ORDER}",
    ),
    Refused(
        "automatic 5m on a 1h block",
        _chat(user(text("Later", ONE_HOUR)), cache_control=FIVE_MINUTES | {"ttl": "5m"}),
        "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
    ),
    Refused(
        "mark on empty text",
        _chat(*_TALK, user(text("", FIVE_MINUTES))),
        "messages.2.content.0.text: cache_control cannot be set for empty text blocks",
    ),
    Refused(
        "mark on an empty tool result",
        _chat(
            user("1+1?"),
            assistant(call("toolu_a")),
            user(result("toolu_a", "") | {"cache_control": FIVE_MINUTES}),
            tools=[CALCULATOR],
        ),
        "messages.2.content.0.tool_result: cache_control cannot be set for empty tool_result blocks",
        given=False,
    ),
    Refused(
        "unknown ttl",
        valid_body(cache_control={"type": "ephemeral", "ttl": "2h"}),
        "cache_control.ttl: Input should be '5m' or '1h'",
        given=False,
    ),
)

PARAMETERS = (
    Refused("temperature", valid_body(temperature=1), _extra("temperature")),
    Refused("top_p", valid_body(top_p=0.9), _extra("top_p")),
    Refused("top_k", valid_body(top_k=5), _extra("top_k")),
    Refused("unknown field", valid_body(colour="blue"), _extra("colour")),
    Refused(
        "unknown field of a block", _chat(user({"type": "text", "text": "Hi", "parsed_output": None})),
        _extra("messages.0.content.0.text.parsed_output"),
    ),
    Refused("null for the system prompt", valid_body() | {"system": None}, "system: Input should be a valid string",
            given=False),
    Refused("max_tokens missing", valid_body(max_tokens=None), "max_tokens: Field required", given=False),
    Refused(
        "max_tokens over the model's limit",
        valid_body(model=OLD_MODEL, max_tokens=64_001),
        "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001",
        given=False,
    ),
    Refused("thinking disabled", valid_body(thinking={"type": "disabled"}), THINKING_OFF.format("disabled")),
    Refused(
        "thinking with a budget on an always-on model",
        valid_body(thinking={"type": "enabled", "budget_tokens": 2_048}, max_tokens=4_096),
        THINKING_OFF.format("enabled"),
    ),
    Refused(
        "thinking disabled on Sonnet 5.5",
        valid_body(model="claude-sonnet-5-5", thinking={"type": "disabled"}),
        THINKING_OFF.format("disabled"),
    ),
    Refused(
        "budget too small",
        valid_body(model=OLD_MODEL, max_tokens=4_096, thinking={"type": "enabled", "budget_tokens": 1_000}),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        given=False,
    ),
    Refused(
        "budget not below max_tokens",
        valid_body(model=OLD_MODEL, max_tokens=2_048, thinking={"type": "enabled", "budget_tokens": 2_048}),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
        given=False,
    ),
    Refused(
        "document in an assistant message", _chat(user("Hello"), assistant(PDF_BLOCK), user("Go on")),
        "messages.1.content.0: `document` blocks are not permitted in `assistant` content", given=False,
    ),
    Refused(
        "citations on a user text block",
        _chat(user({"type": "text", "text": "Hi", "citations": [{"type": "char_location"}]})),
        "messages.0.content.0.text.citations: citations are not permitted on user text blocks",
        given=False,
    ),
    Refused(
        "unknown model", valid_body(model="claude-nothing-9"), "model: claude-nothing-9", 404, "not_found_error",
        given=False,
    ),
    Refused(
        "retired model", valid_body(model="claude-mythos-preview"), "model: claude-mythos-preview", 404,
        "not_found_error", given=False,
    ),
    Refused("no key", valid_body(), "x-api-key header is required", 401, "authentication_error", key=None, given=False),
    Refused(
        "invalid key", valid_body(), "invalid x-api-key", 401, "authentication_error", key="sk-invalid", given=False
    ),
    Refused("no version", valid_body(), "anthropic-version: header is required", version="", given=False),
)  # fmt: skip

GATES = (
    Refused("context_management without its header", valid_body(context_management={"edits": []}),
            _extra("context_management")),
    Refused("compaction without its header", valid_body(compaction={"type": "summarize"}), _extra("compaction")),
    Refused("diagnostics without its header", valid_body(diagnostics={"previous_message_id": None}),
            _extra("diagnostics")),
    Refused("speed without its header", valid_body(speed="fast"), _extra("speed")),
    Refused("block_binding without its header",
            valid_body(thinking={"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}),
            _extra("thinking.adaptive.block_binding")),
    Refused("clear_at without its header", _chat(user("Hello"), system("Note", clear_at="next_user_message")),
            _extra("messages.1.clear_at")),
    Refused("thread", valid_body(thread={"type": "create"}),
            "thread: message threads are not available on this server", betas=("message-threads-2026-08-12",),
            details={"error_code": "thread_unsupported_request"}, given=False),
    Refused("max_tokens when counting", valid_body(), _extra("max_tokens"), path="/v1/messages/count_tokens"),
)  # fmt: skip

SYSTEM_ROLE = (
    Refused("system role on a model without it", _chat(user("Hello"), system("Note"), model="claude-sonnet-4-6"),
            NO_SYSTEM_ROLE),
    Refused("system role on an older model", _chat(user("Hello"), system("Note"), model=OLD_MODEL),
            UNKNOWN_SYSTEM_ROLE),
    Refused("system message first", _chat(system("Note"), user("Hello"), model=SYSTEM_MODEL), SYSTEM_FIRST),
    Refused("system message before a user message",
            _chat(user("Hello"), system("Note"), user("Go on"), model=SYSTEM_MODEL), SYSTEM_BEFORE_USER.format(1)),
    Refused("system message after and before the wrong turns",
            _chat(*_TALK, system("Note"), user("Go on"), model=SYSTEM_MODEL), SYSTEM_BEFORE_USER.format(2)),
    Refused("system message after an assistant message",
            _chat(*_TALK, system("Note"), model=SYSTEM_MODEL),
            "messages.2: role 'system' must follow a 'user' message", given=False),
    Refused("two system messages in a row",
            _chat(user("Hello"), system("Note"), system("Note"), model=SYSTEM_MODEL), SYSTEM_BEFORE_USER.format(1)),
)  # fmt: skip

WINDOWS = (
    Refused(
        "input alone over the window",
        _chat(user("word " * 9_000), model="claude-sim-small"),
        "prompt is too long: {tokens} tokens > 8000 maximum",
        given=False,
    ),
    Refused(
        "input and max_tokens over an older window",
        _chat(user("word " * 150_000), model=OLD_MODEL, max_tokens=60_000),
        "input length and `max_tokens` exceed context limit: {tokens} + 60000 > 200000, decrease input length or "
        "`max_tokens` and try again",
    ),
)
"""In these texts `{tokens}` stands for the counted input."""

ROWS = (*ROLES, *BLANKS, *TOOLS, *MARKS, *PARAMETERS, *GATES, *SYSTEM_ROLE)

REBOUND = (
    "{path}: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove "
    'the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
EDITED = (
    "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks "
    "must remain as they were in the original response."
)


def thinking_rows(body: Body) -> list[Refused]:
    """Rows made from a real request body that ends in a user message and whose assistant messages 1 and 3 open with
    thinking."""

    def changed(change: Callable[[Body], Any], **more: Any) -> Body:
        fresh: Body = copy.deepcopy(body) | more
        change(fresh)
        return fresh

    def block(given: Body, message: int) -> dict[str, Any]:
        found: dict[str, Any] = given["messages"][message]["content"][0]
        return found

    last = len(body["messages"]) - 2
    first_path, last_path = "messages.1.content.0", f"messages.{last}.content.0"
    return [
        Refused(
            "latest thinking edited",
            changed(lambda given: block(given, last).update(thinking="Something else.")),
            EDITED.format(path=last_path),
        ),
        Refused(
            "earlier thinking edited",
            changed(lambda given: block(given, 1).update(thinking="Something else.")),
            f"{first_path}: Invalid `signature` in `thinking` block",
        ),
        Refused(
            "signature made up",
            changed(lambda given: block(given, 1).update(signature="AAAA")),
            f"{first_path}: Invalid `signature` in `thinking` block",
        ),
        Refused(
            "system prompt changed under bound thinking",
            changed(lambda given: None, system="Another system prompt."),
            REBOUND.format(path=first_path),
        ),
        Refused(
            "tool added under bound thinking",
            changed(lambda given: None, tools=[*body.get("tools", []), CALCULATOR | {"name": "another"}]),
            REBOUND.format(path=first_path),
        ),
        Refused(
            "first message changed under bound thinking",
            changed(lambda given: given["messages"][0].update(content="Something else")),
            REBOUND.format(path=first_path),
        ),
        Refused(
            "thinking taken out between others",
            changed(lambda given: given["messages"][3]["content"].pop(0)),
            REBOUND.format(path="messages.5.content.0"),
        ),
        Refused(
            "mark on a thinking block",
            changed(lambda given: block(given, 1).update(cache_control=FIVE_MINUTES)),
            _extra(f"{first_path}.thinking.cache_control"),
            given=False,
        ),
    ]
