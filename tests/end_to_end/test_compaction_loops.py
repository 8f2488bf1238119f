"""Compaction never goes in circles: what gains nothing is tried twice at most, then it says why and rests."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from desktop_app.core import turn_events
from desktop_app.core.compaction.compaction import CompactionState, Strategy
from desktop_app.core.compaction.memo import Section, memo_text
from desktop_app.core.errors import SummaryUnusable
from desktop_app.core.usage import Figure, Known
from tests.end_to_end.compaction_stage import (
    PLAIN,
    fold,
    in_house,
    last_chat,
    messages_of,
    summaries,
    talk_of,
)
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

AUTOMATIC = {**PLAIN, "fold_tokens": 1_000, "fold_automatically": True, "memory": False, "use_tools": False}


def told(number: int, sentences: int = 22) -> str:
    """A message of about 18 tokens a sentence, the number of a spare part in its first."""
    calm = "The weather at the harbour was calm and the boats came in one after the other."
    return " ".join([f"My rack {number} holds the spare part P-77{number}.", *[calm] * (sentences - 1)])


FIVE = [told(number) for number in range(5)]
WORDS = "We talked of racks and spare parts, of harbours, calm weather and many boats. " * 94
TOO_LONG = {
    Strategy.MEMO: memo_text({**dict.fromkeys(Section, "none"), Section.FACTS: WORDS}, "en"),
    Strategy.RUNNING: WORDS,
}
"""About 1,600 tokens."""


@pytest.mark.parametrize("strategy", [Strategy.MEMO, Strategy.RUNNING])
def test_summaries_as_long_as_their_source_are_asked_for_twice_at_most(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    simulator.control({"action": "reply", "text": TOO_LONG[strategy], "match": {"memo": True}, "count": 0})

    async def test(house: House) -> None:
        talk = await talk_of(house, *FIVE)
        assert len(house.of(turn_events.TurnFinished)) == 5
        assert len(await summaries(house, talk)) == 2
        told_why = house.of(turn_events.FoldingFailed)
        assert [(type(one.error), one.error.params["why"]) for one in told_why] == [(SummaryUnusable, "too_long")] * 2
        made = await house.services.store.compactions(talk)
        assert [(one.state, len(one.request_ids)) for one in made] == [(CompactionState.FAILED, 1)] * 2
        state = await house.services.compaction.state(talk)
        assert (state.due, state.current, state.stuck) == (False, None, "compaction.stuck.vain")
        request = await last_chat(house, talk)
        assert "<handover_memo>" not in messages_of(request) and request.messages[0].blocks[0]["text"] == FIVE[0]

    in_house(tmp_path, simulator, test, **AUTOMATIC, fold_strategy=strategy.value)


def test_a_fixed_part_over_the_threshold_is_named_and_nothing_is_asked(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *FIVE)
        state = await house.services.compaction.state(talk)
        assert (state.due, state.stuck) == (False, "compaction.stuck.fixed")
        assert await summaries(house, talk) == []
        made = await fold(house, talk)  # by hand it is still done, and does not change what is said
        assert made.state is CompactionState.ACTIVE and made.after < made.before
        await talk_of(house, "Thanks", talk=talk)
        state = await house.services.compaction.state(talk)
        assert (state.due, state.stuck) == (False, "compaction.stuck.fixed")
        assert len(await house.services.store.compactions(talk)) == 1

    in_house(tmp_path, simulator, test, **AUTOMATIC, instructions="Be brief and kind. " * 300)


def test_a_context_that_stays_at_the_threshold_is_compacted_twice_and_then_left_alone(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    """Each time it gets a third smaller, and never below."""
    text = memo_text({**dict.fromkeys(Section, "none"), Section.FACTS: WORDS[: len(WORDS) // 3]}, "en")
    simulator.control({"action": "reply", "text": text, "match": {"memo": True}, "count": 0})

    async def test(house: House) -> None:
        talk = await talk_of(house, *[f"write 1200 words about harbour {number}" for number in range(5)])
        made = await house.services.store.compactions(talk)
        assert [one.state for one in made] == [CompactionState.ACTIVE] * 2
        assert all(1_000 <= one.after < 0.9 * one.before for one in made)
        state = await house.services.compaction.state(talk)
        assert (state.due, state.stuck) == (False, "compaction.stuck.vain")

    in_house(tmp_path, simulator, test, **AUTOMATIC, instructions="Be brief and kind. " * 150)


def test_a_last_message_over_the_threshold_folds_with_its_answer_and_only_once(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, "Hello", told(9, 60), "Thanks", "Fine", "All right")
        (made,) = await house.services.store.compactions(talk)
        assert (made.state, made.folded) == (CompactionState.ACTIVE, 4)
        assert len(await summaries(house, talk)) <= 2
        assert not (await house.services.compaction.state(talk)).due

    in_house(tmp_path, simulator, test, **AUTOMATIC)


def test_at_most_one_compaction_a_turn_and_the_meter_is_right_at_once(
    tmp_path: Path, simulator: RunningSimulator
) -> None:
    async def test(house: House) -> None:
        talk = await talk_of(house, *FIVE)
        done = house.of(turn_events.FoldingDone)
        assert len(done) >= 2
        ends = [event for event in house.events if isinstance(event, turn_events.FoldingDone | turn_events.TurnOpened)]
        assert all(
            not (isinstance(one, turn_events.FoldingDone) and isinstance(other, turn_events.FoldingDone))
            for one, other in pairwise(ends)
        )
        await talk_of(house, "My boat is called Ann.", "Thanks", talk=talk)
        made = await fold(house, talk, Strategy.RUNNING)
        state = await house.services.compaction.state(talk)
        assert state.used == Figure(made.after, Known.ESTIMATED) and state.current == made
        plan = await house.services.context.next_request(talk, "")
        assert plan is not None and abs(plan.budget.total.tokens - made.after) < 60
        await talk_of(house, "Thanks", talk=talk)
        (line,) = [line for line in await house.services.review.log(talk) if line.compaction.id == made.id]
        assert line.measured_after is not None
        assert abs(line.measured_after - made.after) < 0.15 * made.after

    in_house(tmp_path, simulator, test, **AUTOMATIC)
