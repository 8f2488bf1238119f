"""A server of vectors on loopback, over real HTTP: speaks as Ollama, OpenAI and Voyage do, and fails on demand."""

from __future__ import annotations

import json
import math
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIGEST = "sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"


def toy_vector(text: str, dimension: int, salt: str = "") -> list[float]:
    """Counts of the letters of a text, three by three: alike texts lie close, whatever the language."""
    numbers = [0.01] * dimension
    for place in range(max(1, len(text) - 2)):
        numbers[zlib.crc32((salt + text[place : place + 3]).encode()) % dimension] += 1.0
    length = math.sqrt(sum(number * number for number in numbers))
    return [number / length for number in numbers]


def packed(numbers: list[float]) -> bytes:
    """As vectors are kept."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


@dataclass
class Asked:
    """A request as it came."""

    path: str
    key: str
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return list(self.body.get("input", []))


@dataclass
class VectorsServer:
    """`fault` is a status and a body to answer with instead; `length` scales what is sent."""

    port: int = 0
    dimension: int = 24
    models: dict[str, str] = field(default_factory=lambda: {"bge-m3:latest": DIGEST})
    fault: tuple[int, str] | None = None
    length: float = 3.0
    wants_key: str = ""
    asked: list[Asked] = field(default_factory=list)
    hold: threading.Event | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, str]:
        """Status and body."""
        self.asked.append(Asked(path, key, body))
        if self.hold is not None:
            self.hold.wait(10)
        if self.fault is not None:
            return self.fault
        if self.wants_key and key != f"Bearer {self.wants_key}":
            return 401, json.dumps({"error": {"message": f"wrong key {key}"}})
        if path == "/api/tags":
            return 200, json.dumps({"models": [{"name": name, "digest": one} for name, one in self.models.items()]})
        rows = [[self.length * one for one in toy_vector(text, self.dimension)] for text in body["input"]]
        if path == "/api/embed":
            if not any(name.startswith(body["model"]) for name in self.models):
                return 404, json.dumps({"error": f'model "{body["model"]}" not found, try pulling it first'})
            return 200, json.dumps({"model": body["model"], "embeddings": rows})
        data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
        return 200, json.dumps({"object": "list", "data": data[::-1], "model": body["model"]})


@contextmanager
def vectors_server(**given: Any) -> Iterator[VectorsServer]:
    """One that runs until the end of the block."""
    served = VectorsServer(**given)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            status, text = served.answer(self.path, self.headers.get("authorization", ""), body)
            data = text.encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("location", text)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        if served.hold is not None:
            served.hold.set()
        server.shutdown()
        thread.join()
        server.server_close()
