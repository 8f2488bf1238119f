"""Running the app: a socket on loopback, the ready line, and an end that comes at once when asked for."""

from __future__ import annotations

import contextlib
import ctypes
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette

from .delivery import BrokenConnection

HOST = "127.0.0.1"
LAST_RESORT = 0.9  # seconds after which a server that was told to stop is ended
KEEP_ALIVE = 75  # seconds; a client must not find its idle connection closed in the middle of a chat
PARENT_CHECK = 0.25  # seconds between two looks at the parent process
_SYNCHRONIZE = 0x0010_0000
_STILL_WAITING = 258


class Server(uvicorn.Server):
    """A uvicorn server that tells when it is ready and ends quietly."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets
        port = sockets[0].getsockname()[1]
        sys.stdout.write(json.dumps({"port": port, "url": f"http://{HOST}:{port}"}) + "\n")
        sys.stdout.flush()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on SIGINT and SIGTERM with exit code 0, open streams included."""
        main = threading.current_thread() is threading.main_thread()
        for number in (signal.SIGINT, signal.SIGTERM) if main else ():
            signal.signal(number, lambda *_: self.stop())
        yield

    def stop(self) -> None:
        """Stop now; may be called from any thread and more than once."""
        self.should_exit = True
        self.force_exit = True
        timer = threading.Timer(LAST_RESORT, os._exit, [0])
        timer.daemon = True
        timer.start()


def _worth_telling(record: logging.LogRecord) -> bool:
    """False for the connections a scenario breaks on purpose."""
    return not (record.exc_info and record.exc_info[0] is not None and issubclass(record.exc_info[0], BrokenConnection))


def serve(app: Starlette, port: int, parent: int | None, watch_stdin: bool) -> None:
    """Serve until stopped. Raises OSError where the port cannot be had."""
    logging.getLogger("uvicorn.error").addFilter(_worth_telling)
    with socket.create_server((HOST, port), backlog=128) as listener:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            loop="asyncio",
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
        )
        server = Server(config)
        if watch_stdin:
            _watch(_until_stdin_ends, server)
        if parent is not None:
            _watch(lambda: _until_gone(parent), server)
        server.run(sockets=[listener])


def _watch(wait: Callable[[], None], server: Server) -> None:
    def run() -> None:
        wait()
        server.stop()

    threading.Thread(target=run, daemon=True).start()


def _until_stdin_ends() -> None:
    while os.read(0, 4_096):
        pass


def _until_gone(pid: int) -> None:
    while _alive(pid):
        time.sleep(PARENT_CHECK)


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _alive_on_windows(pid: int) -> bool:
    # os.kill would end the process there, whatever the signal.
    windll: Any = vars(ctypes)["windll"]
    handle = windll.kernel32.OpenProcess(_SYNCHRONIZE, False, pid)
    if not handle:
        return False
    running = windll.kernel32.WaitForSingleObject(handle, 0) == _STILL_WAITING
    windll.kernel32.CloseHandle(handle)
    return bool(running)
