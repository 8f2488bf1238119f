"""The connections in a process of their own: the same answers, failures and limits as without it."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import psutil
import pytest

from desktop_app.adapters.claude.opening import Endpoints
from desktop_app.adapters.endpoint_process import wire
from desktop_app.adapters.endpoint_process.process import EndpointProcess, RemoteEndpoint, start_child
from desktop_app.adapters.own_process import end_own, own_command
from desktop_app.core import errors
from desktop_app.core.endpoints import ANTHROPIC_URL, Endpoint, EndpointKind, LocalServer
from desktop_app.core.models import ModelInfo
from desktop_app.core.ports import ModelEndpoint
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.stream import (
    BlockClosed,
    CompactionArrived,
    InputDelta,
    ReplyClosed,
    ReplyOpened,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from desktop_app.core.usage import Usage
from tests.fakes.simulator import RunningSimulator

SSE = Path(__file__).parent / "data" / "sse"
CANARY = "sk-ant-canary-0123456789abcdef"
Act = Callable[[ModelEndpoint], Awaitable[Any]]


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


class Shared:
    """One child for the module, on one loop, as the window has it."""

    def __init__(self) -> None:
        self.popen = start_child()
        self.runner = asyncio.Runner()
        self.endpoints = EndpointProcess(self.popen)

    def act(self, url: str, act: Act, key: str | None = "sk-test") -> Any:
        """Runs something with a client of the child."""

        async def run() -> Any:
            client = await self.endpoints.open(Endpoint(EndpointKind.CUSTOM, url), key)
            try:
                return await act(client)
            finally:
                await client.close()

        return self.runner.run(run())


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    made = Shared()
    yield made
    made.runner.run(made.endpoints.close())
    made.runner.close()


def act_here(url: str, act: Act) -> Any:
    """The same without a child."""

    async def run() -> Any:
        client = await Endpoints().open(Endpoint(EndpointKind.CUSTOM, url), "sk-test")
        try:
            return await act(client)
        finally:
            await client.close()

    return asyncio.run(run())


def hello(text: str = "Hello", model: str = "claude-opus-5-5") -> Request:
    params = {"max_tokens": 200, "model": model, "stream": True}
    return Request(params, (), (), (RequestMessage("user", ({"type": "text", "text": text},)),))


def reading(request: Request) -> Act:
    """Reads an answer: its events, and the error it ended with."""

    async def read(client: ModelEndpoint) -> tuple[list[StreamEvent], tuple[Any, ...]]:
        seen: list[StreamEvent] = []
        try:
            async with client.stream(request) as events:
                async for event in events:
                    seen.append(event)  # noqa: PERF401 - what came before a failure is wanted too
        except errors.AppError as error:
            return seen, (type(error), error.details, dict(error.params), getattr(error, "retry_after", None))
        return seen, ()

    return read


@pytest.mark.parametrize("file", sorted(path.name for path in SSE.glob("*.sse")))
def test_an_answer_is_the_same_as_without_the_process(simulator: RunningSimulator, shared: Shared, file: str) -> None:
    answers = []
    for act in (act_here, shared.act):
        simulator.control({"action": "replay", "file": str(SSE / file)})
        answers.append(act(simulator.url, reading(hello())))
        simulator.reset()
    assert answers[1] == answers[0]
    assert answers[0][0] or answers[0][1]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 429, 500, 503, 529])
def test_a_failure_is_the_same_as_without_the_process(simulator: RunningSimulator, shared: Shared, status: int) -> None:
    row = {"action": "status", "status": status, **({"retry_after": 7} if status == 429 else {})}
    failures = []
    for act in (act_here, shared.act):
        simulator.control(row)
        failures.append(act(simulator.url, reading(hello()))[1])
        simulator.reset()
    assert failures[1] == failures[0]
    assert issubclass(failures[0][0], errors.EndpointError)
    assert failures[0][3] == (7.0 if status == 429 else None)


def test_counting_and_models_are_the_same_as_without_the_process(simulator: RunningSimulator, shared: Shared) -> None:
    async def ask(client: ModelEndpoint) -> Any:
        with pytest.raises(errors.ModelUnknown) as unknown:
            await client.model("claude-none")
        known = await client.model("claude-opus-5-5")
        return (
            await client.count(hello("안녕\udc00".replace("\udc00", ""))),
            await client.models(),
            known,
            unknown.value.params,
        )

    assert shared.act(simulator.url, ask) == act_here(simulator.url, ask)


def test_a_request_larger_than_any_pipe_arrives_whole(simulator: RunningSimulator, shared: Shared) -> None:
    text = "항구 harbour\n" * 20_000
    counted = shared.act(simulator.url, lambda client: client.count(hello(text)))
    assert counted == act_here(simulator.url, lambda client: client.count(hello(text)))
    assert counted > 20_000


@pytest.mark.timed
def test_leaving_closes_the_connection_and_nothing_waits_for_it(simulator: RunningSimulator, shared: Shared) -> None:
    simulator.control({"action": "slow", "tokens_per_second": 20})

    async def leave(client: ModelEndpoint) -> float:
        async with client.stream(hello()) as events:
            async for event in events:
                if isinstance(event, TextDelta | ThinkingDelta):
                    break
            began = time.perf_counter()
        left = time.perf_counter() - began
        child = psutil.Process(shared.popen.pid)
        async with asyncio.timeout(5):
            while any(one.raddr and one.raddr.port == simulator.port for one in child.net_connections("tcp")):
                await asyncio.sleep(0.01)
        return left

    assert shared.act(simulator.url, leave) < 0.1
    simulator.reset()


def test_a_killed_process_breaks_what_is_under_way_and_is_followed_by_another(simulator: RunningSimulator) -> None:
    before = [one.pid for one in psutil.Process().children()]

    async def run() -> None:
        popen = start_child()
        endpoints = EndpointProcess(popen)
        client = await endpoints.open(Endpoint(EndpointKind.CUSTOM, simulator.url), "sk-test")
        simulator.control({"action": "slow", "tokens_per_second": 20})
        with pytest.raises(errors.ConnectionsEnded) as broken:
            async with client.stream(hello()) as events:
                async for event in events:
                    if isinstance(event, TextDelta | ThinkingDelta):
                        os.kill(popen.pid, signal.SIGKILL)
        assert broken.value.retryable
        simulator.reset()
        assert await client.count(hello()) > 0
        await client.close()
        await endpoints.close()
        assert popen.poll() == -signal.SIGKILL

    asyncio.run(run())
    assert [one.pid for one in psutil.Process().children()] == before


@pytest.mark.parametrize("key", [None, "  "])
def test_an_endpoint_without_its_key_is_refused(shared: Shared, key: str | None) -> None:
    with pytest.raises(errors.NoKey):
        shared.runner.run(shared.endpoints.open(Endpoint(EndpointKind.ANTHROPIC, ANTHROPIC_URL), key))


def test_the_key_stands_in_no_argument_and_no_repr(simulator: RunningSimulator, shared: Shared) -> None:
    async def look(client: ModelEndpoint) -> str:
        assert isinstance(client, RemoteEndpoint)
        return f"{client!r} {vars(client)['_process']!r} {psutil.Process(shared.popen.pid).cmdline()}"

    assert CANARY not in shared.act(simulator.url, look, CANARY)


def test_the_environment_redirects_nothing(simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")

    async def run() -> list[ModelInfo]:
        endpoints = EndpointProcess(start_child())
        client = await endpoints.open(Endpoint(EndpointKind.CUSTOM, simulator.url), CANARY)
        try:
            return await client.models()
        finally:
            await endpoints.close()

    assert len(asyncio.run(run())) > 3


def test_a_module_in_the_folder_one_stands_in_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "httpx2.py").write_text(f"open({str(tmp_path / 'taken')!r}, 'w').write('key')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    child = start_child()
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(15) == 0
    end_own(child)
    assert not (tmp_path / "taken").exists()


def test_it_ends_with_its_parent() -> None:
    script = (
        "from desktop_app.adapters.endpoint_process.process import start_child\n"
        "print(start_child().pid, flush=True)\nimport os\nos._exit(1)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=20, check=False)
    pid = int(done.stdout)
    end = time.monotonic() + 15
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < end:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_frozen_application_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_command("endpoints") == (sys.executable, "endpoints")


USAGE = Usage(uncached=3, write_5m=None, read=0, output=9, split_known=False)
VALUES = [
    Endpoint(EndpointKind.SIMULATOR, "http://127.0.0.1:1"),
    LocalServer("Ollama", "http://127.0.0.1:2", ("a", "b")),
    ModelInfo("m", "모델", 10, None, ("low",), frozenset({"adaptive", "disabled"}), confirmed=False),
    ModelInfo("n", "n", edits=frozenset({"compact_20260112"}), compacts=True, image_input=True, pdf_input=False),
    CompactionArrived(0, "요약 \udc00"),
    ReplyOpened("m", USAGE),
    TextDelta(0, "줄\nbreak \udc00 \u2028 \x00"),
    InputDelta(1, '{"a": "\\ud800"}'),
    BlockClosed(2, {"type": "tool_use", "input": {"z": 1, "a": [1.5, None, True]}}),
    ReplyClosed(({"type": "text", "text": ""},), "m", None, USAGE, {"type": "refusal"}, "msg_1"),
    ReplyClosed((), "m", "compaction", USAGE, None, "", ({"type": "x", "cleared_input_tokens": 3},), ("messages.1",)),
    Request(
        {"model": "m", "max_tokens": 1},
        ({"name": "t"},),
        (),
        (RequestMessage("user", ({"b": 1, "a": 2},)),),
        (Mark("system", 0, "1h"), Mark(3, 1)),
        ("beta-1",),
    ),
]


@pytest.mark.parametrize("given", VALUES, ids=lambda given: type(given).__name__)
def test_every_value_survives_the_wire(given: Any) -> None:
    import json

    line = json.loads(json.dumps(wire.plain(given)))
    again = wire.value(line, type(given))
    assert again == given
    assert repr(again) == repr(given)  # the order of keys, tuples as tuples


def test_every_event_of_an_answer_has_a_wire_form() -> None:
    assert {kind.__name__ for kind in get_args(StreamEvent)} <= wire._KINDS.keys()


KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.AppError)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_survives_the_wire(kind: type[errors.AppError]) -> None:
    given = kind("said", host="h", tokens=3)
    if isinstance(given, errors.EndpointError):
        given.retry_after = 2.5
    again = wire.error(wire.plain_error(given))
    assert type(again) is kind
    assert (again.details, dict(again.params)) == ("said", {"host": "h", "tokens": 3})
    assert getattr(again, "retry_after", None) == getattr(given, "retry_after", None)


def test_a_fault_of_the_program_crosses_as_one() -> None:
    again = wire.error(wire.plain_error(ZeroDivisionError("by zero")))
    assert type(again) is errors.Unexpected
    assert again.details == "ZeroDivisionError: by zero"
