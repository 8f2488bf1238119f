"""The Claude adapter over HTTP: what it sends, what it reads, how it names failures, and that no key leaks."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.adapters.claude.opening import Endpoints
from desktop_app.core import errors
from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.stream import BlockClosed, CompactionArrived, ReplyClosed, ReplyOpened, StreamEvent
from desktop_app.core.token_estimate import TokenEstimator
from tests.fakes.simulator import RunningSimulator

SSE = Path(__file__).parent / "data" / "sse"
UNIT_DATA = Path(__file__).parents[1] / "unit" / "data"
CANARY = "sk-ant-canary-0123456789abcdef"


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    """One for the module."""
    with RunningSimulator() as running:
        yield running


def with_client(url: str, act: Callable[[ClaudeEndpoint], Awaitable[Any]], key: str | None = "sk-test") -> Any:
    """Runs something with a client and closes it."""

    async def run() -> Any:
        client = ClaudeEndpoint(Endpoint(EndpointKind.CUSTOM, url), key)
        try:
            return await act(client)
        finally:
            await client.close()

    return asyncio.run(run())


def hello(model: str = "claude-opus-5-5", text: str = "Hello") -> Request:
    """A small request."""
    params = {"max_tokens": 200, "model": model, "stream": True}
    return Request(params, (), (), (RequestMessage("user", ({"type": "text", "text": text},)),))


async def read(client: ClaudeEndpoint, request: Request) -> PartialReply:
    """The whole reply, or as far as it came before the failure that is raised on."""
    partial = PartialReply()
    async with client.stream(request) as events:
        async for event in events:
            partial.take(event)
    return partial


@pytest.mark.parametrize(
    ("file", "tokens"),
    [
        ("usage_start_only.sse", (12, 400, 0, 9000, 55)),
        ("usage_in_delta.sse", (900, 0, 0, 3000, 77)),
        ("usage_1h_split.sse", (5, 500, 1500, 100, 30)),
        ("usage_explicit_zero.sse", (50, 0, 0, 0, 9)),
    ],
)
def test_usage_counts_each_token_once(simulator: RunningSimulator, file: str, tokens: tuple[int, ...]) -> None:
    simulator.control({"action": "replay", "file": str(SSE / file)})
    usage = with_client(simulator.url, lambda client: read(client, hello())).usage
    assert (usage.uncached, usage.write_5m, usage.write_1h, usage.read, usage.output) == tokens
    assert usage.input_total == sum(tokens[:4])
    assert not usage.output_estimated


@pytest.mark.parametrize(
    ("file", "text"), [("drop_mid_text.sse", "이 답변은 중간"), ("no_message_stop.sse", "looks complete.")]
)
def test_a_broken_stream_keeps_its_text_and_an_estimate(simulator: RunningSimulator, file: str, text: str) -> None:
    simulator.control({"action": "replay", "file": str(SSE / file)})

    async def act(client: ClaudeEndpoint) -> PartialReply:
        partial = PartialReply()
        try:
            async with client.stream(hello()) as events:
                async for event in events:
                    partial.take(event)
        except errors.StreamBroken:
            pass
        return partial

    partial = with_client(simulator.url, act)
    assert [block["text"] for block in partial.blocks()] == [text]
    assert partial.closed is None or partial.closed.stop_reason is None
    usage = partial.estimated_usage(TokenEstimator())
    assert usage.output_estimated
    assert usage.input_total == 12 + 400 + 9000
    assert usage.output is not None
    assert usage.output >= 1


def test_comments_pings_and_unknown_events_do_no_harm(simulator: RunningSimulator) -> None:
    simulator.control({"action": "replay", "file": str(SSE / "ping_and_unknown.sse")})
    partial = with_client(simulator.url, lambda client: read(client, hello()))
    assert partial.closed is not None
    assert partial.closed.stop_reason == "end_turn"
    assert [block["text"] for block in partial.blocks()] == ["fine"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.InvalidRequest),
        (401, errors.KeyRefused),
        (402, errors.PaymentRequired),
        (403, errors.KeyRefused),
        (404, errors.ModelUnknown),
        (413, errors.WindowExceeded),
        (429, errors.RateLimited),
        (500, errors.ServerFailed),
        (503, errors.Overloaded),
        (529, errors.Overloaded),
    ],
)
def test_each_status_has_its_kind(simulator: RunningSimulator, status: int, kind: type[errors.EndpointError]) -> None:
    simulator.control({"action": "status", "status": status, "message": f"because {CANARY}", "retry_after": 7})
    with pytest.raises(errors.EndpointError) as caught:
        with_client(simulator.url, lambda client: read(client, hello()))
    assert type(caught.value) is kind
    assert "canary" not in caught.value.details
    if kind in (errors.RateLimited, errors.Overloaded, errors.ServerFailed):
        assert caught.value.retry_after == 7


def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(errors.Unreachable) as caught:
        with_client("http://127.0.0.1:9", lambda client: client.count(hello()))
    assert caught.value.params["host"] == "127.0.0.1:9"


@contextmanager
def shouting(data: bytes) -> Iterator[str]:
    """A server on loopback that says the same to everyone and ends the connection; its URL."""

    class Shout(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(100_000)
            self.request.sendall(data)

    with socketserver.TCPServer(("127.0.0.1", 0), Shout) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(5)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x00\xff\x13 garbage " * 50, errors.NotMessagesApi),
        (b"\x15\x03\x01\x00\x02\x02\x16", errors.NotMessagesApi),
        (b"220 mail.example ESMTP\r\n\r\n", errors.NotMessagesApi),
        (b"HTTP/1.1 200 OK\r\nno header\r\n\r\n", errors.NotMessagesApi),
        (b"SSH-2.0-OpenSSH_9.6\r\n", errors.HungUp),
        (b"", errors.HungUp),
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100\r\n\r\n", errors.HungUp),
    ],
)
def test_what_speaks_no_http_or_hangs_up_is_not_called_unreachable(
    data: bytes, kind: type[errors.EndpointError]
) -> None:
    acts: list[Callable[[ClaudeEndpoint], Awaitable[Any]]] = [
        lambda client: client.models(),
        lambda client: client.count(hello()),
        lambda client: read(client, hello()),
    ]
    with shouting(data) as url:
        for act in acts:
            with pytest.raises(errors.EndpointError) as caught:
                with_client(url, act)
            assert type(caught.value) is kind
            assert caught.value.params["host"] == url.removeprefix("http://")


def test_limits_come_from_the_models_api(simulator: RunningSimulator) -> None:
    models = with_client(simulator.url, lambda client: client.models())
    opus = next(model for model in models if model.id == "claude-opus-5-5")
    assert (opus.window, opus.output_limit) == (1_000_000, 128_000)
    assert "adaptive" in opus.thinking
    assert "medium" in opus.efforts
    assert len({model.id for model in models}) == len(models)
    with pytest.raises(errors.ModelUnknown):
        with_client(simulator.url, lambda client: client.model("claude-nothing"))


def test_count_equals_what_the_reply_reports(simulator: RunningSimulator) -> None:
    async def act(client: ClaudeEndpoint) -> tuple[int, int | None]:
        request = hello(text="얼마나 될까? How many tokens is 12.5 % of this?")
        return await client.count(request), (await read(client, request)).usage.input_total

    counted, measured = with_client(simulator.url, act)
    assert counted == measured


@pytest.mark.parametrize("key", ["", "  ", None])
def test_anthropic_needs_a_key(key: str | None) -> None:
    with pytest.raises(errors.NoKey):
        ClaudeEndpoint(Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL), key)


@pytest.mark.parametrize("key", ["sk-ant 1", "sk-ant-키", "sk\nant"])
def test_a_text_no_key_can_be_is_refused(key: str) -> None:
    with pytest.raises(errors.KeyRefused):
        ClaudeEndpoint(Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL), key)


def test_the_key_is_in_no_repr_log_or_traceback(simulator: RunningSimulator, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = ClaudeEndpoint(Endpoint(EndpointKind.CUSTOM, simulator.url), CANARY)
    assert CANARY not in repr(client)
    simulator.control({"action": "status", "status": 401})
    with pytest.raises(errors.KeyRefused) as caught:
        with_client(simulator.url, lambda client: read(client, hello()), CANARY)
    error = caught.value
    assert CANARY not in f"{error!r} {error.details} {error.__cause__!r}"
    asyncio.run(client.close())
    assert CANARY not in caplog.text


def test_nothing_in_the_environment_redirects_or_replaces_a_key(tmp_path: Path, simulator: RunningSimulator) -> None:
    script = """
import asyncio, json, os, sys
from desktop_app.adapters.claude.environment import take_environment_key
key = take_environment_key()
from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.core.endpoints import Endpoint, EndpointKind
async def main():
    client = ClaudeEndpoint(Endpoint(EndpointKind.CUSTOM, sys.argv[1]), "sk-mine")
    await client.models()
    await client.close()
asyncio.run(main())
print(json.dumps([key, [name for name in os.environ if name.startswith("ANTHROPIC")]]))
"""
    with header_catcher() as (url, seen):
        environment = {
            **os.environ,
            "ANTHROPIC_API_KEY": CANARY,
            "ANTHROPIC_BASE_URL": simulator.url,
            "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: evil\nAuthorization: Bearer evil",
            "ANTHROPIC_LOG": "debug",
        }
        done = subprocess.run(
            [sys.executable, "-c", script, url],
            env=environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [CANARY, []]
    assert seen[0]["authorization"] == "Bearer sk-mine"
    assert "x-api-key" not in seen[0]
    assert CANARY not in done.stderr


_START = (
    'event: message_start\ndata: {"type": "message_start", "message": {"id": "m", "type": "message", '
    '"role": "assistant", "model": "x", "content": [], "stop_reason": null, "stop_sequence": null, "usage": USAGE}}\n\n'
)
_TEXT = (
    'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": '
    '{"type": "text", "text": ""}}\n\n'
    'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": '
    '{"type": "text_delta", "text": "kept"}}\n\n'
)
_END = (
    'event: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n'
    'event: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},'
    ' "usage": {"output_tokens": 3}}\n\nevent: message_stop\ndata: {"type": "message_stop"}\n\n'
)
_USAGE = '{"input_tokens": 5, "output_tokens": 1}'


@contextmanager
def answering(body: str, kind: str = "text/event-stream") -> Iterator[str]:
    """A server that answers everything with the same."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = _answer

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<html><body>Log in to the hotel network</body></html>", "text/html"),
        ("", "application/json"),
        ('{"id": "m", "type"', "application/json"),
        ('{"data": [{"name": "no id"}]}', "application/json"),
        ("data: no event line\n\n", "text/event-stream"),
        (_TEXT + _END, "text/event-stream"),
    ],
)
def test_what_is_no_messages_api_is_named_so_everywhere(body: str, kind: str) -> None:
    acts: list[Callable[[ClaudeEndpoint], Awaitable[Any]]] = [
        lambda client: client.models(),
        lambda client: client.model("x"),
        lambda client: client.count(hello()),
        lambda client: read(client, hello()),
    ]
    with answering(body, kind) as url:
        for act in acts:
            with pytest.raises(errors.EndpointError) as caught:
                with_client(url, act)
            assert type(caught.value) in (errors.NotMessagesApi, errors.ServerFailed)
            assert not isinstance(caught.value, errors.Unexpected)


@pytest.mark.parametrize(
    "after",
    [
        'event: content_block_delta\ndata: {"type": "content_block_delta", "ind\n\n',
        'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 7, "delta": '
        '{"type": "text_delta", "text": "x"}}\n\n',
    ],
)
def test_broken_events_break_the_answer_off_and_keep_what_came(after: str) -> None:
    async def act(client: ClaudeEndpoint) -> PartialReply:
        partial = PartialReply()
        with pytest.raises(errors.StreamBroken):
            async with client.stream(hello()) as events:
                async for event in events:
                    partial.take(event)
        return partial

    with answering(_START.replace("USAGE", _USAGE) + _TEXT + after) as url:
        assert with_client(url, act).blocks()[0]["text"] == "kept"


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("tokens", ["99999999999999999999999", '"five"', "-3", "[1]"])
def test_impossible_usage_is_no_usage(tokens: str) -> None:
    usage = f'{{"input_tokens": {tokens}, "output_tokens": 1}}'
    with answering(_START.replace("USAGE", usage) + _TEXT + _END) as url:
        partial = with_client(url, lambda client: read(client, hello()))
    assert partial.usage.input_total is None
    assert partial.usage.output == 3
    assert partial.closed is not None
    assert partial.closed.stop_reason == "end_turn"


@contextmanager
def header_catcher() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that lists one model and keeps the headers it got."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append({name.lower(): value for name, value in self.headers.items()})
            body = b'{"object": "list", "data": [{"id": "qwen:7b"}]}'
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


_EVENT = "event: {0}\ndata: {1}\n\n"
_OPENED: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "x", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 180_000, "output_tokens": 1},
}  # fmt: skip
SUMMARY: dict[str, Any] = {
    "type": "compaction",
    "content": "고양이 이름은 미소입니다. The budget is 1,250 EUR.",
    "encrypted_content": "c2VhbGVk",
    "signature": "sig-1",
    "tool_changes": [],
}
_PASS = {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500}


def stream_of(*events: dict[str, Any], opened: dict[str, Any] | None = None) -> str:
    """A whole stream: the first event, these, and the last one."""
    start = {"type": "message_start", "message": _OPENED | (opened or {})}
    told = (start, *events, {"type": "message_stop"})
    return "".join(_EVENT.format(event["type"], json.dumps(event, ensure_ascii=False)) for event in told)


def block_events(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """One block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end_event(stop_reason: str, usage: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The event that tells how the reply ended."""
    delta = {"stop_reason": stop_reason, "stop_sequence": None}
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 0} | usage, **more}


async def listened(client: ClaudeEndpoint) -> list[StreamEvent]:
    """All events of an answer."""
    async with client.stream(hello()) as events:
        return [event async for event in events]


_EARLY = {name: SUMMARY[name] for name in ("type", "signature", "tool_changes")}
_LATE = {name: SUMMARY[name] for name in ("content", "encrypted_content")}
PLACES = {
    "whole at the start": ([SUMMARY], []),
    "text in the delta": ([_EARLY | {"content": None, "encrypted_content": None}], [_LATE]),
    "all in the delta": ([{"type": "compaction", "content": None}], [{**SUMMARY}]),
    "signature in a delta of its own": (
        [{"type": "compaction", "content": ""}],
        [_LATE, {"content": None, "encrypted_content": None, "signature": "sig-1", "tool_changes": []}],
    ),
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(("start", "deltas"), PLACES.values(), ids=PLACES)
def test_a_compaction_block_is_whole_wherever_its_parts_came(
    start: list[dict[str, Any]], deltas: list[dict[str, Any]]
) -> None:
    told = [delta | {"type": "compaction_delta"} for delta in deltas]
    body = stream_of(
        *block_events(0, start[0], *told), end_event("compaction", {"input_tokens": 0, "iterations": [_PASS]})
    )
    with answering(body) as url:
        events = with_client(url, listened)
    arrived = [event for event in events if isinstance(event, CompactionArrived)]
    assert arrived[-1] == CompactionArrived(0, SUMMARY["content"])
    closed = next(event for event in events if isinstance(event, BlockClosed))
    last = events[-1]
    assert isinstance(last, ReplyClosed)
    assert closed.block == SUMMARY
    assert last.blocks == (SUMMARY,)
    assert last.stop_reason == "compaction"
    assert (last.usage.billed_input, last.usage.billed_output) == (180_000, 3_500)
    assert last.usage.input_total == 0


def test_a_compaction_that_failed_stays_null() -> None:
    failed = {"type": "compaction", "content": None, "encrypted_content": None}
    body = stream_of(*block_events(0, failed, failed | {"type": "compaction_delta"}), end_event("compaction", {}))
    with answering(body) as url:
        events = with_client(url, listened)
    assert not [event for event in events if isinstance(event, CompactionArrived)]
    assert isinstance(events[-1], ReplyClosed)
    assert events[-1].blocks == (failed,)


def test_a_compaction_before_the_answer_is_counted_once() -> None:
    response = json.loads((UNIT_DATA / "compaction_response.json").read_text("utf-8"))
    summary, text = response["content"]
    body = stream_of(
        *block_events(0, summary | {"content": None}, {"type": "compaction_delta", "content": summary["content"]}),
        *block_events(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": text["text"]}),
        end_event(response["stop_reason"], response["usage"]),
    )
    with answering(body) as url:
        partial = with_client(url, lambda client: read(client, hello()))
    assert partial.blocks() == (summary, text)
    assert (partial.usage.billed_input, partial.usage.billed_output) == (203_000, 4_500)
    assert partial.usage.input_total == 23_000


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_what_the_api_left_out_is_told_with_the_reply() -> None:
    applied = [
        {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 8, "cleared_input_tokens": 50_000},
        {"type": "clear_images_20271231", "cleared_images": 2, "cleared_input_tokens": 100},
    ]
    dropped = [
        {"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"},
        {"type": "renamed", "path": "messages.2.content.0"},
    ]
    text = block_events(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a"})
    end = end_event("end_turn", {}, context_management={"applied_edits": applied})
    with answering(stream_of(*text, end, opened={"input_transformations": dropped})) as url:
        closed = with_client(url, lambda client: read(client, hello())).closed
    assert closed is not None
    assert list(closed.edits) == applied
    assert closed.dropped_thinking == ("messages.1.content.0",)
    # Where another model took over, its own list counts.
    with answering(
        stream_of(*text, end | {"input_transformations": []}, opened={"input_transformations": dropped})
    ) as url:
        closed = with_client(url, lambda client: read(client, hello())).closed
    assert closed is not None
    assert closed.dropped_thinking == ()


def test_a_reply_that_tells_of_no_edits_had_none() -> None:
    with answering(stream_of(*block_events(0, {"type": "text", "text": "a"}), end_event("end_turn", {}))) as url:
        closed = with_client(url, lambda client: read(client, hello())).closed
    assert closed is not None
    assert (closed.edits, closed.dropped_thinking) == ((), ())


@contextmanager
def refusing(status: int, error: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A server that refuses everything; what it was sent: path, beta headers, body."""
    sent: list[tuple[str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            sent.append((self.path, self.headers.get("anthropic-beta", ""), body))
            answer = json.dumps({"type": "error", "error": error}).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.send_header("retry-after", "3")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "block_ambiguous", errors.CompactionUnfit),
        (400, "block_misplaced", errors.CompactionUnfit),
        (400, "content_mismatch", errors.CompactionUnfit),
        (400, "signature_invalid", errors.CompactionUnfit),
        (400, "tool_changes_mismatch", errors.CompactionUnfit),
        (400, "incomplete_turn", errors.CompactionRefused),
        (400, "nothing_to_summarize", errors.CompactionRefused),
        (400, "too_many_tool_references", errors.CompactionRefused),
        (400, "of_tomorrow", errors.CompactionRefused),
        (529, "unavailable", errors.CompactionUnavailable),
    ],
)
def test_each_failure_of_a_compaction_has_its_kind(status: int, code: str, kind: type[errors.EndpointError]) -> None:
    error = {
        "type": "overloaded_error" if status == 529 else "invalid_request_error",
        "message": "Invalid `signature` in `compaction` block before thinking",
        "details": {"error_code": f"compaction_{code}"},
    }
    with refusing(status, error) as (url, _), pytest.raises(errors.EndpointError) as caught:
        with_client(url, lambda client: read(client, hello()))
    assert type(caught.value) is kind
    if kind is errors.CompactionUnavailable:
        assert (caught.value.retryable, caught.value.retry_after) == (True, 3)
    else:
        assert caught.value.params["code"] == code
        assert "Invalid" in str(caught.value.params["reason"])
        assert not caught.value.retryable


def test_the_bytes_on_the_wire_are_ours_with_every_field() -> None:
    params = {
        "context_management": {"edits": [{"type": "compact_20260112", "pause_after_compaction": True}]},
        "compaction": {"type": "summarize", "instructions": "아이디를 남겨 주세요."},
        "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
        "diagnostics": {"previous_message_id": None},
        "tool_choice": {"type": "auto"},
        "stop_sequences": ["x"],
        "output_config": {"effort": "low"},
        "stream": True,
        "model": "m",
        "max_tokens": 9,
    }
    request = Request(
        params,
        ({"name": "t", "input_schema": {"type": "object"}},),
        ({"type": "text", "text": "s"},),
        (RequestMessage("assistant", (SUMMARY,)), RequestMessage("user", ({"type": "text", "text": "값"},))),
        betas=("compact-2026-09-04", "compact-2026-01-12"),
    )
    with refusing(400, {"type": "invalid_request_error", "message": "no"}) as (url, sent):
        for act in (lambda client: read(client, request), lambda client: client.count(request)):
            with pytest.raises(errors.InvalidRequest):
                with_client(url, act)
    (_, betas, body), (path, counting_betas, counted) = sent
    assert body == request.body_bytes()
    assert betas == "compact-2026-09-04,compact-2026-01-12"
    assert path == "/v1/messages/count_tokens"
    assert counting_betas.startswith(betas)
    told = json.loads(counted)
    assert told["context_management"] == params["context_management"]
    assert told["compaction"] == params["compaction"]
    assert told["messages"][0]["content"] == [SUMMARY]
    assert not {"max_tokens", "stream", "diagnostics", "stop_sequences"} & told.keys()


CAPABLE = {
    "id": "m",
    "display_name": "M",
    "capabilities": {
        "image_input": {"supported": True},
        "pdf_input": {"supported": False},
        "context_management": {
            "supported": True,
            "clear_thinking_20251015": {"supported": False},
            "clear_tool_uses_20250919": {"supported": True},
            "compact_20260112": {"supported": True},
            "clear_images_20271231": {"supported": True},
        },
        "compaction": {"supported": True, "summarize": {"supported": True}},
    },
}


def test_what_a_model_can_do_is_read_from_what_is_told() -> None:
    with answering(json.dumps(CAPABLE), "application/json") as url:
        model = with_client(url, lambda client: client.model("m"))
    assert model.edits == {"clear_tool_uses_20250919", "compact_20260112"}
    assert (model.compacts, model.image_input, model.pdf_input) == (True, True, False)


@pytest.mark.parametrize("capabilities", [None, {}, {"effort": {"supported": False}}, {"compaction": None}])
def test_what_is_not_told_is_not_made_up(capabilities: dict[str, Any] | None) -> None:
    with answering(json.dumps({"id": "m", "capabilities": capabilities}), "application/json") as url:
        model = with_client(url, lambda client: client.model("m"))
    assert (model.edits, model.compacts, model.image_input, model.pdf_input) == (frozenset(), False, None, None)


def test_local_servers_are_found_without_sending_a_key() -> None:
    with header_catcher() as (url, seen):
        candidates = (("Ollama", url), ("LM Studio", "http://127.0.0.1:9"))
        found = asyncio.run(Endpoints(candidates).find_local())
    assert [(server.name, server.url, server.models) for server in found] == [("Ollama", url, ("qwen:7b",))]
    assert "authorization" not in seen[0]


def test_cancelling_a_silent_stream_returns_at_once(simulator: RunningSimulator) -> None:
    simulator.control({"action": "silence", "seconds": 15, "after": 3, "pings": False})

    async def act(client: ClaudeEndpoint) -> float:
        arrived = asyncio.Event()

        async def listen() -> None:
            async with client.stream(hello(text="write 100 words about ice")) as events:
                async for event in events:
                    if isinstance(event, ReplyOpened):
                        arrived.set()

        task = asyncio.create_task(listen())
        await asyncio.wait_for(arrived.wait(), 5)
        before = asyncio.get_running_loop().time()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return asyncio.get_running_loop().time() - before

    assert with_client(simulator.url, act) < 0.1
