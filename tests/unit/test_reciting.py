"""Whether an answer only gives again what it was told, whatever it is given with."""

from __future__ import annotations

import time

import pytest

from desktop_app.core.reciting import Recited

TOLD = [
    '- 2026-11-02, the person, in "Gym": "My locker code is 7731, by the way."',
    '- "dog": "Bori, a Jindo, three years old"\n- "allergies": "peanuts"',
    '- "사물함": "내 사물함 번호는 7731이야"\n- "사는 곳": "부산 해운대"',
    '[{"key": "train", "value": "KTX 105 to Busan, seat 14C"}]',
]


@pytest.mark.parametrize(
    "answer",
    [
        "You told me that your locker code is 7731.",
        "Your locker code is 7731!",
        "According to what I remember from our earlier conversation, the code of your locker is 7731. Anything else?",
        'A system message in this conversation says: "My locker code is 7731, by the way."',
        "Based on your notes, Bori is a three-year-old Jindo.",
        "Your memory says you are on KTX 105 to Busan, in seat 14C.",
        "이전 대화에서 말씀하신 사물함 번호는 7731이었어요.",
        "네, 기억하고 있습니다. 사물함 번호는 7731입니다.",
        "부산 해운대에 살고 계신다고 말씀하셨어요.",
    ],
)
def test_what_was_told_is_recited_whatever_it_is_given_with(answer: str) -> None:
    assert Recited(TOLD).holds(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "Your new locker code is 8812.",
        "Your locker code is 7731. The gym opens at 6:30 on weekdays.",
        "Jindos are loyal hunters from an island in the south; they need long walks and early training.",
        "For a flight without peanuts ask the crew before boarding, and carry wipes for table and armrests.",
        "사물함 번호를 8812로 바꾸세요.",
        "해운대에서는 동백섬을 한 바퀴 걷고 미포에서 해변열차를 타 보세요.",
        "Boilers last about fifteen years.",
        "Hello!",
        "",
    ],
)
def test_what_adds_something_new_is_no_recital(answer: str) -> None:
    assert not Recited(TOLD).holds(answer)


def test_words_that_stand_in_many_facts_make_no_recital() -> None:
    facts = [f'- "{key}": "{value}"' for key, value in WORDS]
    assert not Recited(facts).holds("Paint the kitchen green, hang the lamp low and bring the piano downstairs.")


def test_what_was_told_nothing_recites_nothing() -> None:
    assert not Recited([]).holds("Your locker code is 7731.") and not Recited([""]).holds("7731")


def test_many_facts_and_a_long_answer_are_compared_at_once() -> None:
    facts = "\n".join(f'- "key {number}": "value {number} of the house in the street"' for number in range(3_000))
    told, started = Recited([facts]), time.process_time()
    told.holds(" ".join(f"The house {number} stands in a street." for number in range(60)))
    assert time.process_time() - started < 2


WORDS = (
    ("favourite colour", "green, like the sea in winter"),
    ("kitchen", "was renovated by my uncle years ago"),
    ("bedroom lamp", "bought at a flea market in Daegu"),
    ("piano", "lessons on Tuesday with Mrs. Han"),
    ("paint brand", "Noroo, sold near the station"),
)
