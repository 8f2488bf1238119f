"""A real server of the Messages API with a small real model, started where its packages can be had."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

SERVE = Path(__file__).parents[3] / "shared" / "tools" / "local-model" / "serve"
"""The script that installs and starts it; it lies beside the project, not in it."""


class NoLocalModel(Exception):
    """It cannot be started here; the text says why."""


@contextmanager
def local_model(seconds: float) -> Iterator[str]:
    """The base URL of a running server; `LOCAL_MODEL_URL` names one that runs already. Raises NoLocalModel."""
    if running := os.environ.get("LOCAL_MODEL_URL"):
        yield running
        return
    if not SERVE.exists():
        raise NoLocalModel(f"there is no {SERVE.name} script beside the project")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(SERVE), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(process, url, seconds)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait(10)


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise NoLocalModel("its packages could not be installed here")
        try:
            if httpx2.get(f"{url}/health", timeout=1).status_code == 200:
                return
        except httpx2.HTTPError:
            pass
        time.sleep(0.2)
    raise NoLocalModel(f"it was not ready within {seconds:.0f} seconds")
