"""Recorded streams as the values a front of the API would yield from them, without any SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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

FOLDER = Path(__file__).parent / "data" / "sse"


def payloads(name: str) -> Iterator[dict[str, Any]]:
    """The data of every whole event of a file; one that the connection cut is none."""
    for event in (FOLDER / name).read_text("utf-8").split("\n\n"):
        lines = [line.removeprefix("data: ") for line in event.splitlines() if line.startswith("data: ")]
        try:
            yield from (json.loads(line) for line in lines)
        except json.JSONDecodeError:
            return


def usage_of(name: str) -> Usage:
    """Every usage of a file merged in its order."""
    usage = Usage()
    for data in payloads(name):
        usage = merge_usage(usage, data.get("message", {}).get("usage") or data.get("usage"))
    return usage


def stream_events(name: str) -> Iterator[StreamEvent]:
    """The values of a file of text blocks."""
    usage, texts, stop = Usage(), dict[int, str](), None
    for data in payloads(name):
        match data["type"]:
            case "message_start":
                usage = merge_usage(usage, data["message"]["usage"])
                yield ReplyOpened(data["message"]["model"], usage)
            case "content_block_start":
                texts[data["index"]] = ""
                yield BlockOpened(data["index"], data["content_block"]["type"])
            case "content_block_delta":
                texts[data["index"]] += data["delta"]["text"]
                yield TextDelta(data["index"], data["delta"]["text"])
            case "content_block_stop":
                yield BlockClosed(data["index"], {"type": "text", "text": texts[data["index"]]})
            case "message_delta":
                usage, stop = merge_usage(usage, data["usage"]), data["delta"]["stop_reason"]
            case "message_stop":
                blocks = tuple({"type": "text", "text": text} for text in texts.values())
                yield ReplyClosed(blocks, "", stop, usage)


def tool_stream() -> list[StreamEvent]:
    """A reply that thinks, speaks and calls two tools, as single events."""
    first = {"type": "thinking", "thinking": "Multiply 값.", "signature": "sig"}
    second = {"type": "text", "text": "Let me see."}
    third = {"type": "tool_use", "id": "toolu_1", "name": "calculator", "input": {"z": 1, "a": "값"}}
    fourth = {"type": "tool_use", "id": "toolu_2", "name": "calculator", "input": {}}
    return [
        ReplyOpened("claude-test-1", Usage(uncached=12, write_5m=0, write_1h=0, read=90, output=1)),
        BlockOpened(0, "thinking"), ThinkingDelta(0, "Multiply"), ThinkingDelta(0, " 값."), BlockClosed(0, first),
        BlockOpened(1, "text"), TextDelta(1, "Let me"), TextDelta(1, " see."), BlockClosed(1, second),
        BlockOpened(2, "tool_use", "calculator", "toolu_1"), InputDelta(2, ""), InputDelta(2, '{"z":1,"a":'),
        InputDelta(2, '"값"}'), BlockClosed(2, third),
        BlockOpened(3, "tool_use", "calculator", "toolu_2"), BlockClosed(3, fourth),
        ReplyClosed((first, second, third, fourth), "claude-test-1-2026", "tool_use", Usage(12, 0, 0, 90, 44, 20)),
    ]  # fmt: skip
