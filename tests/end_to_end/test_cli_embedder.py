"""The model that finds by meaning, by command: which one, changing it with a real server, and making all anew."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.adapters.file_lock import FileLock
from tests.fakes.chroma_server import free_port
from tests.fakes.command_line import CommandLine
from tests.fakes.embedding_server import VectorsServer, vectors_server

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server() -> Iterator[VectorsServer]:
    with vectors_server() as served:
        yield served


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "data", "http://127.0.0.1:9")


def test_a_server_is_tried_then_takes_over_and_gives_back(cli: CommandLine, server: VectorsServer) -> None:
    for number in range(3):
        cli.run("facts", "add", f"사실 {number}", f"value {number}")
    found = cli.run("embedder", "--json").json
    assert (found["embedder"], found["dimension"], found["wanted"]) == ("use", 512, None)
    assert found["vectors"]["fact"]["total"] == 3
    gone = cli.run("embedder", "use", "ollama", "--url", "http://127.0.0.1:9")
    assert gone.code == 1 and "127.0.0.1:9" in gone.err
    assert cli.run("embedder", "--json").json["wanted"] is None
    chosen = cli.run("embedder", "use", "ollama", "--url", server.url, "--model", "bge-m3")
    assert chosen.code == 0 and chosen.out.startswith("Ollama: bge-m3 is wanted from now on.")
    assert "hardly tells Korean texts apart" in chosen.err
    assert cli.run("embedder", "pause").code == 0
    assert cli.run("embedder", "--json").json["wanted"]["paused"] is True
    done = cli.run("embedder", "resume", "--wait")
    assert (done.code, done.out) == (0, "Found by meaning with: Ollama: bge-m3\n")
    assert "3 of 3" in done.err
    found = cli.run("embedder", "--json").json
    assert (found["embedder"], found["dimension"], found["version"]) == ("ollama", 24, "0a1b2c3d4e5f")
    assert found["vectors"]["fact"] == {"done": 3, "total": 3, "failed": 0}
    assert "  facts with a vector: 3 of 3" in cli.run("embedder").out
    assert cli.run("reindex").out == "The index was built anew from 3 vectors.\n"
    assert cli.run("embedder", "use", "none", "--wait").code == 0
    assert cli.run("embedder", "--json").json["vectors"]["fact"]["done"] == 0


def test_the_index_of_another_process_is_left_alone(cli: CommandLine) -> None:
    cli.run("facts", "add", "dog", "Bori")
    lock = FileLock(cli.data_dir / "index.lock")
    assert lock.take()
    try:
        refused = cli.run("reindex")
    finally:
        lock.release()
    assert refused.code == 1 and "belongs to a window or another process" in refused.err
    made = cli.run("reindex", "--embed", "--json")
    assert made.json == {"rebuilt": True, "vectors": made.json["vectors"]}
    assert made.json["vectors"]["fact"] == {"done": 1, "total": 1, "failed": 0}


def test_an_index_that_does_not_answer_is_told_as_that(cli: CommandLine) -> None:
    cli.run("facts", "add", "dog", "Bori")
    place = f"127.0.0.1:{free_port()}"
    refused = cli.run("reindex", "--chroma-url", f"http://{place}")
    assert refused.code == 1 and refused.line.startswith(f"The index at {place} does not answer")
    assert "another process" not in refused.err and "--chroma-url" in refused.err.rpartition("run: ")[2]
    assert cli.run("reindex").code == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["openai", "--url", "notaurl"], "it is no base URL"),
        (["voyage", "--url", "not a url"], "it is no base URL"),
        (["use", "--url", "http://127.0.0.1:9"], "asks no server"),
        (["e5", "--url", "http://127.0.0.1:9"], "asks no server"),
        (["none", "--model", "bge-m3"], "asks no server"),
    ],
)
def test_an_address_of_no_use_is_refused_before_anything_changes(
    cli: CommandLine, arguments: list[str], why: str
) -> None:
    before = cli.run("embedder", "--json").json
    refused = cli.run("embedder", "use", *arguments)
    assert refused.code == 1 and why in refused.line and "Nothing was changed" in refused.line
    assert cli.run("embedder", "--json").json == before


def test_a_key_is_for_a_server_elsewhere_only(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"secret-key-0123456789")))
    refused = cli.run("embedder", "key")
    assert refused.code == 1 and "secret-key" not in refused.out + refused.err


OFFLINE = """
import socket, sys
connect = socket.socket.connect
def guarded(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1"):
        raise AssertionError(f"a connection to {address} was tried")
    return connect(self, address)
def refuse(host, *rest, **more):
    if host not in ("127.0.0.1", "::1", "localhost", None, ""):
        raise AssertionError(f"{host} was looked up")
    return found(host, *rest, **more)
found = socket.getaddrinfo
socket.socket.connect, socket.getaddrinfo = guarded, refuse
from desktop_app.cli import main
for command in (
    ["facts", "add", "강아지 이름", "보리"],
    ["facts", "add", "tax", "in May"],
    ["chat", "--profile", "demo", "What is the time?"],
    ["reindex", "--embed"],
    ["embedder", "--json"],
):
    assert main(command) == 0, command
"""


def test_nothing_but_this_machine_is_needed_from_start_to_index(tmp_path: Path) -> None:
    home = tmp_path / "홈 폴더"
    home.mkdir()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ANTHROPIC_"))},
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
    }
    script = [sys.executable, "-c", OFFLINE]
    done = subprocess.run(script, check=False, env=env, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "The index was built anew from 4 vectors." in done.stdout, "two facts, a question and an answer that is new"
    assert '"fact": {"done": 2, "total": 2, "failed": 0}' in done.stdout
    listed = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name == "mnemoscope.db" for path in listed), "the data is under this home"
    assert not [path for path in listed if path.suffix in (".onnx", ".npz", ".gz")], "no model was loaded from anywhere"
