"""A trial of an unknown embedder: questions and facts about different things, and what its vectors say of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from struct import iter_unpack

from desktop_app.core.recall.values import Spread

ENGLISH = (
    ("Where did we leave the spare key of the flat?", "House: the second key lies under the blue flower pot"),
    ("What may I not put into her lunch?", "Allergy: Mina must not eat peanuts"),
    ("How do we get to the office?", "Commute: line 2 to Gangnam, then ten minutes on foot"),
    ("Which database does the shop run on?", "Stack: the store uses PostgreSQL 16"),
    ("When is the meeting with the bank?", "Appointment: loan officer on Thursday at three"),
    ("What is the puppy called?", "Pet: our young dog is named Biscuit"),
    ("Who repairs the car?", "Garage: Mr Olsen looks after the van"),
    ("Which font do I write code in?", "Editor: JetBrains Mono, 14 points"),
    ("How much did the holiday cost?", "Travel: two weeks in Crete were 1,900 euros"),
    ("Which instrument does he play?", "Hobby: Tom practises the cello on Mondays"),
    ("What was the doctor's advice?", "Health: less salt, and a walk each evening"),
    ("When do we water the plants?", "Balcony: tomatoes and basil every second morning"),
)
"""A question and the fact that answers it, in other words."""
KOREAN = (
    ("우리 강아지를 뭐라고 부르지?", "반려견: 이름은 보리"),
    ("못 먹는 음식이 뭐야?", "알레르기: 땅콩과 새우"),
    ("회사까지 어떻게 가?", "출근: 2호선을 타고 강남역에서 내린다"),
    ("집 인터넷 암호가 뭐였지?", "와이파이: 비밀번호는 냉장고 옆 쪽지에 있다"),
    ("아이 생일이 언제야?", "딸: 5월 17일에 태어났다"),
    ("운동은 무슨 요일에 해?", "수영: 매주 화요일 저녁 강습"),
    ("차는 어디에 세워?", "주차: 지하 3층 B구역"),
    ("발표는 누가 맡았어?", "회의: 박 대리가 슬라이드를 설명한다"),
    ("여행 경비가 얼마였지?", "휴가: 제주도 사흘에 80만 원을 썼다"),
    ("선물로 뭘 좋아할까?", "어머니: 향이 은은한 난초를 아끼신다"),
    ("코드는 어떤 언어로 짜?", "개발: 파이썬에 타입을 붙여 쓴다"),
    ("밤에 왜 연락이 안 돼?", "알림: 오후 11시 뒤에는 전화를 꺼 둔다"),
)
"""The same in Korean."""
QUESTIONS = tuple(question for question, _ in (*ENGLISH, *KOREAN))
FACTS = tuple(fact for _, fact in (*ENGLISH, *KOREAN))
_KOREAN_ENOUGH = 0.6


def unrelated_of(questions: Sequence[bytes], facts: Sequence[bytes]) -> Spread:
    """How close `QUESTIONS` and `FACTS` lie that do not belong together; vectors are float32 of length 1."""
    rows = _cosines(questions, facts)
    apart = [close for row, found in enumerate(rows) for place, close in enumerate(found) if place != row]
    mean = sum(apart) / len(apart)
    return Spread(0, mean, max(math.sqrt(sum((close - mean) ** 2 for close in apart) / len(apart)), 1e-6))


def tells_korean_apart(questions: Sequence[bytes], facts: Sequence[bytes]) -> bool:
    """Whether Korean questions find their own fact among the Korean ones: models of English only do so by chance."""
    rows = _cosines(questions[len(ENGLISH) :], facts[len(ENGLISH) :])
    first = sum(max(range(len(found)), key=found.__getitem__) == row for row, found in enumerate(rows))
    return first >= _KOREAN_ENOUGH * len(rows)


def _cosines(questions: Sequence[bytes], facts: Sequence[bytes]) -> list[list[float]]:
    numbers = [_numbers(vector) for vector in facts]
    return [[sum(map(mul, asked, fact)) for fact in numbers] for asked in map(_numbers, questions)]


def _numbers(vector: bytes) -> list[float]:
    return [number for (number,) in iter_unpack("<f", vector)]
