"""What arrived: the log of requests, and on demand every body byte for byte in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SECRET_HEADERS = ("authorization", "x-api-key", "cookie", "proxy-authorization")
INTERESTING = (
    "anthropic-version",
    "anthropic-beta",
    "user-agent",
    "x-stainless-retry-count",
    "x-stainless-helper-method",
    "content-type",
)
STATUS_UNKNOWN = 0


@dataclass
class LogEntry:
    """One request; `ended` is open, complete, refused, broken (by a scenario) or closed (by the client)."""

    number: int
    path: str
    at: float
    request_id: str
    headers: dict[str, str]
    body_sha256: str
    body_bytes: int
    status: int = STATUS_UNKNOWN
    model: str | None = None
    stream: bool = False
    message_id: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Any] | None = None
    diagnostics: dict[str, Any] | None = None  # as the reply carries them
    input_tokens: int | None = None
    error: str | None = None
    scenario: str | None = None
    ended: str = "open"


class Recorder:
    """Keeps the log and writes bodies where a folder is given."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.entries: list[LogEntry] = []
        self._serial = 0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            taken = [int(f.name[:4]) for f in folder.glob("[0-9][0-9][0-9][0-9]*.json")]
            self._serial = max(taken, default=0)

    def begin(self, path: str, headers: Mapping[str, str], raw: bytes, at: float, request_id: str) -> LogEntry:
        """Log a request that has arrived and write its body."""
        self._serial += 1
        kept = {name: headers[name] for name in INTERESTING if name in headers}
        digest = hashlib.sha256(raw).hexdigest()
        entry = LogEntry(self._serial, path, at, request_id, kept, digest, len(raw))
        self.entries.append(entry)
        if self._folder is not None and raw:
            kind = "count_tokens" if path.endswith("count_tokens") else "messages"
            (self._folder / f"{self._serial:04d}-{kind}.json").write_bytes(raw)
            self._write(entry, headers)
        return entry

    def finish(self, entry: LogEntry, headers: Mapping[str, str]) -> None:
        """Write what became of a recorded request."""
        if self._folder is not None and entry.body_bytes:
            self._write(entry, headers)

    def _write(self, entry: LogEntry, headers: Mapping[str, str]) -> None:
        assert self._folder is not None
        shown = {name: value for name, value in headers.items() if name.lower() not in SECRET_HEADERS}
        meta = {"path": entry.path, "status": entry.status, "ended": entry.ended, "headers": shown}
        meta |= {"request_id": entry.request_id, "usage": entry.usage, "diagnostics": entry.diagnostics}
        (self._folder / f"{entry.number:04d}.meta.json").write_text(json.dumps(meta, indent=1), "utf-8")

    def as_json(self) -> list[dict[str, Any]]:
        """The whole log, oldest first."""
        return [asdict(entry) for entry in self.entries]

    def clear(self) -> None:
        """Forget the log; numbers of recorded files go on."""
        self.entries.clear()
