"""Price tags over real requests: what they foretell is what the next message writes anew, and what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.cache.causes import Cause
from desktop_app.core.conversation import now
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.price_tag import Act, Later, PriceTag
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.usage import Usage
from desktop_app.services.cache_view import Foreseen
from desktop_app.services.price_tags import ConversationTags
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

LONG = INSTRUCTIONS * 12
MODEL, OTHER = "claude-opus-5", "claude-sonnet-5-5"
RATES = Rates(*map(Decimal, ("5", "25", "6.25", "10", "0.50")))
OTHER_RATES = Rates(*map(Decimal, ("2", "10", "2.50", "4", "0.10")))
NEAR = 40
"""Tokens an estimate may be off."""


def in_house(
    folder: Path, simulator: RunningSimulator, test: Callable[[House], Coroutine[Any, Any, None]], **profile: Any
) -> None:
    """A person's own server with a cache, and prices for it."""

    async def run() -> None:
        values = {"plain_endpoint": False, "model": MODEL, "instructions": LONG, **profile}
        async with open_house(folder, simulator.url, simulated=False, **values) as house:
            host = (await house.services.access.endpoint()).host
            house.services.prices.put(PriceRow(MODEL, RATES, host))
            house.services.prices.put(PriceRow(OTHER, OTHER_RATES, host))
            await test(house)

    asyncio.run(run())


async def talk_of_three(house: House) -> str:
    """A warm conversation with a fact in its block and another in a note."""
    await house.services.memory.add("backup_path", "/srv/backup/nas-7")
    talk = await house.ask("My bicycle is locked at the station, rack 14.")
    await house.services.memory.add("coffee", "dark roast")
    await house.ask("write 90 words about snow", talk)
    await house.ask("And what is my coffee?", talk)
    return talk


async def last(house: House, talk: str) -> RequestRecord:
    """The last request."""
    return (await house.services.store.requests(talk))[-1]


async def fact_id(house: House, key: str) -> str:
    """The id of a fact."""
    return (await house.services.memory.fact(key)).id


async def lost_with(house: House, talk: str, tags: ConversationTags) -> int:
    """Sends a message; the tokens it could have read and did not, what is sent no more left out."""
    await house.ask("Hello again.", talk)
    usage = (await last(house, talk)).usage
    assert usage is not None
    return (tags.ground(now()).warm or 0) - (usage.read or 0)


@pytest.mark.parametrize(
    ("act", "change"),
    [
        (Act.MODEL, {"model": OTHER}),
        (Act.EFFORT, {"effort": "low"}),
        (Act.THINKING, {"show_thinking": False}),
        (Act.TOOLS, {"use_tools": False}),
        (Act.INSTRUCTIONS, {"instructions": f"{LONG} Be brief."}),
        (Act.MEMORY, {"memory": False}),
        (Act.MEMORY_TOOL, {"memory_tool": "files"}),
    ],
)
def test_a_changed_setting_costs_what_its_tag_said(
    tmp_path: Path, simulator: RunningSimulator, act: Act, change: dict[str, Any]
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        await house.services.access.models()
        tags = await house.services.tags.of(talk)
        ((_, value),) = change.items()
        tag = tags.setting(act, value, now())
        assert tag is not None
        house.services.settings.use_in_profile(**change)
        after = await house.services.tags.of(talk)
        assert after.setting(act, value, now()) == tag  # nothing was sent yet, so nothing is another
        lost = await lost_with(house, talk, tags)
        settled = await house.services.tags.of(talk)
        assert settled.setting(act, value, now()) is None
        if act is Act.THINKING:
            assert (tag.now_tokens, tag.now_usd, lost) == (0, 0, 0)
            return
        gone = 0 if act is Act.EFFORT else tags.base.thinking
        gone += tags.switched.get(act, 0) if value in (False, "files") else 0
        assert tag.now_tokens is not None
        # What another model will count is guessed before it has told anything.
        near = NEAR if act is not Act.MODEL else lost // 10
        assert abs(tag.now_tokens + gone - lost) <= near
        rates = OTHER_RATES if act is Act.MODEL else RATES
        warm = tags.ground(now()).warm or 0
        assert tag.instead_usd == warm * RATES.read / 1_000_000
        kept = 0 if act is Act.MODEL else warm - gone - tag.now_tokens
        assert tag.then_usd == (tag.now_tokens * rates.write_5m + kept * RATES.read) / 1_000_000

    in_house(tmp_path, simulator, test)


@pytest.mark.parametrize(("key", "stands"), [("backup_path", True), ("coffee", True), ("never_told", False)])
def test_a_deleted_fact_costs_what_its_tag_said(
    tmp_path: Path, simulator: RunningSimulator, key: str, stands: bool
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        await house.services.memory.add("never_told", "x")
        tags = await house.services.tags.of(talk)
        tag = tags.deleted_fact(await fact_id(house, key), now())
        await house.services.memory.delete(key)
        lost = await lost_with(house, talk, tags)
        assert tag.now_tokens is not None
        if stands:
            assert tag.now_tokens > 300
            assert abs(tag.now_tokens + tags.base.thinking - lost) <= NEAR
        else:
            assert (tag.now_tokens, tag.now_usd, lost) == (0, 0, 0)

    in_house(tmp_path, simulator, test)


def test_what_is_added_edited_or_pinned_rewrites_nothing(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        tags = await house.services.tags.of(talk)
        value = "a flat white in the morning, nothing after four"
        for act, key in ((Act.FACT_EDITED, "coffee"), (Act.FACT_ADDED, "tea")):
            tag = tags.noted_fact(act, key, value, now())
            assert (tag.now_tokens, tag.now_usd, tag.later) == (0, 0, Later.NEXT_MESSAGE)
            assert 40 < tag.later_tokens < 90
            assert tag.later_usd == tag.later_tokens * RATES.write_5m / 1_000_000
        assert tags.pinned_fact(now()).later is Later.NEXT_FOLD
        await house.services.memory.edit("coffee", value=value)
        await house.services.memory.pin("backup_path", True)
        assert await lost_with(house, talk, tags) == 0

    in_house(tmp_path, simulator, test)


def test_a_rebuild_costs_its_tag_once(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        tags = await house.services.tags.of(talk)
        tag = tags.rebuild(now())
        await house.services.memory.rebuild(talk)
        waiting = (await house.services.tags.of(talk)).rebuild(now())
        assert (waiting.now_tokens, waiting.warm) == (0, False)
        lost = await lost_with(house, talk, tags)
        assert tag.now_tokens is not None
        assert abs(tag.now_tokens + tags.base.thinking - lost) <= NEAR
        assert tag.later is Later.NEXT_FOLD

    in_house(tmp_path, simulator, test)


def test_another_lifetime_writes_nothing_anew(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        tags = await house.services.tags.of(talk)
        tag = tags.setting(Act.LIFETIME, "1h", now())
        assert tag is not None
        assert (tag.now_tokens, tag.now_usd, tag.later) == (0, 0, Later.FROM_NOW_ON)
        assert tag.later_tokens > 50
        assert tag.later_usd == tag.later_tokens * (RATES.write_1h - RATES.write_5m) / 1_000_000
        house.services.settings.use_in_profile(cache_lifetime="1h")
        assert await lost_with(house, talk, tags) == 0
        after = await house.services.tags.of(talk)
        back = after.setting(Act.LIFETIME, "5m", now())
        assert back is not None
        assert back.later_usd is not None
        assert back.later_usd < 0

    in_house(tmp_path, simulator, test)


def test_where_everything_was_forgotten_nothing_is_lost(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        tags = await house.services.tags.of(talk)
        warm_until = tags.next_end(now())
        assert warm_until is not None
        assert timedelta(minutes=4, seconds=50) < warm_until - now() < timedelta(minutes=5)
        later = now() + timedelta(minutes=6)
        assert tags.next_end(later) is None
        for tag in (
            tags.rebuild(later),
            tags.deleted_fact(await fact_id(house, "backup_path"), later),
            *(tags.setting(act, value, later) for act, value in ((Act.MODEL, OTHER), (Act.EFFORT, "low"))),
        ):
            assert isinstance(tag, PriceTag)
            assert (tag.now_tokens, tag.now_usd, tag.warm) == (0, 0, False)

    in_house(tmp_path, simulator, test)


def test_a_head_of_one_hour_outlives_the_messages(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        tags = await house.services.tags.of(talk)
        later = tags.ground(now() + timedelta(minutes=6))
        assert later.warm == later.head
        assert 1_700 < (later.warm or 0) < (tags.ground(now()).warm or 0)
        assert later.thinking == 0
        effort = tags.setting(Act.EFFORT, "low", now() + timedelta(minutes=6))
        assert effort is not None
        assert effort.now_tokens == 0  # the messages were forgotten already

    in_house(tmp_path, simulator, test, cache_lifetime="head")


def test_without_prices_there_are_tokens_and_no_money(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            await house.ask("write 90 words about snow", talk)
            tags = await house.services.tags.of(talk)
            effort = tags.setting(Act.EFFORT, "low", now())
            assert effort is not None
            assert effort.now_tokens
            assert (effort.now_usd, effort.then_usd) == (None, None)
            assert tags.noted_fact(Act.FACT_ADDED, "tea", "green", now()).later_usd is None

    asyncio.run(test())


def test_a_server_that_tells_nothing_of_a_cache_has_unknown_prices(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await house.ask("My bicycle is locked at the station, rack 14.")
        record = await last(house, talk)
        assert record.usage is not None
        silent = replace(record, usage=replace(record.usage, read=None, write_5m=None, write_1h=None))
        await house.services.store.update_request(silent)
        tags = await house.services.tags.of(talk)
        tag = tags.setting(Act.EFFORT, "low", now())
        assert tag is not None
        assert (tag.now_tokens, tag.now_usd) == (None, None)

    in_house(tmp_path, simulator, test)


def test_before_the_first_message_there_is_nothing_to_lose(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        tags = await house.services.tags.of(None)
        assert not tags.begun
        assert tags.setting(Act.MODEL, OTHER, now()) is None
        tag = tags.noted_fact(Act.FACT_ADDED, "tea", "green", now())
        assert (tag.now_tokens, tag.later) == (0, Later.NEXT_MESSAGE)

    in_house(tmp_path, simulator, test)


async def talk_of_six(house: House) -> str:
    """A conversation of six turns that grow, all of them warm."""
    talk = await house.ask("My bicycle is locked at the station, rack 14.")
    for number in range(2, 7):
        await house.ask(f"write 150 words about day {number}", talk)
    return talk


async def cost_of_instructions(house: House, talk: str) -> PriceTag:
    """The tag of other instructions."""
    tag = (await house.services.tags.of(talk)).setting(Act.INSTRUCTIONS, f"{LONG} Be brief.", now())
    assert tag is not None
    return tag


def test_after_a_branch_only_what_its_own_next_message_reads_can_be_lost(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_six(house)
        whole = await cost_of_instructions(house, talk)
        await house.services.chat.branch_at(talk, 1)
        first = (await house.services.store.requests(talk))[0]
        reading = await house.services.cache.read(talk)
        assert reading.last is not None
        assert reading.last.record == first
        tag, tags = await cost_of_instructions(house, talk), await house.services.tags.of(talk)
        assert tag.now_tokens is not None
        assert whole.now_tokens is not None
        assert 1_000 < tag.now_tokens < whole.now_tokens - 500
        assert await lost_with(house, talk, tags) == 0
        assert tags.ground(now()).warm == ((await last(house, talk)).usage or Usage()).read

    in_house(tmp_path, simulator, test)


def test_an_answer_that_is_no_longer_on_the_path_is_not_counted(tmp_path: Path, simulator: RunningSimulator) -> None:
    """The path ends in the middle of a turn: its last request told the model more than the next one will."""

    async def test(house: House) -> None:
        talk = await house.ask("My bicycle is locked at the station, rack 14.")
        await house.ask("use the calculator for 12*7 and 1250/8", talk)
        before = (await house.services.tags.of(talk)).ground(now())
        call = (await house.path(talk))[3]
        assert call.stop_reason == "tool_use"
        await house.services.store.move_head(talk, call.id)
        tags = await house.services.tags.of(talk)
        assert 0 < (tags.ground(now()).warm or 0) < (before.warm or 0)
        await house.ask("Never mind.", talk)
        read = ((await last(house, talk)).usage or Usage()).read or 0
        assert tags.ground(now()).warm == read

    in_house(tmp_path, simulator, test)


def test_the_usual_effort_written_out_reads_everything_and_its_tag_says_so(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        for value in ("high", ""):
            tags = await house.services.tags.of(talk)
            tag = tags.setting(Act.EFFORT, value, now())
            assert tag is not None
            assert (tag.now_tokens, tag.now_usd, tag.later, tag.same) == (0, 0, Later.NEVER, True)
            house.services.settings.use_in_profile(effort=value)
            prepared = await house.services.context.next_request(talk, "Hello again.")
            assert prepared is not None
            reading = await house.services.cache.read(talk)
            assert await house.services.reasons.lint_next(prepared, reading.last) == ()
            assert await lost_with(house, talk, tags) == 0
            record, request = await house.services.store.request((await last(house, talk)).id)
            assert request.params.get("output_config") == ({"effort": "high"} if value else None)
            assert record.predicted is not None
            assert record.usage is not None
            assert record.predicted.read == record.usage.read
            assert (await house.services.reasons.why(talk)).culprit.cause is Cause.NONE
        assert await house.services.reasons.misses(talk) == []

    in_house(tmp_path, simulator, test)


async def foreseen(house: House, talk: str, *, later: float = 0.0) -> Foreseen:
    """What the cache will do for the next message."""
    path = await house.services.store.path(talk)
    setting = await house.services.context.setting(talk, path)
    prepared = await house.services.context.with_draft(talk, path, "Hello again.", setting)
    assert prepared is not None
    reading = await house.services.cache.read(talk)
    return await house.services.cache.foresee(prepared, setting, reading, now() + timedelta(seconds=later))


def test_back_at_a_model_that_is_still_warm_only_the_rest_is_written(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        use = house.services.settings.use_in_profile
        talk = await house.ask("My bicycle is locked at the station, rack 14.")
        await house.ask("Is it raining?", talk)
        use(model=OTHER)
        await house.ask("And now?", talk)
        await house.ask("And then?", talk)
        use(model=MODEL)
        tags, ahead = await house.services.tags.of(talk), await foreseen(house, talk)
        tag = tags.setting(Act.MODEL, MODEL, now())
        assert tag is not None
        assert tag.now_tokens is not None
        assert ahead.cache.read is not None
        assert ahead.cache.total is not None
        assert ahead.cache.read > 1_500
        assert tag.now_tokens <= ahead.cache.total - ahead.cache.read
        read, written = ahead.cache.read, tag.now_tokens
        assert tag.then_usd == (written * RATES.write_5m + read * RATES.read) / 1_000_000
        assert tags.setting(Act.MODEL, OTHER, now()) is None
        assert await lost_with(house, talk, tags) <= written + tags.base.thinking + NEAR
        use(model=OTHER)
        there = (await house.services.tags.of(talk)).setting(Act.MODEL, OTHER, now())
        assert there is not None
        assert 0 <= (there.now_tokens or 0) < 1_000
        later = (await house.services.tags.of(talk)).models[OTHER]
        assert later.read(now()) > 1_000
        assert later.read(now() + timedelta(minutes=6)) == 0

    in_house(tmp_path, simulator, test)


def test_another_model_is_priced_alike_before_it_is_chosen_and_after(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        await house.services.access.models()
        before = (await house.services.tags.of(talk)).setting(Act.MODEL, OTHER, now())
        house.services.settings.use_in_profile(model=OTHER)
        after = (await house.services.tags.of(talk)).setting(Act.MODEL, OTHER, now())
        miss = (await foreseen(house, talk)).miss
        assert before is not None
        assert before == after
        assert miss is not None
        assert miss.cause is Cause.MODEL
        assert abs((miss.lost_tokens or 0) - (before.now_tokens or 0)) <= 2  # estimates, each rounded by itself

    in_house(tmp_path, simulator, test)


def test_a_message_that_leaves_when_all_is_forgotten_is_foreseen_to_find_it_expired(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of_three(house)
        assert (await foreseen(house, talk)).miss is None
        miss = (await foreseen(house, talk, later=301)).miss
        assert miss is not None
        assert (miss.cause, miss.was) == (Cause.EXPIRED, "5m")

    in_house(tmp_path, simulator, test)
