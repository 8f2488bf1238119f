"""Starting the simulator for a test: a child process with a free port, its control endpoints and what it recorded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx2

ROOT = Path(__file__).parents[2]
READY_WITHIN = 15.0  # seconds


class RunningSimulator:
    """A context manager around one simulator process; it ends with the block, or with the test process.

    `options` are further command line arguments. `url` is the base URL, `key` any key it takes.
    """

    key = "sk-test-simulator"

    def __init__(
        self,
        *options: str,
        speed: float = 0.0,
        state: Path | None = None,
        record: Path | None = None,
        scenario: Path | None = None,
        clock_control: bool = True,
    ) -> None:
        self._record = record
        self._arguments = ["--watch-stdin", "--speed", str(speed), *options]
        for name, value in (("--state", state), ("--record", record), ("--scenario", scenario)):
            self._arguments += [name, str(value)] if value is not None else []
        self._arguments += ["--clock-control"] if clock_control else []
        self._process: subprocess.Popen[str] | None = None
        self._http: httpx2.Client | None = None
        self.url = ""
        self.port = 0

    def __enter__(self) -> RunningSimulator:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process and wait until it prints its port; after a stop it is the same port again."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "desktop_app.simulator", "--port", str(self.port), *self._arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            code = self._process.wait(READY_WITHIN)
            self._close_pipes()
            raise RuntimeError(f"the simulator ended with code {code} before it was ready")
        ready = json.loads(line)
        self.url, self.port = ready["url"], ready["port"]
        self._http = httpx2.Client(base_url=self.url, timeout=15.0, trust_env=False)

    def stop(self) -> int:
        """End the process; returns its exit code."""
        assert self._process is not None
        if self._http is not None:
            self._http.close()
            self._http = None
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait(5)
        self._close_pipes()
        return code

    def restart(self) -> None:
        """Stop and start again with the same options and the same port."""
        self.stop()
        self.start()

    def _close_pipes(self) -> None:
        assert self._process is not None
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    @property
    def pid(self) -> int:
        """The process id of the running simulator."""
        assert self._process is not None
        return self._process.pid

    @property
    def http(self) -> httpx2.Client:
        """A plain HTTP client with the simulator as base URL."""
        assert self._http is not None
        return self._http

    def control(self, *steps: dict[str, Any], replace: bool = False) -> None:
        """Push scenario steps (the format is in `desktop_app/simulator/scenario.py`)."""
        answer = self.http.post("/_simulator/scenario", json={"steps": list(steps), "replace": replace})
        if answer.status_code != 200:
            raise ValueError(answer.json()["error"])

    def features(self, *without: str, least_trigger: int | None = None) -> None:
        """Take capabilities away (those in the Models API, by their place in it) and lower the least trigger of a
        compaction; a reset gives them back."""
        given = {"without": list(without)} | ({} if least_trigger is None else {"least_trigger": least_trigger})
        answer = self.http.post("/_simulator/features", json=given)
        assert answer.status_code == 200, answer.text

    def advance(self, seconds: float) -> None:
        """Move the simulator's clock forward."""
        answer = self.http.post("/_simulator/clock", json={"advance": seconds})
        assert answer.status_code == 200, answer.text

    def recorded(self, path: str | None = None) -> list[dict[str, Any]]:
        """The log of requests, oldest first; with `path` only those to it."""
        rows: list[dict[str, Any]] = self.http.get("/_simulator/log").json()["requests"]
        return [row for row in rows if path is None or row["path"] == path]

    def bodies(self, kind: str = "messages") -> list[dict[str, Any]]:
        """The recorded request bodies, oldest first; needs `record`. `kind` is "messages" or "count_tokens"."""
        assert self._record is not None
        return [json.loads(file.read_bytes()) for file in sorted(self._record.glob(f"[0-9]*-{kind}.json"))]

    def reset(self) -> None:
        """Forget scenario, log and cache."""
        self.http.post("/_simulator/reset")

    def headers(self, **more: str) -> dict[str, str]:
        """Headers of a plain request: key and newest version; underscores in names become hyphens."""
        base = {"authorization": f"Bearer {self.key}", "anthropic-version": "2026-10-21"}
        return base | {name.replace("_", "-"): value for name, value in more.items()}
