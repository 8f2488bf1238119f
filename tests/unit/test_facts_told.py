"""What a conversation was told of memory, what is to be told next, and when its prefix is stale."""

from __future__ import annotations

from dataclasses import replace

from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.context import memo_in_use, plan_context
from desktop_app.core.conversation import Message, text_block
from desktop_app.core.fact_block import make_block
from desktop_app.core.fact_notes import FactNote, MessageNotes, NoteKind, PassageNote, note_of
from desktop_app.core.facts_told import changes_to_tell, is_stale, leaked, no_longer_told, told_revisions
from desktop_app.core.passages import PassageKind
from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.segment import Segment
from tests.unit.fact_samples import START, fact
from tests.unit.message_samples import EPOCH, path_of, reply, thinking, user

BLOCK = make_block([fact(1), fact(2)], 4_000, len)
WITH_FACTS = replace(EPOCH, facts=BLOCK.text, fact_revisions=BLOCK.facts, facts_upto=2)


def noted(message: Message, *notes: FactNote, epoch: int = 1) -> Message:
    return replace(message, notes=MessageNotes(epoch, notes))


def recalled(number: int) -> FactNote:
    return note_of(fact(number), NoteKind.RECALLED)


def test_the_facts_stand_behind_the_system_prompt_and_notes_behind_the_persons_words() -> None:
    path = path_of(user("Where?"), reply("There."), user("And now?"))
    path[0] = noted(path[0], recalled(7))
    plan = plan_context(path, WITH_FACTS)
    assert [planned.segment for planned in plan.system] == [Segment.SYSTEM, Segment.FACTS]
    assert plan.system[1].block == text_block(BLOCK.text)
    first = plan.messages[0].blocks
    assert [planned.segment for planned in first] == [Segment.MESSAGES, Segment.RECALLED]
    assert '"key_7": "value 7"' in first[1].block["text"]
    assert [planned.segment for planned in plan.messages[2].blocks] == [Segment.CURRENT]


def test_a_plan_with_notes_is_the_beginning_of_every_later_one() -> None:
    path = path_of(user("one"), reply(thinking("t"), "1"), user("two"), reply("2"), user("three"))
    path[0], path[2] = noted(path[0], recalled(7)), noted(path[2], recalled(8))
    short, long = plan_context(path[:3], WITH_FACTS), plan_context(path, WITH_FACTS)
    for early, late in zip(short.messages, long.messages, strict=False):
        assert [planned.block for planned in early.blocks] == [planned.block for planned in late.blocks]


def test_a_dropped_fact_leaves_the_notes_and_one_of_the_block_leaves_older_notes() -> None:
    path = path_of(user("one"), reply("1"), user("two"))
    path[0] = noted(path[0], recalled(1), recalled(7), recalled(8))
    later = replace(WITH_FACTS, number=2, dropped=("f7",))
    text = plan_context(path, later).messages[0].blocks[1].block["text"]
    assert "key_8" in text
    assert "key_7" not in text
    assert "key_1" not in text
    assert told_revisions(path, later) == {"f1": 1, "f2": 2, "f8": 8}
    nothing_left = replace(later, dropped=("f7", "f8"))
    assert len(plan_context(path, nothing_left).messages[0].blocks) == 1


def test_a_prefix_is_stale_when_it_holds_a_fact_that_is_gone() -> None:
    path = path_of(user("one"), reply("1"), user("two"))
    path[0] = noted(path[0], recalled(7))
    assert not is_stale(WITH_FACTS, path, {"f1", "f2", "f7", "f9"})
    assert is_stale(WITH_FACTS, path, {"f1", "f7"})
    assert is_stale(WITH_FACTS, path, {"f1", "f2"})
    assert no_longer_told(path, {"f1"}) == ("f7",)
    assert not is_stale(replace(WITH_FACTS, dropped=("f7",)), path, {"f1", "f2"})


def test_a_prefix_is_stale_when_it_quotes_a_passage_that_may_be_told_no_more() -> None:
    path = path_of(user("one"), reply("1"), user("two"))
    of_one_message = [PassageNote(PassageKind.TURN, "m9", number, f"- line {number}") for number in ("7", "8")]
    path[0] = replace(path[0], notes=MessageNotes(1, passages=tuple(of_one_message)))
    assert not is_stale(EPOCH, path, {"7", "8"})
    assert is_stale(EPOCH, path, {"8"})
    assert no_longer_told(path, {"8"}) == ("7",)
    later = replace(EPOCH, number=2, dropped=("7",))
    assert not is_stale(later, path, {"8"})
    text = plan_context(path, later).messages[0].blocks[1].block["text"]
    assert "line 8" in text and "line 7" not in text


def test_a_prefix_is_stale_when_it_holds_a_secret_that_is_masked_now() -> None:
    raw, masked = replace(fact(1), value="password=hunter2-FAKE"), replace(fact(1), value="password=⟨password⟩")
    block = make_block([raw, fact(2)], 4_000, len)
    epoch = replace(EPOCH, facts=block.text, fact_revisions=block.facts)
    path = path_of(user("one"), reply("1"), user("two"))
    assert leaked(epoch, path, [masked, fact(2)], find_secrets) == {"f1"}
    # What the person keeps as it is leaks nothing, nor does what would be told in the same words.
    assert leaked(epoch, path, [replace(raw, keeps_secrets=True), fact(2)], find_secrets) == set()
    assert leaked(epoch, path, [raw, replace(fact(2), value="another")], find_secrets) == set()
    path[0] = noted(path[0], note_of(raw, NoteKind.RECALLED))
    assert leaked(EPOCH, path, [masked], find_secrets) == {"f1"}
    assert leaked(replace(EPOCH, dropped=("f1",)), path, [masked], find_secrets) == set()


def test_changes_are_told_once_each_in_the_words_of_today() -> None:
    edited, added, old = replace(fact(1), value="new", revision=9), fact(10), fact(2)
    told = told_revisions(path_of(user("one")), WITH_FACTS)
    notes = changes_to_tell([edited, added, old], told, WITH_FACTS, 4_000, len)
    assert [(note.fact_id, note.revision, note.kind) for note in notes] == [
        ("f10", 10, NoteKind.ADDED),
        ("f1", 9, NoteKind.EDITED),
    ]
    path = [noted(path_of(user("one"))[0], *notes)]
    assert changes_to_tell([edited, added, old], told_revisions(path, WITH_FACTS), WITH_FACTS, 4_000, len) == ()


def test_additions_beyond_the_room_are_left_to_recall_pinned_ones_first() -> None:
    added = [replace(fact(number), pinned=number == 11) for number in (10, 11, 12)]
    notes = changes_to_tell(added, {}, WITH_FACTS, 45, len)
    assert [note.fact_id for note in notes] == ["f11", "f12"]


def test_a_fact_that_was_left_out_of_the_block_is_no_addition() -> None:
    assert changes_to_tell([fact(2)], {"f1": 1}, WITH_FACTS, 4_000, len) == ()


def memo(until: str, **more: object) -> Compaction:
    values = {"state": CompactionState.ACTIVE, **more}
    return Compaction(f"k-{until}", "c", until, "## Goal\nBackups", 2, 900, 300, START, "m", 1.0, "r", **values)  # type: ignore[arg-type]


def test_a_memo_stands_in_place_of_what_it_folds_and_in_one_message_with_what_follows() -> None:
    path = path_of(user("one"), reply("1"), user("two"), reply("2"), user("three"))
    plan = plan_context(path, replace(EPOCH, number=2), memo("m1"))
    assert [planned.segment for planned in plan.messages[0].blocks] == [Segment.SUMMARY, Segment.MESSAGES]
    assert "## Goal\nBackups" in plan.messages[0].blocks[0].block["text"]
    assert plan.messages[0].blocks[1].block == text_block("two")
    assert "'one'" not in str(plan.messages)
    assert len(plan.messages) == 3


def test_a_memo_over_everything_leaves_the_question_alone_with_it() -> None:
    path = path_of(user("one"), reply("1"), user("two"))
    plan = plan_context(path, EPOCH, memo("m1"))
    assert [planned.segment for planned in plan.messages[0].blocks] == [Segment.SUMMARY, Segment.CURRENT]


def test_the_memo_in_use_is_the_active_one_that_folds_most_of_the_path() -> None:
    path = path_of(user("one"), reply("1"), user("two"), reply("2"), user("three"))
    undone = memo("m3", state=CompactionState.UNDONE)
    elsewhere = memo("m9")
    assert memo_in_use(path, [memo("m1"), undone, elsewhere]) == memo("m1")
    assert memo_in_use(path, [memo("m3"), memo("m1")]) == memo("m3")
    assert memo_in_use(path, [undone, elsewhere]) is None
    newer = replace(memo("m1"), id="k2")
    assert memo_in_use(path, [memo("m1"), newer]) == newer


def test_the_answers_thinking_before_a_memo_is_never_sent_behind_it() -> None:
    path = path_of(user("one"), reply(thinking("t1"), "1"), user("two"), reply(thinking("t2"), "2"), user("three"))
    plan = plan_context(path, replace(EPOCH, number=2), memo("m1"))
    assert "thinking" not in {planned.block["type"] for message in plan.messages for planned in message.blocks}
