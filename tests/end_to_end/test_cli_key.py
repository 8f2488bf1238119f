"""`mnemoscope key`: round trip through a real key store, and no trace of the key anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from tests.fakes.command_line import ROOT, CommandLine, Ending, ending
from tests.fakes.key_stores import CANARY, HEAD
from tests.fakes.secret_service import MISSING, REASON, SecretService

real_store = pytest.mark.skipif(bool(MISSING), reason=REASON)


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SecretService]:
    with SecretService(tmp_path / "store") as service:
        yield service


def holds_key(folder: Path) -> list[Path]:
    """Files in which the key or its beginning stands."""
    return [file for file in folder.rglob("*") if file.is_file() and HEAD.encode() in file.read_bytes()]


@real_store
class TestRealStore:
    """gnome-keyring over D-Bus."""

    def test_a_key_is_kept_told_and_deleted(self, cli: CommandLine, store: SecretService, tmp_path: Path) -> None:
        def run(*arguments: str, given: str = "") -> Ending:
            done = cli.process("--lang", "en", "key", *arguments, given=given, **store.environment)
            assert HEAD not in done.out + done.err
            assert done.code == 0, done
            return done

        saved = run("set", given=f"\ufeff{CANARY}\u200b\r\n")
        assert saved.out == "The key for api.anthropic.com is in Secret Service now.\n"
        assert run("status", "--json").json == {
            "endpoint": "https://api.anthropic.com",
            "key": "keyring",
            "store": "Secret Service",
            "trouble": None,
            "environment": False,
        }
        assert holds_key(tmp_path) == []
        assert run("delete").out == "The key for api.anthropic.com was deleted from Secret Service.\n"
        assert run().out == "api.anthropic.com: there is no key.\nKey store of this system: Secret Service\n"

    def test_a_locked_store_is_said_and_waits_for_nobody(self, cli: CommandLine, tmp_path: Path) -> None:
        with SecretService(tmp_path / "store") as service:
            assert cli.process("key", "set", given=CANARY, **service.environment).code == 0
        with SecretService(tmp_path / "store", "wrong") as service:
            status = cli.process("key", "--lang", "en", **service.environment)
            chat = cli.process("chat", "Hello", "--lang", "en", **service.environment)
        assert (status.code, status.out) == (0, "api.anthropic.com: there is no key.\n")
        assert status.err.startswith("The key store of this system is locked")
        assert chat.code == 1 and chat.line.startswith("The API key could not be read")

    def test_the_key_reaches_the_server_and_nothing_else(
        self, cli: CommandLine, store: SecretService, tmp_path: Path
    ) -> None:
        """All of it at the loudest: debug output, a server that answers with the very key it got."""
        loud = {**store.environment, "MNEMOSCOPE_DEBUG": "1", "ANTHROPIC_LOG": "debug", "PYTHONASYNCIODEBUG": "1"}
        with echoing() as server:
            at = ("--base-url", server.url, "--model", "some-model")
            assert cli.process("key", "set", *at, given=CANARY, **loud).code == 0
            process = cli.start("chat", "Hello", "--lang", "en", *at, **loud)
            assert server.asked.wait(15)
            arguments = [" ".join(one.info["cmdline"] or []) for one in psutil.process_iter(["cmdline"])]
            environment = psutil.Process(process.pid).environ()
            server.may_answer.set()
            chat = ending(process)
            request = cli.process("request", *at, **loud)
        assert server.keys == {CANARY}
        assert chat.code == 1
        assert "bad field for" in chat.err, "what the server said is told without the key"
        assert HEAD not in " ".join(arguments) + repr(environment)
        assert HEAD not in chat.out + chat.err + request.out + request.err
        assert holds_key(tmp_path) == []


class TestWithoutStore:
    """No back end: an answer, and errors that say what to do."""

    def test_status_is_an_answer(self, cli: CommandLine) -> None:
        told = cli.process("key", "status", "--lang", "en")
        assert (told.code, told.out) == (0, "api.anthropic.com: there is no key.\n")
        assert told.err.startswith("This system has no safe store for keys") and told.err.count("\n") == 1
        as_json = cli.process("key", "--json", ANTHROPIC_API_KEY=CANARY)
        assert as_json.json == {
            "endpoint": "https://api.anthropic.com",
            "key": "missing",
            "store": None,
            "trouble": "no_key_vault",
            "environment": True,
        }
        assert "is set but not allowed" in cli.process("key", "--lang", "en", ANTHROPIC_API_KEY=CANARY).out
        demo = cli.process("key", "--profile", "demo", "--lang", "en")
        assert (demo.code, demo.out, demo.err) == (0, "simulated assistant: no key is needed.\n", "")

    @pytest.mark.parametrize("backend", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"])
    def test_nothing_is_kept_where_it_would_be_lost(self, cli: CommandLine, backend: str, tmp_path: Path) -> None:
        done = cli.process("key", "set", "--lang", "en", given=CANARY, PYTHON_KEYRING_BACKEND=backend)
        assert done.code == 1 and done.line.startswith("This system has no safe store for keys")
        assert cli.process("key", "delete", PYTHON_KEYRING_BACKEND=backend).code == 1
        assert holds_key(tmp_path) == []

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ("", "there is no key in it"),
            (f"{CANARY}\n{CANARY}\n", "a key has no spaces, line breaks"),
            (CANARY + "x" * 1_300, "a key has at most 1,280 characters"),
        ],
    )
    def test_what_is_no_key_is_not_shown(self, cli: CommandLine, given: str, said: str) -> None:
        done = cli.process("key", "set", "--lang", "en", given=given)
        assert done.code == 1 and said in done.line and HEAD not in done.err

    def test_a_key_on_the_command_line_is_refused_and_not_repeated(self, cli: CommandLine) -> None:
        done = cli.process("key", "set", CANARY, "--lang", "en", given="")
        assert done.code == 2 and HEAD not in done.err

    def test_the_demo_takes_no_key(self, cli: CommandLine) -> None:
        done = cli.process("key", "set", "--profile", "demo", "--lang", "en", given=CANARY)
        assert done.code == 1 and "the Demo needs no key" in done.line

    def test_a_terminal_asks_and_does_not_show_what_is_typed(self, cli: CommandLine) -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "dumb"}
        process = subprocess.Popen(
            [sys.executable, "-m", "desktop_app", *cli.options, "--lang", "en", "key", "set"],
            cwd=ROOT,
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        shown = read_until(ours, b"(it is not shown): ")
        os.write(ours, f"{CANARY}\n".encode())
        shown += read_until(ours, b"")
        assert process.wait(15) == 1  # there is no store here
        os.close(ours)
        assert b"API key for api.anthropic.com" in shown and b"no safe store" in shown
        assert HEAD.encode() not in shown


def read_until(terminal: int, end: bytes) -> bytes:
    """What a terminal shows, up to `end`, or to its close where that is empty."""
    shown = b""
    while not (end and end in shown):
        try:
            piece = os.read(terminal, 4_096)
        except OSError:  # closed
            return shown
        if not piece:
            return shown
        shown += piece
    return shown


class Echo(BaseHTTPRequestHandler):
    """Refuses every request and repeats the key in the refusal."""

    server: Echoing

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        key = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        self.server.keys.add(key)
        self.server.asked.set()
        self.server.may_answer.wait(15)
        words = f'{{"type": "error", "error": {{"type": "invalid_request_error", "message": "bad field for {key}"}}}}'
        self.send_response(400)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(words)))
        self.end_headers()
        self.wfile.write(words.encode())

    do_GET = do_POST

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class Echoing(ThreadingHTTPServer):
    """`keys` are those it got; it answers once it may."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Echo)
        self.keys: set[str] = set()
        self.asked, self.may_answer = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def echoing() -> Iterator[Echoing]:
    with Echoing() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()
            server.shutdown()
            thread.join()
