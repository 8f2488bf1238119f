"""Faults and scripted answers, given by a file or by `POST /_simulator/scenario`.

Format: `{"steps": [STEP, ...]}` (or the bare list). Steps wait in order; each request takes the first step that
matches it, and a step is used up after `count` requests (default 1; 0 = for ever). Fields of every step:

- `match` (optional): `path` ("/v1/messages", ...; without it only `/v1/messages`), `nth` (the nth request to
  that path, from 1), `text` (contained in the last user message), `memo` (true: only requests for a summary, those
  whose last text opens with `<handover_memo_request …>`, `<running_summary_request …>`, `<episode_summaries_request>`
  or `<join_request …>`; false: only others), `form` (only requests for that one: memo, running, episodes or join),
  `task` (only requests about long-term memory whose last text opens with `<extraction_request>` or `<judging_request>`:
  extraction or judging; "any": these and all others). With "none", as without it, a step leaves them alone: a client
  sends them beside the conversation whenever it likes.
- `count`, and `delay` (seconds before anything is answered, with any action).
- `action`, one of:

| action | fields | what happens |
|---|---|---|
| `status` | `status`, `message`, `retry_after` (seconds), `error_type`, `error_code` | an error, before any check |
| `delay` | `seconds` | waits, then answers normally |
| `error` | `after` (deltas), `error_type` ("overloaded_error"), `message` | an `error` event ends the stream |
| `cut` | `after` (deltas) or `after_bytes`; `inside_character`: true | the connection breaks |
| `eof` | `after` (deltas) | the stream ends cleanly without `message_stop` |
| `silence` | `seconds`, `after` (deltas; absent = before the first event), `pings`: false | nothing for a while |
| `slow` | `tokens_per_second` | this answer streams at another speed |
| `refusal` | `category`, `explanation`, `text` | stop reason `refusal` with details |
| `max_tokens` | `after` (tokens) | the answer is cut as by `max_tokens` |
| `window_exceeded` | `after` (tokens) | cut with `model_context_window_exceeded` |
| `pause_turn` | `text` | an unfinished server tool call, stop reason `pause_turn` |
| `blank` | | a reply of two newlines |
| `replay` | `file` (path) | the bytes of a file as `text/event-stream` |
| `diagnosis` | `cache_miss_reason` (null = still pending) | the diagnosis of a reply that has an earlier one |
| `memo` | `mode` (see `memo_modes.py`) | how the next summary is written; other requests leave the step waiting |
| `extraction` | `mode` (see `task_modes.py`) | how the next extraction is answered; other requests leave it waiting |
| `judging` | `mode`, or `verdicts` (same, contradicts, different, unsure; in order) | the next judgement, likewise |
| `compaction` | `outcome` ("failed", "unavailable"), `text` or `mode` (as for `memo`) | the next server compaction |
| `reply` | `text` or `content` (blocks), `stop_reason` | that answer; thinking given as text gets a valid signature |

Modes of an extraction or a judgement are right, wrong, junk, obeying, invalid, empty and blank; without a step the
command line says which it is (`--extraction`, `--judging`). Modes of a summary are faithful, lossy, worst, rewording,
inventing, wrong_language, obeying, tool_call, over_long, blank, cut and refusal. Without a step the command line says
which it is (`--memo`, faithful by default).

A `compaction` step waits for a request that does compact, on demand or at its threshold, and takes part beside another
step for that request; it has no `delay`. "failed" gives a block whose content is null, "unavailable" 529 with the error
code `compaction_unavailable`, `text` that summary. Without a step the summary is faithful, whatever `--memo` says.

What the server offers is no step but `POST /_simulator/features`: `without`, a list of the capabilities no model has
any more (`image_input`, `pdf_input`, `structured_outputs`, `context_management.clear_thinking_20251015`,
`context_management.clear_tool_uses_20250919`, `context_management.compact_20260112`, `compaction.summarize`), and
`least_trigger`, the lowest threshold of a compaction (50 000 input tokens, as at the API). On the command line these
are `--without` and `--least-trigger`; a reset returns to them.

Only `status` comes before the checks of a request; everything else answers requests that passed them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .conversation import FORMS, TASKS, form_asked, task_asked
from .memo_modes import MODES
from .reply import Call, Literal, Part, Reply, Thought, Words
from .task_modes import TASK_MODES, VERDICTS

MESSAGES = "/v1/messages"
ACTIONS = {
    "status": {"status", "message", "retry_after", "error_type", "error_code"},
    "delay": {"seconds"},
    "error": {"after", "error_type", "message"},
    "cut": {"after", "after_bytes", "inside_character"},
    "eof": {"after"},
    "silence": {"seconds", "after", "pings"},
    "slow": {"tokens_per_second"},
    "refusal": {"category", "explanation", "text"},
    "max_tokens": {"after"},
    "window_exceeded": {"after"},
    "pause_turn": {"text"},
    "blank": set(),
    "diagnosis": {"cache_miss_reason"},
    "memo": {"mode"},
    "extraction": {"mode"},
    "judging": {"mode", "verdicts"},
    "compaction": {"outcome", "text", "mode"},
    "replay": {"file"},
    "reply": {"text", "content", "stop_reason"},
}
REQUIRED = {
    "status": ("status",),
    "delay": ("seconds",),
    "silence": ("seconds",),
    "slow": ("tokens_per_second",),
    "replay": ("file",),
    "diagnosis": ("cache_miss_reason",),
    "memo": ("mode",),
    "extraction": ("mode",),
}
COMMON = {"action", "match", "count", "delay"}
NUMBERS = ("status", "after", "after_bytes", "seconds", "tokens_per_second", "retry_after", "count", "delay")


class ScenarioError(ValueError):
    """A step that is not in the format; the text says which and why."""


@dataclass
class Step:
    """One waiting step; `left` is None for a step that is never used up."""

    action: str
    values: dict[str, Any]
    match: dict[str, Any]
    left: int | None

    def fits(self, path: str, nth: int, text: Callable[[], str], *, compacting: bool = False) -> bool:
        wanted = self.match
        if compacting != (self.action == "compaction"):
            return False
        if wanted.get("path", MESSAGES) != path or wanted.get("nth", nth) != nth:
            return False
        if "text" in wanted and str(wanted["text"]) not in text():
            return False
        task = self.action if self.action in TASKS else wanted.get("task", "none")
        if task != "any" and (task_asked(text()) or "none") != task:
            return False
        memo = True if self.action == "memo" else wanted.get("memo")
        if memo is None and "form" not in wanted:
            return True
        form = form_asked(text())
        return memo in (None, form is not None) and wanted.get("form", form) == form

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)


class Scenario:
    """The waiting steps and how many requests each path has had."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._seen: Counter[str] = Counter()

    def clear(self) -> None:
        self.steps.clear()
        self._seen.clear()

    def push(self, given: Any) -> int:
        """Add steps in the format above; returns how many wait now. Raises ScenarioError."""
        rows = given.get("steps") if isinstance(given, dict) else given
        if not isinstance(rows, list):
            raise ScenarioError('a scenario is {"steps": [...]}')
        self.steps += [_read(row, number) for number, row in enumerate(rows)]
        return len(self.steps)

    def take(self, path: str, text: Callable[[], str]) -> Step | None:
        """Count a request and take the step meant for it; `text` gives the last user message."""
        self._seen[path] += 1
        return self._first(path, cache(text), compacting=False)

    def take_compaction(self, text: str) -> Step | None:
        """Take the step meant for a compaction the request just taken leads to; `text` is the last user message."""
        return self._first(MESSAGES, lambda: text, compacting=True)

    def _first(self, path: str, text: Callable[[], str], *, compacting: bool) -> Step | None:
        for step in self.steps:
            if step.fits(path, self._seen[path], text, compacting=compacting):
                if step.left is not None:
                    step.left -= 1
                    if step.left <= 0:
                        self.steps.remove(step)
                return step
        return None


def _read(row: Any, number: int) -> Step:
    if not isinstance(row, dict) or row.get("action") not in ACTIONS:
        raise ScenarioError(f"steps.{number}: action must be one of {', '.join(ACTIONS)}")
    action = row["action"]
    allowed: Iterable[str] = ACTIONS[action] | COMMON
    for name in row:
        if name not in allowed:
            raise ScenarioError(f"steps.{number}: {action} has no field {name}")
    for name in REQUIRED.get(action, ()):
        if name not in row:
            raise ScenarioError(f"steps.{number}: {action} needs {name}")
    for name in NUMBERS:
        if not isinstance(row.get(name, 0), int | float):
            raise ScenarioError(f"steps.{number}: {name} must be a number")
    if action == "diagnosis" and not _is_reason(row["cache_miss_reason"]):
        raise ScenarioError(f"steps.{number}: cache_miss_reason must be null or an object with a type")
    if action == "replay" and not Path(row["file"]).is_file():
        raise ScenarioError(f"steps.{number}: no file {row['file']}")
    if action == "memo" and row["mode"] not in MODES:
        raise ScenarioError(f"steps.{number}: mode must be one of {', '.join(MODES)}")
    if action in TASKS:
        _check_task(row, number)
    if action == "compaction":
        _check_compaction(row, number)
    match = row.get("match") or {}
    if not isinstance(match, dict) or set(match) - {"path", "nth", "text", "memo", "form", "task"}:
        raise ScenarioError(f"steps.{number}: match knows path, nth, text, memo, form and task")
    if "form" in match and match["form"] not in FORMS.values():
        raise ScenarioError(f"steps.{number}: match.form must be one of {', '.join(FORMS.values())}")
    if match.get("task", "any") not in (*TASKS, "none", "any"):
        raise ScenarioError(f"steps.{number}: match.task must be one of {', '.join(TASKS)}, none and any")
    if not isinstance(match.get("memo", False), bool):
        raise ScenarioError(f"steps.{number}: match.memo must be true or false")
    count = int(row.get("count", 1))
    return Step(action, {key: row[key] for key in row if key not in ("match", "count")}, match, count or None)


def _check_task(row: dict[str, Any], number: int) -> None:
    if ("mode" in row) == ("verdicts" in row):
        raise ScenarioError(f"steps.{number}: {row['action']} needs one of mode and verdicts")
    if row.get("mode", TASK_MODES[0]) not in TASK_MODES:
        raise ScenarioError(f"steps.{number}: mode must be one of {', '.join(TASK_MODES)}")
    verdicts = row.get("verdicts", [])
    if not isinstance(verdicts, list) or not set(map(str, verdicts)) <= set(VERDICTS):
        raise ScenarioError(f"steps.{number}: verdicts must be a list of {', '.join(VERDICTS)}")


def _check_compaction(row: dict[str, Any], number: int) -> None:
    if len(row.keys() & ACTIONS["compaction"]) != 1 or "delay" in row:
        raise ScenarioError(f"steps.{number}: compaction needs one of outcome, text and mode, and has no delay")
    if row.get("outcome", "failed") not in ("failed", "unavailable"):
        raise ScenarioError(f"steps.{number}: outcome must be failed or unavailable")
    if row.get("mode", MODES[0]) not in MODES:
        raise ScenarioError(f"steps.{number}: mode must be one of {', '.join(MODES)}")
    if not isinstance(row.get("text", "-"), str) or not row.get("text", "-").strip():
        raise ScenarioError(f"steps.{number}: text must be a summary")


def _is_reason(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and isinstance(value.get("type"), str))


def scripted(step: Step | None, normal: Reply) -> Reply:
    """The reply a step asks for, or the normal one, cut where the step says."""
    if step is None:
        return normal
    if step.action == "blank":
        return Reply([Words("\n\n")])
    if step.action == "refusal":
        details = {"type": "refusal", "category": step.get("category"), "explanation": step.get("explanation")}
        text = step.get("text", "")
        return Reply([Words(text)] if text else [], "refusal", stop_details=details)
    if step.action == "pause_turn":
        call = {"type": "server_tool_use", "id": "srvtoolu_01paused", "name": "web_search", "input": {"query": "…"}}
        return Reply([Words(step.get("text", "Searching first.")), Literal(call)], "pause_turn")
    if step.action in ("max_tokens", "window_exceeded"):
        reason = "max_tokens" if step.action == "max_tokens" else "model_context_window_exceeded"
        normal.truncate = (int(step.get("after", 10)), reason)
        return normal
    return _literal(step) if step.action == "reply" else normal


def _literal(step: Step) -> Reply:
    content = step.get("content")
    blocks = [{"type": "text", "text": step.get("text", "")}] if content is None else content
    parts: list[Part] = [_part(block) for block in blocks]
    called = any(isinstance(part, Call) for part in parts)
    return Reply(parts, step.get("stop_reason") or ("tool_use" if called else "end_turn"))


def _part(block: dict[str, Any]) -> Part:
    kind = block.get("type")
    if kind == "text":
        return Words(str(block["text"]))
    if kind == "thinking" and "signature" not in block:
        return Thought(str(block["thinking"]))
    if kind == "tool_use" and "id" not in block:
        return Call(str(block["name"]), dict(block.get("input", {})))
    return Literal(block)
