"""Where a path is cut: whole turns only, never inside an open one, and requests stay valid on both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.boundary import Boundary, find_boundary, is_open
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.compaction.summary_request import summary_prompt
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Epoch, Message, MessageState, Origin, now, to_json
from desktop_app.core.models import Features
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request
from desktop_app.core.request_rules import check_request
from tests.unit.message_samples import EPOCH, call, cut_reply, path_of, reply, result, results, thinking, user
from tests.unit.random_histories import History, histories

PER_BLOCK = 10


def tokens_of(path: list[Message]) -> dict[str, int]:
    """Ten tokens for each block."""
    return {message.id: PER_BLOCK * len(message.blocks) for message in path}


def cut(path: list[Message], keep: int, *, large: int = 10_000, after: int = 0) -> Boundary | None:
    return find_boundary(path, tokens_of(path), keep=keep, large=large, after=after)


def memo_at(path: list[Message], boundary: Boundary) -> Compaction:
    """A memo in place of what was cut off."""
    until = boundary.until_message_id
    return Compaction("k", "c", until, "## Goal\nTea", boundary.place, 100, 10, now(), "m", 1.0)


def request_of(path: list[Message], epoch: Epoch = EPOCH, memo: Compaction | None = None) -> Request:
    return build_request(plan_context(path, epoch, memo), Choices(16_000), Features())


def fork_of(path: list[Message], boundary: Boundary, epoch: Epoch = EPOCH) -> Request:
    """The request that asks for the memo."""
    question = replace(user(summary_prompt(Strategy.MEMO, "en")), id="ask", parent_id=boundary.until_message_id)
    return request_of([*path[: boundary.place], question], epoch)


def thinking_of(request: Request) -> list[str]:
    return [to_json(block) for _, block in request.blocks() if block.get("type") == "thinking"]


def turns(count: int) -> list[Message]:
    """Closed turns of 20 tokens each."""
    return [part for number in range(count) for part in (user(f"question {number}"), reply(f"answer {number}"))]


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("thinks", [True, False])
@pytest.mark.parametrize("last", range(1, 13))
def test_a_group_of_ten_parallel_calls_is_never_split(last: int, thinks: bool, opened: bool) -> None:
    thought = [thinking("Ten at once.", "sig-open")] if thinks else []
    calls = [call(f"toolu_{number}", expression=str(number)) for number in range(10)]
    answers = [result(f"toolu_{number}", str(number)) for number in range(10)]
    group = [user("Ten sums, please"), reply(*thought, *calls, stop_reason="tool_use"), results(*answers)]
    path = path_of(*turns(3), *group, *([] if opened else [reply("All done."), *turns(1)]))
    boundary = cut(path, last * PER_BLOCK)
    assert boundary is not None
    assert boundary.place == len(path) or path[boundary.place].origin is Origin.TYPED
    assert boundary.place <= 6 if opened else boundary.place in (6, 10)
    following = path if opened else [*path, replace(user("And now?"), id="next")]
    after = request_of(following, EPOCH, memo_at(path, boundary))
    for request in (after, fork_of(path, boundary)):
        assert check_request(request.body()) == []
    if thinks and opened:
        assert thinking_of(after) == [to_json(thought[0])]


def test_the_tail_is_the_longest_run_of_whole_turns_that_fits() -> None:
    path = path_of(*turns(5))
    boundary = cut(path, 45)
    assert boundary == Boundary("m5", 6, ("m0", "m1", "m2", "m3", "m4", "m5"), 60, 40)
    assert cut(path, 40) == boundary
    assert cut(path, 100) is None


def test_what_an_earlier_memo_stands_for_is_not_folded_again() -> None:
    boundary = cut(path_of(*turns(5)), 45, after=4)
    assert boundary is not None
    assert (boundary.place, boundary.folded, boundary.folded_tokens) == (6, ("m4", "m5"), 20)
    assert cut(path_of(*turns(5)), 45, after=6) is None
    assert cut(path_of(*turns(5)), 45, after=10) is None


def test_a_large_last_turn_is_folded_only_when_it_is_over() -> None:
    closed = path_of(*turns(2), user("x"), reply(*["long"] * 9))
    assert cut(closed, 40, large=99) == Boundary("m5", 6, tuple(f"m{number}" for number in range(6)), 140, 0)
    kept = cut(closed, 40, large=100)
    assert kept is not None
    assert (kept.until_message_id, kept.kept_tokens) == ("m3", 100)
    waiting = cut(path_of(*turns(2), user(*["long"] * 9)), 40, large=50)
    assert waiting is not None
    assert (waiting.until_message_id, waiting.kept_tokens) == ("m3", 90)
    assert cut(path_of(user(*["long"] * 9)), 40, large=50) is None
    assert cut([], 40) is None


def test_the_rest_of_a_cut_answer_stays_with_its_beginning() -> None:
    path = path_of(
        *turns(1), user("Write"), reply("first", stop_reason="max_tokens"),
        user("Go on", origin=Origin.CONTINUE), reply("second"),
    )  # fmt: skip
    boundary = cut(path, 30)
    assert boundary is not None
    assert (boundary.until_message_id, boundary.kept_tokens) == ("m1", 40)


@pytest.mark.parametrize(
    ("last", "opened"),
    [
        (user("?"), True),
        (reply("done"), False),
        (cut_reply("half", state=MessageState.STREAMING), True),
        (cut_reply("half"), False),
        (reply("Searching", stop_reason="pause_turn"), True),
        (reply(call("toolu_1", expression="1"), stop_reason="tool_use"), True),
        (reply("to the lim", stop_reason="max_tokens"), True),
        (reply(stop_reason="refusal"), False),
    ],
)
def test_a_turn_is_open_while_something_of_its_reply_is_to_come(last: Message, opened: bool) -> None:
    assert is_open(path_of(user("Hello"), last)) is opened


@given(histories(), st.integers(0, 200), st.sampled_from((20, 60, 10_000)))
def test_any_history_can_be_sent_on_both_sides_of_its_cut(history: History, keep: int, large: int) -> None:
    path = history.path
    boundary = cut(path, keep, large=large)
    if boundary is None:
        return
    assert boundary.place < len(path)
    assert path[boundary.place].origin is Origin.TYPED
    assert boundary.folded == tuple(message.id for message in path[: boundary.place])
    after = request_of(path, history.epoch, memo_at(path, boundary))
    for request in (after, fork_of(path, boundary, history.epoch)):
        assert check_request(request.body()) == []
    sent = [block for _, block in after.blocks() if block.get("type") == "thinking"]
    assert all(_as_received(block, history) for block in sent)


def _as_received(block: Block, history: History) -> bool:
    return to_json(block) == to_json(history.issued[block["signature"]])


def test_the_threshold_is_the_smaller_of_share_and_tokens() -> None:
    assert trigger.threshold(1_000_000, 75, 150_000) == 150_000
    assert trigger.threshold(8_000, 75, 150_000) == 6_000
    assert trigger.threshold(None, 75, 150_000) == 150_000
    assert [trigger.due(used, 6_000) for used in (5_999, 6_000, 9_000)] == [False, True, True]
    assert (trigger.most_kept(6_000), trigger.least_folded(6_000)) == (1_800, 600)
