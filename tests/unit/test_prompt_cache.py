"""Cache marks and forecasts: never more than four, never on a block that cannot carry one, and read back in full."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.core.cache.forecast import LIFETIMES, LOOK_BACK, CacheForecast, CachePoint, PointPart
from desktop_app.core.cache.marks import place_marks
from desktop_app.core.cache.prediction import (
    Stop,
    forecast_cost,
    points_of,
    predict,
    predict_cold,
    stops_of,
    warm_points,
)
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState
from desktop_app.core.context import plan_context
from desktop_app.core.context_budget import make_budget
from desktop_app.core.conversation import Block, Epoch, is_blank, text_block
from desktop_app.core.models import Features
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.token_estimate import TokenEstimator
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
    assert place_marks(TOOLS, [*SYSTEM, text_block("facts")], messages) == (
        Mark("system", 0),
        Mark("system", 1),
        Mark(0, 1),
        Mark(2, 1),
    )


def test_what_stays_when_facts_change_is_marked_in_front_of_them() -> None:
    messages = [message(text_block("a"))]
    assert place_marks(TOOLS, [text_block("facts")], messages)[:2] == (Mark("tools", len(TOOLS) - 1), Mark("system", 0))
    assert place_marks([], [*SYSTEM, text_block("facts")], messages)[:2] == (Mark("system", 0), Mark("system", 1))


def many(blocks: int) -> list[RequestMessage]:
    """A turn with so many blocks between its question and the results."""
    calls = [call(f"toolu_{number}") for number in range(blocks // 2)]
    results = [result(f"toolu_{number}") for number in range(blocks - blocks // 2)]
    memo = message(text_block("memo"), text_block("q"))
    return [memo, message(*calls, role="assistant"), message(*results)]


@pytest.mark.parametrize(("added", "extra"), [(14, False), (15, False), (16, True), (40, True)])
def test_more_than_fifteen_new_blocks_get_an_extra_mark(added: int, extra: bool) -> None:
    """The slot is taken from what only counts when facts change; the memo keeps its own."""
    marks = place_marks(TOOLS, [*SYSTEM, text_block("facts")], many(added), summary=True)
    assert (Mark(0, 1) in marks) is extra
    assert (Mark("system", 0) in marks) is not extra
    assert {Mark("system", 1), Mark(0, 0), Mark(2, added - added // 2 - 1)} < set(marks)
    assert len(marks) == 4


@pytest.mark.parametrize(("lifetime", "lives"), [("5m", "5555"), ("head", "1115"), ("1h", "1111")])
def test_an_hour_never_follows_on_five_minutes(lifetime: str, lives: str) -> None:
    marks = place_marks(TOOLS, [*SYSTEM, text_block("facts")], many(4), summary=True, lifetime=lifetime)
    assert "".join(mark.ttl[0] for mark in marks) == lives


def test_what_nothing_will_follow_is_not_kept() -> None:
    messages = [message(text_block("q")), message(text_block("a"), role="assistant"), message(text_block("prompt"))]
    assert place_marks(TOOLS, SYSTEM, messages, keep_end=False) == (
        Mark("tools", len(TOOLS) - 1),
        Mark("system", 0),
        Mark(0, 0),
    )


def test_tools_carry_the_mark_where_there_is_no_system_prompt() -> None:
    assert place_marks(TOOLS, [], [message(text_block("a"))]) == (Mark("tools", len(TOOLS) - 1), Mark(0, 0))


def test_only_the_messages_are_marked_where_nothing_stands_before_them() -> None:
    assert place_marks([], [], [message(text_block("a"))]) == (Mark(0, 0),)
    assert place_marks([], [], []) == ()
    assert place_marks([], [], [], summary=True) == ()


def test_the_memo_is_marked_and_there_are_four_marks_at_most() -> None:
    memo = message(text_block("memo"), text_block("go on"))
    tools = Mark("tools", len(TOOLS) - 1)
    assert place_marks(TOOLS, SYSTEM, [memo], summary=True) == (tools, Mark("system", 0), Mark(0, 0), Mark(0, 1))
    longer = [memo, message(text_block("yes"), role="assistant"), message(text_block("and?"))]
    assert place_marks(TOOLS, SYSTEM, longer, summary=True) == (
        tools,
        Mark("system", 0),
        Mark(0, 0),
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
    lifetime=st.sampled_from(LIFETIMES),
    keep_end=st.booleans(),
)
@settings(max_examples=60)
def test_no_request_has_more_than_four_marks(
    tools: int,
    system: list[Block],
    messages: list[RequestMessage],
    memory: bool,
    summary: bool,
    lifetime: str,
    keep_end: bool,
) -> None:
    offered = tuple({"name": f"tool_{number}", "input_schema": {"type": "object"}} for number in range(tools))
    blocks = (*system, *([text_block("<long_term_facts>…")] if memory else []))
    marks = place_marks(offered, blocks, messages, summary=summary, lifetime=lifetime, keep_end=keep_end)
    request = Request({"model": "m", "max_tokens": 1}, offered, blocks, tuple(messages), marks)
    marked = marked_blocks(request.body())
    assert len(marked) == len(marks) <= 4
    assert all(may_carry(block) for block in marked)
    assert marks == place_marks(offered, blocks, messages, summary=summary, lifetime=lifetime, keep_end=keep_end)
    assert [mark.ttl for mark in marks] == sorted(mark.ttl for mark in marks)
    if keep_end and any(may_carry(block) for one in messages for block in one.blocks):
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


HOST = "api.anthropic.com"
COLD = CacheForecast(0, 9_000, 0, 0)


def prepared(messages: int, epoch: Epoch, tokens: int) -> tuple[Request, tuple[Stop, ...]]:
    """The request that answers the first so many messages of the path, of so many tokens, and its stops."""
    path = PATH[:messages]
    request, plan = request_for(path, epoch), plan_context(path, epoch)
    known = {len(plan.messages): Figure(tokens, Known.MEASURED)}
    budget = make_budget(plan, TokenEstimator(), known, reserve=16_000, window=1_000_000)
    return request, stops_of(request, plan, budget, request.prefix_digests(), "")


def sent(messages: int, usage: Usage | None, ago: float = 60, epoch: Epoch = EPOCH, host: str = HOST) -> RequestRecord:
    """The record of the request that answered the first so many messages of the path."""
    request, stops = prepared(messages, epoch, (usage and usage.input_total) or 5_000)
    return RequestRecord(
        f"r{messages}", "c", "t", 1, 1, NOW - timedelta(seconds=ago), host, EPOCH.model,
        request.prefix_digests()[-1], 16_000, None, 0, (), state=RequestState.ANSWERED, usage=usage,
        points=points_of(request, stops),
    )  # fmt: skip


def foresee(*records: RequestRecord, tokens: int = 9_000, epoch: Epoch = EPOCH) -> CacheForecast:
    request, stops = prepared(len(PATH), epoch, tokens)
    return predict(request, stops, records, NOW, host=HOST)


def test_what_the_last_request_left_in_the_cache_is_read() -> None:
    forecast = foresee(sent(1, Usage(3, 5_000, 0, 0, 9)), sent(3, Usage(3, 1_200, 300, 5_000, 9), ago=30))
    assert (forecast.read, forecast.written, forecast.uncached) == (6_500, 2_500, 0)
    assert forecast.warm
    assert forecast.warm_until == NOW + timedelta(seconds=270)


def test_nothing_is_read_after_five_minutes() -> None:
    usage = Usage(3, 5_000, 0, 0, 9)
    assert foresee(sent(3, usage, ago=299)).read == 5_000
    assert foresee(sent(3, usage, ago=300)) == COLD


def test_what_was_written_for_an_hour_is_read_after_half_of_it() -> None:
    record = sent(3, Usage(3, 0, 5_000, 0, 9), ago=1_800)
    long = replace(record, points=tuple(replace(point, lifetime="1h") for point in record.points))
    forecast = foresee(long)
    assert (forecast.read, forecast.warm_until) == (5_000, NOW + timedelta(seconds=1_800))
    assert foresee(replace(long, sent_at=NOW - timedelta(hours=1))) == COLD


def test_a_prefix_that_was_read_keeps_the_lifetime_it_was_written_with() -> None:
    first = sent(1, Usage(3, 0, 5_000, 0, 9), ago=3_000)
    first = replace(first, points=tuple(replace(point, lifetime="1h") for point in first.points))
    second = sent(3, Usage(3, 1_500, 0, 5_000, 9), ago=400)
    forecast = foresee(first, second)
    assert (forecast.read, forecast.warm_until) == (5_000, NOW + timedelta(seconds=3_200))


def test_nothing_is_read_behind_another_prefix() -> None:
    usage = Usage(3, 5_000, 0, 0, 9)
    other = replace(EPOCH, system="Something else.", tools=())
    assert foresee(sent(3, usage, epoch=other)) == COLD
    assert foresee() == COLD
    assert not foresee().warm


def test_the_head_is_read_where_only_the_messages_differ() -> None:
    """As after a folding, or for the first message of another conversation."""
    other = [*path_of(user("something else")), *PATH[1:]]
    request, plan = request_for(other, EPOCH), plan_context(other, EPOCH)
    head = {0: Figure(4_000, Known.MEASURED), len(plan.messages): Figure(9_000, Known.MEASURED)}
    budget = make_budget(plan, TokenEstimator(), head, reserve=16_000, window=1_000_000)
    stops = stops_of(request, plan, budget, request.prefix_digests(), "")
    head_tokens = next(stop.point.tokens for stop in stops if stop.point.part is PointPart.HEAD)
    record = sent(3, Usage(3, 8_000, 0, 0, 9), ago=30)
    points = tuple(replace(point, tokens=4_000 if point.place == 0 else 8_000) for point in record.points)
    forecast = predict(request, stops, [replace(record, points=points)], NOW, host=HOST)
    assert forecast.read == head_tokens > 0
    assert forecast.total == 9_000


def folded(turns: int, tokens: int, memo: int, head: int) -> tuple[Request, tuple[Stop, ...]]:
    """So many turns behind a memo, with tools and facts: the four marks leave none for the end before."""
    texts = (text for turn in range(turns) for text in (user(f"question {turn}"), reply(f"answer {turn}")))
    path = [*path_of(*texts, user("last"))]
    epoch = replace(EPOCH, facts="- bicycle: green", compaction_id="c1")
    compaction = Compaction(
        "c1", "c", "none", "## Goal\nKeep things.", 4, 9_000, 900, NOW, EPOCH.model, 1.0, "r0",
        CompactionCause.BY_HAND, "", CompactionState.ACTIVE,
    )  # fmt: skip
    plan = plan_context(path, epoch, compaction)
    request = build_request(plan, Choices(64, lifetime="head"), Features())
    known = {len(plan.messages): Figure(tokens, Known.MEASURED)}
    budget = make_budget(plan, TokenEstimator(), known, reserve=64, window=1_000_000)
    stops = [
        replace(stop, point=replace(stop.point, tokens={PointPart.HEAD: head, PointPart.MEMO: memo}[stop.point.part]))
        if stop.point.part in (PointPart.HEAD, PointPart.MEMO)
        else stop
        for stop in stops_of(request, plan, budget, request.prefix_digests(), "")
    ]
    return request, tuple(stops)


def answered(number: int, request: Request, stops: Sequence[Stop], usage: Usage, ago: float) -> RequestRecord:
    return replace(sent(1, usage, ago), id=f"r{number}", points=points_of(request, stops))


def test_what_was_read_behind_the_memo_is_not_taken_for_the_memo() -> None:
    first, second, third = (
        folded(turns, tokens, 4_000, 3_000) for turns, tokens in ((1, 20_000), (2, 20_600), (3, 21_200))
    )
    assert len(first[0].marks) == 4
    records = [
        answered(1, *first, Usage(3, 16_000, 3_997, 0, 9), ago=1_300),
        answered(2, *second, Usage(3, 600, 0, 19_997, 9), ago=1_260),
    ]
    warm = {point.digest: point for point in warm_points(records, NOW - timedelta(seconds=1_200)).values()}
    memo = next(stop.point for stop in first[1] if stop.point.part is PointPart.MEMO)
    assert (warm[memo.digest].tokens, warm[memo.digest].measured) == (4_000, False)
    # The end that was read lives on from the moment it was read.
    end = first[1][-1].point.digest
    assert warm[end].until == NOW - timedelta(seconds=1_260) + timedelta(minutes=5)
    # After twenty minutes only what is kept for an hour is left: the memo and all before it.
    forecast = predict(*third, records, NOW, host=HOST)
    assert (forecast.read, forecast.total) == (4_000, 21_200)


def test_a_request_that_marks_little_does_not_raise_the_least_for_all() -> None:
    small = replace(sent(3, Usage(5_000, 0, 0, 0, 9)), points=(CachePoint(0, "d", 600, "5m", PointPart.HEAD),))
    assert foresee(small) == COLD
    elsewhere = sent(3, Usage(120_000, 0, 0, 0, 9), host="gateway.example")
    assert foresee(elsewhere) == COLD


def test_twenty_blocks_before_a_mark_an_earlier_end_is_found_and_no_further() -> None:
    epoch = replace(EPOCH, tools=(), system="x")
    for blocks, found in ((LOOK_BACK, True), (LOOK_BACK + 1, False)):
        texts = [text_block(f"answer {number}") for number in range(blocks - 1)]
        path = path_of(user("one"), reply(*texts), user("two"))
        request, plan = request_for(path, epoch), plan_context(path, epoch)
        request = replace(request, marks=request.marks[-1:])
        known = {1: Figure(5_000, Known.MEASURED), len(plan.messages): Figure(9_000, Known.MEASURED)}
        budget = make_budget(plan, TokenEstimator(), known, reserve=16_000, window=1_000_000)
        stops = stops_of(request, plan, budget, request.prefix_digests(), "")
        point = next(stop.point for stop in stops if stop.point.place == 1)
        record = replace(sent(1, Usage(3, 5_000, 0, 0, 9)), points=(point,))
        assert (predict(request, stops, [record], NOW, host=HOST).read == 5_000) is found


def test_a_prefix_below_the_least_is_neither_read_nor_written() -> None:
    assert foresee(tokens=900) == CacheForecast(0, 0, 0, 900)
    assert foresee(tokens=1_500) == CacheForecast(0, 1_500, 0, 0)
    # A model that wrote less than what is usual takes less; one that kept nothing of more takes more.
    assert foresee(sent(3, Usage(3, 700, 0, 0, 9)), tokens=900).read == 700
    assert foresee(sent(3, Usage(1_500, 0, 0, 0, 9)), tokens=1_400) == CacheForecast(0, 0, 0, 1_400)


@pytest.mark.parametrize(("model", "least"), [("claude-opus-5", 512), ("claude-haiku-4-5-20251001", 4_096)])
def test_the_least_is_that_of_the_model(model: str, least: int) -> None:
    epoch = replace(EPOCH, model=model)
    for tokens, written in ((least - 1, 0), (least, least)):
        request, stops = prepared(len(PATH), epoch, tokens)
        assert predict(request, stops, [], NOW).written == written


def test_nothing_is_foretold_where_nothing_is_known_of_a_cache() -> None:
    assert foresee(sent(3, Usage(5_000, output=9))) == CacheForecast()
    request, stops = prepared(len(PATH), EPOCH, 9_000)
    assert predict(replace(request, marks=()), stops, [], NOW) == CacheForecast()
    assert predict_cold(replace(request, marks=()), stops) == CacheForecast()


def test_a_server_that_reported_no_cache_says_nothing_of_another() -> None:
    silent = sent(3, Usage(5_000, output=9), host="localhost:1234")
    assert foresee(silent) == COLD


def test_a_request_without_figures_warms_nothing() -> None:
    assert foresee(sent(3, None)) == COLD
    assert foresee(sent(3, Usage(0, 0, 0, 0, 9))) == COLD


def test_more_is_never_read_than_is_sent() -> None:
    assert foresee(sent(3, Usage(3, 9_500, 0, 0, 9))) == CacheForecast(
        9_000, 0, 0, 0, NOW - timedelta(seconds=60) + timedelta(minutes=5)
    )


def test_cold_is_what_nothing_was_kept_of() -> None:
    request, stops = prepared(len(PATH), EPOCH, 9_000)
    assert predict_cold(request, stops, [sent(3, Usage(3, 5_000, 0, 0, 9))]) == COLD


@pytest.mark.parametrize("lifetime", LIFETIMES)
def test_each_lifetime_is_written_apart(lifetime: str) -> None:
    request, stops = prepared(len(PATH), EPOCH, 90_000)
    marks = place_marks(request.tools, request.system, request.messages, lifetime=lifetime)
    forecast = predict(replace(request, marks=marks), stops, [], NOW)
    head = next(stop.point.tokens for stop in stops if stop.point.part is PointPart.HEAD)
    assert forecast.total == forecast.written == 90_000
    assert forecast.write_1h == {"5m": 0, "head": head, "1h": 90_000}[lifetime]


def test_a_plan_of_the_next_turn_begins_with_the_digest_of_the_last() -> None:
    short = plan_context(PATH[:3], EPOCH)
    assert len(short.messages) == 3
    assert request_for(PATH[:3]).prefix_digests()[-1] in request_for(PATH).prefix_digests()


def test_the_price_of_the_next_input() -> None:
    prices = load_prices()
    forecast = CacheForecast(59_186, 2_018, 0, 0)
    assert forecast_cost(prices, "claude-opus-5-5", forecast, NOW) == Decimal("0.0219272")
    assert forecast_cost(prices, "claude-opus-5-5", CacheForecast(0, 61_204, 0, 0), NOW) == Decimal("0.30602")
    assert forecast_cost(prices, "claude-opus-5-5", CacheForecast(0, 0, 61_204, 0), NOW) == Decimal("0.489632")
    assert forecast_cost(prices, "llama3", forecast, NOW) is None
    assert forecast_cost(prices, "claude-opus-5-5", CacheForecast(), NOW) is None
