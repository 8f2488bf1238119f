"""The plan of one request: its segments in the order of the prefix, each block with its kind and origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from desktop_app.core.block_rules import RESPONSE_ONLY
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.compaction.memo import memo_block_text
from desktop_app.core.conversation import (
    Block,
    Epoch,
    Message,
    MessageState,
    Role,
    is_blank,
    text_block,
)
from desktop_app.core.fact_notes import FactNote, PassageNote, notes_text
from desktop_app.core.rule_case import THINKING
from desktop_app.core.segment import Segment
from desktop_app.core.tool_results import shortened


class PlannedBlock(NamedTuple):
    """A block as it will be sent; `message_id` names the message it comes from, None for the app's own.

    A tuple, as a message is: of a long conversation thousands are made with every keystroke.
    """

    segment: Segment
    block: Block
    message_id: str | None = None


class PlannedMessage(NamedTuple):
    """One entry of `messages` to be."""

    role: Role
    blocks: tuple[PlannedBlock, ...]


@dataclass(frozen=True, slots=True)
class ContextPlan:
    """Everything of the next request that can be seen before it is written."""

    epoch: Epoch
    tools: tuple[PlannedBlock, ...]
    system: tuple[PlannedBlock, ...]
    messages: tuple[PlannedMessage, ...]
    left_out: tuple[str, ...] = ()
    """Ids of messages on the path that are not sent (a refused turn)."""


BROKEN_CALL = "This tool call was interrupted before it finished. It has no result."
EMPTY_RESULT = "(no output)"
EMPTY_MESSAGE = "(This message is empty.)"
NO_OPENING = "(The conversation begins with your reply.)"
CUT_REASONS = ("max_tokens", "model_context_window_exceeded")
"""Stop reasons of a reply that broke off at a limit and can be continued."""
# Holds the place of a message of the person until it is known whether its neighbours have anything to send.
_BLANK: Block = {"type": "blank"}
# What may stand in a stored block but is never sent back.
_NEVER_SENT = frozenset(("cache_control", *RESPONSE_ONLY))
# Looked up once: an enum's member takes longer to reach than all the rest that is done for a plain message.
_USER, _ASSISTANT, _COMPLETE = Role.USER, Role.ASSISTANT, MessageState.COMPLETE
_CURRENT, _MESSAGES = Segment.CURRENT, Segment.MESSAGES


def plan_context(
    path: Sequence[Message], epoch: Epoch, memo: Compaction | None = None, open_turn: str | None = None
) -> ContextPlan:
    """Plans the request that answers the last message of `path` (root first).

    `memo` is the compaction in use: it stands in place of all messages down to its boundary, the API's own block as
    the first message, our text as quoted data. Facts stand behind the system prompt, and what is told of them beside
    a message stands behind the person's words. Results of tools are shortened to the limit of the epoch; the line in
    them names a tool only where the epoch has any.

    History is mended here and nowhere else, without touching what is stored: blank text blocks go,
    unsigned or older-epoch thinking goes, an unanswered tool call gets an error result, neighbours
    of one role become one message, a refused turn is left out, a message of the person of which nothing
    can be sent is named as empty, a tool id that comes again gets a number.

    From the message `open_turn` on thinking is sent whatever its epoch: the past was compacted inside that turn, and
    the API is asked to leave out what no longer fits.

    Apart from refused turns, a plan is the beginning of every later plan of the same epoch: thinking is
    bound to what stood before it.
    """
    path = unfolded(path, memo)
    current = _current_turn(path)
    refused = refused_messages(path)
    messages: list[PlannedMessage] = []
    if memo is not None:
        messages += _summary(memo)
    keeps = False
    for message in path:
        if message.id == open_turn:
            keeps = True
        if message.id in refused:
            continue
        segment = _CURRENT if message.id == current else _MESSAGES
        blocks = tuple([PlannedBlock(segment, block, message.id) for block in _sendable(message, epoch.number, keeps)])
        if not blocks and message.role is _USER:
            blocks = (PlannedBlock(segment, _BLANK, message.id),)
        if message.notes is not None and (told := told_text(message, epoch)):
            blocks += (PlannedBlock(Segment.RECALLED, text_block(told), message.id),)
        _append(messages, PlannedMessage(message.role, blocks))
    paused = bool(path) and path[-1].stop_reason == "pause_turn"
    messages = _pair_calls(_without_open_ends(messages, paused=paused), epoch.result_limit, bool(epoch.tools))
    if messages and messages[0].role is _ASSISTANT and (memo is None or memo.block is None):
        opening = PlannedBlock(_MESSAGES, text_block(NO_OPENING))
        messages.insert(0, PlannedMessage(_USER, (opening,)))
    return ContextPlan(
        epoch=epoch,
        tools=tuple(PlannedBlock(Segment.TOOLS, tool) for tool in epoch.tools),
        system=_system(epoch),
        messages=tuple(messages),
        left_out=tuple(message.id for message in path if message.id in refused),
    )


def _summary(memo: Compaction) -> list[PlannedMessage]:
    """What stands at the front of the messages in place of those that are folded."""
    stands = []
    if memo.block is not None:
        stands.append(PlannedMessage(_ASSISTANT, (PlannedBlock(Segment.SUMMARY, memo.block),)))
    if memo.block is None or not is_blank(memo.summary):
        stands.append(
            PlannedMessage(_USER, (PlannedBlock(Segment.SUMMARY, text_block(memo_block_text(memo.summary))),))
        )
    return stands


def unfolded(path: Sequence[Message], memo: Compaction | None) -> Sequence[Message]:
    """The messages behind the boundary of a compaction; all of them without one."""
    if memo is None:
        return path
    boundary = next((place for place, message in enumerate(path, 1) if message.id == memo.until_message_id), 0)
    return path[boundary:]


def memo_in_use(
    path: Sequence[Message | str], compactions: Sequence[Compaction], *, blocks: bool = True
) -> Compaction | None:
    """The active compaction that folds most of a path, the newest of those; None where nothing is folded.

    Of the messages of the path their ids will do. Without `blocks` none of the API's own counts: model or endpoint do
    not take its block.
    """
    places = {one if isinstance(one, str) else one.id: place for place, one in enumerate(path)}
    usable = [
        one
        for one in compactions
        if one.state is CompactionState.ACTIVE and one.until_message_id in places and (blocks or one.block is None)
    ]
    return max(reversed(usable), key=lambda one: places[one.until_message_id], default=None)


def told_notes(message: Message, epoch: Epoch) -> tuple[FactNote, ...]:
    """The notes of a message that are still told: none of a fact that was deleted, nor one the block has
    overtaken."""
    if message.notes is None or not message.notes.notes:
        return ()
    block = dict(epoch.fact_revisions)
    return tuple(
        note
        for note in message.notes.notes
        if note.fact_id not in epoch.dropped and block.get(note.fact_id, -1) < note.revision
    )


def told_passages(message: Message, epoch: Epoch) -> tuple[PassageNote, ...]:
    """The passages told beside a message, but for those that may be told no more."""
    if message.notes is None:
        return ()
    return tuple(note for note in message.notes.passages if note.passage_id not in epoch.dropped)


def told_text(message: Message, epoch: Epoch) -> str:
    """The block of notes behind a message as it is sent in an epoch; empty without one."""
    return notes_text(told_notes(message, epoch), told_passages(message, epoch))


def _system(epoch: Epoch) -> tuple[PlannedBlock, ...]:
    # One block, so that what stays when the facts change ends with the block before them.
    system = "\n\n".join(text for text in (epoch.system, epoch.memory_rules) if not is_blank(text))
    parts = ((Segment.SYSTEM, system), (Segment.FACTS, epoch.facts))
    return tuple(PlannedBlock(segment, text_block(text)) for segment, text in parts if not is_blank(text))


def _current_turn(path: Sequence[Message]) -> str | None:
    """The message the next answer is for; None when the last turn is over (a look ahead without a text)."""
    if not path:
        return None
    last = path[-1]
    still_open = last.state is MessageState.STREAMING or last.stop_reason == "pause_turn"
    if last.role is _ASSISTANT and not still_open:
        return None
    return next((message.id for message in reversed(path) if message.opens_turn), None)


def refused_messages(path: Sequence[Message], *, open_end: bool = True) -> set[str]:
    """Ids of the messages of every turn that ended in a refusal; with `open_end` the last turn is still open, and
    excepted."""
    if all(message.stop_reason != "refusal" for message in path):
        return set()
    turns: list[list[Message]] = []
    for message in path:
        if message.opens_turn or not turns:
            turns.append([])
        turns[-1].append(message)
    return {
        message.id
        for turn in (turns[:-1] if open_end else turns)
        if any(message.stop_reason == "refusal" for message in turn)
        for message in turn
    }


def _sendable(message: Message, epoch: int, keeps: bool = False) -> list[Block]:
    """The blocks of a message that the API takes back; with `keeps` its thinking is of whatever epoch."""
    whole = message.state is _COMPLETE and message.stop_reason not in CUT_REASONS
    kept = []
    for place, block in enumerate(message.blocks):
        kind = block.get("type")
        if kind == "text":
            if isinstance(block.get("text"), str) and not is_blank(block["text"]):
                kept.append(_clean(block))
            continue
        if kind == "thinking" and (not block.get("signature") or not (keeps or message.epoch == epoch)):
            continue
        if kind == "redacted_thinking" and not (keeps or message.epoch == epoch):
            continue
        if kind == "compaction":
            continue  # it stands at the front, as the compaction in use
        if kind == "tool_use" and not whole and place == len(message.blocks) - 1:
            # The last call of a reply that was cut may hold half an input; it is never sent or run.
            continue
        kept.append(_clean(block))
    if message.stop_reason != "pause_turn":
        while kept and kept[-1].get("type") in THINKING:
            kept.pop()  # an assistant message may not end in thinking
    return kept


def _clean(block: Block) -> Block:
    if _NEVER_SENT.isdisjoint(block) and block.get("type") != "tool_result":
        return block
    clean = {name: value for name, value in block.items() if name not in _NEVER_SENT}
    if clean.get("type") == "tool_result":
        clean["content"] = _result_content(clean.get("content"))
    return clean


def _result_content(content: object) -> str | list[Block]:
    if isinstance(content, str):
        return EMPTY_RESULT if is_blank(content) else content
    if isinstance(content, list):
        kept = [
            _clean(block)
            for block in content
            if not (block.get("type") == "text" and is_blank(str(block.get("text", ""))))
        ]
        return kept or EMPTY_RESULT
    return EMPTY_RESULT


def _append(messages: list[PlannedMessage], message: PlannedMessage) -> None:
    """Adds a message, merged with its neighbour of the same role; an empty one leaves no trace."""
    if not message.blocks:
        return
    if messages and messages[-1].role is message.role:
        message = PlannedMessage(message.role, messages.pop().blocks + message.blocks)
    messages.append(message)


def _without_open_ends(messages: Sequence[PlannedMessage], *, paused: bool) -> list[PlannedMessage]:
    """No reply ends in thinking or holds a server's call without its result, except the paused one at the end."""
    closed: list[PlannedMessage] = []
    for number, message in enumerate(messages):
        blocks = message.blocks
        if _only_text(blocks):
            _append(closed, message)
            continue
        if message.role is _ASSISTANT and not (paused and number == len(messages) - 1):
            answered = {planned.block.get("tool_use_id") for planned in blocks}
            blocks = tuple(
                planned
                for planned in blocks
                if planned.block.get("type") != "server_tool_use" or planned.block.get("id") in answered
            )
            while blocks and blocks[-1].block.get("type") in THINKING:
                blocks = blocks[:-1]
        _append(closed, message if len(blocks) == len(message.blocks) else PlannedMessage(message.role, blocks))
    return closed


def _only_text(blocks: Sequence[PlannedBlock]) -> bool:
    """Whether nothing of a message could need mending: most messages of a long conversation."""
    for planned in blocks:  # noqa: SIM110 (a generator would take twice as long)
        if planned.block.get("type") != "text":
            return False
    return True


def _pair_calls(messages: Sequence[PlannedMessage], limit: int = 0, tools: bool = True) -> list[PlannedMessage]:
    """Every call answered in the next message, every result asked for by the one before, results first.

    Results over `limit` characters are shortened; 0 leaves them whole. `tools`: whether one can be named that reads
    the whole.
    """
    paired: list[PlannedMessage] = []
    open_calls: list[_Call] = []
    seen: Counter[str] = Counter()
    for message in messages:
        if not open_calls and _only_text(message.blocks):
            _append(paired, message)
            continue
        if message.role is _ASSISTANT:
            if open_calls:
                _append(paired, PlannedMessage(_USER, tuple(call.broken() for call in open_calls)))
            reply, open_calls = _numbered(message, seen)
            _append(paired, reply)
            continue
        results: dict[str, list[PlannedBlock]] = {}
        for planned in message.blocks:
            if planned.block.get("type") == "tool_result":
                results.setdefault(str(planned.block.get("tool_use_id")), []).append(planned)
        answered = tuple(call.answered_by(results, limit, tools) for call in open_calls)
        rest = tuple(
            planned
            for planned in message.blocks
            if planned.block.get("type") != "tool_result" and planned.block is not _BLANK
        )
        open_calls = []
        if not answered + rest:
            # Nothing the API takes: blank texts, results nobody asked for.
            rest = (message.blocks[0]._replace(block=text_block(EMPTY_MESSAGE)),)
        _append(paired, PlannedMessage(_USER, answered + rest))
    if open_calls:
        _append(paired, PlannedMessage(_USER, tuple(call.broken() for call in open_calls)))
    return paired


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call that waits for its result: its block, the id it is sent with, its message."""

    block: Block
    sent_as: str
    message_id: str | None

    @property
    def came_as(self) -> str:
        """The id it came with."""
        return str(self.block.get("id"))

    def answered_by(self, results: Mapping[str, list[PlannedBlock]], limit: int, tools: bool) -> PlannedBlock:
        """Its result under the id it is sent with, no longer than the limit; an error result where there is none."""
        waiting = results.get(self.came_as)
        if not waiting:
            return self.broken()
        planned = waiting.pop(0)
        block = planned.block
        if self.came_as != self.sent_as:
            block = {**block, "tool_use_id": self.sent_as}  # before it is shortened: the pointer names it
        block = shortened(block, limit, self.block, tools)
        return planned if block is planned.block else planned._replace(block=block)

    def broken(self) -> PlannedBlock:
        """An error result in place of the one that never came."""
        block = {"type": "tool_result", "tool_use_id": self.sent_as, "content": BROKEN_CALL, "is_error": True}
        return PlannedBlock(_MESSAGES, block, self.message_id)


def _numbered(message: PlannedMessage, seen: Counter[str]) -> tuple[PlannedMessage, list[_Call]]:
    """A reply whose call ids are unique in the conversation, and its calls: some servers count anew each time."""
    blocks, calls = [], []
    for planned in message.blocks:
        if planned.block.get("type") == "tool_use":
            came_as = str(planned.block.get("id"))
            sent_as = free_id(came_as, seen)
            calls.append(_Call(planned.block, sent_as, planned.message_id))
            blocks.append(planned if sent_as == came_as else planned._replace(block={**planned.block, "id": sent_as}))
        else:
            blocks.append(planned)
    return PlannedMessage(message.role, tuple(blocks)), calls


def free_id(came_as: str, seen: Counter[str]) -> str:
    """The id for a call that came with this one: the same where it is the first, else with the next number that is
    free. `seen` counts the calls so far, and goes on counting."""
    name, number = came_as, seen[came_as]
    while name in seen:
        number += 1
        name = f"{came_as}-{number}"
    seen[came_as] = max(number, 1)
    seen[name] = max(seen[name], 1)
    return name
