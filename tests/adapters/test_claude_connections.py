"""Connections over real sockets: proxies of the environment, redirects, and settings that cannot be used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from desktop_app.adapters.claude import environment
from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.composition import Options, open_services, open_settings
from desktop_app.core import errors
from desktop_app.core.endpoints import endpoint_for
from desktop_app.core.request import Request, RequestMessage
from tests.fakes.simulator import RunningSimulator

KEY = "sk-ant-canary-0123456789abcdef"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine has set."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    """One for the module."""
    with RunningSimulator() as running:
        yield running


class Answer(BaseHTTPRequestHandler):
    """Answers every request as its server says, and keeps what arrived."""

    server: Listening

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        self.server.seen.append(f"{self.requestline}\n{self.headers}\n{self.rfile.read(length).decode()}")
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_GET = do_POST = do_CONNECT = _answer

    def log_message(self, format: str, *arguments: object) -> None:
        """Quiet."""


class Listening(ThreadingHTTPServer):
    """A server on a free port of this machine; `seen` holds the requests as text."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.status, self.headers, self.body = status, headers, body
        self.seen: list[str] = []

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def listening(status: int = 200, headers: dict[str, str] | None = None, body: bytes = b"{}") -> Iterator[Listening]:
    """A server for the length of a test."""
    server = Listening(status, headers or {}, body)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def count(url: str) -> int:
    """Input tokens of a small request by an endpoint."""
    params = {"max_tokens": 200, "model": "claude-opus-5-5", "stream": True}
    request = Request(params, (), (), (RequestMessage("user", ({"type": "text", "text": "My secret"},)),))

    async def run() -> int:
        client = ClaudeEndpoint(endpoint_for(url), KEY)
        try:
            return await client.count(request)
        finally:
            await client.close()

    return asyncio.run(run())


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5://127.0.0.1:9", "nonsense://x"])
def test_this_machine_is_never_reached_over_a_proxy(
    monkeypatch: pytest.MonkeyPatch, simulator: RunningSimulator, name: str, proxy: str
) -> None:
    monkeypatch.setenv(name, proxy)
    assert count(simulator.url) > 0


def test_the_internet_is_reached_over_the_proxy_which_does_not_see_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(403) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(errors.Unreachable):
            count("https://api.anthropic.com")
    assert [line.splitlines()[0] for line in proxy.seen] == ["CONNECT api.anthropic.com:443 HTTP/1.1"]
    assert KEY not in proxy.seen[0]


@pytest.mark.parametrize("proxy", ["socks5://me:hidden@127.0.0.1:9", "nonsense://me:hidden@x"])
def test_a_proxy_that_cannot_be_used_is_an_error_the_person_can_mend(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(errors.NetworkSettingsUnusable) as caught:
        count("https://llm.example.com")
    assert caught.value.params["host"] == "llm.example.com"
    assert "hidden" not in f"{caught.value} {caught.value.details}"
    assert not caught.value.retryable


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_carries_nothing_to_another_address(status: int) -> None:
    with listening(body=b'{"input_tokens": 5}') as other:
        target = f"{other.url.replace('http://', 'http://me:hidden@')}/v1/messages?token=hidden"
        with listening(status, {"location": target}) as server, pytest.raises(errors.Redirected) as caught:
            count(server.url)
    assert other.seen == []
    assert len(server.seen) == 1
    assert caught.value.params["target"] == f"{other.url}/v1/messages"
    assert not caught.value.retryable


@pytest.mark.parametrize("body", [b'{"input_tokens": 0}', b"{}", b'{"input_tokens": null}'])
def test_a_server_that_counts_nothing_cannot_count(body: bytes) -> None:
    json = {"content-type": "application/json"}
    with listening(headers=json, body=body) as server, pytest.raises(errors.ServerFailed):
        count(server.url)


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("https://api.anthropic.com", True),
        ("https://llm.example.com:8443", True),
        ("https://8.8.8.8", True),
        ("https://localhost:8443", False),
        ("https://192.168.1.20", False),
        ("https://[fd00::1]", False),
        ("https://box.local", False),
        ("http://192.168.1.20:11434", False),
        ("http://box", False),
        ("http://[::1]:8080", False),
    ],
)
def test_only_encrypted_addresses_of_the_internet_may_go_over_a_proxy(url: str, leaves: bool) -> None:
    assert endpoint_for(url).leaves_network is leaves


def test_the_key_of_the_environment_is_still_known_after_a_start_that_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("data")
    (folder / "blocked").write_text("")
    monkeypatch.setattr(environment, "_taken", [])
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    settings = open_settings(Options(folder))
    with pytest.raises(errors.AppError):
        open_services(Options(folder / "blocked"), settings)
    services = open_services(Options(folder), settings)
    assert services.access.environment_key_exists
    asyncio.run(services.close())
    assert "ANTHROPIC_API_KEY" not in environment.os.environ
