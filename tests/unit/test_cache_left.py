"""The request the next one on a path is measured by."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.core.cache.left import last_on_path
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import Usage
from tests.unit.message_samples import path_of, user
from tests.unit.sent_samples import sent

ONE = sent(path_of(user("Hello")), usage=Usage(5, 2_000, 0, 0, 10)).record


def record(name: str, **changes: object) -> RequestRecord:
    return replace(ONE, id=name, turn_id=name, **changes)  # type: ignore[arg-type]


def test_only_turns_of_the_path_count_and_only_those_that_were_answered() -> None:
    first, second, other = record("first"), record("second"), record("other version")
    failed = record("failed", state=RequestState.FAILED, usage=None)
    memo = replace(record("memo", purpose=RequestPurpose.MEMO), turn_id="second")
    records = [first, second, other, failed, memo]
    path = ["first", "a", "second", "b", "failed"]
    assert last_on_path(records, path) == second
    assert last_on_path(records, ["first", "a"]) == first
    assert last_on_path(records, ["other version"]) == other
    assert last_on_path(records, ["failed"]) is None
    assert last_on_path(records, []) is None


def test_a_stopped_answer_counts_once_it_began_and_so_does_one_without_figures() -> None:
    stopped = record("stopped", state=RequestState.STOPPED)
    silent = record("silent", usage=None)
    assert last_on_path([stopped, silent], ["stopped"]) == stopped
    assert last_on_path([stopped, silent], ["stopped", "silent"]) == silent
