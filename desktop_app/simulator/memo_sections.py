"""The sections of a summary written earlier: which of the six each heading stands for, and the lines below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .lookup import split

KINDS = ("goal", "decisions", "progress", "facts", "dead", "next")
HEADINGS = {
    False: ("Goal", "Decisions, constraints, preferences", "Work in progress", "Facts", "Dead ends", "Next steps"),
    True: ("목표", "결정, 제약, 선호", "진행 중인 일", "사실", "막다른 길", "다음 단계"),
}
_WORDS = {
    "goal": r"\bgoals?\b|objective|\baim\b|목표|목적",
    "decisions": r"decision|constraint|preference|\brules?\b|결정|제약|선호|규칙",
    "dead": r"\bdead\b|fail|did not work|막다른|실패|안 된|막힌|통하지",
    "next": r"\bnext\b|다음|할 일|남은",
    "facts": r"\bfacts?\b|\bvalues?\b|사실|값",
    "progress": r"progress|\bwork\b|\bquestion\b|\bunfinished\b|진행|작업|질문|끝나지 않은",
}
DECIDED = re.compile(
    r"\b(?:decid\w+|prefer\w*|always|never|from now on|agreed)\b|앞으로|하기로|좋아|싫어|항상|절대|결정|선호",
    re.IGNORECASE,
)
_EXCHANGE = re.compile(r"(?:The user|The assistant|사용자|어시스턴트): ")
_SIGN = re.compile(r"^\s*(?:[-*•]\s+)?")
_LISTED = re.compile(r"^\s*[-*•]\s")


def kinds_of(headings: Sequence[str]) -> list[str]:
    """The section each heading names, by its words, else by its place; "" for one that is none of the six."""
    named = [next((kind for kind, words in _WORDS.items() if re.search(words, h, re.IGNORECASE)), "") for h in headings]
    if len(headings) == len(KINDS) and len(set(named)) < len(KINDS):
        return list(KINDS)
    return named


def sections_of(lines: Sequence[str]) -> dict[str, list[str]]:
    """The lines of a summary by section; without headings the first sentence is the goal, a list the facts.

    What stands under a heading that is none of the six counts as facts.
    """
    kinds = iter(kinds_of([line for line in lines if line.startswith("## ")]))
    sections: dict[str, list[str]] = {}
    kind: str | None = None
    for line in lines:
        if line.startswith("## "):
            kind = next(kinds) or "facts"
        elif kind is not None or _LISTED.match(line):
            sections.setdefault(kind or "facts", []).append(_SIGN.sub("", line).rstrip())
        else:
            for sentence in split(line):
                sections.setdefault(_kind_of(sentence, first=not sections), []).append(sentence)
    return sections


def _kind_of(sentence: str, *, first: bool) -> str:
    """The section a sentence of a summary without headings would stand in."""
    if _EXCHANGE.match(sentence):
        return "progress"
    if first:
        return "goal"
    return "decisions" if DECIDED.search(sentence) else "facts"


def joined(parts: Iterable[dict[str, list[str]]]) -> dict[str, list[str]]:
    """The sections of consecutive summaries as one: the work in progress and the next steps are those of the last."""
    whole: dict[str, list[str]] = {}
    for part in parts:
        passing = [f for kind in ("progress", "next") for f in whole.pop(kind, [])]
        if passing:
            whole.setdefault("facts", []).extend(passing)
        for kind, rows in part.items():
            whole.setdefault(kind, []).extend(rows)
    return whole
