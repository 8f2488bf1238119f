"""What the API refuses, as a checker used before every send and by property tests.

Source: the rules and texts of the Messages API documentation and of its published error messages.
Each rule is a function of the body that yields violations with the API's own words; those about
messages, blocks and compaction stand in rooms of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from desktop_app.core import block_rules, compaction_rules, message_rules
from desktop_app.core.block_rules import MOST_MARKS
from desktop_app.core.cache.diagnosis import BETA
from desktop_app.core.context_editing import BINDING_BETA, CLEARING_BETA, ON_DEMAND_BETA, THRESHOLD_BETA
from desktop_app.core.conversation import to_json
from desktop_app.core.message_rules import MOST_MESSAGES
from desktop_app.core.model_rules import rules_of
from desktop_app.core.rule_case import Case, RequestFacts, Violation, content_blocks, extra

__all__ = ["MOST_BYTES", "MOST_MARKS", "MOST_MESSAGES", "RequestFacts", "Violation", "check_request", "content_blocks"]

MOST_BYTES = 32 * 1024 * 1024
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
# Fields that need one of these beta headers.
_BETA_FIELDS = {
    "context_management": (CLEARING_BETA, THRESHOLD_BETA),
    "compaction": (ON_DEMAND_BETA,),
    "diagnostics": (BETA,),
}
# Fields that may be left out but not be null, and what they are.
_NEVER_NULL = {
    "system": "string",
    "tools": "list",
    "tool_choice": "dictionary",
    "thinking": "dictionary",
    "output_config": "dictionary",
    "metadata": "dictionary",
    "stop_sequences": "list",
    "stream": "boolean",
}
_LEAST_BUDGET = 1024


def check_request(body: Mapping[str, Any], known: RequestFacts | None = None) -> list[Violation]:
    """All rules of the API this body breaks, in the order the API looks at them; empty when it may leave."""
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        return [Violation("no_messages", "messages: at least one message is required")]
    case = Case(body, known or RequestFacts(), rules_of(str(body.get("model", ""))), messages)
    return [violation for rule in _RULES for violation in rule(case)]


def _written(case: Case) -> Iterator[Violation]:
    text = to_json(case.body)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        yield Violation("encoding", "The request body is not valid UTF-8")
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        yield Violation("too_large", "Request exceeds the maximum size")


def _fields(case: Case) -> Iterator[Violation]:
    for name, value in case.body.items():
        if name not in _FIELDS | _BETA_FIELDS.keys():
            yield extra(name)
        elif name in _BETA_FIELDS and not set(_BETA_FIELDS[name]) & set(case.known.betas):
            yield extra(name, "beta_missing")
        elif value is None and name in _NEVER_NULL:
            yield Violation("null", f"{name}: Input should be a valid {_NEVER_NULL[name]}")
    if not isinstance(case.body.get("max_tokens"), int):
        yield Violation("max_tokens", "max_tokens: Field required")


def _thinking_params(case: Case) -> Iterator[Violation]:
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
    if "block_binding" in thinking and BINDING_BETA not in case.known.betas:
        yield extra(f"thinking.{kind}.block_binding", "beta_missing")
    if kind == "enabled":
        yield from _thinking_budget(thinking.get("budget_tokens"), case.body.get("max_tokens"))


def _thinking_budget(budget: object, most: object) -> Iterator[Violation]:
    if not isinstance(budget, int) or budget < _LEAST_BUDGET:
        yield Violation(
            "thinking_budget",
            f"thinking.enabled.budget_tokens: Input should be greater than or equal to {_LEAST_BUDGET}",
        )
    elif isinstance(most, int) and budget >= most:
        yield Violation("thinking_budget", "`max_tokens` must be greater than `thinking.budget_tokens`.")


def _tools(case: Case) -> Iterator[Violation]:
    tools, choice = case.body.get("tools") or [], case.body.get("tool_choice")
    names = Counter(tool.get("name") for tool in tools if isinstance(tool, Mapping))
    if any(count > 1 for count in names.values()):
        yield Violation("tool_names", "tools: Tool names must be unique.")
    if not isinstance(choice, Mapping):
        return
    if not tools:
        yield Violation("tool_choice", "tool_choice: may only be specified while providing tools")
    kind = choice.get("type")
    if kind in ("any", "tool") and not case.rules.forced_tools:
        yield Violation(
            "tool_choice",
            f'"tool_choice.type.{kind}" is not supported for this model. Use "tool_choice.type.auto".',
        )


def _limits(case: Case) -> Iterator[Violation]:
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


_RULES: tuple[Callable[[Case], Iterator[Violation]], ...] = (
    _written,
    _fields,
    compaction_rules.edits,
    compaction_rules.order,
    compaction_rules.blocks,
    message_rules.roles,
    message_rules.system_messages,
    block_rules.places,
    block_rules.marks,
    block_rules.blanks,
    message_rules.ending,
    compaction_rules.finished,
    message_rules.pairs,
    _thinking_params,
    block_rules.thinking,
    _tools,
    _limits,
)
