"""What goes wrong beside a compaction: disks, faults of ours, windows that are full, and acts on what is not in use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from desktop_app.core import errors, turn_events
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.request_log import RequestPurpose
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

SMALL = {"model": "claude-sim-small", "fold_keep": 40, "fold_share": 95, "use_tools": False}
LONG = "The harbour lies below the old town and its quay is grey. "


def in_house(
    tmp_path: Path, simulator: RunningSimulator, test: Callable[[House], Awaitable[None]], **profile: object
) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url, **{**SMALL, **profile}) as house:
            await test(house)

    asyncio.run(run())


async def talk_of(house: House, *texts: str) -> str:
    talk: str | None = None
    for text in texts:
        talk = await house.ask(text, talk)
    assert talk is not None
    return talk


async def window(house: House, talk: str) -> Compaction:
    order = FoldOrder(strategy=Strategy.WINDOW)
    return await house.services.compaction.fold(talk, order, house.events.append)


TALK = ("Ticket INV-2025-00417 and INV-2025-00418. " + LONG * 20, "The sum is 42, not 1429. " + LONG * 5, "Thanks")


def test_each_edit_of_the_summary_in_use_is_held_against_the_messages(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        review = house.services.review
        talk = await talk_of(house, *TALK)
        made = await window(house, talk)
        lost = len((await review.check(made.id)).lost)
        for number, value in enumerate(("INV-2025-00417", "INV-2025-00418", "42"), 1):
            made = await review.put_back(made.id, [value])
            check = await review.check(made.id)
            assert value in {one.text for one in check.kept}
            assert len(check.lost) <= lost - number
        assert made.summary.count("INV-2025-00417") == 1
        assert (await review.put_back(made.id, ["42"])).id == made.id  # it stands there by itself already

    in_house(tmp_path, simulator, test, fold_automatically=False)


def test_only_the_summary_in_use_is_edited_and_its_figures_are_of_the_whole_context(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        review = house.services.review
        talk = await talk_of(house, *TALK)
        first = await window(house, talk)
        await house.ask("And the quay? " + LONG * 10, talk)
        await house.ask("Thanks", talk)
        second = await window(house, talk)
        with pytest.raises(errors.NotEditable):
            await review.revise(first.id, "Another text.")
        used = (await house.services.compaction.state(talk)).used
        assert used is not None
        edited = await review.revise(second.id, "Another text.")
        assert (edited.before, edited.base_id) == (used.tokens, second.id)
        assert [one.id for one in await review.undo(talk)] == [edited.id]
        assert (await house.services.compaction.current(talk)) == second

    in_house(tmp_path, simulator, test, fold_automatically=False)


def test_a_disk_that_refuses_is_told_and_nothing_seems_to_go_on(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *TALK)

        async def full(*_: object, **__: object) -> None:
            raise errors.StoreUnavailable("disk full", path="x")

        monkeypatch.setattr(house.services.store, "add_compaction", full)
        with pytest.raises(errors.StoreUnavailable):
            await window(house, talk)
        assert [type(one.error) for one in house.of(turn_events.FoldingFailed)] == [errors.StoreUnavailable]

    in_house(tmp_path, simulator, test, fold_automatically=False)


def test_a_fault_of_ours_costs_the_compaction_never_the_answer_and_is_not_paid_for_again(
    tmp_path: Path, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(house: House) -> None:
        def broken(*_: object) -> None:
            raise ValueError("a fault")

        monkeypatch.setattr("desktop_app.services.compaction.strategies.parse_memo", broken)
        talk = await talk_of(house, "Remember the quay. " + LONG * 90, "Thanks", "Thanks again", "And again")
        assert len(house.of(turn_events.TurnFinished)) == 4
        failed = [one for one in await house.services.store.compactions(talk) if one.failure]
        assert [one.failure for one in failed] == ["unexpected"] * len(failed)
        memos = [one for one in await house.services.store.requests(talk) if one.purpose is RequestPurpose.MEMO]
        assert len(failed) == len(house.of(turn_events.FoldingFailed)) == len(memos)
        assert 1 <= len(memos) <= 2  # again only when the context had grown by a tenth

    in_house(tmp_path, simulator, test, fold_tokens=1_000, fold_share=90)


def test_a_window_that_only_the_endpoint_knows_is_given_room(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, "Remember the quay. " + LONG * 100, "Thanks")
        full = {"status": 400, "message": "prompt is too long: 9000 tokens > 8000 maximum"}
        simulator.control({"action": "status", **full, "match": {"memo": False}})
        await house.ask("Is it grey?", talk)
        assert house.of(turn_events.TurnFailed) == []
        (made,) = await house.services.store.compactions(talk)
        assert (made.cause, made.state) == (CompactionCause.AUTOMATIC, CompactionState.ACTIVE)

    in_house(tmp_path, simulator, test)


def test_what_would_not_help_is_not_paid_for(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, "Remember the quay. " + LONG * 20, "Thanks")
        await house.ask("Is it grey? " + LONG * 900, talk)  # alone larger than the window
        assert [type(one.error) for one in house.of(turn_events.TurnFailed)] == [errors.ContextTooLarge]
        assert house.of(turn_events.FoldingStarted) == []
        assert await house.services.store.compactions(talk) == []

    in_house(tmp_path, simulator, test)


def test_an_endpoint_that_fails_twice_only_rests(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        simulator.control({"action": "eof", "after": 2, "match": {"memo": True}, "count": 2})
        talk = await talk_of(house, "Remember the quay. " + LONG * 90)
        for number in range(6):
            await house.ask(f"And the quay {number}? " + LONG * 16, talk)
        states = [one.state for one in await house.services.store.compactions(talk)]
        assert CompactionState.FAILED in states
        assert (await house.services.compaction.state(talk)).stuck != "compaction.stuck.vain"
        assert CompactionState.ACTIVE in states  # tried again when the context had grown

    in_house(tmp_path, simulator, test, fold_tokens=1_200, fold_share=90)
