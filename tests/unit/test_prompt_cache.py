"""Cache marks and forecasts: never more than four, never on a block that cannot carry one, and read back in full."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.context import plan_context
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Block, Epoch, is_blank, text_block
from desktop_app.core.pricing import load_prices
from desktop_app.core.prompt_cache import CacheForecast, forecast_cost, place_marks, predict
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.usage import Figure, Known, Usage
from tests.unit.message_samples import (
    EPOCH,
    PICTURE,
    TOOLS,
    call,
    fixed_path,
    path_of,
    reply,
    request_for,
    result,
    thinking,
    user,
)
from tests.unit.random_histories import BLANKS, History, histories

SYSTEM = [text_block("Be brief.")]
NOW = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)


def message(*blocks: Block, role: str = "user") -> RequestMessage:
    return RequestMessage(role, blocks)


def test_the_fixed_prefix_the_end_before_and_the_last_block_are_marked() -> None:
    messages = [
        message(text_block("a"), text_block("b")),
        message(text_block("answer"), role="assistant"),
        message(text_block("c"), text_block("d")),
    ]
    assert place_marks(TOOLS, [*SYSTEM, text_block("facts")], messages) == (Mark("system", 1), Mark(0, 1), Mark(2, 1))


def test_tools_carry_the_mark_where_there_is_no_system_prompt() -> None:
    assert place_marks(TOOLS, [], [message(text_block("a"))]) == (Mark("tools", len(TOOLS) - 1), Mark(0, 0))


def test_only_the_messages_are_marked_where_nothing_stands_before_them() -> None:
    assert place_marks([], [], [message(text_block("a"))]) == (Mark(0, 0),)
    assert place_marks([], [], []) == ()
    assert place_marks([], [], [], summary=True) == ()


def test_the_memo_is_marked_and_there_are_four_marks_at_most() -> None:
    memo = message(text_block("memo"), text_block("go on"))
    assert place_marks(TOOLS, SYSTEM, [memo], summary=True) == (Mark("system", 0), Mark(0, 0), Mark(0, 1))
    longer = [memo, message(text_block("yes"), role="assistant"), message(text_block("and?"))]
    assert place_marks(TOOLS, SYSTEM, longer, summary=True) == (
        Mark("system", 0),
        Mark(0, 0),
        Mark(0, 1),
        Mark(2, 0),
    )
    assert place_marks([], [], [message(text_block("memo"))], summary=True) == (Mark(0, 0),)


def test_thinking_is_passed_over_and_a_paused_reply_keeps_the_question_marked() -> None:
    question = message(text_block("q"))
    paused = message(text_block("a"), thinking("t"), role="assistant")
    only_thinking = message(thinking("t"), {"type": "redacted_thinking", "data": "x"}, role="assistant")
    assert place_marks([], [], [question, paused]) == (Mark(0, 0), Mark(1, 0))
    assert place_marks([], [], [question, only_thinking]) == (Mark(0, 0),)


def test_what_cannot_carry_a_mark_carries_none() -> None:
    unmarked = [text_block("\u3164"), {"type": "server_tool_use", "id": "s"}, {"type": "tool_result", "content": " "}]
    assert place_marks([], [text_block("a"), text_block("\u200b")], [message(text_block("b"), *unmarked)]) == (
        Mark("system", 0),
        Mark(0, 0),
    )
    for block in (PICTURE, call("toolu_1"), result("toolu_1", [text_block("x")]), {"type": "document"}):
        assert place_marks([], [], [message(text_block("b"), block)]) == (Mark(0, 1),)


BLOCKS = st.one_of(
    st.just(text_block("words")),
    st.sampled_from(BLANKS).map(lambda text: {"type": "text", "text": text}),
    st.just(thinking("t")),
    st.just(PICTURE),
    st.just(call("toolu_1", a=1)),
    st.sampled_from(("4", "", " ", [])).map(lambda content: result("toolu_1", content)),
)
MESSAGES = st.builds(
    lambda role, blocks: RequestMessage(role, tuple(blocks)),
    st.sampled_from(("user", "assistant")),
    st.lists(BLOCKS, min_size=1, max_size=5),
)


@given(
    tools=st.integers(0, 20),
    system=st.lists(BLOCKS, max_size=4),
    messages=st.lists(MESSAGES, max_size=60),
    memory=st.booleans(),
    summary=st.booleans(),
)
@settings(max_examples=150)
def test_no_request_has_more_than_four_marks(
    tools: int, system: list[Block], messages: list[RequestMessage], memory: bool, summary: bool
) -> None:
    offered = tuple({"name": f"tool_{number}", "input_schema": {"type": "object"}} for number in range(tools))
    blocks = (*system, *([text_block("<long_term_facts>…")] if memory else []))[:4]
    marks = place_marks(offered, blocks, messages, summary=summary)
    request = Request({"model": "m", "max_tokens": 1}, offered, blocks, tuple(messages), marks)
    marked = marked_blocks(request.body())
    assert len(marked) == len(marks) <= 4
    assert all(may_carry(block) for block in marked)
    assert marks == place_marks(offered, blocks, messages, summary=summary)
    if any(may_carry(block) for one in messages for block in one.blocks):
        assert isinstance(marks[-1].part, int)


@given(histories())
@settings(max_examples=60)
def test_marks_that_came_with_messages_are_not_sent(history: History) -> None:
    request = request_for(history.path, history.epoch)
    marked = marked_blocks(json.loads(request.body_bytes()))
    assert 1 <= len(marked) == len(request.marks) <= 4
    assert all(may_carry(block) for block in marked)
    assert request.marks[-1].part == len(request.messages) - 1


def test_no_marks_for_an_endpoint_without_a_cache() -> None:
    assert request_for(fixed_path(), caching=False).marks == ()


def marked_blocks(value: Any) -> list[Block]:
    """Every object of a body with a mark on it, however deep."""
    if isinstance(value, dict):
        inside = [block for part in value.values() for block in marked_blocks(part)]
        return [*([value] if "cache_control" in value else []), *inside]
    return [block for part in value for block in marked_blocks(part)] if isinstance(value, list) else []


def may_carry(block: Block) -> bool:
    if block.get("type") in ("thinking", "redacted_thinking"):
        return False
    if block.get("type") == "text":
        return not is_blank(block["text"])
    return block.get("type") != "tool_result" or (bool(block["content"]) and block["content"] != " ")


# -- the forecast -------------------------------------------------------------------------------


PATH = path_of(user("one"), reply("first"), user("two"), reply("second"), user("three"))


def budget(tokens: int) -> Budget:
    return Budget(EPOCH.model, Figure(tokens, Known.ESTIMATED), (), 16_000, 1_000_000, tokens)


def sent(messages: int, usage: Usage | None, ago: float = 60, epoch: Epoch = EPOCH) -> RequestRecord:
    """The record of the request that answered the first so many messages of the path."""
    request = request_for(PATH[:messages], epoch)
    return RequestRecord(
        f"r{messages}", "c", "t", 1, 1, NOW - timedelta(seconds=ago), "api.anthropic.com", EPOCH.model,
        request.prefix_digests()[-1], 16_000, None, 0, (), state=RequestState.ANSWERED, usage=usage,
    )  # fmt: skip


def foresee(*records: RequestRecord, tokens: int = 9_000, epoch: Epoch = EPOCH, **features: bool) -> CacheForecast:
    request = request_for(PATH, epoch, **features)
    return predict(request, request.prefix_digests(), budget(tokens), records, NOW)


def test_what_the_last_request_left_in_the_cache_is_read() -> None:
    forecast = foresee(sent(1, Usage(3, 5_000, 0, 0, 9)), sent(3, Usage(3, 1_200, 300, 5_000, 9), ago=30))
    assert (forecast.read, forecast.written, forecast.uncached) == (6_500, 2_500, 0)
    assert forecast.warm
    assert forecast.warm_until == NOW + timedelta(seconds=270)


def test_nothing_is_read_after_five_minutes() -> None:
    usage = Usage(3, 5_000, 0, 0, 9)
    assert foresee(sent(3, usage, ago=299)).read == 5_000
    assert foresee(sent(3, usage, ago=300)) == CacheForecast(0, 9_000, 0)
    # An older request that this one also begins with may still be warm where the last one is no beginning of it.
    assert foresee(sent(1, usage, ago=10), sent(3, Usage(3, 900, 0, 5_000, 9), ago=400)).read == 5_000


def test_nothing_is_read_behind_another_prefix() -> None:
    usage = Usage(3, 5_000, 0, 0, 9)
    other = replace(EPOCH, system="Something else.")
    assert foresee(sent(3, usage, epoch=other)) == CacheForecast(0, 9_000, 0)
    assert foresee() == CacheForecast(0, 9_000, 0)
    assert not foresee().warm


def test_a_prefix_below_the_least_is_neither_read_nor_written() -> None:
    small = Usage(600, 0, 0, 0, 9)
    assert foresee(sent(3, small), tokens=900) == CacheForecast(0, 0, 900)
    assert foresee(sent(3, small), tokens=1_500) == CacheForecast(0, 1_500, 0)
    # A model that wrote less than what is usual takes less.
    assert foresee(sent(3, Usage(3, 700, 0, 0, 9)), tokens=900).read == 700


@pytest.mark.parametrize(("model", "least"), [("claude-opus-5", 512), ("claude-haiku-4-5-20251001", 4_096)])
def test_the_least_is_that_of_the_model(model: str, least: int) -> None:
    request = request_for(PATH, replace(EPOCH, model=model))
    digests = request.prefix_digests()
    assert predict(request, digests, budget(least - 1), [], NOW).written == 0
    assert predict(request, digests, budget(least), [], NOW).written == least


def test_nothing_is_foretold_where_nothing_is_known_of_a_cache() -> None:
    assert foresee(sent(3, Usage(5_000, output=9))) == CacheForecast()
    assert foresee(sent(3, Usage(3, 5_000, 0, 0, 9)), caching=False) == CacheForecast()


def test_a_request_without_figures_warms_nothing() -> None:
    assert foresee(sent(3, None)) == CacheForecast(0, 9_000, 0)
    assert foresee(sent(3, Usage(0, 0, 0, 0, 9))) == CacheForecast(0, 9_000, 0)


def test_more_is_never_read_than_is_sent() -> None:
    assert foresee(sent(3, Usage(3, 9_500, 0, 0, 9))) == CacheForecast(
        9_000, 0, 0, NOW - timedelta(seconds=60) + timedelta(minutes=5)
    )


def test_a_plan_of_the_next_turn_begins_with_the_digest_of_the_last() -> None:
    short = plan_context(PATH[:3], EPOCH)
    assert len(short.messages) == 3
    assert request_for(PATH[:3]).prefix_digests()[-1] in request_for(PATH).prefix_digests()


def test_the_price_of_the_next_input() -> None:
    prices = load_prices()
    forecast = CacheForecast(59_186, 2_018, 0)
    assert forecast_cost(prices, "claude-opus-5-5", forecast, NOW) == Decimal("0.0219272")
    assert forecast_cost(prices, "claude-opus-5-5", CacheForecast(0, 61_204, 0), NOW) == Decimal("0.30602")
    assert forecast_cost(prices, "llama3", forecast, NOW) is None
    assert forecast_cost(prices, "claude-opus-5-5", CacheForecast(), NOW) is None
