"""The SDK's stream events as the values of `core.stream`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from desktop_app.core.cache.diagnosis import diagnosis_from
from desktop_app.core.conversation import Block
from desktop_app.core.stream import (
    BlockClosed,
    BlockOpened,
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
    usage, model, stop_reason = Usage(), "", None
    stop_details: Block | None = None
    opened = False
    async for event in stream:
        match event.type:
            case "message_start":
                opened = True
                model = str(event.message.model or "")
                usage = merge_usage(usage, _plain(event.message.usage))
                said = diagnosis_from(_plain(event.message).get("diagnostics")) if diagnosed else None
                yield ReplyOpened(model, usage, said)
            case "content_block_start":
                block = event.content_block
                yield BlockOpened(
                    event.index, str(block.type), str(getattr(block, "name", "")), str(getattr(block, "id", ""))
                )
            case "content_block_delta":
                if (delta := _delta(event)) is not None:
                    yield delta
            case "content_block_stop":
                yield BlockClosed(event.index, block_of(event.content_block))
            case "message_delta":
                usage = merge_usage(usage, _plain(event.usage))
                stop_reason = event.delta.stop_reason or stop_reason
                if details := getattr(event.delta, "stop_details", None):
                    stop_details = _plain(details)
            case _:
                pass
    snapshot = stream.current_message_snapshot if opened else None
    yield ReplyClosed(
        blocks=tuple(block_of(block) for block in snapshot.content) if snapshot else (),
        model=model,
        stop_reason=stop_reason,
        usage=usage,
        stop_details=stop_details,
        remote_id=str(snapshot.id or "") if snapshot else "",
    )


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
