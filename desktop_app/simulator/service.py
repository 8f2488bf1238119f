"""One request from body to finished message: checks, counting, cache, assistant, limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .assistant import answer
from .cache import Outcome, PromptCache
from .checks import Checked, Envelope, check_request
from .checks.envelope import BINDING_CONTROLS
from .clock import Clock
from .counting import count_request
from .diagnosis import Fingerprints, fingerprint
from .errors import invalid
from .memo import FAITHFUL
from .recording import Recorder
from .reply import Reply, Sent, finish, new_id
from .scenario import Scenario, Step, scripted
from .state import StateFile
from .streaming import Message


@dataclass
class Settings:
    """How a simulator runs: speed in tokens per second (0 = at once), files, whether the clock can be set, and how
    handover memos are written ("faithful" or "lossy")."""

    speed: float = 80.0
    scenario: Path | None = None
    record: Path | None = None
    state: Path | None = None
    clock_control: bool = False
    memo: str = FAITHFUL


class Simulator:
    """Everything that lives as long as the process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock = Clock()
        self.state = StateFile(self.clock, settings.state)
        self.cache = PromptCache(self.clock, self.state)
        self.fingerprints = Fingerprints(self.clock, self.state)
        self.scenario = Scenario()
        self.recorder = Recorder(settings.record)

    def reset(self) -> None:
        """Forget scenario, log, cache and fingerprints."""
        self.scenario.clear()
        self.recorder.clear()
        self.cache.clear()
        self.fingerprints.clear()
        self.state.save()

    def count(self, body: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
        """The answer of count_tokens."""
        checked = check_request(body, envelope, counting=True)
        return {"input_tokens": count_request(checked.body, checked.chain.dropped_paths)}

    def check(self, body: dict[str, Any], envelope: Envelope) -> Checked:
        """Check a request for an answer."""
        return check_request(body, envelope, counting=False)

    def split_input(self, checked: Checked, started: float) -> Outcome:
        """Split the input into read, written and uncached; refuse what does not fit the window."""
        outcome = self.cache.look_up(checked.body, checked.model, checked.chain.dropped_paths, started)
        model, total, wanted = checked.model, outcome.total, checked.body["max_tokens"]
        if total > model.window:
            raise invalid(f"prompt is too long: {total} tokens > {model.window} maximum")
        if not model.stops_at_window and total + wanted > model.window:
            raise invalid(
                f"input length and `max_tokens` exceed context limit: {total} + {wanted} > {model.window}, decrease "
                "input length or `max_tokens` and try again"
            )
        return outcome

    def compose(self, checked: Checked, outcome: Outcome, fault: Step | None, raw: bytes) -> Message:
        """The finished message for a checked request."""
        body, model = checked.body, checked.model
        if body["max_tokens"] == 0:
            sent = Sent(stop_reason="max_tokens")
        else:
            memo = fault.get("mode") if fault is not None and fault.action == "memo" else self.settings.memo
            sent = self._finish(checked, outcome, scripted(fault, answer(body, model, memo)), raw)
        asked = BINDING_CONTROLS in checked.envelope.betas
        compared = body.get("diagnostics") is not None
        return Message(
            new_id("msg", raw),
            model.id,
            sent,
            outcome,
            speed=body.get("speed"),
            fingerprint=fingerprint(body, model, checked.chain.dropped_paths) if compared else None,
            transformations=checked.chain.dropped if asked else None,
        )

    def diagnose(self, message: Message, checked: Checked, fault: Step | None) -> None:
        """Fill in the diagnosis of a composed message; a step may say what it is where there is one to make."""
        if message.fingerprint is None:
            return
        previous = checked.body["diagnostics"]["previous_message_id"]
        if fault is not None and fault.action == "diagnosis" and previous is not None:
            message.diagnostics = {"cache_miss_reason": fault.get("cache_miss_reason")}
        else:
            message.diagnostics = self.fingerprints.diagnose(previous, message.fingerprint)

    def commit(self, message: Message) -> None:
        """The answer begins: what it wrote can be read and its request compared from now on."""
        changed = self.cache.commit(message.outcome)
        if message.fingerprint is not None:
            self.fingerprints.keep(message.id, message.fingerprint)
        if changed or message.fingerprint is not None:
            self.state.changed()

    def _finish(self, checked: Checked, outcome: Outcome, reply: Reply, raw: bytes) -> Sent:
        body, model = checked.body, checked.model
        wanted, room = body["max_tokens"], model.window - outcome.total
        display = (body.get("thinking") or {}).get("display")
        return finish(
            reply,
            limit=min(wanted, room),
            at_limit="max_tokens" if wanted <= room else "model_context_window_exceeded",
            stops=body.get("stop_sequences") or [],
            shown=model.shows_thinking if display is None else display != "omitted",
            model=model.id,
            chain=checked.chain,
            seed=raw,
        )
