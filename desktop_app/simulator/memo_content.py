"""What goes into a summary, before it is put into a form: lines by section, facts, and values that were asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .intents import tells_nothing
from .memo_facts import Fact, clip, facts_of, is_small_talk
from .memo_sections import DECIDED
from .memo_sources import Said, Source
from .phrases import say

_LINE = 240  # characters of a line without exact values
_QUOTE = 160  # characters of a message in the last exchanges
_FAILED = re.compile(
    r"\b(?:failed|fails|d(?:id|oes)(?: not|n['’]t) work|not working|dead end|gave up)\b|"
    r"안 ?(?:됨|돼|됐|됩|되)|실패|작동하지 않|소용없",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b(?:will|next|going to|to-?do)\b|할 것|할 예정|다음|해야", re.IGNORECASE)


@dataclass
class Content:
    """Lines by section and the facts; `missing` are values a retry names, written as they are.

    `claims` are sentences that come before everything decided, `retell` is what becomes of every line but `missing`.
    """

    lines: dict[str, list[str]]
    facts: list[Fact]
    missing: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    retell: list[Callable[[str], str]] = field(default_factory=list)

    def rows(self, kind: str) -> list[str]:
        """The lines of a section other than the facts, as they are told."""
        rows = [*self.claims, *self.lines.get(kind, [])] if kind == "decisions" else self.lines.get(kind, [])
        return self._told(rows)

    def fact_rows(self, around: int, most_rank: int, *, but: Iterable[str] = ()) -> list[str]:
        """The facts up to a rank, with `around` characters beside each value of a long sentence, then `missing`.

        Sentences among `but` are left out.
        """
        said = set(but)
        facts = [f.line(around) for f in self.facts if f.rank <= most_rank and f.sentence not in said]
        return [*self._told(dict.fromkeys(facts)), *self.missing]

    def _told(self, rows: Iterable[str]) -> list[str]:
        told = list(rows)
        for change in self.retell:
            told = [change(row) for row in told]
        return told

    def shrink(self, share: float) -> None:
        """Leave out that share of the facts (at least one), those told last; first of all the last exchanges."""
        self.lines["progress"] = []
        del self.facts[-max(1, int(len(self.facts) * share)) :]


def content_of(source: Source, korean: bool) -> Content:
    """What a faithful summary of a source holds; `korean` is the language of the words around quotes."""
    said, earlier = source.said, source.earlier
    typed = [s for one in said if one.by == "user" for s in one.sentences if not is_small_talk(s)]
    telling = [sentence for sentence in typed if not tells_nothing(sentence)]
    failures = [f"{one.tool}: {one.sentences[0]}" for one in said if one.by == "tool" and one.failed and one.sentences]
    lines = {
        "goal": _clipped(earlier.get("goal") or typed[:2], 4),
        "decisions": _clipped([*earlier.get("decisions", []), *filter(DECIDED.search, telling)], 16),
        "dead": _clipped([*earlier.get("dead", []), *filter(_FAILED.search, telling), *failures], 10),
        "next": _clipped(list(filter(_NEXT.search, telling)) or earlier.get("next", []), 6),
        "progress": _last_exchanges(said, korean) or _clipped(earlier.get("progress", []), 6),
    }
    return Content(lines, facts_of(said, earlier))


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
