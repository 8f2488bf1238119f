"""A first start without a network, in a home with Hangul and a space: commands, a chat and the window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUARD = """
import os, sys
HERE = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "", None)
def refuse(event, arguments):
    if event == "socket.connect" or event == "socket.sendto":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode()
    if host not in HERE:
        with open(os.environ["TRIED"], "a") as tried:
            print(event, host, file=tried)
        raise OSError(f"no network: {host}")
sys.addaudithook(refuse)
"""
"""Imported by every process of Python that starts below."""
COMMANDS = """
from desktop_app.cli import main
for command in (
    ["facts", "add", "강아지 이름", "보리"],
    ["facts", "add", "tax", "in May"],
    ["facts", "list", "--search", "what is my dog called?"],
    ["chat", "--profile", "demo", "What is 12.5 * 34?"],
):
    assert main(command) == 0, command
"""
WINDOW = """
import time
from desktop_app.composition import Options, default_data_dir, start_connections
connections = start_connections()
from desktop_app.gui import Gui, new_application
app = new_application()
gui = Gui(app, Options(default_data_dir(), profile="default", language="en"), connections)
gui.show()
end = time.monotonic() + 30
def until(condition):
    while not condition():
        assert time.monotonic() < end
        app.processEvents()
        time.sleep(0.005)
until(lambda: gui.session is not None and gui.session.is_ready and gui.session.memory is not None)
memory = gui.session.memory
until(lambda: memory.loaded and memory.count == 2)
memory.add("고양이", "나비는 세 살이다")
until(lambda: memory.count == 3)
memory.search("how old is the cat?")
until(lambda: memory.found == "how old is the cat?")
print("found:", [fact.key for fact in memory.facts.facts])
gui.close()
"""


def offline(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a home of its own, on a machine that reaches nobody but itself."""
    home, guard = folder / "홈 폴더", folder / "guard"
    for place in (home, guard):
        place.mkdir(exist_ok=True)
    (guard / "sitecustomize.py").write_text(GUARD)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_DATA", "ANTHROPIC_"))}
    environment = {
        **inherited,
        "HOME": str(home),
        "PYTHONPATH": f"{guard}{os.pathsep}{ROOT}",
        "PYTHONIOENCODING": "utf-8",
        "QT_QPA_PLATFORM": "offscreen",
        "TRIED": str(folder / "tried"),
    }
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, check=False, env=environment, cwd=home, capture_output=True, encoding="utf-8", timeout=40
    )


ELSEWHERE = """
import socket, subprocess, sys
try:
    socket.socket().connect(("192.0.2.1", 80))
except OSError as error:
    print(error)
subprocess.run([sys.executable, "-c", "import socket; socket.getaddrinfo('name.test', 80)"], stderr=subprocess.DEVNULL)
"""


def test_whoever_asks_somebody_elsewhere_is_noticed(tmp_path: Path) -> None:
    assert offline(tmp_path, ELSEWHERE).stdout == "no network: 192.0.2.1\n"
    tried = (tmp_path / "tried").read_text().splitlines()
    assert tried == ["socket.connect 192.0.2.1", "socket.getaddrinfo name.test"]


@pytest.mark.timeout(60)
def test_start_save_search_and_chat_need_nobody_elsewhere(tmp_path: Path) -> None:
    done = offline(tmp_path, COMMANDS)
    assert done.returncode == 0, done.stderr
    assert "강아지 이름" in done.stdout and "425" in done.stdout
    shown = offline(tmp_path, WINDOW)
    assert shown.returncode == 0, shown.stderr
    (found,) = [line for line in shown.stdout.splitlines() if line.startswith("found:")]
    assert "고양이" in found
    assert not (tmp_path / "tried").exists()
    files = [path for path in (tmp_path / "홈 폴더").rglob("*") if path.is_file()]
    assert "mnemoscope.db" in {path.name for path in files}, "the data is in this home"
    assert not [path for path in files if path.suffix in (".onnx", ".npz", ".gz")], "no model came from anywhere"
