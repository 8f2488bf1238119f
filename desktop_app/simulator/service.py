"""One request from body to finished message: checks, counting, cache, assistant, limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .assistant import USUAL, answer
from .cache import Outcome, PromptCache
from .checks import Checked, Envelope, check_request
from .checks.envelope import BINDING_CONTROLS
from .clock import Clock
from .compacting import (
    UNAVAILABLE,
    Order,
    carried,
    compact_edit,
    iteration,
    open_turn,
    order_of,
    read,
    summarise,
    summary_tokens,
)
from .compaction_block import AT_THRESHOLD, Ends, Genuine, make_block
from .conversation import Block, last_question
from .diagnosis import Fingerprints, fingerprint
from .errors import ApiError, invalid
from .features import EVERYTHING, Features
from .memo_modes import FAITHFUL
from .models import Model
from .modes import Modes
from .recording import Recorder
from .reply import Literal, Sent, finish, new_id
from .scenario import Scenario, Step, scripted
from .state import StateFile
from .streaming import Message
from .thinking import Chain, Context


@dataclass
class Settings:
    """How a simulator runs: speed in tokens per second (0 = at once), files, whether the clock can be set, and how
    the assistant answers what is no conversation; `features` is what the server offers when it starts."""

    speed: float = 80.0
    scenario: Path | None = None
    record: Path | None = None
    state: Path | None = None
    clock_control: bool = False
    modes: Modes = USUAL
    features: Features = EVERYTHING


@dataclass
class Composed:
    """What is sent, how its input was split, and the passes of the server before it (`usage.iterations`)."""

    sent: Sent
    outcome: Outcome
    before: list[dict[str, Any]] = field(default_factory=list)


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
        self.features = settings.features

    def reset(self) -> None:
        """Forget scenario, log, cache and fingerprints; the features are those of the start again."""
        self.features = self.settings.features
        self.scenario.clear()
        self.recorder.clear()
        self.cache.clear()
        self.fingerprints.clear()
        self.state.save()

    def count(self, body: dict[str, Any], envelope: Envelope) -> dict[str, Any]:
        """The answer of count_tokens."""
        edited = check_request(body, envelope, self.features, counting=True).edited
        counted: dict[str, Any] = {"input_tokens": edited.count()}
        if edited.original is not None:
            counted["context_management"] = {"original_input_tokens": edited.original}
        return counted

    def check(self, body: dict[str, Any], envelope: Envelope) -> Checked:
        """Check a request for an answer."""
        return check_request(body, envelope, self.features, counting=False)

    def split_input(self, checked: Checked, started: float) -> Outcome:
        """Split the input into read, written and uncached; refuse what does not fit the window."""
        outcome = self.cache.look_up(checked.edited.body, checked.model, checked.edited.hidden, started)
        model, total, wanted = checked.model, outcome.total, checked.body["max_tokens"]
        if total > model.window:
            raise invalid(f"prompt is too long: {total} tokens > {model.window} maximum")
        if not model.stops_at_window and total + wanted > model.window:
            raise invalid(
                f"input length and `max_tokens` exceed context limit: {total} + {wanted} > {model.window}, decrease "
                "input length or `max_tokens` and try again"
            )
        return outcome

    def compose(self, checked: Checked, outcome: Outcome, fault: Step | None, raw: bytes, started: float) -> Message:
        """The finished message for a checked request. Raises ApiError 529 where a step says so of a compaction."""
        body = checked.body
        order = order_of(body, outcome.total)
        if order is not None:
            composed = self._compacted(checked, outcome, order, fault, raw, started)
        elif body["max_tokens"] == 0:
            composed = Composed(Sent(stop_reason="max_tokens"), outcome)
        else:
            seen = read(checked.edited.body, checked.view.block)
            composed = Composed(self._said(checked, seen, outcome, fault, raw), outcome)
        message = self._message(checked, composed, raw)
        if order is not None or compact_edit(body) is not None:
            own = (
                []
                if order is not None and order.alone
                else [iteration("message", composed.outcome, composed.sent.output_tokens)]
            )
            message.iterations = [*composed.before, *own]
        return message

    def _message(self, checked: Checked, composed: Composed, raw: bytes) -> Message:
        body, model = checked.body, checked.model
        asked = BINDING_CONTROLS in checked.envelope.betas
        compared = body.get("diagnostics") is not None
        return Message(
            new_id("msg", raw),
            model.id,
            composed.sent,
            composed.outcome,
            speed=body.get("speed"),
            fingerprint=fingerprint(body, model, checked.chain.dropped_paths) if compared else None,
            transformations=checked.dropped if asked else None,
            applied_edits=None if checked.edited.original is None else checked.edited.applied,
        )

    def _compacted(
        self, checked: Checked, outcome: Outcome, order: Order, fault: Step | None, raw: bytes, started: float
    ) -> Composed:
        """A compaction block, alone or with the answer behind it."""
        seen = read(checked.edited.body, checked.view.block)
        content = self._summary(seen, checked.model, order)
        ends = Ends(Context.before_messages(checked.body).digest(), checked.chain.digests())
        waiting = open_turn(seen["messages"]) if order.kind == AT_THRESHOLD else []
        block = make_block(order.kind, content, ends, carried(waiting))
        before = [iteration("compaction", outcome, summary_tokens(content))]
        if order.alone:
            only_read = Outcome(0, 0, 0, 0, refreshed=outcome.refreshed)
            return Composed(Sent([block], stop_reason="compaction"), only_read, before)
        if content is None:
            sent = self._said(checked, seen, outcome, fault, raw, first=block)
            return Composed(sent, outcome, before)
        after = {**checked.body, "messages": [{"role": "assistant", "content": [block]}]}
        left = self.cache.look_up(after, checked.model, set(), started)
        left.refreshed = outcome.refreshed | left.refreshed
        behind = replace(checked, chain=Chain.begin(after))
        goes_on = read(after, Genuine(order.kind, ends, waiting))
        return Composed(self._said(behind, goes_on, left, fault, raw, first=block), left, before)

    def _summary(self, seen: dict[str, Any], model: Model, order: Order) -> str | None:
        """What a waiting step says of this compaction, else the summary of the assistant."""
        step = self.scenario.take_compaction(last_question(seen))
        if step is not None and step.get("outcome") == "unavailable":
            raise ApiError(529, UNAVAILABLE, details={"error_code": "compaction_unavailable"})
        if step is not None and step.get("outcome") == "failed":
            return None
        if step is not None and step.get("text") is not None:
            return str(step.get("text"))
        return summarise(seen, model, order, FAITHFUL if step is None else step.get("mode", FAITHFUL))

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

    def _said(
        self,
        checked: Checked,
        seen: dict[str, Any],
        outcome: Outcome,
        fault: Step | None,
        raw: bytes,
        first: Block | None = None,
    ) -> Sent:
        """The answer to what the assistant sees, behind a compaction block where there is one."""
        body, model = checked.body, checked.model
        reply = scripted(fault, answer(seen, model, self.settings.modes.under(fault)))
        if first is not None:
            reply.parts.insert(0, Literal(first))
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
