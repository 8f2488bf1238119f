"""The cache over HTTP: sixty planned turns without a miss, forecasts that come true, and what a stop costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from desktop_app.core import turn_events
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Epoch, Message, now
from desktop_app.core.endpoints import ANTHROPIC_URL
from desktop_app.core.models import Features
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.prompt import Choices, build_request
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.usage import Usage, merge_usage
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator
from tests.unit.message_samples import MODEL, TOOLS, call, path_of, reply, result, results, user

LONG = INSTRUCTIONS * 12
ANTHROPIC = ANTHROPIC_URL.removeprefix("https://")


def planned_turns(turns: int) -> Iterator[list[Message]]:
    """The paths to answer, one after the other; every fifth turn calls twelve tools at once, every tenth twice."""
    path: list[Message] = []
    for turn in range(1, turns + 1):
        path.append(user(f"Question {turn}: where does the {turn}th box stand? 상자는 어디에 있나요?"))
        yield path_of(*path)
        for loop in range((turn % 5 == 0) + (turn % 10 == 0)):
            names = [f"toolu_{turn}_{loop}_{number}" for number in range(12)]
            path.append(reply(*(call(name, expression="1+1") for name in names), stop_reason="tool_use"))
            path.append(results(*(result(name) for name in names)))
            yield path_of(*path)
        path.append(reply(f"Box {turn} stands on shelf {turn * 7 % 13}, behind the blue folder. 파란 서류철 뒤입니다."))


def usage_of_answer(simulator: RunningSimulator, body: bytes) -> Usage:
    """Sends a body as it is; the usage its answer opens with."""
    headers = simulator.headers(content_type="application/json")
    answer = simulator.http.post("/v1/messages", content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    opening = next(line for line in answer.text.splitlines() if line.startswith("data: "))
    return merge_usage(Usage(), json.loads(opening.removeprefix("data: "))["message"]["usage"])


def test_sixty_planned_turns_never_miss(simulator: RunningSimulator) -> None:
    epoch = Epoch(1, MODEL, LONG, TOOLS)
    read = total = left = 0
    requests = 0
    for path in planned_turns(60):
        request = build_request(plan_context(path, epoch), Choices(64), Features())
        assert len(request.marks) <= 4
        usage = usage_of_answer(simulator, request.body_bytes())
        assert usage.read == left, f"request {requests + 1} read {usage.read} of {left} tokens"
        left = (usage.read or 0) + (usage.written or 0)
        assert usage.uncached is not None
        assert usage.uncached < 20
        requests += 1
        read, total = read + (usage.read or 0), total + (usage.input_total or 0)
    assert requests == 78
    assert read / total > 0.97


async def foreseen(house: House, talk: str, draft: str, later: float = 0.0) -> CacheForecast:
    """What would be read if a text were sent so many seconds from now."""
    services = house.services
    path = await services.store.path(talk)
    setting = await services.context.setting(talk, path)
    prepared = await services.context.with_draft(talk, path, draft, setting)
    assert prepared is not None
    reading = await services.cache.read(talk)
    return (await services.cache.foresee(prepared, setting, reading, now() + timedelta(seconds=later))).cache


async def last_usage(house: House, talk: str, turn: int) -> Usage:
    """The usage of the first request of a turn."""
    records = await house.services.store.requests(talk)
    usage = next(record.usage for record in records if record.turn == turn)
    assert usage is not None
    return usage


def test_what_was_foreseen_is_what_was_read(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            drafts = ("use the calculator for 12*7 and 1250/8 and 99-101", "내 자전거는 어디에 있지?", "write 90 words")
            for turn, draft in enumerate(drafts, 2):
                forecast = await foreseen(house, talk, draft)
                await house.ask(draft, talk)
                usage = await last_usage(house, talk, turn)
                assert forecast.read == usage.read > 1_500
                assert forecast.written is not None
                assert abs(forecast.written - (usage.written or 0)) < 60
            forgotten = await foreseen(house, talk, "Hello", later=301)
            assert (forgotten.read, forgotten.warm_until) == (0, None)

    asyncio.run(test())


def test_a_report_sums_its_turns_and_the_simulated_assistant_has_no_money(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            await house.ask("use the calculator for 12*7 and 1250/8 and 99-101", talk)
            report = await house.services.cache.report(talk)
            records = await house.services.store.requests(talk)
            assert [turn.turn for turn in report.turns] == [1, 2]
            assert report.turns[1].figures.requests == len(records) - 1 >= 2
            assert report.total.input_total == sum(turn.figures.input_total or 0 for turn in report.turns)
            assert report.total.input_total == sum(record.total.tokens for record in records)
            assert report.turns[1].figures.hit_rate is not None
            assert report.turns[1].figures.hit_rate > 0.9
            assert report.simulated
            assert report.total.cost is None
            assert report.total.saved is None

    asyncio.run(test())


def test_a_stopped_reply_has_a_cost_that_is_marked_as_an_estimate(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def stopped() -> RequestRecord:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            stalled = {"path": "/v1/messages/count_tokens"}
            simulator.control({"action": "delay", "seconds": 30, "match": stalled})
            simulator.control({"action": "slow", "tokens_per_second": 60})
            talk = (await house.services.chat.new_conversation("x")).id
            task = house.start("write 300 words about snow", talk)
            await house.until(turn_events.TextArrived)
            before = asyncio.get_running_loop().time()
            await house.stop(task)
            assert asyncio.get_running_loop().time() - before < 1.0
            return (await house.services.store.requests(talk))[-1]

    record = asyncio.run(stopped())
    prices = load_prices()
    assert record.state is RequestState.STOPPED
    assert prices.cost_of(record) is None
    cost = prices.cost_of(replace(record, host=ANTHROPIC))
    assert cost is not None
    assert cost.estimated
    assert cost.input > 0
    assert cost.output > 0
    assert record.usage is not None
    assert record.usage.input_total == record.total.tokens
