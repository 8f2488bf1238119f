"""An answer cut anywhere leaves blocks that can be stored and sent again, and a usage that says what is a guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.conversation import Block, MessageState, from_json, to_json
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.request_rules import RequestFacts, check_request
from desktop_app.core.stream import (
    BlockClosed,
    BlockOpened,
    CompactionArrived,
    ReplyClosed,
    ReplyOpened,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from desktop_app.core.token_estimate import TokenEstimator
from desktop_app.core.usage import Usage
from tests.unit.message_samples import cut_reply, path_of, request_for, user
from tests.unit.sse_files import stream_events, tool_stream


def gathered(events: list[StreamEvent]) -> PartialReply:
    partial = PartialReply()
    for event in events:
        partial.take(event)
    return partial


def check_sendable(blocks: tuple[Block, ...]) -> None:
    """Stored, read back, and followed by a new question, the blocks make a valid request."""
    back = tuple(from_json(to_json(block)) for block in blocks)
    assert to_json(list(back)) == to_json(list(blocks))
    path = path_of(user("q"), cut_reply(*back, state=MessageState.INTERRUPTED), user("go on"))
    issued = {str(block["signature"]): block for block in blocks if block.get("signature")}
    assert check_request(request_for(path).body(), RequestFacts(issued=issued)) == []


@pytest.mark.parametrize(
    ("name", "text"), [("drop_mid_text.sse", "이 답변은 중간"), ("no_message_stop.sse", "looks complete.")]
)
def test_a_dropped_stream_keeps_its_text_and_estimates_its_output(name: str, text: str) -> None:
    partial = gathered(list(stream_events(name)))
    assert partial.closed is None
    assert partial.anything
    assert partial.model == "claude-test-1"
    assert partial.blocks() == ({"type": "text", "text": text},)
    usage = partial.estimated_usage(TokenEstimator())
    assert (usage.uncached, usage.written, usage.read) == (12, 400, 9_000)
    assert usage.output_estimated
    assert usage.output is not None and 1 < usage.output < 20
    check_sendable(partial.blocks())


def test_comments_pings_and_unknown_events_change_nothing() -> None:
    partial = gathered(list(stream_events("ping_and_unknown.sse")))
    assert partial.blocks() == ({"type": "text", "text": "fine"},)
    assert partial.closed is not None and partial.closed.stop_reason == "end_turn"
    usage = partial.estimated_usage(TokenEstimator())
    assert (usage.output, usage.output_estimated) == (3, False)


@given(st.integers(0, len(tool_stream())))
def test_a_reply_cut_at_any_event_can_be_sent_again(length: int) -> None:
    events = tool_stream()[:length]
    partial = gathered(events)
    assert partial.anything is bool(events)
    check_sendable(partial.blocks())
    usage = partial.estimated_usage(TokenEstimator())
    whole = length == len(tool_stream())
    assert usage.output_estimated is not whole
    if length > 0:
        assert usage.uncached == 12
        assert usage.output is not None and usage.output >= 1


def test_unfinished_blocks_as_far_as_they_make_sense() -> None:
    events = tool_stream()
    assert gathered(events[:3]).blocks() == ({"type": "thinking", "thinking": "Multiply"},)
    assert gathered(events[:6]).blocks() == (events[4].block,)  # type: ignore[union-attr]
    half = {"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {}}
    assert gathered(events[:12]).blocks()[2] == half
    assert gathered(events[:13]).blocks()[2] == half | {"input": {"z": 1, "a": "값"}}


def test_a_whole_reply_is_taken_as_it_came() -> None:
    events = tool_stream()
    partial, closed = gathered(events), events[-1]
    assert isinstance(closed, ReplyClosed)
    assert partial.blocks() == closed.blocks
    assert all(kept is came for kept, came in zip(partial.blocks(), closed.blocks, strict=True))
    assert partial.model == "claude-test-1-2026"
    assert partial.estimated_usage(TokenEstimator()) == closed.usage


def test_a_stream_that_ends_without_a_reason_is_not_whole() -> None:
    events: list[StreamEvent] = [
        ReplyOpened("m", Usage(uncached=5, output=1)),
        BlockOpened(0, "text"),
        TextDelta(0, "half"),
        ReplyClosed(({"type": "text", "text": "half"},), "m", None, Usage(uncached=5, output=1)),
    ]
    partial = gathered(events)
    assert partial.blocks() == ({"type": "text", "text": "half"},)
    assert partial.estimated_usage(TokenEstimator()).output_estimated


def test_the_count_of_the_stream_is_a_floor() -> None:
    partial = gathered([ReplyOpened("m", Usage(uncached=5, output=700)), BlockOpened(0, "text"), TextDelta(0, "a")])
    assert partial.estimated_usage(TokenEstimator()).output == 700


def test_nothing_arrived() -> None:
    partial = PartialReply()
    assert not partial.anything
    assert partial.blocks() == ()
    assert partial.estimated_usage(TokenEstimator()) == Usage(output=0, output_estimated=True)


def test_blocks_that_interleave_stay_apart_and_in_order() -> None:
    events = [BlockOpened(1, "text"), BlockOpened(0, "thinking"), TextDelta(1, "b"), ThinkingDelta(0, "a")]
    assert [block["type"] for block in gathered(list(events)).blocks()] == ["thinking", "text"]


def test_halves_of_a_character_meet_or_are_replaced() -> None:
    events: list[StreamEvent] = [BlockOpened(0, "text"), TextDelta(0, "a\ud83d"), TextDelta(0, "\ude00")]
    assert gathered(events).blocks() == ({"type": "text", "text": "a😀"},)
    assert gathered(events[:2]).blocks() == ({"type": "text", "text": "a\ufffd"},)
    whole = ReplyClosed(({"type": "text", "text": "b\udc00"},), "m", "end_turn", Usage())
    assert gathered([*events, whole]).blocks() == ({"type": "text", "text": "b\ufffd"},)


def test_half_a_compaction_is_none_and_a_whole_one_stays_as_it_came() -> None:
    block = {"type": "compaction", "content": "They met.", "signature": "s", "tool_changes": []}
    events: list[StreamEvent] = [
        ReplyOpened("m", Usage(uncached=5, output=1)),
        BlockOpened(0, "compaction"),
        CompactionArrived(0, "They met."),
        BlockClosed(0, block),
        BlockOpened(1, "text"),
        TextDelta(1, "And"),
    ]
    assert gathered(events[:3]).blocks() == ()
    assert gathered(events[:3]).estimated_usage(TokenEstimator()).output == 1
    assert gathered(events[:4]).blocks() == (block,)
    assert gathered(events).blocks() == (block, {"type": "text", "text": "And"})
