"""Compaction and context editing over HTTP: what our requests ask for, and what comes of it on the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.core import errors
from desktop_app.core.context import ContextPlan, PlannedBlock, PlannedMessage, plan_context
from desktop_app.core.context_editing import CLEAR_TOOL_RESULTS, Cleared, clear_tool_results, cleared, compact_at
from desktop_app.core.conversation import Block, Epoch, Message, Role, text_block
from desktop_app.core.endpoints import Endpoint, EndpointKind
from desktop_app.core.models import Features
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request import Request
from desktop_app.core.request_rules import RequestFacts, check_request
from desktop_app.core.segment import Segment
from tests.fakes.simulator import RunningSimulator
from tests.unit.message_samples import TOOLS, call, path_of, reply, result, results, user

ALL = Features(
    server_compaction=True,
    server_compaction_now=True,
    clear_tool_results=True,
    clear_thinking=True,
    block_binding=True,
)
EPOCH = Epoch(1, "claude-opus-5-5", "You are a careful assistant.", TOOLS)
PATH = path_of(user("My cat is called Miso and weighs 4.2 kg."), reply("Noted."), user("What is my cat called?"))


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    """One for the module."""
    with RunningSimulator() as running:
        yield running


def with_client(simulator: RunningSimulator, act: Callable[[ClaudeEndpoint], Awaitable[Any]]) -> Any:
    """Runs something with a client and closes it."""

    async def run() -> Any:
        client = ClaudeEndpoint(Endpoint(EndpointKind.SIMULATOR, simulator.url), "simulated")
        try:
            return await act(client)
        finally:
            await client.close()

    return asyncio.run(run())


def plan_behind(block: Block, path: list[Message]) -> ContextPlan:
    """The plan of a path behind what the API compacted."""
    whole = plan_context(path, EPOCH)
    opening = PlannedMessage(Role.ASSISTANT, (PlannedBlock(Segment.SUMMARY, block),))
    return replace(whole, messages=(opening, *whole.messages))


def request_of(plan: ContextPlan, **choices: Any) -> Request:
    """A request our own rules take."""
    request = build_request(plan, Choices(2_000, **choices), ALL)
    assert check_request(request.body(), RequestFacts(request.betas)) == []
    return request


def answer(simulator: RunningSimulator, request: Request) -> PartialReply:
    """The whole reply."""

    async def act(client: ClaudeEndpoint) -> PartialReply:
        partial = PartialReply()
        async with client.stream(request) as events:
            async for event in events:
                partial.take(event)
        return partial

    told: PartialReply = with_client(simulator, act)
    assert told.closed is not None
    return told


def compacted(simulator: RunningSimulator, path: list[Message] = PATH[:2], **choices: Any) -> Block:
    """The block of a compaction on demand."""
    told = answer(simulator, request_of(plan_context(path, EPOCH), compact=True, **choices))
    (block,) = told.blocks()
    return block


def test_the_models_say_what_can_be_asked_of_them(simulator: RunningSimulator) -> None:
    models = {model.id: model for model in with_client(simulator, lambda client: client.models())}
    opus, old = models["claude-opus-5-5"], models["claude-haiku-4-5-20251001"]
    assert opus.edits == {"compact_20260112", "clear_tool_uses_20250919", "clear_thinking_20251015"}
    assert (opus.compacts, opus.image_input, opus.pdf_input) == (True, True, True)
    assert "compact_20260112" not in old.edits
    assert not old.compacts


def test_a_compaction_on_demand_takes_the_place_of_what_it_read(simulator: RunningSimulator) -> None:
    request = request_of(plan_context(PATH[:2], EPOCH), compact=True)
    told = answer(simulator, request)
    assert told.closed is not None
    assert told.closed.stop_reason == "compaction"
    (block,) = told.blocks()
    assert block["type"] == "compaction"
    assert "Miso" in block["content"]
    counted = with_client(simulator, lambda client: client.count(request))
    assert (told.usage.input_total, told.usage.output) == (0, 0)
    assert (told.usage.billed_output or 0) > 0
    assert (told.usage.billed_input or 0) >= counted
    after = request_of(plan_behind(block, PATH[2:]))
    reply = answer(simulator, after)
    assert reply.closed is not None
    assert reply.closed.stop_reason == "end_turn"
    assert reply.usage.input_total == with_client(simulator, lambda client: client.count(after))
    assert reply.usage.sides == ()


def test_a_second_compaction_reads_the_first(simulator: RunningSimulator) -> None:
    block = compacted(simulator)
    later = path_of(user("The vet is Dr. Han, 02-555-0199."), reply("Noted."))
    told = answer(simulator, request_of(plan_behind(block, later), compact=True))
    (second,) = told.blocks()
    assert "Miso" in second["content"]
    assert "02-555-0199" in second["content"]


def test_a_block_that_was_changed_is_named_so(simulator: RunningSimulator) -> None:
    block = compacted(simulator)
    for change, code in ({"content": "Nabi."}, "content_mismatch"), ({"signature": "eHh4"}, "signature_invalid"):
        request = build_request(plan_behind(block | change, PATH[2:]), Choices(500), ALL)
        issued = {str(block["signature"]): block}
        found = check_request(request.body(), RequestFacts(request.betas, issued=issued))
        assert bool(found) is ("content" in change)
        with pytest.raises(errors.CompactionUnfit) as caught:
            answer(simulator, request)
        assert caught.value.params["code"] == code


def test_a_block_behind_what_it_stands_for_is_refused_here_and_there(simulator: RunningSimulator) -> None:
    plan = plan_behind(compacted(simulator), PATH[2:])
    wrong = replace(plan, messages=(*plan_context(PATH[:1], EPOCH).messages, *plan.messages))
    request = replace(build_request(wrong, Choices(500), ALL), betas=("compact-2026-09-04",))
    (broken,) = check_request(request.body(), RequestFacts(request.betas))
    assert broken.rule == "compaction_place"
    with pytest.raises(errors.CompactionUnfit) as caught:
        answer(simulator, request)
    assert caught.value.params["code"] == "block_misplaced"
    assert caught.value.params["reason"] == broken.text


def test_what_the_api_cannot_compact_now_may_be_tried_again(simulator: RunningSimulator) -> None:
    simulator.control({"action": "compaction", "outcome": "unavailable"})
    with pytest.raises(errors.CompactionUnavailable) as caught:
        compacted(simulator)
    assert caught.value.retryable
    assert "Miso" in compacted(simulator)["content"]


def long_path() -> list[Message]:
    """A conversation of more than 50 000 tokens."""
    return path_of(
        user("My cat is called Miso. " + "The garden was quiet that day and nothing happened. " * 6_000),
        reply("Noted."),
        user("What is my cat called?"),
    )


def test_a_compaction_at_a_threshold_pauses_and_the_answer_goes_on_behind_it(simulator: RunningSimulator) -> None:
    edits = (compact_at(50_000),)
    told = answer(simulator, request_of(plan_context(long_path(), EPOCH), edits=edits))
    assert told.closed is not None
    assert told.closed.stop_reason == "compaction"
    (block,) = told.blocks()
    assert "Miso" in block["content"]
    assert (told.usage.billed_input or 0) > 50_000
    assert told.usage.input_total == 0
    after = answer(simulator, request_of(plan_behind(block, long_path()[2:]), edits=edits))
    assert after.closed is not None
    assert after.closed.stop_reason == "end_turn"
    assert (after.usage.input_total or 0) < 5_000
    assert after.usage.sides == ()
    # Also where the API is no longer asked to compact, or is asked to do so at once.
    assert answer(simulator, request_of(plan_behind(block, long_path()[2:]))).closed is not None
    assert compacted(simulator, long_path()[:2])["content"]


def test_nothing_is_compacted_below_the_threshold(simulator: RunningSimulator) -> None:
    told = answer(simulator, request_of(plan_context(PATH, EPOCH), edits=(compact_at(50_000),)))
    assert told.closed is not None
    assert told.closed.stop_reason == "end_turn"
    assert told.usage.sides == ()


def tool_path(calls: int = 6) -> list[Message]:
    """A path of many tool results."""
    turns: list[Message] = []
    for number in range(calls):
        turns += [
            user(f"Calculate {number}."),
            reply(call(f"toolu_{number}", expression=f"{number}+1"), stop_reason="tool_use"),
            results(result(f"toolu_{number}", "The result is long and holds many words. " * 40)),
            reply("Done."),
        ]
    return path_of(*turns, user("Thank you."))


def test_old_tool_results_are_left_out_of_count_and_answer_alike(simulator: RunningSimulator) -> None:
    plan = plan_context(tool_path(), EPOCH)
    whole, edited = request_of(plan), request_of(plan, edits=(clear_tool_results(500, 100),))
    before, after = (with_client(simulator, lambda client, one=one: client.count(one)) for one in (whole, edited))
    told = answer(simulator, edited)
    assert told.closed is not None
    assert told.usage.input_total == after
    assert cleared(told.closed.edits) == Cleared(before - after, tool_results=3)
    assert [edit["type"] for edit in told.closed.edits] == [CLEAR_TOOL_RESULTS]
    # Not where it would free too little, and not of the tools that are left alone.
    for kept in (clear_tool_results(500, 90_000), clear_tool_results(500, 1, exclude=["calculator"])):
        told = answer(simulator, request_of(plan, edits=(kept,)))
        assert told.closed is not None
        assert (told.closed.edits, told.usage.input_total) == ((), before)


def test_thinking_that_no_longer_fits_is_refused_or_dropped(simulator: RunningSimulator) -> None:
    first = answer(simulator, request_of(plan_context(PATH[:1], EPOCH)))
    assert first.blocks()[0]["type"] == "thinking"
    path = path_of(user("My dog is called Rex."), reply(*first.blocks()), user("What is it called?"))
    plan = plan_context(path, EPOCH)
    with pytest.raises(errors.ThinkingUnfit):
        answer(simulator, request_of(plan))
    told = answer(simulator, request_of(plan, drop_thinking=True))
    assert told.closed is not None
    assert told.closed.dropped_thinking == ("messages.1.content.0",)


def test_thinking_behind_a_compaction_stays_valid(simulator: RunningSimulator) -> None:
    block = compacted(simulator)
    later = user("What is my cat called?")
    first = answer(simulator, request_of(plan_behind(block, path_of(later))))
    path = path_of(later, reply(*first.blocks()), user("And what does it weigh?"))
    told = answer(simulator, request_of(plan_behind(block, path)))
    assert told.closed is not None
    assert told.closed.dropped_thinking == ()
    assert text_block("And what does it weigh?") in request_of(plan_behind(block, path)).messages[-1].blocks


def test_the_cache_is_read_down_to_the_block(simulator: RunningSimulator) -> None:
    epoch = replace(EPOCH, system="Keep to the facts. " * 600)

    def behind(block: Block, *messages: Message) -> Request:
        opening = PlannedMessage(Role.ASSISTANT, (PlannedBlock(Segment.SUMMARY, block),))
        whole = plan_context(path_of(*messages), epoch)
        return request_of(replace(whole, messages=(opening, *whole.messages)))

    block = compacted(simulator)
    first = answer(simulator, behind(block, user("What is my cat called?"))).usage
    # Everything behind the block is another: only what ends at its mark is read.
    second = answer(simulator, behind(block, user("How heavy is it?"))).usage
    marked = behind(block, user("x"))
    assert any(mark.part == 0 for mark in marked.marks)
    assert first.read == 0
    assert (second.read or 0) > 0
    head = with_client(simulator, lambda client: client.count(replace(marked, messages=marked.messages[1:], betas=())))
    assert (second.read or 0) > head - 20
