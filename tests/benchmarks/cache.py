"""Fifty turns with tools, recall, edited facts, a folding and a restart: what was read of it all, at what price."""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import WrittenBy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.conversation import Block
from desktop_app.core.fact_notes import NoteKind
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.usage import Usage, merge_usage
from desktop_app.services.turn import TurnControl
from desktop_app.simulator.counting import Segment, segments_of
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.forty_turns import INSTRUCTIONS, PROMPTS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

TURNS, RESTART, FOLDING = 50, 25, 32
EDITS = {
    8: ("nas", "nas-9"),
    15: ("router", "7.4.0"),
    22: ("커피", "연하게"),
    29: ("editor", "helix"),
    40: ("nas", "nas-8"),
}
PROFILE = {
    "instructions": INSTRUCTIONS * 6,
    "facts_budget": 200,
    "fold_automatically": False,
    "fold_keep": 800,
    "fold_tokens": 8_000,
}
# What each of the prompts asks about, so that there is something to recall for every turn of each.
TOPICS = (
    "bicycle at the station rack", "calculator", "nightly backups", "자전거 관리실 전화번호", "harbours",
    "계산해 줘", "invoice due on 3 December", "code to show", "회의 보고서 예산안", "know about invoice INV-2025-00417",
)  # fmt: skip
FACTS = (
    ("nas", "nas-7"), ("router", "7.3.1"), ("커피", "진하게"), ("editor", "vim"), ("bicycle", "green, rack 14"),
    *((f"note {number} {topic}", f"{topic}: see folder {number * 3}") for topic in TOPICS for number in range(1, 31)),
)  # fmt: skip
PAUSES = (12.0, 90.0)
"""Shortest and longest pause before a turn in seconds, on the simulator's clock."""
AT = datetime(2026, 11, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Sent:
    """A request as the simulator got it, the pause before it in seconds, and what it reported."""

    body: dict[str, Any]
    pause: float
    usage: Usage


async def play(folder: Path, simulator: RunningSimulator) -> tuple[list[RequestRecord], list[float], float]:
    """The fifty turns; the requests, the pauses before them, and the share of turns that were told a recalled fact."""
    pauses, chance = [], random.Random(9)
    talk: str | None = None

    async def turns(house: House, numbers: Iterable[int]) -> None:
        nonlocal talk
        for number in numbers:
            if number in EDITS:
                await house.services.memory.edit(EDITS[number][0], value=EDITS[number][1])
            pause = chance.uniform(*PAUSES)
            simulator.advance(pause)
            before = len(simulator.recorded("/v1/messages"))
            talk = await house.ask(PROMPTS[number % len(PROMPTS)], talk)
            if number == FOLDING:
                await house.services.chat.fold(talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl())
                assert house.of(turn_events.FoldingDone)
            sent = len(simulator.recorded("/v1/messages")) - before
            pauses.extend([pause, *[0.0] * (sent - 1)])

    async with open_house(folder, simulator.url, **PROFILE) as house:
        for key, value in FACTS:
            await house.services.memory.add(key, value)
        await turns(house, range(1, RESTART + 1))
    async with open_house(folder, simulator.url, **PROFILE) as house:
        await turns(house, range(RESTART + 1, TURNS + 1))
        assert talk is not None
        path = await house.path(talk)
        asked = [message for message in path if message.opens_turn]
        told = [one for one in asked if one.notes and any(note.kind is NoteKind.RECALLED for note in one.notes.notes)]
        return await house.services.store.requests(talk), pauses, len(told) / len(asked)


def best_possible(bodies: Sequence[dict[str, Any]]) -> list[int]:
    """For each request the tokens of the longest beginning that any earlier one had, marks left out."""
    seen: list[list[Segment]] = []
    possible = []
    for body in bodies:
        steps = segments_of(without_marks(body))
        keys = [(step.level, step.key) for step in steps]
        shared = 0
        for earlier in seen:
            common = 0
            for key, other in zip(keys, earlier, strict=False):
                if key != (other.level, other.key):
                    break
                common += 1
            shared = max(shared, common)
        possible.append(sum(step.tokens for step in steps[:shared]))
        seen.append(steps)
    return possible


def without_marks(body: dict[str, Any]) -> dict[str, Any]:
    """A body as it was before marks were set on it."""

    def bare(blocks: list[Block]) -> list[Block]:
        return [{name: value for name, value in block.items() if name != "cache_control"} for block in blocks]

    plain = {name: value for name, value in body.items() if name not in ("stream", "diagnostics", "cache_control")}
    for part in ("tools", "system"):
        if part in plain:
            plain[part] = bare(plain[part])
    plain["messages"] = [{**message, "content": bare(message["content"])} for message in plain["messages"]]
    return plain


def one_automatic_mark(body: dict[str, Any], number: int) -> dict[str, Any]:
    """The same request with the API's own mark on its last block."""
    return {**without_marks(body), "cache_control": {"type": "ephemeral"}}


def seeds_layout(body: dict[str, Any], number: int) -> dict[str, Any]:
    """The time and what was recalled at the head of the system prompt, marks behind it and at the end.

    Thinking is left out: it is bound to a prefix that is another one each time.
    """
    plain = without_marks(body)
    messages = []
    recalled = ""
    for message in plain["messages"]:
        content = []
        for block in message["content"]:
            text = str(block.get("text", ""))
            if text.startswith("<memory_notes>"):
                recalled = text
            elif block["type"] not in ("thinking", "redacted_thinking"):
                content.append(block)
        messages.append({"role": message["role"], "content": content})
    preamble = {"type": "text", "text": f"Now it is 2026-11-30 {number // 60:02}:{number % 60:02}.\n{recalled}"}
    system = [preamble, *plain["system"]]
    mark = {"cache_control": {"type": "ephemeral"}}
    system[-1] = {**system[-1], **mark}
    last = messages[-1]["content"]
    last[-1] = {**last[-1], **mark}
    return {**plain, "system": system, "messages": messages}


def replay(simulator: RunningSimulator, bodies: Iterable[dict[str, Any]], pauses: Iterable[float]) -> list[Usage]:
    """Sends bodies one after the other with the same pauses; what each was reported to cost."""
    simulator.reset()
    usages = []
    for body, pause in zip(bodies, pauses, strict=True):
        simulator.advance(pause)
        answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
        assert answer.status_code == 200, answer.text
        usages.append(merge_usage(Usage(), answer.json()["usage"]))
    return usages


def uncached(usages: Iterable[Usage]) -> list[Usage]:
    """The same input without any cache."""
    return [Usage(usage.input_total, 0, 0, 0, 0) for usage in usages]


def input_cost(model: str, usages: Iterable[Usage]) -> Decimal:
    """USD of all input at Anthropic's prices."""
    prices, total = load_prices(), Decimal(0)
    for usage in usages:
        cost = prices.cost(model, Usage(usage.uncached, usage.write_5m, usage.write_1h, usage.read, 0), AT)
        assert cost is not None
        total += cost.input
    return total


async def measure() -> Report:
    """Plays the turns, then sends the same conversation under the other layouts."""
    report = Report("cache", ("layout", "read", "written", "uncached", "input USD", "against ours"))
    with tempfile.TemporaryDirectory() as name, RunningSimulator(record=Path(name) / "log") as simulator:
        records, pauses, told = await play(Path(name) / "data", simulator)
        bodies = simulator.bodies()
        assert len(bodies) == len(records) == len(pauses)
        ours = [record.usage for record in records if record.usage is not None]
        model = records[0].model
        layouts = {
            "ours": ours,
            "no caching": uncached(ours),
            "one automatic mark": replay(
                simulator, (one_automatic_mark(*pair) for pair in zip(bodies, range(999), strict=False)), pauses
            ),
            "volatile preamble at the head": replay(
                simulator, (seeds_layout(*pair) for pair in zip(bodies, range(999), strict=False)), pauses
            ),
        }
    costs = {layout: input_cost(model, usages) for layout, usages in layouts.items()}
    for layout, usages in layouts.items():
        sums = [sum(getattr(usage, part) or 0 for usage in usages) for part in ("read", "written", "uncached")]
        cells = [f"{tokens:,}" for tokens in sums]
        report.rows.append((layout, *cells, f"{costs[layout]:.6f}", f"{costs[layout] / costs['ours']:.2f}×"))
    report.figures = figures(records, best_possible(bodies), costs, told)
    return report


def figures(
    records: Sequence[RequestRecord], possible: Sequence[int], costs: dict[str, Decimal], told: float
) -> list[Figure]:
    """The figures of the run against their targets."""
    read = [(record.usage.read or 0) if record.usage else 0 for record in records]
    others = min(cost for layout, cost in costs.items() if layout != "ours")
    return [
        Figure("cached reads as a share of the best possible", sum(read) / sum(possible), 0.98, at_least=True),
        Figure("cost against the cheapest other layout", float(costs["ours"] / others), 0.999),
        Figure("tokens re-written by the restart", rewritten(records), 0),
        Figure("turns with a recalled fact", told, 0.9, at_least=True),
        Figure("what was foreseen to be read was off by", 100 * drift(records), 5.0, " %"),
        Figure("requests", len(records)),
        Figure("memo requests", sum(record.purpose is RequestPurpose.MEMO for record in records)),
    ]


def drift(records: Sequence[RequestRecord]) -> float:
    """How far the reads foreseen before sending were off, as a share of all that was read."""
    known = [record for record in records if record.usage and record.predicted and record.predicted.read is not None]
    pairs = [(record.predicted.read, record.usage.read or 0) for record in known if record.predicted and record.usage]
    return sum(abs((foreseen or 0) - read) for foreseen, read in pairs) / sum(read for _, read in pairs)


def rewritten(records: Sequence[RequestRecord]) -> int:
    """Tokens that stood in the cache before the restart and were not read after it."""
    after = next(place for place, record in enumerate(records) if record.turn == RESTART + 1)
    before, first = records[after - 1].usage, records[after].usage
    assert before is not None
    assert first is not None
    return (before.read or 0) + (before.written or 0) - (first.read or 0)


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(asyncio.run(measure()).finish(target))
