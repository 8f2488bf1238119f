"""The handover memo: six sections filled from the text of the conversation, faithful or with losses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .conversation import Turn, asks_for_memo
from .intents import tells_nothing
from .memo_facts import Fact, clip, facts_of, is_small_talk
from .memo_sources import Said, earlier_memo, kinds_of, said_in
from .phrases import say
from .reply import Reply, Thought, Words
from .tokens import count_text

FAITHFUL, LOSSY = "faithful", "lossy"
MODES = (FAITHFUL, LOSSY)
MOST = 6_000  # tokens of a memo, whatever `max_tokens` allows
USUAL_LEAST = 600  # tokens a memo may take before sentences without exact values are left out
_SHARE = 0.25  # of what it stands for: the size a memo tries to keep within
_FRAME = 24  # tokens kept free beside thinking and memo
_LINE = 240  # characters of a line without exact values
_QUOTE = 160  # characters of a message in the last exchanges
_OWN = {
    False: ("Goal", "Decisions, constraints, preferences", "Work in progress", "Facts", "Dead ends", "Next steps"),
    True: ("목표", "결정, 제약, 선호", "진행 중인 작업", "사실", "막다른 길", "다음 단계"),
}
_DECIDED = re.compile(
    r"\b(?:decid\w+|prefer\w*|always|never|from now on|agreed)\b|앞으로|하기로|좋아|싫어|항상|절대|결정|선호",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:failed|fails|d(?:id|oes)(?: not|n['’]t) work|not working|dead end|gave up)\b|"
    r"안 ?(?:됨|돼|됐|됩|되)|실패|작동하지 않|소용없",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b(?:will|next|going to|to-?do)\b|할 것|할 예정|다음|해야", re.IGNORECASE)


@dataclass
class _Content:
    """What goes into the sections; of a memo with losses, what is missing in all of them and which number changes."""

    lines: dict[str, list[str]]
    facts: list[Fact]
    lost: set[str] = field(default_factory=set)
    changed: tuple[str, str] | None = None

    def text(self, headings: list[str], none: str, *, around: int, most_rank: int) -> str:
        """The memo, with `around` characters beside each value of a long sentence and facts up to a rank."""
        facts = [fact.line(around) for fact in self.facts if fact.rank <= most_rank]
        filled = self.lines | {"facts": list(dict.fromkeys(facts))}
        parts = []
        for heading, kind in zip(headings, kinds_of(headings), strict=True):
            rows = [row for row in filled.get(kind, []) if not any(value in row for value in self.lost)]
            parts.append("\n".join([heading, *(f"- {self._told(row)}" for row in rows)] if rows else [heading, none]))
        return "\n\n".join(parts)

    def _told(self, row: str) -> str:
        if self.changed is None:
            return row
        return re.sub(rf"(?<!\d){self.changed[0]}(?!\d)", self.changed[1], row)

    def lose(self) -> None:
        """Leave out every third fact with all that holds its values, and change the last digit of one number."""
        exact = [fact for fact in self.facts if fact.values()]
        gone = exact[1::3] or [fact for fact in exact if not re.search(r"\d{2}", fact.sentence)]
        self.facts = [fact for fact in self.facts if fact not in gone]
        stay = {value for fact in self.facts for value in fact.values()}
        self.lost = {value for fact in gone for value in fact.values() if value not in stay}
        values = (value for fact in self.facts for value in fact.values())
        number = next((found for value in values for found in re.findall(r"\d{2,}", value)), None)
        if number is not None:
            self.changed = (number, number[:-1] + str((int(number[-1]) + 1) % 10))

    def say_once(self) -> None:
        """Leave out of the facts what stands word for word in a section that later memos keep as well."""
        said = {row for kind in ("goal", "decisions", "dead") for row in self.lines[kind]}
        self.facts = [fact for fact in self.facts if fact.sentence not in said]


def write_memo(body: dict[str, Any], turns: list[Turn], mode: str = FAITHFUL) -> Reply:
    """The memo a checked request asks for in its last message, under the headings (`## `) listed there.

    It calls no tool, and keeps within `max_tokens`: first words around the values go, then the values told last.
    """
    asked = "\n".join(b["text"] for b in turns[-1].blocks if b["type"] == "text" and asks_for_memo(b["text"]))
    headings = list(dict.fromkeys(line.strip() for line in asked.splitlines() if line.startswith("## ")))
    korean = _in_korean("\n".join(headings) or asked)
    headings = headings or [f"## {name}" for name in _OWN[korean]]
    thought = say(korean, "think_memo")
    said, earlier = list(said_in(turns)), earlier_memo(turns)
    content = _content(said, earlier, korean)
    if mode == LOSSY:
        content.lose()
    content.say_once()
    room = min(MOST, body["max_tokens"] - count_text(thought) - _FRAME)
    folded = [one.text for one in said] + [line for rows in earlier.values() for line in rows]
    usual = max(USUAL_LEAST, int(_SHARE * sum(map(count_text, folded))))
    return Reply([Thought(thought), Words(_fitting(content, headings, say(korean, "none"), min(usual, room), room))])


def _in_korean(text: str) -> bool:
    return len(re.findall(r"[가-힣]", text)) > len(re.findall(r"[A-Za-z]", text)) / 2


def _fitting(content: _Content, headings: list[str], none: str, usual: int, room: int) -> str:
    """The fullest text within `usual` tokens; all exact values come before that, and `room` before everything."""
    for around, rank, limit in ((120, 2, usual), (24, 2, usual), (60, 1, usual), (24, 1, room), (24, 0, room)):
        text = content.text(headings, none, around=around, most_rank=rank)
        if count_text(text) <= limit:
            return text
    content.lines["progress"] = []
    text = content.text(headings, none, around=0, most_rank=0)
    while content.facts and count_text(text) > room:
        del content.facts[-max(1, len(content.facts) // 8) :]
        text = content.text(headings, none, around=0, most_rank=0)
    return text


def _content(said: list[Said], earlier: dict[str, list[str]], korean: bool) -> _Content:
    typed = [s for one in said if one.by == "user" for s in one.sentences if not is_small_talk(s)]
    telling = [sentence for sentence in typed if not tells_nothing(sentence)]
    failures = [f"{one.tool}: {one.sentences[0]}" for one in said if one.by == "tool" and one.failed and one.sentences]
    lines = {
        "goal": _clipped(earlier.get("goal") or typed[:2], 4),
        "decisions": _clipped([*earlier.get("decisions", []), *filter(_DECIDED.search, telling)], 16),
        "dead": _clipped([*earlier.get("dead", []), *filter(_FAILED.search, telling), *failures], 10),
        "next": _clipped(list(filter(_NEXT.search, telling)) or earlier.get("next", []), 6),
        "progress": _last_exchanges(said, korean) or _clipped(earlier.get("progress", []), 6),
    }
    return _Content(lines, facts_of(said, earlier))


def _clipped(sentences: Iterable[str], most: int) -> list[str]:
    """The last `most` different sentences, in their order."""
    rows = list(dict.fromkeys(clip(sentence, _LINE) for sentence in sentences))
    return rows[-most:]


def _last_exchanges(said: list[Said], korean: bool) -> list[str]:
    """The last two messages of the user with the last words of the answers."""
    asked = [number for number, one in enumerate(said) if one.by == "user"][-2:]
    rows = []
    for number in range(asked[0] if asked else 0, len(said)):
        one = said[number]
        ends = number + 1 == len(said) or said[number + 1].by == "user"
        if one.by == "user" or (one.by == "assistant" and ends):
            rows.append(say(korean, f"memo_{one.by}", quote=clip(" ".join(one.text.split()), _QUOTE)))
    return rows
