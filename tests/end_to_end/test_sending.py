"""What is kept of every request as it leaves and ends: prediction, diagnosis, lifetimes, and every dollar of a memo."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from desktop_app import __version__
from desktop_app.core import turn_events
from desktop_app.core.cache.diagnosis import BETA, DiagnosisKind
from desktop_app.core.cache.forecast import PointPart
from desktop_app.core.compaction.compaction import WrittenBy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.money.spending import SpendingBy, SpendingReport, SpentOn
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import Usage, merge_usage
from desktop_app.services.turn import TurnControl
from tests.fakes.forty_turns import INSTRUCTIONS, PROMPTS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import ROOT, RunningSimulator

LONG = INSTRUCTIONS * 12
FOLDING = {"fold_automatically": False, "fold_keep": 300, "fold_tokens": 4_000}


async def requests_of(house: House, talk: str) -> list[RequestRecord]:
    return await house.services.store.requests(talk)


def off(expected: int | None, got: int | None) -> float:
    """How far an expectation was off, as a share of what came."""
    assert expected is not None
    return abs(expected - (got or 0)) / max(1, got or 1)


def test_what_was_expected_is_kept_and_comes_true(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> list[RequestRecord]:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask(PROMPTS[0])
            for prompt in PROMPTS[1:6]:
                await house.ask(prompt, talk)
            return await requests_of(house, talk)

    records = asyncio.run(test())
    assert all(record.app_version == __version__ for record in records)
    first, *later = records
    assert first.predicted is not None
    assert first.predicted.read == 0
    for record in later:
        usage, expected = record.usage, record.predicted
        assert usage is not None
        assert expected is not None
        assert expected.read == usage.read
        assert abs((expected.write_5m or 0) - (usage.write_5m or 0)) < 60
    assert [point.part for point in first.points] == [PointPart.FIXED, PointPart.HEAD, PointPart.MESSAGES]


def test_another_conversation_reads_the_head_and_that_is_foreseen(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> RequestRecord:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            await house.ask("My bicycle is locked at the station, rack 14.")
            other = await house.ask("Where is the harbour?")
            return (await requests_of(house, other))[0]

    record = asyncio.run(test())
    assert record.usage is not None
    assert record.predicted is not None
    assert (record.usage.read or 0) > 1_000
    assert off(record.predicted.read, record.usage.read) < 0.1


def test_after_a_folding_the_head_is_read_and_that_is_foreseen(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> RequestRecord:
        async with open_house(tmp_path, simulator.url, instructions=LONG, **FOLDING) as house:
            talk = await house.ask(PROMPTS[0])
            for prompt in PROMPTS[1:8]:
                await house.ask(prompt, talk)
            await house.services.chat.fold(talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl())
            await house.ask("Where is my bicycle?", talk)
            records = await requests_of(house, talk)
            return next(one for one in records if one.turn == 9)

    record = asyncio.run(test())
    assert record.usage is not None
    assert record.predicted is not None
    assert (record.usage.read or 0) > 1_000
    assert off(record.predicted.read, record.usage.read) < 0.1
    assert PointPart.MEMO in {point.part for point in record.points}


@pytest.mark.parametrize(("lifetime", "long"), [("5m", 0.0), ("head", 0.9), ("1h", 1.0)])
def test_the_chosen_lifetime_is_written_and_foreseen(
    tmp_path: Path, simulator: RunningSimulator, lifetime: str, long: float
) -> None:
    async def test() -> RequestRecord:
        async with open_house(tmp_path, simulator.url, instructions=LONG, cache_lifetime=lifetime) as house:
            return (await requests_of(house, await house.ask("My bicycle is at the station.")))[0]

    record = asyncio.run(test())
    assert record.usage is not None
    assert record.predicted is not None
    share = (record.usage.write_1h or 0) / (record.usage.written or 1)
    assert share >= long
    assert (record.usage.write_1h or 0) == 0 if lifetime == "5m" else share > 0.9
    assert off(record.predicted.written, record.usage.written) < 0.1


def test_the_api_is_asked_why_it_would_miss_and_its_word_is_kept(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG, **FOLDING) as house:
            services = house.services
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            for prompt in PROMPTS[1:7]:
                await house.ask(prompt, talk)
            services.settings.use_in_profile(instructions="Be brief. " + LONG)
            await house.ask("Where is my bicycle?", talk)
            await services.chat.fold(talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl())
            records = await requests_of(house, talk)
            previous: str | None = None
            for record in records:
                _, request = await services.store.request(record.id)
                asked = request.params["diagnostics"]["previous_message_id"]
                assert BETA in request.betas
                assert asked == (previous if record.purpose is RequestPurpose.CHAT else None)
                previous = record.remote_id if record.purpose is RequestPurpose.CHAT else previous
            said = [record.diagnosis.kind if record.diagnosis else None for record in records]
            changed = next(place for place, record in enumerate(records) if record.turn == 8)
            assert said[changed] is DiagnosisKind.SYSTEM_CHANGED
            assert set(said[:changed] + said[changed + 1 :]) == {DiagnosisKind.NONE}
            missed = records[changed].diagnosis
            assert missed is not None
            assert (missed.missed or 0) > 1_000

    asyncio.run(test())


def test_a_server_of_another_make_is_asked_for_no_diagnosis(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, simulated=False, plain_endpoint=False) as house:
            talk = await house.ask("My bicycle is at the station.")
            record = (await requests_of(house, talk))[0]
            _, request = await house.services.store.request(record.id)
            assert "diagnostics" not in request.params
            assert BETA not in request.betas
            assert record.diagnosis is None

    asyncio.run(test())


def test_three_memos_one_of_them_in_vain_are_paid_to_the_micro_dollar(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    """What the app says was spent is what the server billed, memos and the one in vain included."""

    async def test() -> tuple[list[RequestRecord], SpendingReport, PriceList]:
        profile = {"instructions": LONG, "plain_endpoint": False, **FOLDING}
        async with open_house(tmp_path, simulator.url, simulated=False, **profile) as house:
            rates = Rates(*map(Decimal, ("3", "15", "3.75", "6", "0.30")))
            model = house.services.settings.profile.model
            house.services.prices.put(PriceRow(model, rates, simulator.url.removeprefix("http://")))
            talk = await house.ask(PROMPTS[0])
            for number in range(1, 16):
                await house.ask(PROMPTS[number % len(PROMPTS)], talk)
                if number in (5, 10, 15):
                    if number == 10:
                        cut = {"action": "reply", "text": "They talked."}
                        simulator.control(cut, cut, cut)
                    await house.services.chat.fold(
                        talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl()
                    )
            assert len(house.of(turn_events.FoldingDone)) == 2
            assert len(house.of(turn_events.FoldingFailed)) == 1
            report = await house.services.spending.report(SpendingBy.CONVERSATION)
            return await requests_of(house, talk), report, house.services.prices.prices

    records, report, prices = asyncio.run(test())
    billed = [row for row in simulator.recorded("/v1/messages") if row["usage"]]
    first = records[0]
    theirs = [
        prices.cost(first.model, merge_usage(Usage(), row["usage"]), first.sent_at, host=first.host) for row in billed
    ]
    assert len(billed) == len(records)
    # Two that lost values were asked for once more; one came to nothing after three answers.
    assert sum(record.purpose is RequestPurpose.MEMO for record in records) == 7
    assert all(record.state is RequestState.ANSWERED for record in records)
    assert report.total.usd == sum((cost.total for cost in theirs if cost), Decimal(0))
    assert report.total.usd is not None
    assert report.total.usd > Decimal("0.01")
    memos = report.lines[SpentOn.COMPACTION]
    assert (memos.requests, memos.unpriced) == (7, 0)
    assert memos.usd is not None
    assert memos.usd > 0


def test_tools_switched_off_and_on_again_give_the_same_bytes(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask(PROMPTS[1])

            async def coming() -> bytes:
                prepared = await house.services.context.next_request(talk, "And the keys?")
                assert prepared is not None
                return prepared.request.body_bytes()

            before = await coming()
            house.services.settings.use_in_profile(use_tools=False)
            assert await coming() != before
            house.services.settings.use_in_profile(use_tools=True)
            assert await coming() == before

    asyncio.run(test())


SCRIPT = """
import asyncio, hashlib, sys
from pathlib import Path
from tests.fakes.house import House, make_services
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.services.settings import SettingsService

async def main(folder, url, talk):
    services = make_services(folder, url, SettingsService(SettingsFile(folder)))
    try:
        prepared = await services.context.next_request(talk, "And the keys?")
        print(hashlib.sha256(prepared.request.body_bytes()).hexdigest())
    finally:
        await services.close()

asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
"""


def test_the_same_history_gives_the_same_bytes_in_every_process(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> tuple[str, str]:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            for number in range(12):
                await house.services.memory.add(f"box {number}", f"shelf {number * 7 % 5}")
            talk = await house.ask(PROMPTS[1])
            await house.ask("내 자전거는 어디에 있지?", talk)
            prepared = await house.services.context.next_request(talk, "And the keys?")
            assert prepared is not None
            return talk, hashlib.sha256(prepared.request.body_bytes()).hexdigest()

    talk, digest = asyncio.run(test())
    running = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(tmp_path), simulator.url, talk],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "77")
    ]
    assert {process.communicate(timeout=60)[0].strip() for process in running} == {digest}
