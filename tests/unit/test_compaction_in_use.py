"""Which compaction stands in a context: one rule for messages, their ids, and the archive; blocks only where taken."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.archive import Standing, standings
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.context import memo_in_use
from desktop_app.core.conversation import now
from tests.unit.message_samples import path_of, reply, user

PATH = path_of(*(user("a") if number % 2 == 0 else reply("b") for number in range(8)))
IDS = [message.id for message in PATH]
NOW = now()


@st.composite
def compactions(draw: st.DrawFn) -> list[Compaction]:
    made = []
    for number in range(draw(st.integers(0, 6))):
        until = draw(st.sampled_from([*IDS, "elsewhere"]))
        one = Compaction(f"k{number}", "c", until, "s", 1, 9, 5, NOW, "m", 1.0)
        block = {"type": "compaction", "content": "s"} if draw(st.booleans()) else None
        made.append(replace(one, state=draw(st.sampled_from(CompactionState)), block=block))
    return made


@given(compactions(), st.booleans())
def test_one_rule_for_all_who_ask(made: list[Compaction], blocks: bool) -> None:
    used = memo_in_use(PATH, made, blocks=blocks)
    assert memo_in_use(IDS, made, blocks=blocks) == used
    usable = [
        one
        for one in made
        if one.state is CompactionState.ACTIVE and one.until_message_id in IDS and (blocks or one.block is None)
    ]
    most = max((IDS.index(one.until_message_id) for one in usable), default=-1)
    assert used == next((one for one in reversed(usable) if IDS.index(one.until_message_id) == most), None)
    standing = standings(IDS, made, blocks=blocks)
    assert [standing[id_] for id_ in IDS] == [Standing.FOLDED] * (most + 1) + [Standing.CONTEXT] * (7 - most)


def test_without_a_path_nothing_is_in_use() -> None:
    assert memo_in_use([], [Compaction("k", "c", "m0", "s", 1, 9, 5, NOW, "m", 1.0)]) is None
