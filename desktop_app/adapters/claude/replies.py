"""The SDK's stream events as the values of `core.stream`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from desktop_app.core.cache.diagnosis import diagnosis_from
from desktop_app.core.context_editing import applied_edits, dropped_thinking
from desktop_app.core.conversation import Block
from desktop_app.core.stream import (
    BlockClosed,
    BlockOpened,
    CompactionArrived,
    InputDelta,
    ReplyClosed,
    ReplyOpened,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from desktop_app.core.usage import Usage, merge_usage


async def read_reply(stream: Any, *, diagnosed: bool = False) -> AsyncIterator[StreamEvent]:
    """Yields the events of an open SDK message stream; raw events only, since the helpers would double them.

    The last one is ReplyClosed, also when the stream ended early: its `stop_reason` is None then. `diagnosed`: the
    request asked for a diagnosis of the cache, so that its absence means something.
    """
    reply = _Reply(diagnosed)
    async for event in stream:
        for told in reply.take(event):
            yield told
    yield reply.closed(stream.current_message_snapshot if reply.opened else None)


class _Reply:
    """What a stream has told so far, by the `type` of each event alone: a kind still unknown comes in any class."""

    def __init__(self, diagnosed: bool) -> None:
        self.opened = False
        self._diagnosed = diagnosed
        self._usage, self._model = Usage(), ""
        self._stop_reason: str | None = None
        self._stop_details: Block | None = None
        self._edits: tuple[Block, ...] = ()
        self._dropped: tuple[str, ...] = ()
        self._compactions: dict[int, Block] = {}

    def take(self, event: Any) -> Iterator[StreamEvent]:
        """What one event tells."""
        match event.type:
            case "message_start":
                yield self._begin(_plain(event.message))
            case "content_block_start":
                block = event.content_block
                yield BlockOpened(
                    event.index, str(block.type), str(getattr(block, "name", "")), str(getattr(block, "id", ""))
                )
                if block.type == "compaction":
                    yield from self._compact(event.index, block_of(block))
            case "content_block_delta":
                if event.delta.type == "compaction_delta":
                    yield from self._compact(event.index, _plain(event.delta))
                elif (delta := _delta(event)) is not None:
                    yield delta
            case "content_block_stop":
                yield BlockClosed(event.index, self._compactions.get(event.index) or block_of(event.content_block))
            case "message_delta":
                self._end(_plain(event))

    def closed(self, snapshot: Any) -> ReplyClosed:
        """The whole answer, or as far as the stream went; `snapshot` is the SDK's message, None without one."""
        content = snapshot.content if snapshot else ()
        return ReplyClosed(
            blocks=tuple(self._compactions.get(index) or block_of(block) for index, block in enumerate(content)),
            model=self._model,
            stop_reason=self._stop_reason,
            usage=self._usage,
            stop_details=self._stop_details,
            remote_id=str(snapshot.id or "") if snapshot else "",
            edits=self._edits,
            dropped_thinking=self._dropped,
        )

    def _begin(self, message: dict[str, Any]) -> ReplyOpened:
        self.opened = True
        self._model = str(message.get("model") or "")
        self._usage = merge_usage(self._usage, message.get("usage"))
        self._dropped = dropped_thinking(message.get("input_transformations"))
        said = diagnosis_from(message.get("diagnostics")) if self._diagnosed else None
        return ReplyOpened(self._model, self._usage, said)

    def _compact(self, index: int, told: Block) -> Iterator[StreamEvent]:
        whole = _completed(self._compactions.get(index, {"type": "compaction"}), told)
        self._compactions[index] = whole
        if told.get("content") is not None:
            yield CompactionArrived(index, str(told["content"]))

    def _end(self, event: dict[str, Any]) -> None:
        self._usage = merge_usage(self._usage, event.get("usage"))
        delta = event.get("delta") or {}
        self._stop_reason = delta.get("stop_reason") or self._stop_reason
        self._stop_details = delta.get("stop_details") or self._stop_details
        self._edits = applied_edits(event.get("context_management")) or self._edits
        if event.get("input_transformations") is not None:
            # Another model took over in the middle: what it left out is what counts.
            self._dropped = dropped_thinking(event["input_transformations"])


def _completed(block: Block, delta: Block) -> Block:
    """A compaction block with what a delta brings. A null takes nothing away: the SDK's own gathering would lose a
    signature that comes with the delta, and a text that does not."""
    brought = {name: value for name, value in delta.items() if name != "type"}
    return block | {name: value for name, value in brought.items() if value is not None or name not in block}


def block_of(block: Any) -> Block:
    """A block as JSON, unset fields omitted, as it may be sent back."""
    plain = _plain(block)
    plain.pop("parsed_output", None)
    if plain.get("type") == "tool_use":
        plain.setdefault("input", {})
    return plain


def _delta(event: Any) -> StreamEvent | None:
    delta = event.delta
    match delta.type:
        case "text_delta":
            return TextDelta(event.index, delta.text)
        case "thinking_delta":
            return ThinkingDelta(event.index, delta.thinking)
        case "input_json_delta":
            return InputDelta(event.index, delta.partial_json)
    return None


def _plain(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    return dict(value) if isinstance(value, dict) else dict(value.to_dict(mode="json", warnings=False))
