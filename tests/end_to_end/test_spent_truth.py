"""Counts and money of whole turns: every count_tokens call is told once, and a conversation has one total."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from desktop_app.adapters.price_file import PriceFile
from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import WrittenBy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.money.spending import SpendingBy, SpendingReport, SpentOn
from desktop_app.core.request_log import RequestPurpose, RequestState
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.usage import Known
from desktop_app.services.prices import PriceService
from desktop_app.services.reply_writing import ReplyWriting
from desktop_app.services.turn import TurnControl
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

RATES = Rates(*(Decimal(text) for text in ("3", "15", "3.75", "6", "0.30")))
COUNT = "/v1/messages/count_tokens"
PAID: dict[str, Any] = {"simulated": False, "plain_endpoint": False}
FOLDING = {"fold_automatically": False, "fold_keep": 300, "fold_tokens": 4_000}


def put_price(folder: Path, simulator: RunningSimulator) -> None:
    """The person has written a price for the model."""
    row = PriceRow(ProfileSettings().model, RATES, urlsplit(simulator.url).netloc)
    PriceService(load_prices(), PriceFile(folder)).put(row)


async def spent(house: House) -> SpendingReport:
    return await house.services.spending.report(SpendingBy.CONVERSATION)


async def told_counts(house: House) -> int:
    """The number of the line for counting."""
    line = (await spent(house)).lines.get(SpentOn.COUNTING)
    return line.requests if line else 0


def counted(simulator: RunningSimulator) -> int:
    """The calls that succeeded, by the server's own log."""
    return sum(1 for row in simulator.recorded(COUNT) if row["status"] == 200)


def slowly(simulator: RunningSimulator) -> None:
    """The next two answers stream so that a count comes in before their end."""
    simulator.control({"action": "slow", "tokens_per_second": 150, "count": 2})


async def asked(house: House, simulator: RunningSimulator, text: str, talk: str | None = None) -> str:
    """A turn slow enough that its count comes in before it ends."""
    slowly(simulator)
    return await house.ask(text, talk)


async def again(house: House, talk: str) -> None:
    """The last turn is answered anew."""
    last = (await house.path(talk))[-1]
    await house.services.chat.answer_again(last.id, house.events.append, house.control)


def test_every_count_is_told_once(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PAID) as house:
            talk = await asked(house, simulator, "Where are the backups?")
            assert (await told_counts(house), counted(simulator)) == (1, 1)
            simulator.control(
                {"action": "status", "status": 529, "retry_after": 0.2},
                {"action": "status", "status": 529, "retry_after": 0.2},
            )
            await asked(house, simulator, "And the photographs?", talk)
            assert len(house.of(turn_events.RetryScheduled)) == 2
            assert (await told_counts(house), counted(simulator)) == (2, 2)
            slowly(simulator)
            await again(house, talk)
            assert (await told_counts(house), counted(simulator)) == (3, 3)
            await asked(house, simulator, "use the calculator for 3*4 and 5*6", talk)
            assert (await told_counts(house), counted(simulator)) == (4, 4)
            simulator.control({"action": "status", "status": 500, "match": {"path": COUNT}})
            await asked(house, simulator, "Thank you", talk)
            assert (await told_counts(house), counted(simulator)) == (4, 4)
            records = await house.services.store.requests(talk)
            assert {record.state for record in records} == {RequestState.ANSWERED, RequestState.FAILED}

    asyncio.run(test())


def test_count_near_the_limit_is_told_once_however_often_it_is_sent(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    small = {**PAID, "model": "claude-sim-small", "output_limit": 2000, "fold_automatically": False}

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **small) as house:
            simulator.control({"action": "status", "status": 529, "retry_after": 0.1, "count": 2})
            talk = await house.ask("tree " * 5800)
            records = await house.services.store.requests(talk)
            assert [record.state for record in records] == [*(RequestState.FAILED,) * 2, RequestState.ANSWERED]
            assert (await told_counts(house), counted(simulator)) == (1, 1)
            simulator.control({"action": "slow", "tokens_per_second": 150})
            await again(house, talk)
            newest = (await house.services.store.requests(talk))[-1]
            assert newest.usage is not None
            assert (await told_counts(house), counted(simulator)) == (2, 2)

    asyncio.run(test())


def test_count_of_a_first_request_that_was_quicker_than_its_count_is_kept(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PAID) as house:
            sending, tools = house.services.chat.sending, asyncio.Event()
            counting = sending.counted

            async def held(*given: Any) -> Any:
                await tools.wait()
                return await counting(*given)

            monkeypatch.setattr(sending, "counted", held)
            simulator.control({"action": "slow", "tokens_per_second": 100, "match": {"nth": 2}})
            turn = house.start("use the calculator for 3*4 and 5*6")
            await house.until(turn_events.ToolFinished)
            while len(house.of(turn_events.ContextPrepared)) < 2:
                await asyncio.sleep(0.005)
            tools.set()
            first, second, *_ = await house.services.store.requests(await turn)
            assert first.usage is not None
            assert (first.counted, second.counted) == (first.usage.input_total, None)

    asyncio.run(test())


@pytest.mark.parametrize("waiting", ["ended", "store_first"])
def test_count_that_comes_in_while_the_reply_is_closed_is_kept(
    tmp_path: Path, simulator: RunningSimulator, waiting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PAID) as house:
            services, closing = house.services, asyncio.Event()
            sending, talk = services.chat.sending, (await services.chat.new_conversation("x")).id
            counting, ending, storing = sending.counted, sending.ended, ReplyWriting.store_first

            async def held(*given: Any) -> Any:
                await closing.wait()
                return await counting(*given)

            async def meanwhile() -> None:
                closing.set()
                async with asyncio.timeout(10):
                    while (await services.store.requests(talk))[0].counted is None:
                        await asyncio.sleep(0.005)

            async def ended(*given: Any) -> Any:
                out = await ending(*given)
                if waiting == "ended":
                    await meanwhile()
                monkeypatch.setattr(ReplyWriting, "store_first", stored)
                return out

            async def stored(*given: Any) -> None:
                await storing(*given)
                if waiting == "store_first":
                    await meanwhile()

            monkeypatch.setattr(sending, "counted", held)
            monkeypatch.setattr(sending, "ended", ended)
            await house.ask("Hello", talk)
            (record,) = await services.store.requests(talk)
            assert record.usage is not None
            assert record.counted == record.usage.input_total
            assert record.state is RequestState.ANSWERED
            assert record.total.known is Known.MEASURED

    asyncio.run(test())


def test_measured_total_of_an_earlier_answer_is_no_count(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PAID) as house:
            simulator.control({"action": "status", "status": 500, "match": {"path": COUNT}, "count": 0})
            talk = await house.ask("Hello")
            await again(house, talk)
            first, second = await house.services.store.requests(talk)
            assert first.digest == second.digest
            assert (first.counted, second.counted) == (None, None)

    asyncio.run(test())


def test_cache_and_spending_tell_one_total_of_a_conversation(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, **PAID, **FOLDING) as house:
            services = house.services
            talk = await house.ask("My bicycle is locked at the station, rack 14. " * 40)
            for prompt in ("Where is it?", "And the number of the rack?", "Thank you. " * 60):
                await house.ask(prompt, talk)
            simulator.control({"action": "silence", "seconds": 30})
            house.events.clear()
            turn = house.start("Never mind", talk)
            await house.until(turn_events.Waiting)
            await house.stop(turn)
            simulator.control(
                {"action": "status", "status": 529, "retry_after": 0.1},
                {"action": "status", "status": 500, "retry_after": 0.1},
            )
            await house.ask("What is 12 * 12?", talk)
            simulator.control({"action": "status", "status": 400, "message": "no"})
            await house.ask("Once more", talk)
            await services.chat.fold(talk, FoldOrder(by=WrittenBy.FORK), house.events.append, TurnControl())
            records = await services.store.requests(talk)
            assert {record.state for record in records} == set(RequestState) - {RequestState.SENT}
            assert {record.purpose for record in records} == {RequestPurpose.CHAT, RequestPurpose.MEMO}
            silent = {(record.state, record.error) for record in records if record.usage is None}
            assert silent == {
                (RequestState.STOPPED, None),
                (RequestState.FAILED, "overloaded"),
                (RequestState.FAILED, "server_failed"),
                (RequestState.FAILED, "invalid_request"),
            }
            (group,) = (await spent(house)).groups
            cached = (await services.cache.report(talk)).total
            assert cached.cost == group.total.cost
            assert cached.cost is not None and cached.cost.total > 0 and cached.cost.estimated
            assert group.total.unreported == 2, "the stopped one, and the one a fault of the server ended"
            assert (cached.unpriced, group.total.unpriced) == (0, 0)

    put_price(tmp_path, simulator)
    asyncio.run(test())
