"""A thousand turns: bytes on disk, opening any past request, building the next one."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop_app.core.cache.prediction import points_of
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Message, Origin, Role, new_id, text_block
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind
from desktop_app.core.prompt import build_request
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord, RequestState, rows_of, spans_of
from desktop_app.core.usage import Usage
from desktop_app.services.all_services import Services
from desktop_app.services.turn_context import TurnSetting
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import make_services, make_settings
from tests.fakes.simulator import RunningSimulator

TURNS = 1_000
WORDS = (INSTRUCTIONS + " 지난 분기 보고서는 공유 폴더에 있고 예산안은 아직 초안입니다 harbour lantern meadow").split()
SAMPLE = 25


class Conversation:
    """One that grows turn by turn through the real store; every fifth turn has tools, every third a recalled fact."""

    def __init__(self, services: Services, setting: TurnSetting, conversation_id: str) -> None:
        self._services, self._setting, self._id = services, setting, conversation_id
        self._random = random.Random(4)
        self.path: list[Message] = []
        self.requests: list[str] = []
        self._sent = datetime(2026, 11, 1, tzinfo=UTC)

    async def turn(self, number: int) -> None:
        """One turn of the person, with its requests."""
        question = await self._add(Role.USER, Origin.TYPED, text_block(f"{number}. {self._text(40)}"))
        notes = ()
        if number % 3 == 0:
            notes = (FactNote(f"fact-{number}", 1, NoteKind.RECALLED, f"- box {number}: {self._text(8)}"),)
        await self._services.store.add_notes(question.id, MessageNotes(1, notes))
        self.path[-1] = replace(question, notes=MessageNotes(1, notes))
        if number % 5 == 0:
            calls = [
                {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": "calculator", "input": {"expression": "6*7"}}
                for at in range(2)
            ]
            await self._answer(number, 1, *calls)
            results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "42"} for call in calls]
            await self._add(Role.USER, Origin.TOOL_RESULTS, *results)
        await self._answer(number, 2, text_block(self._text(60)))

    async def _answer(self, turn: int, round_: int, *blocks: Block) -> None:
        record = await self._leave(turn, round_)
        reply = await self._add(Role.ASSISTANT, Origin.REPLY, *blocks, request_id=record.id)
        await self._services.store.finish(reply, record)
        self.requests.append(record.id)

    async def _leave(self, turn: int, round_: int) -> RequestRecord:
        """Keeps the request as it is sent; its figures are made up, its body is the real one."""
        context = self._services.chat.context
        prepared = await context.prepare(None, self.path, self._setting)
        stops = prepared.stops(self._setting.endpoint.identity)
        total = prepared.budget.total.tokens
        self._sent += timedelta(seconds=40)
        record = RequestRecord(
            new_id(), self._id, self.path[-1].id, turn, round_, self._sent, "api.anthropic.com",
            self._setting.model.id, prepared.digests[-1], 16_000, 1_000_000, total, rows_of(prepared.budget),
            spans_of(prepared.plan), points=points_of(prepared.request, stops),
        )  # fmt: skip
        await self._services.store.save_request(record, prepared.request)
        usage = Usage(3, 200, 0, max(0, total - 203), 90)
        return replace(record, state=RequestState.ANSWERED, usage=usage, seconds=1.5)

    async def _add(self, role: Role, origin: Origin, *blocks: Block, request_id: str | None = None) -> Message:
        parent = self.path[-1].id if self.path else None
        message = Message(new_id(), self._id, parent, role, tuple(blocks), origin, epoch=1, request_id=request_id)
        stored = await self._services.store.add_message(message)
        self.path.append(stored)
        return stored

    def _text(self, words: int) -> str:
        return " ".join(self._random.choice(WORDS) for _ in range(words)) + "."


def size_of(folder: Path) -> int:
    """Bytes of the data once the log is written back into the database."""
    file = next(folder.glob("*.db"))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(part.stat().st_size for part in folder.glob(f"{file.name}*"))


def bests(*actions: Callable[[], object], rounds: int = 25) -> list[float]:
    """Seconds of the quickest run of each of several actions that take turns."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, mine in zip(actions, times, strict=True):
            began = time.perf_counter()
            action()
            mine.append(time.perf_counter() - began)
    return [min(mine) for mine in times]


async def opening(services: Services, ids: list[str]) -> list[float]:
    """Seconds to open each of these requests as the panel does, the better of two."""
    times = []
    for name in ids:
        tries = []
        for _ in range(2):
            began = time.perf_counter()
            await services.context.past(name)
            tries.append(time.perf_counter() - began)
        times.append(min(tries))
    return times


async def measure() -> Report:
    """Grows one conversation to a thousand turns and measures on the way."""
    report = Report("history", ("turns", "requests", "bytes", "bytes a turn"))
    with RunningSimulator() as simulator, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = make_settings(folder, simulator.url, instructions=INSTRUCTIONS * 4)
        services = make_services(folder, simulator.url, settings)
        try:
            talk = await services.chat.new_conversation("a long one")
            setting = await services.chat.context.setting(talk.id, [], store_epoch=True)
            grown = Conversation(services, setting, talk.id)
            sizes = {0: size_of(folder)}
            for number in range(1, TURNS + 1):
                await grown.turn(number)
                if number in (TURNS // 2, TURNS):
                    sizes[number] = size_of(folder)
                    size = sizes[number]
                    report.rows.append((f"{number:,}", f"{len(grown.requests):,}", f"{size:,}", f"{size // number:,}"))
            picked = [grown.requests[0], grown.requests[-1], *random.Random(1).sample(grown.requests, SAMPLE)]
            opened = await opening(services, picked)
            building, dumping = _building(grown.path, setting)
            began = time.perf_counter()
            await services.chat.context.prepare(talk.id, grown.path, setting)
            preparing = time.perf_counter() - began
        finally:
            await services.close()
    report.figures = [
        Figure("bytes of 1,000 turns ÷ 500", sizes[TURNS] / sizes[TURNS // 2], 2.1),
        Figure("opening a past request: slowest", 1_000 * max(opened), 100, " ms"),
        Figure("median", 1_000 * statistics.median(opened), unit=" ms"),
        Figure("building the next request ÷ json.dumps of it", building / dumping, 2.0),
        Figure("json.dumps", 1_000 * dumping, unit=" ms"),
        Figure("with digests, counts and budget", 1_000 * preparing, unit=" ms"),
    ]
    return report


def _building(path: list[Message], setting: TurnSetting) -> tuple[float, float]:
    """Seconds from the path to a body ready to be written, and of writing it."""
    question = Message(new_id(), path[0].conversation_id, path[-1].id, Role.USER, (text_block("And?"),), Origin.TYPED)
    whole = [*path, question]

    def build() -> Request:
        return build_request(plan_context(whole, setting.epoch), setting.choices, setting.features)

    body = build().body()
    gc.collect()
    gc.freeze()  # as the window does once it has started: what lives on is not looked through again
    building, dumping = bests(
        lambda: build().body(), lambda: json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    )
    return building, dumping


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(asyncio.run(measure()).finish(target))
