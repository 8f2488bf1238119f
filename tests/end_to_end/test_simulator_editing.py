"""Context editing and thinking binding by the simulated server through the real SDK: what it leaves out and reports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic.types.beta import BetaMessage

from tests.fakes.simulator import RunningSimulator

MODEL = "claude-haiku-5-5"
EDITING, BINDING = "context-management-2025-06-27", "thinking-binding-controls-2026-08-01"
TOOLS, THINKING = "clear_tool_uses_20250919", "clear_thinking_20251015"
LOOK = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}}
READ = {"name": "read", "description": "Reads.", "input_schema": {"type": "object", "properties": {}}}
LONG = "The lighthouse keeper wrote a few lines about the weather in his notebook. " * 8
Body = dict[str, Any]


@pytest.fixture
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=simulator.key, base_url=simulator.url, max_retries=0) as made:
        yield made


def uses(**more: Any) -> Body:
    return {
        "type": TOOLS,
        "trigger": {"type": "tool_uses", "value": 1},
        "keep": {"type": "tool_uses", "value": 1},
    } | more


def edits(*given: Body, betas: tuple[str, ...] = (EDITING,)) -> Body:
    return {"context_management": {"edits": list(given)}, "betas": list(betas)}


def say(words: str) -> Body:
    return {"role": "user", "content": words}


def looked(number: int, told: str, tool: str = "look") -> list[Body]:
    """A question, a call, its result and the answer."""
    made = {"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": {"where": LONG}}
    found = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"{told} {LONG}"}
    return [
        say("Have a look."),
        {"role": "assistant", "content": [made]},
        {"role": "user", "content": [found]},
        {"role": "assistant", "content": "I looked."},
    ]


CHAT = [
    *looked(1, "The first lamp is green."),
    *looked(2, "The second lamp is violet.", tool="read"),
    *looked(3, "The third lamp is orange."),
]


def create(client: anthropic.Anthropic, messages: list[Any], **more: Any) -> BetaMessage:
    given: Body = {"model": MODEL, "max_tokens": 1_000, "messages": messages, "tools": [LOOK, READ]} | more
    answer: BetaMessage = client.beta.messages.create(**given)
    return answer


def refused(client: anthropic.Anthropic, **more: Any) -> str:
    with pytest.raises(anthropic.BadRequestError) as caught:
        create(client, [say("Hello")], **more)
    return str(caught.value.api_message)


def words(message: BetaMessage) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def applied(message: BetaMessage) -> list[tuple[str, int]]:
    """Each edit with what it cleared."""
    assert message.context_management is not None
    rows = [one.to_dict() for one in message.context_management.applied_edits]
    assert all(row["cleared_input_tokens"] > 0 for row in rows)
    return [(row["type"], row.get("cleared_tool_uses") or row.get("cleared_thinking_turns")) for row in rows]


def test_the_assistant_does_not_see_a_cleared_result(client: anthropic.Anthropic) -> None:
    first = [*CHAT, say("Which colour has the first lamp?")]
    third = [*CHAT, say("Which colour has the third lamp?")]
    assert "green" in words(create(client, first))
    cleared = create(client, first, **edits(uses()))
    assert "green" not in words(cleared) and applied(cleared) == [(TOOLS, 2)]
    assert "orange" in words(create(client, third, **edits(uses())))
    assert "green" in words(create(client, first, **edits(uses(exclude_tools=["look"]))))


def test_counts_before_and_after(client: anthropic.Anthropic) -> None:
    messages = [*CHAT, say("Hello")]
    given: Body = {"model": MODEL, "messages": messages, "tools": [LOOK, READ]}
    plain = client.beta.messages.count_tokens(**given)
    assert plain.context_management is None
    counted = client.beta.messages.count_tokens(**given, **edits(uses()))
    assert counted.context_management is not None
    assert counted.context_management.original_input_tokens == plain.input_tokens > counted.input_tokens
    answer = create(client, messages, **edits(uses()))
    assert answer.usage.input_tokens == counted.input_tokens
    assert answer.context_management is not None
    (edit,) = answer.context_management.applied_edits
    assert edit.cleared_input_tokens == plain.input_tokens - counted.input_tokens
    with_inputs = create(client, messages, **edits(uses(clear_tool_inputs=True))).usage.input_tokens
    only_read = create(client, messages, **edits(uses(clear_tool_inputs=["read"]))).usage.input_tokens
    assert with_inputs < only_read < counted.input_tokens


@pytest.mark.parametrize(
    ("edit", "cleared"),
    [
        ({"type": TOOLS}, []),
        (uses(trigger={"type": "tool_uses", "value": 3}), []),
        (uses(trigger={"type": "input_tokens", "value": 500}), [(TOOLS, 2)]),
        (uses(trigger={"type": "input_tokens", "value": 50_000}), []),
        (uses(keep={"type": "tool_uses", "value": 0}), [(TOOLS, 3)]),
        (uses(keep={"type": "tool_uses", "value": 5}), []),
        (uses(clear_at_least={"type": "input_tokens", "value": 100}), [(TOOLS, 2)]),
        (uses(clear_at_least={"type": "input_tokens", "value": 5_000}), []),
        (uses(exclude_tools=["read"]), [(TOOLS, 1)]),
        (uses(exclude_tools=["read", "look"]), []),
    ],
)
def test_when_it_clears_and_how_much(client: anthropic.Anthropic, edit: Body, cleared: list[tuple[str, int]]) -> None:
    assert applied(create(client, [*CHAT, say("Hello")], **edits(edit))) == cleared


def test_clearing_breaks_the_cache_from_there(client: anthropic.Anthropic) -> None:
    mark = {"type": "ephemeral"}
    marked = [
        *CHAT[:-1],
        {"role": "assistant", "content": [{"type": "text", "text": "I looked.", "cache_control": mark}]},
    ]
    more: Body = {"system": [{"type": "text", "text": LONG * 20, "cache_control": mark}]}
    first = create(client, [*marked, say("Hello")], **more)
    again = create(client, [*marked, say("Hello")], **more)
    assert again.usage.cache_read_input_tokens == first.usage.cache_creation_input_tokens
    cleared = create(client, [*marked, say("Hello")], **more, **edits(uses()))
    system = create(client, [say("Hello")], **more).usage.cache_read_input_tokens
    assert cleared.usage.cache_read_input_tokens == system
    assert (cleared.usage.cache_creation_input_tokens or 0) > 0
    once_more = create(client, [*marked, say("Hello")], **more, **edits(uses()))
    assert once_more.usage.cache_creation_input_tokens == 0


def thinking_chat(client: anthropic.Anthropic) -> list[Any]:
    messages: list[Any] = []
    for question in ("The boat is red.", "The house is blue.", "Which colour has the boat?"):
        messages.append(say(question))
        answer = create(client, messages, thinking={"type": "adaptive", "display": "summarized"})
        assert answer.content[0].type == "thinking"
        messages.append(answer.to_param())
    return [*messages, say("Thanks!")]


def test_thinking_of_older_turns_is_cleared_and_stays_valid(client: anthropic.Anthropic) -> None:
    messages = thinking_chat(client)
    whole = create(client, messages).usage.input_tokens
    for keep, turns in ({"value": 2}, 1), ({"value": 1}, 2), ({"value": 5}, 0), ("all", 0), ({"type": "all"}, 0):
        given = keep if keep == "all" or "type" in keep else {"type": "thinking_turns"} | dict(keep)
        answer = create(client, messages, **edits({"type": THINKING, "keep": given}))
        assert applied(answer) == ([(THINKING, turns)] if turns else [])
        assert (answer.usage.input_tokens < whole) is bool(turns)
    default = create(client, messages, **edits({"type": THINKING}))
    assert applied(default) == [(THINKING, 2)]
    going_on = [*messages, default.to_param(), say("Bye")]
    assert applied(create(client, going_on, **edits({"type": THINKING}))) == [(THINKING, 3)]


def test_both_edits_in_a_stream(client: anthropic.Anthropic) -> None:
    messages = [*CHAT, say("One"), create(client, [*CHAT, say("One")]).to_param()]
    messages += [say("Two"), create(client, [*messages, say("Two")]).to_param(), say("Hello")]
    given: Body = {"model": MODEL, "max_tokens": 500, "messages": messages, "tools": [LOOK, READ]}
    with client.beta.messages.stream(**given, **edits({"type": THINKING}, uses())) as stream:
        seen = list(stream)
        final = stream.get_final_message()
    assert applied(final) == [(THINKING, 1), (TOOLS, 2)]
    told = [event.type for event in seen if getattr(event, "context_management", None) is not None]
    assert told == ["message_delta"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ((uses(), {"type": THINKING}), f"context_management.edits: `{THINKING}` must be the first edit"),
        ((uses(), uses()), f"context_management.edits: `{TOOLS}` may only be given once"),
        (({"type": TOOLS, "keep": {"type": "tool_uses", "value": -1}},),
         f"context_management.edits.0.{TOOLS}.keep.value: Input should be greater than or equal to 0"),
        (({"type": TOOLS, "trigger": {"type": "turns", "value": 1}},),
         f"context_management.edits.0.{TOOLS}.trigger.type: Input should be 'input_tokens' or 'tool_uses'"),
        (({"type": TOOLS, "colour": 1},), f"context_management.edits.0.{TOOLS}.colour: Extra inputs are not permitted"),
        (({"type": THINKING, "keep": {"type": "thinking_turns", "value": 0}},),
         f"context_management.edits.0.{THINKING}.keep.value: Input should be greater than or equal to 1"),
        (({"type": "clear_everything"},),
         "context_management.edits.0: Input tag 'clear_everything' found using 'type' does not match any of the "
         f"expected tags: '{TOOLS}', '{THINKING}'"),
    ],
)  # fmt: skip
def test_refused_edits(client: anthropic.Anthropic, given: tuple[Body, ...], text: str) -> None:
    assert refused(client, **edits(*given)) == text


def test_edits_need_header_thinking_and_model(client: anthropic.Anthropic, simulator: RunningSimulator) -> None:
    assert refused(client, context_management={"edits": []}, betas=[]) == (
        "context_management: Extra inputs are not permitted"
    )
    assert "does not match any of the expected tags" in refused(client, **edits(uses(), betas=("compact-2026-01-12",)))
    off: Body = {"thinking": {"type": "disabled"}}
    assert refused(client, **edits({"type": THINKING}), **off) == (
        f"context_management: `{THINKING}` requires `thinking` to be enabled or adaptive"
    )
    simulator.features("context_management.clear_tool_uses_20250919")
    assert refused(client, **edits(uses())) == f"context_management.edits.0: `{TOOLS}` is not supported on this model"


def test_dropped_thinking_is_reported_where_the_stream_opens(client: anthropic.Anthropic) -> None:
    changed: Body = {"messages": thinking_chat(client), "tools": [LOOK, READ], "system": "Another."}
    changed |= {"model": MODEL, "max_tokens": 500}
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.beta.messages.create(**changed)
    assert caught.value.api_message == (
        "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
        'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    )
    thinking: Body = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    with client.beta.messages.stream(**changed, thinking=thinking, betas=[BINDING]) as stream:
        opening = next(iter(stream))
        final = stream.get_final_message()
    assert opening.type == "message_start"
    rows = [(one.type, one.path, one.reason) for one in final.input_transformations or []]
    assert rows == [("thinking_dropped", f"messages.{n}.content.0", "prefix_binding_mismatch") for n in (1, 3, 5)]
    quiet = client.beta.messages.create(**changed | {"messages": [say("Hi")]}, betas=[BINDING])
    assert quiet.input_transformations == []
