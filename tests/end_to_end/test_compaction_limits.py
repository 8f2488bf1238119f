"""What a compaction may not do: hide who failed, need a model nobody knows, or grow until nothing can be said."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.core import errors
from desktop_app.core.compaction.compaction import CompactionState, Strategy, WrittenBy
from tests.end_to_end.compaction_stage import LARGE, PLAIN, fold, in_house, talk_of
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

LONG = "The harbour lies below the old town and its quay is grey. "
TALK = ("Remember ticket INV-2025-00417. " + LONG * 20, "The sum is 1429. " + LONG * 5, "Thanks")
ASKED = {"memo": True}


def test_a_failed_one_tells_who_was_asked_and_how_long_it_took(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *TALK)
        simulator.control({"action": "reply", "text": "Sure!", "match": ASKED, "count": 4})
        with pytest.raises(errors.MemoUnusable):
            await fold(house, talk)
        (failed,) = await house.services.store.compactions(talk)
        assert (failed.state, failed.written_by, failed.saved) == (CompactionState.FAILED, WrittenBy.SEPARATE, 0.0)
        assert failed.model == "claude-sim-small" and failed.seconds > 0

    in_house(tmp_path, simulator, test, **PLAIN)


def test_a_model_for_summaries_nobody_knows_leaves_the_fork(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *TALK)
        fork, apart = (await house.services.compaction.plan(talk)).ways
        assert (fork.by, fork.possible, fork.reason) == (WrittenBy.FORK, True, "compaction.way.only")
        assert (apart.possible, apart.reason) == (False, "compaction.way.no_model")
        assert (await fold(house, talk)).written_by is WrittenBy.FORK
        await house.services.review.undo(talk)
        with pytest.raises(errors.SummaryModelUnknown) as unknown:
            await fold(house, talk, Strategy.TIERS)
        assert unknown.value.params == {"model": "claude-nobody"}

    in_house(tmp_path, simulator, test, **LARGE, fold_model="claude-nobody", fold_by="separate")


@pytest.mark.parametrize("strategy", [Strategy.WINDOW, Strategy.RUNNING])
def test_an_edit_that_leaves_no_room_is_refused(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *TALK)
        made = await fold(house, talk, strategy)
        review = house.services.review
        with pytest.raises(errors.SummaryTooLong):
            await review.revise(made.id, LONG * 700)
        assert await house.services.compaction.current(talk) == made
        longer = await review.revise(made.id, LONG * 60)
        assert longer.summary_tokens > longer.folded_tokens
        await house.ask("Is the quay grey?", talk)

    in_house(tmp_path, simulator, test, **PLAIN)
