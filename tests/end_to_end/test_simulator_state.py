"""The simulator's state file: written seldom, beside the answers, and whole when the simulator ends."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from desktop_app.simulator import cache, diagnosis
from desktop_app.simulator import state as state_module
from desktop_app.simulator.clock import Clock
from desktop_app.simulator.models import find_model
from desktop_app.simulator.state import StateFile
from tests.end_to_end.test_simulator_diagnosis import BASE, BETAS, SMALL
from tests.fakes.refused_requests import text, user
from tests.fakes.simulator import RunningSimulator


def ask(simulator: RunningSimulator, previous: str | None = None) -> dict[str, Any]:
    headers = simulator.headers(anthropic_beta=",".join(BETAS))
    body = BASE | {"diagnostics": {"previous_message_id": previous}}
    answer = simulator.http.post("/v1/messages", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_what_an_answer_wrote_outlives_an_end_right_behind_it(tmp_path: Path) -> None:
    with RunningSimulator(state=tmp_path / "state.json") as simulator:
        first = ask(simulator)
        assert first["usage"]["cache_creation_input_tokens"] > 0
        simulator.restart()
        again = ask(simulator, first["id"])
        assert again["usage"]["cache_read_input_tokens"] == first["usage"]["cache_creation_input_tokens"]
        assert again["diagnostics"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_simulator_that_is_killed_a_moment_later_has_kept_it(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    with RunningSimulator(state=path) as simulator:
        first = ask(simulator)
        written(path, first["id"])
        os.kill(simulator.pid, signal.SIGKILL)
        simulator.restart()
        assert ask(simulator)["usage"]["cache_read_input_tokens"] > 0


def test_what_cannot_be_kept_is_told_in_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with RunningSimulator(state=tmp_path / "state.json") as simulator:
        (tmp_path / "state.json.new").mkdir()
        assert ask(simulator)["type"] == "message"
        assert simulator.stop() == 0
        (told,) = capfd.readouterr().err.splitlines()
        assert told.startswith("The simulator could not keep its cache: ")
        simulator.start()


def written(path: Path, words: str) -> None:
    """Waits until they stand in the file."""
    waiting = threading.Event()
    for _ in range(500):
        if path.exists() and words in path.read_text("utf-8"):
            return
        waiting.wait(0.01)
    raise AssertionError(f"{words} was never written")


class Part:
    """A part of the file that counts how often it is asked, and can be made to take its time."""

    def __init__(self, state: StateFile) -> None:
        self.value, self.dumped = 0, 0
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()
        state.attach("part", lambda _: None, self._dump)

    def _dump(self) -> int:
        self.dumped += 1
        value = self.value
        self.asked.set()
        self.go_on.wait(10)
        return value


def kept(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))["part"]


def test_many_changes_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    state = StateFile(Clock(), path)
    part = Part(state)
    for part.value in range(1, 51):
        state.changed()
    assert not path.exists(), "nothing waits for the disk"
    written(path, '"part": 50')
    state.close()
    assert part.dumped == 1


def test_what_changes_while_the_file_is_written_is_written_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_module, "PAUSE", 0.0)
    path = tmp_path / "state.json"
    state = StateFile(Clock(), path)
    part = Part(state)
    part.go_on.clear()
    part.value = 1
    state.changed()
    assert part.asked.wait(10)
    monkeypatch.setattr(state_module, "PAUSE", 60.0)
    part.value = 2
    state.changed()
    part.go_on.set()
    state.close()
    assert kept(path) == 2
    for timer in (one for one in threading.enumerate() if isinstance(one, threading.Timer)):
        timer.join(10)
        assert not timer.is_alive()


def test_what_a_full_disk_did_not_take_is_written_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    state = StateFile(Clock(), path)
    part = Part(state)
    part.value = 7
    fresh = tmp_path / "state.json.new"
    fresh.mkdir()
    monkeypatch.setattr(state_module, "PAUSE", 0.0)
    state.changed()
    assert part.asked.wait(10)
    with pytest.raises(OSError, match=r"state\.json\.new"):
        state.save()
    fresh.rmdir()
    state.close()
    assert kept(path) == 7


def test_an_unchanged_state_is_not_written(tmp_path: Path) -> None:
    state = StateFile(Clock(), tmp_path / "state.json")
    Part(state)
    state.close()
    assert list(tmp_path.iterdir()) == []


def test_fingerprints_are_swept_once_they_have_doubled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(diagnosis, "MOST_KEPT", 20)
    monkeypatch.setattr(diagnosis, "LEAST_SWEPT", 50)
    sweeps: list[int] = []
    real = diagnosis.Fingerprints._sweep
    monkeypatch.setattr(diagnosis.Fingerprints, "_sweep", lambda self: (sweeps.append(1), real(self)))
    model = find_model(SMALL)
    assert model is not None
    state = StateFile(Clock(), tmp_path / "state.json")
    prints = diagnosis.Fingerprints(Clock(), state)
    for number in range(200):
        body = BASE | {"messages": [user(text(f"Chat {number}"))]}
        prints.keep(f"msg_{number}", diagnosis.fingerprint(body, model, set()))
    assert 1 <= len(sweeps) <= 10
    assert len(prints._links) <= 60
    state.save()
    saved = json.loads((tmp_path / "state.json").read_text("utf-8"))["fingerprints"]
    assert list(saved["requests"]) == [f"msg_{number}" for number in range(180, 200)]
    assert len(saved["blocks"]) == 3 + 20  # two tools and the system text are those of all


def test_entries_of_the_cache_go_once_they_have_expired(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache, "LEAST_SWEPT", 10)
    clock = Clock()
    kept_entries = cache.PromptCache(clock, StateFile(clock))
    for number in range(100):
        clock.advance(60)
        writes = {f"prefix {number}": cache.Entry(300.0, clock.now() + 300.0)}
        kept_entries.commit(cache.Outcome(0, 1, 0, 0, writes))
    assert len(kept_entries._entries) <= 11
    assert "prefix 99" in kept_entries._dump()
    assert len(kept_entries._dump()) == 5
