"""Compaction by the simulated server through the real SDK: at a threshold, on demand, and what makes it refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from anthropic.types.beta import BetaMessage

from tests.fakes.refused_requests import CALCULATOR, call, result
from tests.fakes.simulator import RunningSimulator

MODEL = "claude-haiku-5-5"
AT_THRESHOLD, ON_DEMAND = "compact-2026-01-12", "compact-2026-09-04"
NUMBER = "AC-40917-K"
FACT = f"The number of my order is {NUMBER}."
FILLER = "The lighthouse keeper walked along the shore and wrote a few lines about the weather in his notebook. "
ORDER = {"type": "summarize"}
Body = dict[str, Any]


@pytest.fixture
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    simulator.features(least_trigger=200)
    with anthropic.Anthropic(api_key=simulator.key, base_url=simulator.url, max_retries=0) as made:
        yield made


def edits(trigger: int = 400, **more: Any) -> Body:
    edit = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": trigger}} | more
    return {"context_management": {"edits": [edit]}, "betas": [AT_THRESHOLD]}


def on_demand(**more: Any) -> Body:
    return {"compaction": ORDER | more, "betas": [ON_DEMAND]}


def say(words: str) -> Body:
    return {"role": "user", "content": words}


def create(client: anthropic.Anthropic, messages: list[Any], **more: Any) -> BetaMessage:
    given: Body = {"model": MODEL, "max_tokens": 3_000, "messages": messages} | more
    answer: BetaMessage = client.beta.messages.create(**given)
    return answer


def refused(client: anthropic.Anthropic, messages: list[Any], **more: Any) -> tuple[str, str | None]:
    """The text and the error code of a 400."""
    with pytest.raises(anthropic.BadRequestError) as caught:
        create(client, messages, **more)
    return caught.value.api_message, caught.value.error_code


def words(message: BetaMessage) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def talk(client: anthropic.Anthropic, *asked: str) -> list[Any]:
    """A history of these questions with the answers, thinking included."""
    messages: list[Any] = []
    for question in asked:
        messages.append(say(question))
        messages.append(create(client, messages).to_param())
    return messages


@pytest.fixture
def history(client: anthropic.Anthropic) -> list[Any]:
    return talk(client, FACT, f"Note this: {FILLER * 12}", "Thanks!")


# ---- at a threshold --------------------------------------------------------------------------------------------


def test_the_block_comes_first_and_the_answer_behind_it(client: anthropic.Anthropic, history: list[Any]) -> None:
    messages = [*history, say("What is the number of my order?")]
    answer = create(client, messages, **edits())
    assert [block.type for block in answer.content] == ["compaction", "thinking", "text"]
    block = answer.content[0]
    assert block.type == "compaction" and block.content and NUMBER in block.content
    assert block.signature and block.encrypted_content and block.tool_changes == []
    assert (answer.stop_reason, NUMBER in words(answer)) == ("end_turn", True)
    assert answer.usage.iterations is not None
    summary, said = answer.usage.iterations
    assert (summary.type, said.type) == ("compaction", "message")
    assert summary.input_tokens > 400 > answer.usage.input_tokens == said.input_tokens
    assert answer.usage.output_tokens == said.output_tokens < summary.output_tokens + said.output_tokens
    # What stands before the block is neither counted nor checked any more, and its thinking is still valid.
    going_on = [*messages, answer.to_param(), say("And again: what is the number of my order?")]
    spoilt = [{"role": "assistant", "content": "nonsense "}, *going_on[1:]]
    for sent in (going_on, going_on[len(messages) :], spoilt):
        again = create(client, sent, **edits(trigger=5_000))
        assert NUMBER in words(again)
        assert again.usage.input_tokens < 600
        assert [entry.type for entry in again.usage.iterations or []] == ["message"]


def test_below_the_trigger_nothing_is_compacted(client: anthropic.Anthropic, history: list[Any]) -> None:
    answer = create(client, [*history, say("Hello")], **edits(trigger=100_000))
    assert {block.type for block in answer.content} == {"thinking", "text"}
    assert answer.context_management is not None and answer.context_management.applied_edits == []


def test_paused_it_is_the_block_alone_and_the_answer_comes_next(
    client: anthropic.Anthropic, history: list[Any]
) -> None:
    messages = [*history, say("What is the number of my order?")]
    answer = create(client, messages, **edits(pause_after_compaction=True))
    assert ([block.type for block in answer.content], answer.stop_reason) == (["compaction"], "compaction")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (0, 0)
    assert [entry.type for entry in answer.usage.iterations or []] == ["compaction"]
    for sent in ([*messages, answer.to_param()], [answer.to_param()], [answer.to_param(), messages[-1]]):
        assert NUMBER in words(create(client, sent, **edits(trigger=5_000, pause_after_compaction=True)))


def test_a_tool_loop_goes_on_behind_a_pause(client: anthropic.Anthropic, history: list[Any]) -> None:
    tools: Body = {"tools": [CALCULATOR]}
    asked = [say(FILLER * 20), {"role": "assistant", "content": "Noted."}, say("What is 12 * 12? And 7 * 8?")]
    asked += [{"role": "assistant", "content": [call("toolu_a")]}, {"role": "user", "content": [result("toolu_a")]}]
    paused = create(client, asked, **tools, **edits(pause_after_compaction=True))
    assert paused.stop_reason == "compaction"
    going_on = [*asked, paused.to_param()]
    answer = create(client, going_on, **tools, **edits(trigger=5_000))
    assert answer.stop_reason == "tool_use"
    made = next(block for block in answer.content if block.type == "tool_use")
    assert made.input == {"expression": "7 * 8"}
    going_on += [answer.to_param(), {"role": "user", "content": [result(made.id, "56")]}]
    assert "56" in words(create(client, going_on, **tools, **edits(trigger=5_000)))


def test_streamed_the_delta_carries_the_summary_and_the_start_the_signature(
    client: anthropic.Anthropic, history: list[Any]
) -> None:
    given: Body = {"model": MODEL, "max_tokens": 3_000, "messages": [*history, say("Thanks!")]} | edits()
    with client.beta.messages.stream(**given) as stream:
        seen = list(stream)
        final = stream.get_final_message()
    start = next(event for event in seen if event.type == "content_block_start")
    assert start.content_block.type == "compaction"
    assert (start.content_block.content, bool(start.content_block.signature)) == (None, True)
    delta = next(event for event in seen if event.type == "content_block_delta")
    assert delta.delta.type == "compaction_delta" and NUMBER in (delta.delta.content or "")
    assert [entry.type for entry in final.usage.iterations or []] == ["compaction", "message"]
    assert create(client, [final.to_param(), say("Hello")], **edits(trigger=5_000)).stop_reason == "end_turn"


def test_the_prefix_in_front_of_the_block_is_read_from_the_cache(
    client: anthropic.Anthropic, history: list[Any]
) -> None:
    mark = {"type": "ephemeral"}
    more: Body = {"system": [{"type": "text", "text": "Rule. " + FILLER * 60, "cache_control": mark}]}
    more |= {"cache_control": mark} | edits(trigger=1_500)
    plain = [{**m, "content": [b for b in m["content"] if b.type != "thinking"]} for m in history[1::2]]
    chat = [message for pair in zip(history[::2], plain, strict=True) for message in pair]
    before = create(client, [*chat, say("Hello")], **more | edits(trigger=90_000))
    written = before.usage.cache_creation_input_tokens or 0
    assert written > 1_500
    answer = create(client, [*chat, say("Hello")], **more)
    summary, said = answer.usage.iterations or []
    assert (summary.cache_read_input_tokens, summary.cache_creation_input_tokens) == (written, 0)
    assert 1_024 < said.cache_read_input_tokens < written and said.cache_creation_input_tokens > 0
    again = create(client, [answer.to_param(), say("Hello")], **more | edits(trigger=90_000))
    assert (again.usage.cache_read_input_tokens or 0) == (
        said.cache_read_input_tokens + said.cache_creation_input_tokens
    )


def test_failed_summary_is_null_and_stands_for_nothing(
    client: anthropic.Anthropic, simulator: RunningSimulator, history: list[Any]
) -> None:
    messages = [*history, say("What is the number of my order?")]
    simulator.control({"action": "compaction", "outcome": "failed"})
    answer = create(client, messages, **edits())
    assert answer.content[0].type == "compaction" and answer.content[0].content is None
    assert NUMBER in words(answer)
    going_on = [*messages, answer.to_param(), say("Thanks!")]
    counted = create(client, going_on, **edits(trigger=90_000)).usage.input_tokens
    assert counted > answer.usage.input_tokens > 400
    simulator.control({"action": "compaction", "outcome": "failed"})
    paused = create(client, messages, **edits(pause_after_compaction=True))
    assert ([block.type for block in paused.content], paused.stop_reason) == (["compaction"], "compaction")
    assert NUMBER in words(create(client, [*messages, paused.to_param()], **edits(trigger=90_000)))


def test_the_summary_may_be_given_and_instructions_replace_the_prompt(
    client: anthropic.Anthropic, simulator: RunningSimulator, history: list[Any]
) -> None:
    simulator.control({"action": "compaction", "text": "They talked about a lighthouse."})
    plain = create(client, [*history, say("Hello")], **edits())
    assert plain.content[0].type == "compaction" and plain.content[0].content == "They talked about a lighthouse."
    asked = create(client, [*history, say("Hello")], **edits(instructions="Write two sections.\n## Goal\n## Facts"))
    assert asked.content[0].type == "compaction"
    headings = [line for line in (asked.content[0].content or "").splitlines() if line.startswith("## ")]
    assert headings == ["## Goal", "## Facts"]


# ---- on demand -------------------------------------------------------------------------------------------------


def test_on_demand_there_is_only_the_block(client: anthropic.Anthropic, history: list[Any]) -> None:
    answer = create(client, history, **on_demand())
    assert ([block.type for block in answer.content], answer.stop_reason) == (["compaction"], "compaction")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (0, 0)
    (entry,) = answer.usage.iterations or []
    assert entry.type == "compaction" and entry.input_tokens > 400 and entry.output_tokens > 20
    going_on = [answer.to_param(), say("What is the number of my order?")]
    after = create(client, going_on, betas=[ON_DEMAND])
    assert NUMBER in words(after) and after.usage.input_tokens < 500
    second = create(client, [*going_on, after.to_param()], **on_demand())
    assert second.content[0].type == "compaction" and NUMBER in (second.content[0].content or "")


def test_thinking_kept_behind_a_block_stays_valid(client: anthropic.Anthropic, history: list[Any]) -> None:
    """The summary of a prefix in place of exactly that prefix, also a second time."""
    first = create(client, history[:2], **on_demand()).to_param()
    swapped = [first, *history[2:], say("Hello")]
    answer = create(client, swapped, betas=[ON_DEMAND])
    swapped.append(answer.to_param())
    second = create(client, swapped[:3], **on_demand()).to_param()
    again = [second, *swapped[3:], say("Thanks!")]
    assert create(client, again, betas=[ON_DEMAND]).stop_reason == "end_turn"
    text, _ = refused(client, [second, *swapped[5:], say("Thanks!")], betas=[ON_DEMAND])
    assert text.startswith("messages.2.content.0: Invalid `signature` in `thinking` block. The block is bound")
    text, _ = refused(client, again, betas=[ON_DEMAND], system="Another.")
    assert text.startswith("messages.2.content.0: Invalid `signature`")


def test_blocks_are_taken_only_as_they_were_returned(client: anthropic.Anthropic, history: list[Any]) -> None:
    block = create(client, history, **on_demand()).content[0].to_dict()
    other = create(client, history[:2], **on_demand()).content[0].to_dict()
    hello = say("Hello")

    def code(*messages: Any, **more: Any) -> str | None:
        return refused(client, list(messages), **{"betas": [ON_DEMAND]} | more)[1]

    def sent(*blocks: Body, role: str = "assistant") -> Body:
        return {"role": role, "content": list(blocks)}

    assert code(sent(block | {"content": "Another summary."}), hello) == "compaction_content_mismatch"
    assert code(sent(block | {"signature": other["signature"]}), hello) == "compaction_content_mismatch"
    without = {key: value for key, value in block.items() if key != "signature"}
    assert code(sent(without), hello) == "compaction_signature_invalid"
    assert code(sent(block | {"signature": "AAAA"}), hello) == "compaction_signature_invalid"
    assert code(sent(block | {"encrypted_content": "AAAA"}), hello) == "compaction_signature_invalid"
    changed = block | {"tool_changes": [{"type": "tool_removal", "name": "x"}]}
    assert code(sent(changed), hello) == "compaction_tool_changes_mismatch"
    dropped = {key: value for key, value in block.items() if key != "tool_changes"}
    assert code(sent(dropped), hello) == "compaction_tool_changes_mismatch"
    assert code(sent(block), hello, sent(other), hello) == "compaction_block_ambiguous"
    assert code(hello, sent(block), hello) == "compaction_block_misplaced"
    assert code(sent({"type": "text", "text": "Hi."}, block), hello) == "compaction_block_misplaced"
    assert code(sent(block, role="user"), hello) == "compaction_block_misplaced"
    assert code(hello, sent(block, role="system"), model="claude-opus-5") == "compaction_block_misplaced"
    text, _ = refused(client, [sent(block | {"content": ""}), hello], betas=[ON_DEMAND])
    assert text == "messages.0.content.0.compaction.content: String should have at least 1 character"


def test_what_cannot_be_compacted(client: anthropic.Anthropic, simulator: RunningSimulator, history: list[Any]) -> None:
    unanswered = [say("1+1?"), {"role": "assistant", "content": [call("toolu_a")]}]
    searching = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    block = create(client, history, **on_demand()).to_param()
    with pytest.raises(anthropic.types.CompactionIncompleteTurnError):
        create(client, unanswered, tools=[CALCULATOR], **on_demand())
    paused = [say("Hi"), {"role": "assistant", "content": [searching]}]
    assert refused(client, paused, **on_demand())[1] == "compaction_incomplete_turn"
    assert refused(client, [block], **on_demand())[1] == "compaction_nothing_to_summarize"
    simulator.control({"action": "compaction", "outcome": "unavailable"})
    with pytest.raises(anthropic.types.CompactionUnavailableError) as caught:
        create(client, history, **on_demand())
    assert (caught.value.status_code, caught.value.type) == (529, "overloaded_error")
    assert create(client, history, **on_demand()).stop_reason == "compaction"
    simulator.control({"action": "compaction", "outcome": "unavailable"})
    with pytest.raises(anthropic.types.CompactionUnavailableError):
        create(client, [*history, say("Hello")], **edits())


def test_what_cannot_be_combined(client: anthropic.Anthropic, history: list[Any]) -> None:
    both: Body = {"betas": [ON_DEMAND, AT_THRESHOLD, "context-management-2025-06-27"]}
    block = create(client, history, **on_demand()).to_param()
    for more, text in (
        ({"context_management": {"edits": []}}, "compaction: cannot be combined with `context_management`"),
        ({"stop_sequences": ["x"]}, "compaction: cannot be combined with `stop_sequences`"),
        ({"tools": [CALCULATOR], "tool_choice": {"type": "any"}}, "compaction: cannot be combined with `tool_choice`"),
        ({"compaction": {"type": "erase"}}, "compaction.type: Input should be 'summarize'"),
    ):
        assert refused(client, history, **{"compaction": ORDER} | both | more)[0] == text
    text, _ = refused(client, [block, say("Hi")], **edits() | both)
    assert text == "messages.0.content.0: a `compaction` block cannot be combined with a `compact_20260112` edit"


def test_every_field_needs_its_own_header(client: anthropic.Anthropic, history: list[Any]) -> None:
    extra = "Extra inputs are not permitted"
    assert refused(client, history, compaction=ORDER, betas=[AT_THRESHOLD])[0] == f"compaction: {extra}"
    assert refused(client, history, **edits() | {"betas": []})[0] == f"context_management: {extra}"
    wrong = refused(client, history, **edits() | {"betas": ["context-management-2025-06-27"]})[0]
    assert wrong == (
        "context_management.edits.0: Input tag 'compact_20260112' found using 'type' does not match any of the "
        "expected tags: 'clear_tool_uses_20250919', 'clear_thinking_20251015'"
    )
    block = create(client, history, **on_demand()).to_param()
    tag = "messages.0.content.0: Input tag 'compaction' found using 'type' does not match any of the expected tags"
    assert refused(client, [block, say("Hi")], betas=[])[0] == tag
    assert refused(client, [block, say("Hi")], betas=[AT_THRESHOLD])[0] == tag


def test_the_least_trigger_is_that_of_the_api_unless_lowered(
    client: anthropic.Anthropic, simulator: RunningSimulator
) -> None:
    simulator.reset()
    assert refused(client, [say("Hi")], **edits(trigger=49_999))[0] == (
        "context_management.edits.0.compact_20260112.trigger.value: Input should be greater than or equal to 50000"
    )
    assert create(client, [say("Hi")], **edits(trigger=50_000)).stop_reason == "end_turn"
    answer = simulator.http.post("/_simulator/features", json={"least_trigger": 0})
    assert answer.status_code == 400


def test_counting_reads_blocks_and_ignores_the_order(client: anthropic.Anthropic, history: list[Any]) -> None:
    whole = client.beta.messages.count_tokens(model=MODEL, messages=history, **on_demand()).input_tokens
    (entry,) = create(client, history, **on_demand()).usage.iterations or []
    assert whole == entry.input_tokens
    answer = create(client, [*history, say("Hello")], **edits())
    behind = [answer.to_param(), say("Hello")]
    short = client.beta.messages.count_tokens(model=MODEL, messages=[*history, *behind], betas=[AT_THRESHOLD])
    assert short.input_tokens == client.beta.messages.count_tokens(
        model=MODEL, messages=behind, betas=[AT_THRESHOLD]
    ).input_tokens  # fmt: skip
    assert short.input_tokens < whole / 2


# ---- who can -------------------------------------------------------------------------------------------------------


def test_models_tell_what_they_offer(client: anthropic.Anthropic, simulator: RunningSimulator) -> None:
    def offers(name: str) -> tuple[bool, ...]:
        found = client.beta.models.retrieve(name).capabilities
        assert found is not None and found.compaction is not None
        edit = found.context_management
        each = (edit.compact_20260112, edit.clear_tool_uses_20250919, edit.clear_thinking_20251015)
        rest = (found.compaction.supported, found.compaction.summarize.supported, edit.supported)
        return (*(one is not None and one.supported for one in each), *rest, found.image_input.supported)

    assert offers("claude-opus-5-5") == (True,) * 7
    for older in ("claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5"):
        assert offers(older) == (False, True, True, False, False, True, True)
    simulator.features("compaction.summarize", "context_management.clear_thinking_20251015", "image_input")
    assert offers("claude-opus-5-5") == (True, True, False, False, False, True, False)
    assert refused(client, [say("Hi")], **on_demand())[0] == "compaction: `compaction` is not supported on this model"
    assert simulator.http.post("/_simulator/features", json={"without": ["wings"]}).status_code == 400
    simulator.reset()
    assert offers("claude-opus-5-5") == (True,) * 7


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
def test_older_models_take_neither_the_order_nor_the_block(client: anthropic.Anthropic, history: list[Any]) -> None:
    block = create(client, history, **on_demand()).to_param()
    older: Body = {"model": "claude-haiku-4-5"}
    assert "not supported on this model" in refused(client, [say("Hi")], **on_demand(), **older)[0]
    assert "not supported on this model" in refused(client, [say("Hi")], **edits(), **older)[0]
    assert "not supported on this model" in refused(client, [block, say("Hi")], betas=[ON_DEMAND], **older)[0]
