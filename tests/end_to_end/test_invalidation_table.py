"""Every row of what invalidates what, provoked with two real requests: the finder names the culprit, the figures show
how far the cache still held, and the server's own diagnosis agrees or is unavailable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from desktop_app.core.cache.causes import Cause, SentRequest
from desktop_app.core.cache.culprit import Agreement, MissReport, miss_report
from desktop_app.core.cache.diagnosis import DiagnosisKind, diagnosis_from
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Epoch, Message
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_notes import MessageNotes, NoteKind, note_of
from desktop_app.core.models import Features
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.prompt import Choices, build_request, with_diagnosis
from desktop_app.core.request import Mark, Request
from desktop_app.core.request_log import RequestState, spans_of
from desktop_app.core.usage import Usage, merge_usage
from tests.fakes.simulator import RunningSimulator
from tests.unit.fact_samples import START, fact
from tests.unit.message_samples import PICTURE, path_of, reply, user
from tests.unit.sent_samples import with_record

MODEL = "claude-opus-5"
LONG_TOOL: Block = {
    "name": "almanac",
    "description": "Looks up when the sun rises and sets, how high the tide is and which star is in the south. " * 40,
    "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}},
}
CLOCK: Block = {"name": "clock", "description": "Tells the time.", "input_schema": {"type": "object"}}
SYSTEM = "You answer in short plain sentences and never guess.\n" * 250
FACTS = [fact(1, "city", "Seoul"), fact(2, "cat", "Mia")]
EPOCH = Epoch(1, MODEL, SYSTEM, (LONG_TOOL, CLOCK), facts=make_block(FACTS, 4_000, len).text)
PLAIN = replace(EPOCH, facts="")
QUESTION = "Where did we put the boxes with the winter clothes, the tent and the old letters? " * 150
FIRST = path_of(user(QUESTION))
SECOND = path_of(user(QUESTION), reply("In the attic, behind the blue chest."), user("And the skis?"))
PAPER: Block = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "The skis stand in the cellar."},
    "citations": {"enabled": True},
}
NOTHING, TOOLS, HEAD, SOME = "nothing", "tools", "tools and system", "some messages"


@dataclass(frozen=True)
class Sent:
    """A request to be sent: the path it answers and what it is sent with."""

    path: Sequence[Message]
    epoch: Epoch = PLAIN
    params: dict[str, Any] = field(default_factory=dict)
    memo: Compaction | None = None
    record: dict[str, Any] = field(default_factory=dict)
    marks: Callable[[tuple[Mark, ...]], tuple[Mark, ...]] = tuple
    minute: float = 0

    def request(self) -> tuple[Request, dict[str, Any]]:
        """The request, and what its record holds of it."""
        plan = plan_context(self.path, self.epoch, self.memo)
        request = build_request(plan, Choices(64, "high"), Features())
        params = {**request.params, "stream": False, **self.params}
        betas = ("fast-mode-2026-02-01",) if "speed" in params else ()
        request = replace(request, params=params, marks=self.marks(request.marks), betas=betas)
        return request, {"spans": spans_of(plan), "minute": self.minute, **self.record}


class Teller:
    """Sends requests one after the other, each asking what became of the cache since the one before."""

    def __init__(self, simulator: RunningSimulator) -> None:
        self._simulator = simulator
        self._last: str | None = None

    def send(self, sent: Sent) -> SentRequest:
        """The request with its record, as measured and diagnosed by the server."""
        request, known = sent.request()
        request = with_diagnosis(request, self._last)
        answer = self._simulator.http.post(
            "/v1/messages",
            content=request.body_bytes(),
            headers=self._simulator.headers(content_type="application/json", anthropic_beta=",".join(request.betas)),
        )
        if answer.status_code != 200:
            return with_record(request, state=RequestState.FAILED, error="server_failed", **known)
        told = answer.json()
        self._last = told["id"]
        return with_record(
            request,
            usage=merge_usage(Usage(), told["usage"]),
            diagnosis=diagnosis_from(told["diagnostics"]),
            remote_id=told["id"],
            **known,
        )


def noted(path: Sequence[Message], *facts: Any) -> list[Message]:
    notes = MessageNotes(1, tuple(note_of(one, NoteKind.RECALLED) for one in facts))
    return [replace(path[0], notes=notes), *path[1:]]


def memo(text: str) -> Compaction:
    return Compaction("k", "c", "m1", text, 2, 0, 0, START, MODEL, 1.0, "r")


def with_facts(*facts: Any) -> Epoch:
    return replace(EPOCH, facts=make_block(facts, 4_000, len).text)


def edited(text: str) -> list[Message]:
    return path_of(user(text), *SECOND[1:])


FOLDED = path_of(*SECOND, reply("In the cellar."), user(QUESTION))
OTHER_WORDS = {**CLOCK, "description": "Tells the time of day."}

ROWS: dict[str, tuple[Sent, Sent, Cause, str, str, DiagnosisKind]] = {
    # what changes: the earlier and the later request, the cause and its name, what is still read, the API's word
    "tool added": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, tools=(*PLAIN.tools, {**CLOCK, "name": "notes"}))),
        *(Cause.TOOL_ADDED, "notes", NOTHING, DiagnosisKind.TOOLS_CHANGED),
    ),
    "tool removed": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, tools=(LONG_TOOL,))),
        *(Cause.TOOL_REMOVED, "clock", NOTHING, DiagnosisKind.TOOLS_CHANGED),
    ),
    "tools reordered": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, tools=(CLOCK, LONG_TOOL))),
        *(Cause.TOOL_ORDER, "clock", NOTHING, DiagnosisKind.TOOLS_CHANGED),
    ),
    "text of a tool": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, tools=(LONG_TOOL, OTHER_WORDS))),
        *(Cause.TOOL_CHANGED, "clock", NOTHING, DiagnosisKind.TOOLS_CHANGED),
    ),
    "text of a tool since an update": (
        Sent(FIRST, record={"app_version": "1.0"}),
        Sent(SECOND, replace(PLAIN, tools=(LONG_TOOL, OTHER_WORDS)), record={"app_version": "1.1"}),
        *(Cause.APP_VERSION, "clock", NOTHING, DiagnosisKind.TOOLS_CHANGED),
    ),
    "model": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, model="claude-opus-4-8")),
        *(Cause.MODEL, "model", NOTHING, DiagnosisKind.MODEL_CHANGED),
    ),
    "speed": (
        Sent(FIRST),
        Sent(SECOND, params={"speed": "fast"}),
        *(Cause.SPEED, "speed", TOOLS, DiagnosisKind.MODEL_CHANGED),
    ),
    "system text": (
        Sent(FIRST),
        Sent(SECOND, replace(PLAIN, system=f"Be kind. {SYSTEM}")),
        *(Cause.INSTRUCTIONS, "", TOOLS, DiagnosisKind.SYSTEM_CHANGED),
    ),
    "date in the system text": (
        Sent(FIRST, replace(PLAIN, system=f"Today is 2026-11-29.\n{SYSTEM}")),
        Sent(SECOND, replace(PLAIN, system=f"Today is 2026-11-30.\n{SYSTEM}")),
        *(Cause.DATE, "", TOOLS, DiagnosisKind.SYSTEM_CHANGED),
    ),
    "a fact": (
        Sent(FIRST, EPOCH),
        Sent(SECOND, with_facts(FACTS[0], fact(2, "cat", "Mori"))),
        *(Cause.FACT, "cat", HEAD, DiagnosisKind.SYSTEM_CHANGED),
    ),
    "words of the program around the facts": (
        Sent(FIRST, EPOCH, record={"app_version": "1.0"}),
        Sent(
            SECOND,
            replace(EPOCH, facts=EPOCH.facts.replace("leave the rest", "leave all else")),
            record={"app_version": "1.1"},
        ),
        *(Cause.APP_VERSION, "", HEAD, DiagnosisKind.SYSTEM_CHANGED),
    ),
    "citations": (
        Sent(FIRST),
        Sent(path_of(*SECOND[:2], user("Cite it.", PAPER))),
        *(Cause.CITATIONS, "citations", TOOLS, DiagnosisKind.UNAVAILABLE),
    ),
    "tool choice": (
        Sent(FIRST),
        Sent(SECOND, params={"tool_choice": {"type": "none"}}),
        *(Cause.TOOL_CHOICE, "tool_choice", HEAD, DiagnosisKind.UNAVAILABLE),
    ),
    "images": (
        Sent(FIRST),
        Sent(path_of(*SECOND[:2], user("What is this?", PICTURE))),
        *(Cause.IMAGES, "images", HEAD, DiagnosisKind.UNAVAILABLE),
    ),
    "images that went": (
        Sent(path_of(user(QUESTION, PICTURE))),
        Sent(SECOND),
        *(Cause.IMAGES, "images", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "thinking": (
        Sent(FIRST),
        Sent(SECOND, params={"thinking": {"type": "disabled"}}),
        *(Cause.THINKING, "thinking", HEAD, DiagnosisKind.UNAVAILABLE),
    ),
    "effort": (
        Sent(FIRST),
        Sent(SECOND, params={"output_config": {"effort": "low"}}),
        *(Cause.EFFORT, "effort", HEAD, DiagnosisKind.UNAVAILABLE),
    ),
    "edit of an earlier message": (
        Sent(SECOND),
        Sent([*edited(f"Tell me: {QUESTION}"), *path_of(reply("In the cellar."), user("Thanks."))]),
        *(Cause.MESSAGE, "1", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "edit further down": (
        Sent(FOLDED),
        Sent(path_of(*FOLDED[:4], user("Where is the sled? " * 150), reply("There."), user("Thanks."))),
        *(Cause.MESSAGE, "5", SOME, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "what was told of a fact": (
        Sent(noted(FIRST, *FACTS)),
        Sent(noted(SECOND, FACTS[0])),
        *(Cause.NOTE, "cat", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "folded": (
        Sent(SECOND),
        Sent(FOLDED, memo=memo("Boxes: attic.")),
        *(Cause.FOLDED, "", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "another memo": (
        Sent(FOLDED, memo=memo("Boxes: attic.")),
        Sent(path_of(*FOLDED, reply("There."), user("Thanks.")), memo=memo("All in the attic.")),
        *(Cause.FOLDED, "", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
    "folding taken back": (
        Sent(FOLDED, memo=memo("Boxes: attic.")),
        Sent(path_of(*FOLDED, reply("There."), user("Thanks."))),
        *(Cause.FOLDED, "", HEAD, DiagnosisKind.MESSAGES_CHANGED),
    ),
}
# Order of the table: tools, system, messages; the last figure is where the cache still holds.
LEAST = {NOTHING: 0, TOOLS: 500, HEAD: 2_500, SOME: 5_000}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(simulator: RunningSimulator, row: str) -> None:
    earlier, later, cause, name, still_read, said = ROWS[row]
    teller = Teller(simulator)
    before = teller.send(earlier)
    report = miss_report(before, after := teller.send(replace(later, minute=1)), load_prices())
    culprit, usage = report.culprit, after.record.usage
    assert usage is not None
    assert (culprit.cause, culprit.name) == (cause, name)
    assert culprit.difference is not None
    assert culprit.difference.before != culprit.difference.after
    assert_read(usage, still_read)
    assert culprit.lost_tokens == left_and_not_read(before, after) > 500
    assert report.diagnosis is not None
    assert report.diagnosis.kind is said
    expected = Agreement.SILENT if said is DiagnosisKind.UNAVAILABLE else Agreement.AGREES
    assert report.agreement is expected
    assert culprit.lost_usd is not None
    assert culprit.lost_usd > 0


def assert_read(usage: Usage, still_read: str) -> None:
    """The figures of the server say the cache held just so far."""
    levels = list(LEAST)
    read = usage.read or 0
    if still_read == NOTHING:
        assert read == 0
        return
    further = levels[levels.index(still_read) + 1 :]
    assert LEAST[still_read] < read < min((LEAST[level] for level in further), default=20_000)


def left_and_not_read(before: SentRequest, after: SentRequest) -> int:
    """Tokens the earlier request left that the later one might have read and did not."""
    left, now = before.record.usage, after.record.usage
    assert left is not None
    assert now is not None
    return min((left.read or 0) + (left.written or 0), now.input_total or 0) - (now.read or 0)


# -- nothing differs, or there is nothing to compare with ----------------------------------------


def report_on(simulator: RunningSimulator, earlier: Sent, later: Sent) -> MissReport:
    teller = Teller(simulator)
    return miss_report(teller.send(earlier), teller.send(replace(later, minute=later.minute or 1)), load_prices())


def test_appending_reads_all_and_both_find_no_difference(simulator: RunningSimulator) -> None:
    report = report_on(simulator, Sent(FIRST), Sent(SECOND))
    assert (report.culprit.cause, report.agreement) == (Cause.NONE, Agreement.AGREES)
    assert report.culprit.lost_tokens == 0


def test_what_does_not_count_for_the_cache_is_no_culprit(simulator: RunningSimulator) -> None:
    shown = {"thinking": {"type": "adaptive", "display": "omitted"}}
    later = Sent(SECOND, params={"max_tokens": 60, "stop_sequences": ["§"], **shown}, marks=lambda marks: marks[-2:])
    report = report_on(simulator, Sent(FIRST), later)
    assert (report.culprit.cause, report.culprit.also, report.agreement) == (Cause.NONE, (), Agreement.AGREES)


def test_sent_too_late(simulator: RunningSimulator) -> None:
    teller = Teller(simulator)
    before = teller.send(Sent(FIRST))
    simulator.advance(301)
    report = miss_report(before, teller.send(Sent(SECOND, minute=301 / 60)), load_prices())
    assert (report.culprit.cause, report.culprit.was, report.culprit.is_now) == (Cause.EXPIRED, "5m", "301")
    assert report.agreement is Agreement.AGREES


def test_too_small_to_be_kept(simulator: RunningSimulator) -> None:
    short = Epoch(1, MODEL, "Be brief.")
    path = path_of(user("Hello"), reply("Hi."), user("How are you?"))
    report = report_on(simulator, Sent(path[:1], short), Sent(path, short))
    assert (report.culprit.cause, report.culprit.lost_tokens) == (Cause.TOO_SMALL, 0)
    assert report.agreement is Agreement.AGREES


def test_more_than_twenty_blocks_between_the_marks(simulator: RunningSimulator) -> None:
    many = path_of(*SECOND[:2], user(*(f"Part {number}." for number in range(25))))
    report = report_on(simulator, Sent(FIRST), Sent(many, marks=lambda marks: (marks[0], marks[-1])))
    assert (report.culprit.cause, report.culprit.is_now) == (Cause.LOOK_BACK, "26")
    assert report.agreement is Agreement.AGREES
    # The marks as they are placed find it.
    simulator.reset()
    assert report_on(simulator, Sent(FIRST), Sent(many)).culprit.cause is Cause.NONE


def test_an_answer_that_never_began_left_nothing(simulator: RunningSimulator) -> None:
    simulator.control({"action": "status", "status": 529})
    report = report_on(simulator, Sent(FIRST), Sent(SECOND))
    assert (report.culprit.cause, report.culprit.lost_tokens) == (Cause.NOT_STARTED, 0)
    assert report.agreement is Agreement.SILENT


def test_a_request_without_marks_left_nothing(simulator: RunningSimulator) -> None:
    report = report_on(simulator, Sent(FIRST, marks=lambda _: ()), Sent(SECOND))
    assert (report.culprit.cause, report.agreement) == (Cause.UNMARKED, Agreement.AGREES)


def test_a_server_that_forgot_is_explained_by_nothing(simulator: RunningSimulator) -> None:
    teller = Teller(simulator)
    before = teller.send(Sent(FIRST))
    simulator.reset()
    report = miss_report(before, teller.send(Sent(SECOND, minute=1)), load_prices())
    assert report.culprit.cause is Cause.UNEXPLAINED
    assert report.diagnosis is not None
    assert (report.diagnosis.kind, report.agreement) == (DiagnosisKind.NOT_FOUND, Agreement.SILENT)


def test_another_endpoint(simulator: RunningSimulator) -> None:
    teller = Teller(simulator)
    before = teller.send(Sent(FIRST, record={"host": "llm.example.com"}))
    simulator.reset()  # another server knows nothing of what the first one kept
    report = miss_report(before, teller.send(Sent(SECOND, minute=1)), load_prices())
    assert (report.culprit.cause, report.culprit.was) == (Cause.ENDPOINT, "llm.example.com")
    assert report.agreement is Agreement.SILENT


def test_the_first_request(simulator: RunningSimulator) -> None:
    report = miss_report(None, Teller(simulator).send(Sent(FIRST)), load_prices())
    assert (report.culprit.cause, report.agreement) == (Cause.FIRST, Agreement.SILENT)


def test_thinking_that_is_no_longer_sent(simulator: RunningSimulator) -> None:
    answered = {"type": "thinking", "thinking": "They said the attic. " * 80}
    simulator.control({"action": "reply", "content": [answered, {"type": "text", "text": "In the attic."}]})
    teller = Teller(simulator)
    request, _ = Sent(FIRST).request()
    headers = simulator.headers(content_type="application/json")
    told = simulator.http.post("/v1/messages", content=request.body_bytes(), headers=headers).json()
    thought = next(block for block in told["content"] if block["type"] == "thinking")
    path = path_of(user(QUESTION), reply(thought, "In the attic."), user(QUESTION))
    later = path_of(*path, reply("In the cellar."), user("Thanks."))
    before = teller.send(Sent(path))
    after = teller.send(Sent(later, replace(PLAIN, number=2), minute=1))
    report = miss_report(before, after, load_prices())
    assert (report.culprit.cause, report.culprit.name) == (Cause.THINKING_LEFT, "2")
    assert report.agreement is Agreement.AGREES
