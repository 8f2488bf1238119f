"""The chats that are compacted: exports, LoCoMo's talks, and ten new turns at a time with values of their own."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop_app.simulator.tokens import count_text
from tests.benchmarks.compaction_values import values_in

TURNS = 10
"""New turns between two compactions."""
RULES = {
    "ko": "앞으로 모든 답변은 존댓말로, 표 없이 써 주세요.",
    "en": "From now on, please answer in short paragraphs and never use tables.",
}
LATER_RULES = {
    "ko": "앞으로 금액은 항상 부가세를 뺀 값으로 적어 주세요.",
    "en": "From now on always state amounts without tax.",
}


@dataclass(frozen=True)
class Said:
    """A message: by the person or by the assistant."""

    person: bool
    text: str


@dataclass(frozen=True)
class Chat:
    """A conversation as it is at the start, the values that must survive and the rule that holds; `ko` or `en`.

    `named` values were given by name and need only stand somewhere; others must stand by themselves.
    """

    name: str
    language: str
    messages: tuple[Said, ...]
    values: tuple[str, ...]
    rule: str
    named: bool = False

    def export(self, folder: Path) -> Path:
        """The chat as a file the app imports."""
        rows = [
            {
                "uuid": f"{self.name}-{number}",
                "text": said.text,
                "content": [{"type": "text", "text": said.text}],
                "sender": "human" if said.person else "assistant",
                "created_at": f"2025-07-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000000Z",
            }
            for number, said in enumerate(self.messages)
        ]
        file = folder / f"{self.name}.json"
        file.write_text(json.dumps([{"uuid": self.name, "name": self.name, "chat_messages": rows}]), encoding="utf-8")
        return file


@dataclass(frozen=True)
class NewTurn:
    """A turn that comes later: what is asked, what is answered, the values in both; the rule it sets, if any."""

    question: str
    answer: str
    values: tuple[str, ...]
    rule: str = ""


# -- chats that exist --------------------------------------------------------------------------------------


def chat_of(file: Path, keep: Path | None = None, rule: str | None = None) -> Chat:
    """The first conversation of an export; values by `keep`, one a line, or by pattern.

    Without a `rule` the person's first message is one where values are given by name; else a turn that sets one is
    put in front.
    """
    rows = json.loads(file.read_text(encoding="utf-8"))[0]["chat_messages"]
    messages = [Said(row["sender"] == "human", row["text"]) for row in rows if row["text"].strip()]
    named = tuple(line for line in keep.read_text(encoding="utf-8").split("\n") if line.strip()) if keep else ()
    if rule is None and keep is not None:
        rule = next(said.text for said in messages if said.person)
    return _chat(file.stem, messages, named, rule)


def locomo(file: Path) -> list[Chat]:
    """Each talk with its two speakers in turn as person and assistant; a session's date opens its first message."""
    return [
        _chat(f"locomo {talk['sample_id']}", list(_in_turn(talk["conversation"])), (), None)
        for talk in json.loads(file.read_text(encoding="utf-8"))
    ]


def _in_turn(talk: dict[str, object]) -> Iterator[Said]:
    """The messages, those of one speaker in a row as one."""
    person, texts = True, list[str]()
    number = 1
    while isinstance(rows := talk.get(f"session_{number}"), list):
        for place, row in enumerate(rows):
            if texts and (row["speaker"] == talk["speaker_a"]) != person:
                yield Said(person, "\n".join(texts))
                texts = []
            person = row["speaker"] == talk["speaker_a"]
            texts += [f"[{talk[f'session_{number}_date_time']}]"] if place == 0 else []
            texts.append(row["text"])
        number += 1
    yield Said(person, "\n".join(texts))


def _chat(name: str, messages: Sequence[Said], named: tuple[str, ...], rule: str | None) -> Chat:
    hangul = sum("가" <= letter <= "힣" for said in messages for letter in said.text)
    letters = sum(letter.isalpha() for said in messages for letter in said.text)
    language = "ko" if hangul * 4 > letters else "en"
    if rule is None:
        rule = RULES[language]
        answer = "네, 그렇게 하겠습니다." if language == "ko" else "All right, I will do that."
        messages = [Said(True, rule), Said(False, answer), *messages]
    values = named or tuple(dict.fromkeys(value for said in messages for value in values_in(said.text)))
    return Chat(name, language, tuple(messages), values, rule, bool(named))


# -- new turns ---------------------------------------------------------------------------------------------

_NAMES = ("harbour", "orchard", "lantern", "granite", "meadow", "copper", "willow", "ember", "juniper", "saffron")
_FOLDERS = ("정산", "계약", "회의록", "설계", "납품", "교육", "점검", "채용", "홍보", "구매")
Maker = Callable[[random.Random], str]
_MAKERS: tuple[Maker, ...] = (
    lambda c: f"INV-{c.randint(2024, 2027)}-{c.randint(10_000, 99_999)}",
    lambda c: f"/srv/{c.choice(_NAMES)}/{c.choice(_NAMES)}-{c.randint(100, 999)}.csv",
    lambda c: f"₩{c.randint(1, 98)},{c.randint(100, 999)},{c.randint(100, 999)}",
    lambda c: f"2026-{c.randint(1, 12):02}-{c.randint(1, 28):02} {c.randint(0, 23):02}:{c.randint(0, 59):02} KST",
    lambda c: f"TCK-{c.randint(10_000, 99_999)}",
    lambda c: f"/home/자료/{c.choice(_FOLDERS)}_{c.randint(100, 999)}.xlsx",
    lambda c: f"{c.randint(1, 9)},{c.randint(100, 999)}.{c.randint(10, 99)} EUR",
    lambda c: f"2026년 {c.randint(1, 12)}월 {c.randint(1, 28)}일 오후 {c.randint(1, 11)}시 {c.randint(10, 59)}분",
    lambda c: (
        f"{c.getrandbits(32):08x}-{c.getrandbits(16):04x}-4{c.getrandbits(12):03x}-a{c.getrandbits(12):03x}-"
        f"{c.getrandbits(48):012x}"
    ),
    lambda c: f"192.0.2.{c.randint(2, 250)}:{c.randint(1024, 9999)}",
    lambda c: f"v{c.randint(1, 9)}.{c.randint(0, 30)}.{c.randint(1, 60)}",
    lambda c: f"{c.choice(_NAMES)}.{c.randint(100, 999)}@example.org",
    lambda c: f"https://example.com/{c.choice(_NAMES)}?id={c.randint(1000, 9999)}",
    lambda c: f"{c.choice(_NAMES).upper()}_LIMIT_{c.choice('ABCDEF')}{c.randint(10, 99)}",
    lambda c: f"git switch {c.choice(_NAMES)}/{c.choice(_NAMES)}-{c.randint(100, 999)}",
    lambda c: f"{c.randint(2, 90)}.{c.randint(10, 99)} %",
)
_ASKED = {
    "ko": ("이번 건은 {value} 기준으로 봐 주세요.", "확인할 것은 {value} 입니다.", "제가 적어 둔 값은 {value} 예요."),
    "en": ("This one is about {value} in particular.", "Please look at {value} first.", "My note says {value} here."),
}
_TOLD = {
    "ko": ("확인해 보니 {value} 도 함께 걸려 있습니다.", "여기에는 {value} 을(를) 쓰면 됩니다.",
           "따로 {value} 을(를) 적어 둡니다."),
    "en": ("It also depends on {value} as far as I can see.", "For that I would take {value} as it is.",
           "Separately I noted {value} for later."),
}  # fmt: skip
_TALK = {
    "ko": (
        "지난번에 이야기한 흐름을 그대로 이어 가되 앞뒤가 맞는지 한 번 더 살펴봐 주시면 좋겠습니다.",
        "담당하시는 분이 바뀌어서 배경을 아는 사람이 많지 않고, 문서도 여기저기 흩어져 있습니다.",
        "급한 일은 아니지만 다음 회의 전에는 방향이 정해져 있어야 다른 팀이 움직일 수 있습니다.",
        "처음에는 간단한 일이라고 생각했는데 들여다볼수록 예외가 많아서 정리가 필요해 보입니다.",
        "비슷한 일을 예전에 한 적이 있는데 그때는 기록을 남기지 않아서 나중에 고생했습니다.",
        "우선 지금 상태를 그대로 두고 무엇이 달라지는지부터 차근차근 비교해 보는 편이 안전합니다.",
        "이 부분은 사람마다 이해가 달라서 용어부터 맞추고 시작하는 것이 좋겠습니다.",
        "결과를 받는 쪽에서는 표현보다 근거를 더 중요하게 보니 이유를 함께 적어 두겠습니다.",
        "혹시 빠진 것이 있으면 나중에라도 덧붙일 수 있게 여유를 두고 진행하겠습니다.",
        "다른 의견이 나올 수 있으니 결정한 까닭을 짧게라도 남겨 두는 것이 도움이 됩니다.",
        "제가 보기에는 순서를 바꾸는 것만으로도 기다리는 시간이 꽤 줄어들 것 같습니다.",
        "자료를 모으는 데 시간이 걸리니 먼저 할 수 있는 일부터 시작하는 것이 어떨까요.",
    ),
    "en": (
        "I would rather keep the order we agreed on and only look at what has changed since the last talk.",
        "Several people have worked on this, so the notes are scattered and not all of them agree with each other.",
        "It is not urgent, but the other team waits for an answer before they can plan their own part of it.",
        "At first it looked like a simple job, and then one exception after the other turned up on the way.",
        "We did something like it before, and the missing record of the reasons cost us a lot of time afterwards.",
        "The safest way is to leave everything as it stands and to compare the two results line by line.",
        "Different people use different words for the same thing here, so the names should be settled first.",
        "Whoever reads the outcome will care more about the reasons than about how nicely it is written.",
        "If anything is missing it can be added later, as long as the structure leaves some room for it.",
        "There may be another opinion about this, which is why a short note of the reasons would be helpful.",
        "As far as I can tell, changing the sequence alone would already make most of the waiting go away.",
        "Collecting the material takes a while, so it might be best to begin with what can be done right now.",
    ),
}


def new_turns(seed: int, language: str, count: int = TURNS, *, answer: int = 200, rule: bool = False) -> list[NewTurn]:
    """Turns of about 200 tokens a message (`answer` for the assistant's), every other one in the other language.

    The person's message holds one value, the answer repeats it and adds one. The last answer is three times as long.
    With `rule` the first turn sets another standing rule.
    """
    chance = random.Random(seed)
    turns = []
    for number in range(count):
        spoken = language if number % 2 == 0 else ("en" if language == "ko" else "ko")
        asked, told = (make(chance) for make in chance.sample(_MAKERS, 2))
        question = [chance.choice(_ASKED[spoken]).format(value=asked)]
        reply = [chance.choice(_ASKED[spoken]).format(value=asked), chance.choice(_TOLD[spoken]).format(value=told)]
        set_rule = LATER_RULES[spoken] if rule and number == 0 else ""
        length = answer * 3 if number == count - 1 else answer
        question_text = _filled(question, 200, spoken, chance) + (f" {set_rule}" if set_rule else "")
        turns.append(NewTurn(question_text, _filled(reply, length, spoken, chance), (asked, told), set_rule))
    return turns


def _filled(sentences: list[str], tokens: int, language: str, chance: random.Random) -> str:
    """The sentences among others, up to about so many tokens."""
    size = int(tokens * chance.uniform(0.8, 1.2))
    pool: list[str] = []
    while count_text(" ".join(sentences)) < size:
        pool = pool or chance.sample(_TALK[language], len(_TALK[language]))
        sentences.insert(chance.randint(0, len(sentences)), pool.pop())
    return " ".join(sentences)
