"""Misses of real conversations: found by their figures, explained from the bodies, foreseen by the lint."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Agreement
from desktop_app.core.cache.lint import LintFinding, LintKind, Remedy
from desktop_app.core.conversation import now
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

LONG = INSTRUCTIONS * 12


def choose(house: House, **settings: object) -> None:
    """The person changes settings of the profile."""
    house.services.settings.use_in_profile(**settings)


async def foreseen(house: House, talk: str, text: str) -> tuple[LintFinding, ...]:
    """What may spoil the cache of a message that is about to be sent."""
    services = house.services
    prepared = await services.context.next_request(talk, text)
    assert prepared is not None
    return await services.reasons.lint_next(prepared, (await services.cache.read(talk)).last)


def test_a_steady_conversation_has_no_misses(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            for text in ("use the calculator for 12*7 and 1250/8", "Where is it?"):
                await house.ask(text, talk)
            assert await house.services.reasons.misses(talk) == []
            report = await house.services.reasons.why(talk)
            assert (report.culprit.cause, report.agreement) == (Cause.NONE, Agreement.AGREES)
            assert await foreseen(house, talk, "And the key?") == ()

    asyncio.run(test())


def test_what_the_person_changed_is_named_turn_by_turn(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG, effort="high") as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14. " * 20)
            choose(house, effort="low")
            await house.ask("Where is it?", talk)
            choose(house, instructions=f"Today is 2026-11-30.\n{LONG}")
            (date, *settings) = await foreseen(house, talk, "Which rack?")
            assert date.remedy is Remedy.EDIT_INSTRUCTIONS
            assert LintKind.DATE in {date.kind, *(finding.kind for finding in settings)}
            await house.ask("Which rack?", talk)
            choose(house, model="claude-opus-5")
            await house.ask("Since when?", talk)
            misses = await house.services.reasons.misses(talk)
            assert [(report.after.turn, report.culprit.cause) for report in misses] == [
                (2, Cause.EFFORT),
                (3, Cause.INSTRUCTIONS),
                (4, Cause.MODEL),
            ]
            assert all(report.culprit.lost_tokens for report in misses)
            assert [report.agreement for report in misses] == [Agreement.SILENT, Agreement.AGREES, Agreement.AGREES]
            again = await house.services.reasons.misses(talk)
            assert all(one is other for one, other in zip(misses, again, strict=True))
            assert (await house.services.reasons.why(talk, 3)).culprit == misses[1].culprit

    asyncio.run(test())


def test_a_deleted_fact_is_named_by_its_key(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            memory = house.services.memory
            await memory.add("city", "Seoul")
            await memory.add("cat", "Mori")
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            await memory.delete("cat")
            await house.ask("Where is it?", talk)
            (report,) = await house.services.reasons.misses(talk)
            assert (report.culprit.cause, report.culprit.name, report.culprit.was) == (Cause.FACT, "cat", "Mori")
            assert report.agreement is Agreement.AGREES

    asyncio.run(test())


def test_a_deleted_fact_is_not_blamed_on_one_that_was_edited_before(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            memory = house.services.memory
            await memory.add("cat", "Mori")
            await memory.add("tea", "green")
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            await memory.edit("cat", value="Mori, seven years old")
            await memory.delete("tea")
            await house.ask("Where is it?", talk)
            (report,) = await house.services.reasons.misses(talk)
            assert (report.culprit.cause, report.culprit.name, report.culprit.was) == (Cause.FACT, "tea, cat", "green")
            assert [(fact.key, fact.kind) for fact in report.culprit.facts] == [("tea", "gone"), ("cat", "changed")]
            assert report.culprit.difference is not None
            assert report.culprit.difference.name == "cat"

    asyncio.run(test())


def test_the_simulated_assistant_started_anew_at_another_port_is_no_other_endpoint(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    """It took its cache with it."""

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14. " * 20)
        elsewhere = simulator.url.replace("127.0.0.1", "localhost")
        async with open_house(tmp_path, elsewhere, instructions=LONG) as house:
            await house.ask("Where is it?", talk)
            first, second = await house.services.store.requests(talk)
            assert first.host != second.host
            report = await house.services.reasons.why(talk)
            assert (report.culprit.cause, report.culprit.also) == (Cause.NONE, ())
            assert report.after == second
            choose(house, instructions=f"Be kind.\n{LONG}")
            await house.ask("Which rack?", talk)
            assert (await house.services.reasons.why(talk)).culprit.cause is Cause.INSTRUCTIONS
        async with open_house(tmp_path, simulator.url, instructions=LONG, model="claude-opus-5") as house:
            services = house.services
            path = await house.path(talk)
            setting = await services.context.setting(talk, path)
            prepared = await services.context.with_draft(talk, path, "Since when?", setting)
            assert prepared is not None
            seen = await services.cache.foresee(prepared, setting, await services.cache.read(talk), now())
            assert seen.miss is not None
            assert Cause.ENDPOINT not in (seen.miss.cause, *seen.miss.also)
            assert seen.miss.cause is Cause.MODEL

    asyncio.run(test())


def test_an_attempt_that_never_began_is_passed_over(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            talk = await house.ask("My bicycle is locked at the station, rack 14.")
            simulator.control({"action": "status", "status": 529, "retry_after": 0})
            await house.ask("Where is it?", talk)
            records = await house.services.store.requests(talk)
            assert [record.state for record in records] == ["answered", "failed", "answered"]
            assert await house.services.reasons.misses(talk) == []
            assert (await house.services.reasons.why(talk)).before == records[0]

    asyncio.run(test())


def test_a_branch_whose_own_mark_expired_is_told_so_and_not_that_a_message_changed(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    """What other versions sent since neither keeps it warm nor is it what the next request is compared with."""

    async def test() -> None:
        async with open_house(tmp_path, simulator.url, instructions=LONG) as house:
            services = house.services
            talk = await house.ask("My bicycle is locked at the station, rack 14. " * 60)
            for number in range(2, 7):
                await house.ask(f"write 60 words about day {number}", talk)
            for record in (await services.store.requests(talk))[:2]:
                await services.store.update_request(replace(record, sent_at=record.sent_at - timedelta(minutes=6)))
            await services.chat.branch_at(talk, 1)
            path = await house.path(talk)
            setting = await services.context.setting(talk, path)
            prepared = await services.context.with_draft(talk, path, "Where is it?", setting)
            assert prepared is not None
            reading = await services.cache.read(talk)
            seen = await services.cache.foresee(prepared, setting, reading, now())
            assert seen.miss is not None
            assert seen.miss.cause is Cause.EXPIRED
            assert await services.reasons.lint_next(prepared, reading.last) == ()

    asyncio.run(test())
