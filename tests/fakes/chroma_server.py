"""A Chroma server of its own for tests, in a folder and on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_START_SECONDS = 20.0


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def chroma_server(folder: Path) -> Iterator[str]:
    """`chroma run` on a folder; its address."""
    port = free_port()
    command = [Path(sys.executable).with_name("chroma"), "run", "--path", folder, "--host", "127.0.0.1"]
    environment = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    process = subprocess.Popen(
        [*map(str, command), "--port", str(port)], cwd=folder.parent, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + _START_SECONDS
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.5):
                break
            assert process.poll() is None and time.monotonic() < end, "the Chroma server does not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
