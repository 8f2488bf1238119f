"""Faults on demand, recording, and how the simulator's process starts and ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest

from desktop_app.simulator import delivery
from desktop_app.simulator.cache import Outcome
from desktop_app.simulator.reply import Sent
from desktop_app.simulator.scenario import Step
from desktop_app.simulator.streaming import Message
from tests.fakes.refused_requests import valid_body
from tests.fakes.simulator import ROOT, RunningSimulator

MODEL = "claude-opus-5-5"
ASK: list[Any] = [{"role": "user", "content": "긴 글 60"}]


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture(autouse=True)
def fresh(simulator: RunningSimulator) -> None:
    simulator.reset()


@pytest.fixture
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="k", base_url=simulator.url, max_retries=0) as connected:
        yield connected


def stream_text(client: anthropic.Anthropic, seen: list[str]) -> Any:
    with client.beta.messages.stream(model=MODEL, max_tokens=2_000, messages=ASK) as stream:
        seen.extend(stream.text_stream)
        return stream.get_final_message()


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (401, anthropic.AuthenticationError, "authentication_error"),
        (403, anthropic.PermissionDeniedError, "permission_error"),
        (404, anthropic.NotFoundError, "not_found_error"),
        (429, anthropic.RateLimitError, "rate_limit_error"),
        (500, anthropic.InternalServerError, "api_error"),
        (529, anthropic.APIStatusError, "overloaded_error"),
    ],
)
def test_status_for_a_number_of_requests(
    simulator: RunningSimulator, client: anthropic.Anthropic, status: int, error: type[Exception], kind: str
) -> None:
    simulator.control({"action": "status", "status": status, "count": 2, "retry_after": 3})
    for _ in range(2):
        with pytest.raises(error) as caught:
            client.beta.messages.create(model=MODEL, max_tokens=50, messages=ASK)
        assert isinstance(caught.value, anthropic.APIStatusError)
        assert (caught.value.status_code, caught.value.type) == (status, kind)
        assert caught.value.response.headers["retry-after"] == "3"
        assert caught.value.request_id
    assert client.beta.messages.create(model=MODEL, max_tokens=50, messages=ASK).content


def test_steps_match_path_number_and_text(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control(
        {"action": "status", "status": 500, "match": {"nth": 3}},
        {"action": "status", "status": 403, "match": {"path": "/v1/models"}},
        {"action": "reply", "text": "matched", "match": {"text": "magic"}},
    )
    assert client.beta.messages.create(model=MODEL, max_tokens=50, messages=ASK).content
    magic: list[Any] = [{"role": "user", "content": "the magic word"}]
    answer = client.beta.messages.create(model=MODEL, max_tokens=50, messages=magic)
    assert answer.content[-1].text == "matched"  # type: ignore[union-attr]
    with pytest.raises(anthropic.InternalServerError):
        client.beta.messages.create(model=MODEL, max_tokens=50, messages=ASK)
    with pytest.raises(anthropic.PermissionDeniedError):
        client.models.list()


def test_error_event_in_the_middle(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "error", "after": 5, "message": "Overloaded"})
    seen: list[str] = []
    with pytest.raises(anthropic.APIStatusError) as caught:
        stream_text(client, seen)
    assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")
    assert seen
    assert simulator.recorded()[-1]["ended"] == "broken"


@pytest.mark.parametrize(
    "where",
    [
        {"after": 8},
        {"after": 8, "inside_character": True},
        {"after_bytes": 1_500},
        {"after_bytes": 10},
        {"after": 9_999},
    ],
    ids=str,
)
def test_cut_connection(simulator: RunningSimulator, client: anthropic.Anthropic, where: dict[str, Any]) -> None:
    simulator.control({"action": "cut", **where})
    with pytest.raises(httpx2.RemoteProtocolError):
        stream_text(client, [])
    simulator.control({"action": "cut", **where})
    received = bytearray()
    body = valid_body(messages=ASK, max_tokens=2_000, stream=True)
    with (
        pytest.raises(httpx2.RemoteProtocolError),
        simulator.http.stream("POST", "/v1/messages", json=body, headers=simulator.headers()) as answer,
    ):
        for part in answer.iter_raw():
            received += part
    if "after_bytes" in where:
        assert len(received) == where["after_bytes"]
    if where.get("inside_character"):
        with pytest.raises(UnicodeDecodeError):
            received.decode()


def test_end_without_stop(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "eof", "after": 4})
    seen: list[str] = []
    answer = stream_text(client, seen)
    assert answer.stop_reason is None
    assert answer.content[-1].text == "".join(seen)


@pytest.mark.timed
def test_silence_before_and_inside_the_stream(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "silence", "seconds": 0.4}, {"action": "silence", "seconds": 0.4, "after": 3})
    for _ in range(2):
        started = time.monotonic()
        assert stream_text(client, []).stop_reason == "end_turn"
        assert 0.4 <= time.monotonic() - started < 3


def test_silent_stream_meets_a_read_timeout(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "silence", "seconds": 30, "after": 3})
    impatient = client.with_options(timeout=httpx2.Timeout(0.5))
    with pytest.raises(httpx2.ReadTimeout):
        stream_text(impatient, [])


def test_slow_stream(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "slow", "tokens_per_second": 400})
    started = time.monotonic()
    answer = stream_text(client, [])
    assert time.monotonic() - started > 0.9 * answer.usage.output_tokens / 400


def test_refusal(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "refusal", "category": "cyber", "explanation": "Not this."})
    answer = stream_text(client, [])
    assert answer.stop_reason == "refusal"
    assert (answer.stop_details.category, answer.stop_details.explanation) == ("cyber", "Not this.")
    assert answer.content == []


@pytest.mark.parametrize(
    ("action", "reason"),
    [("max_tokens", "max_tokens"), ("window_exceeded", "model_context_window_exceeded")],
)
def test_cut_answers(simulator: RunningSimulator, client: anthropic.Anthropic, action: str, reason: str) -> None:
    simulator.control({"action": action, "after": 40})
    answer = stream_text(client, [])
    assert answer.stop_reason == reason
    assert 20 < answer.usage.output_tokens <= 40


def test_paused_turn_goes_on_when_sent_back(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "pause_turn"})
    paused = stream_text(client, [])
    assert paused.stop_reason == "pause_turn"
    assert paused.content[-1].type == "server_tool_use"
    history = [*ASK, paused.to_param()]
    rest = client.beta.messages.create(model=MODEL, max_tokens=200, messages=history)
    assert rest.stop_reason == "end_turn"
    history += [rest.to_param(), {"role": "user", "content": "Hello"}]
    assert client.beta.messages.create(model=MODEL, max_tokens=200, messages=history).stop_reason == "end_turn"


def test_blank_reply(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "blank"})
    answer = stream_text(client, [])
    assert [block.text for block in answer.content if block.type == "text"] == ["\n\n"]


def test_delayed_count(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    simulator.control({"action": "delay", "seconds": 0.4, "match": {"path": "/v1/messages/count_tokens"}})
    started = time.monotonic()
    assert stream_text(client, []).stop_reason == "end_turn"
    assert client.beta.messages.count_tokens(model=MODEL, messages=ASK).input_tokens > 5
    assert time.monotonic() - started >= 0.4


def test_raw_replay(simulator: RunningSimulator, client: anthropic.Anthropic, tmp_path: Path) -> None:
    start = {"type": "message", "id": "msg_raw", "role": "assistant", "model": MODEL, "content": []}
    start |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 7, "output_tokens": 1}}
    events = [
        {"type": "message_start", "message": start},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    raw = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    (tmp_path / "raw.sse").write_text(raw, "utf-8")
    simulator.control({"action": "replay", "file": str(tmp_path / "raw.sse")})
    answer = stream_text(client, [])
    assert (answer.id, answer.usage.input_tokens, answer.usage.output_tokens) == ("msg_raw", 7, 3)


def test_scripted_blocks_get_valid_signatures(simulator: RunningSimulator, client: anthropic.Anthropic) -> None:
    content = [
        {"type": "thinking", "thinking": "First this."},
        {"type": "text", "text": "One."},
        {"type": "thinking", "thinking": "Then that."},
        {"type": "tool_use", "name": "calculator", "input": {"expression": "1"}},
    ]
    simulator.control({"action": "reply", "content": content})
    answer = stream_text(client, [])
    assert answer.stop_reason == "tool_use"
    results = [{"type": "tool_result", "tool_use_id": answer.content[-1].id, "content": "1"}]
    history = [*ASK, answer.to_param(), {"role": "user", "content": results}]
    assert client.beta.messages.create(model=MODEL, max_tokens=200, messages=history).content
    missing = [block for n, block in enumerate(answer.content) if n != 0]
    shortened: list[Any] = [*ASK, {"role": "assistant", "content": missing}, history[-1]]
    assert client.beta.messages.create(model=MODEL, max_tokens=200, messages=shortened).content


def test_checks_come_before_scripted_replies(simulator: RunningSimulator) -> None:
    simulator.control({"action": "reply", "text": "never"})
    body = valid_body(temperature=1)
    assert simulator.http.post("/v1/messages", json=body, headers=simulator.headers()).status_code == 400


def test_long_silence_is_filled_with_pings_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "PING_EVERY", 0.02)
    sent = Sent(blocks=[{"type": "text", "text": "Some words."}], output_tokens=4)
    message = Message("msg_1", MODEL, sent, Outcome(0, 0, 0, 5))

    async def pings(fault: Step | None, speed: float) -> int:
        raw = b"".join([chunk async for chunk in delivery.deliver(message, fault, speed)])
        return raw.count(b"event: ping")

    def silence(**more: Any) -> Step:
        return Step("silence", {"seconds": 0.1, "after": 1} | more, {}, 1)

    assert asyncio.run(pings(None, 0)) == 1
    assert asyncio.run(pings(silence(), 0)) == 1
    assert 3 <= asyncio.run(pings(silence(pings=True), 0)) <= 6
    assert asyncio.run(pings(None, 40)) > 2


def test_broken_scenarios_are_refused(simulator: RunningSimulator) -> None:
    for step, why in (
        ({"action": "explode"}, "action must be one of"),
        ({"action": "status"}, "needs status"),
        ({"action": "eof", "colour": 1}, "has no field colour"),
        ({"action": "delay", "seconds": "long"}, "must be a number"),
        ({"action": "replay", "file": "/nowhere"}, "no file"),
    ):
        with pytest.raises(ValueError, match=why):
            simulator.control(step)


def test_bodies_are_recorded_byte_for_byte_without_the_key(tmp_path: Path) -> None:
    raw = json.dumps(valid_body(messages=[{"role": "user", "content": "한글  á"}]), ensure_ascii=False).encode()
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"steps": [{"action": "status", "status": 529, "match": {"nth": 2}}]}), "utf-8")
    folder = tmp_path / "bodies"
    with RunningSimulator(record=folder, scenario=scenario) as simulator:
        headers = simulator.headers(x_api_key="sk-very-secret")
        for _ in range(2):
            simulator.http.post("/v1/messages", content=raw, headers=headers)
        counted = {"model": MODEL, "messages": ASK}
        simulator.http.post("/v1/messages/count_tokens", json=counted, headers=headers)
    assert (folder / "0001-messages.json").read_bytes() == raw
    assert json.loads((folder / "0003-count_tokens.json").read_bytes()) == counted
    assert [json.loads((folder / f"000{n}.meta.json").read_text("utf-8"))["status"] for n in (1, 2, 3)] == [
        200,
        529,
        200,
    ]
    assert "secret" not in "".join(file.read_text("utf-8") for file in folder.iterdir())
    assert "sk-test" not in "".join(file.read_text("utf-8") for file in folder.iterdir())


def start(*options: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "desktop_app.simulator", "--port", "0", *options],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())["url"]


def finish(process: subprocess.Popen[str]) -> tuple[int, float]:
    started = time.monotonic()
    code = process.wait(5)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()
    return code, time.monotonic() - started


@pytest.mark.timed
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_it_within_a_second_while_a_stream_is_open(number: signal.Signals) -> None:
    process, url = start("--speed", "5")
    body = valid_body(messages=ASK, max_tokens=2_000, stream=True)
    headers = {"x-api-key": "k", "anthropic-version": "2026-10-21"}
    with httpx2.stream("POST", f"{url}/v1/messages", json=body, headers=headers) as answer:
        next(answer.iter_raw())
        process.send_signal(number)
        code, seconds = finish(process)
    assert code == 0
    assert seconds < 1.5


@pytest.mark.timed
def test_it_ends_with_its_standard_input() -> None:
    process, _ = start("--watch-stdin")
    assert process.stdin is not None
    process.stdin.close()
    code, seconds = finish(process)
    assert (code, seconds < 1.5) == (0, True)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is meant")
@pytest.mark.parametrize("option", ["--watch-stdin", "--parent-pid"])
def test_it_dies_with_a_killed_parent(option: str) -> None:
    parent_code = (
        "import os, subprocess, sys, time\n"
        "option = sys.argv[1]\n"
        "more = [option] if option == '--watch-stdin' else [option, str(os.getpid())]\n"
        "child = subprocess.Popen([sys.executable, '-m', 'desktop_app.simulator', '--port', '0', *more],"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(30)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", parent_code, option], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait(5)
    parent.stdout.close()
    deadline = time.monotonic() + 5
    while running(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        with Path(f"/proc/{pid}/stat").open(encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.timed
def test_ready_soon_and_only_on_loopback(simulator: RunningSimulator) -> None:
    code = "import sys, time; t = time.perf_counter(); import desktop_app.simulator.app; print(time.perf_counter() - t)"
    seconds = [
        float(subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert min(seconds) < 0.5
    assert simulator.url.startswith("http://127.0.0.1:")
    assert "anthropic" not in subprocess.run(
        [sys.executable, "-c", "import desktop_app.simulator.app, sys; print(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip


def test_clock_stands_still_unless_allowed() -> None:
    with RunningSimulator(clock_control=False) as simulator:
        assert simulator.http.post("/_simulator/clock", json={"advance": 5}).status_code == 403
        assert simulator.http.get("/v2/nothing").json()["error"]["type"] == "not_found_error"
        listed = simulator.http.get("/v1/models?limit=0", headers=simulator.headers())
        assert listed.json()["error"]["message"] == "limit: Input should be between 1 and 1000"


def test_broken_state_file_is_one_sentence(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_text("[]", "utf-8")
    tried = subprocess.run(
        [sys.executable, "-m", "desktop_app.simulator", "--state", str(state)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=10,
    )  # fmt: skip
    assert tried.returncode == 2
    assert tried.stderr == f"The simulator could not start: {state} is not a state file of the simulator\n"


def test_taken_port_is_one_sentence(simulator: RunningSimulator) -> None:
    tried = subprocess.run(
        [sys.executable, "-m", "desktop_app.simulator", "--port", str(simulator.port)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=10,
    )  # fmt: skip
    assert tried.returncode == 2
    assert tried.stderr.startswith("The simulator could not start: ")
    assert tried.stderr.count("\n") == 1
