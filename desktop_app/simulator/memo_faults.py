"""What is done to a summary on purpose: losses, inventions, the wrong language, nothing told, too much told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

from .memo_content import Content
from .memo_facts import Fact
from .memo_phrases import phrase
from .memo_request import Wanted
from .memo_sections import HEADINGS, KINDS, kinds_of
from .memo_sources import Source
from .memo_values import exact_values
from .tokens import count_text

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_LONGEST_PAD = 12  # characters of padding for each token of `max_tokens`


def lose(contents: Sequence[Content]) -> None:
    """Leave out every third fact with all that holds its values, and change the last digit of one number."""
    facts = [fact for content in contents for fact in content.facts]
    exact = [fact for fact in facts if fact.values()]
    gone = {fact.sentence for fact in exact[1::3]}
    gone = gone or {fact.sentence for fact in exact if not re.search(r"\d{2}", fact.sentence)}
    stay = [fact for fact in facts if fact.sentence not in gone]
    kept = {value for fact in stay for value in fact.values()}
    lost = {value for fact in exact if fact.sentence in gone for value in fact.values()} - kept
    for content in contents:
        content.facts = [fact for fact in content.facts if fact.sentence not in gone]
        content.lines = {k: [row for row in rows if not _holds(row, lost)] for k, rows in content.lines.items()}
    values = dict.fromkeys(value for content in contents for fact in content.facts for value in fact.values())
    numbers = [found for value in values for found in re.findall(r"\d{2,}", value)]
    once = Counter(numbers)
    number = next((found for found in numbers if once[found] == 1), next(iter(numbers), None))
    if number is not None:
        change = _changing(number)
        for content in contents:
            content.retell.append(change)


def _holds(row: str, lost: set[str]) -> bool:
    """Whether a row holds a lost value: a bare number as a value of its own, any other anywhere."""
    held = {value.text for value in exact_values(row, plain_numbers=True)}
    return bool(held & lost) or any(value in row for value in lost if not _NUMBER.fullmatch(value))


def _changing(number: str) -> Callable[[str], str]:
    pattern = re.compile(rf"(?<!\d){number}(?!\d)")
    other = number[:-1] + str((int(number[-1]) + 1) % 10)
    return lambda row: pattern.sub(other, row)


def invent(content: Content, source: Source, korean: bool) -> None:
    """Put a fact with two values first that stand nowhere in the source."""
    texts = source.texts
    number = next(n for n in count(7_741) if not any(str(n) in text for text in texts))
    sentence = phrase(korean, "invented", path=f"/srv/share/copy-{number}.pdf", code=f"REF-{number}-9")
    content.facts.insert(0, Fact(sentence, 0, whole=True))


def translate(content: Content, korean: bool) -> None:
    """Tell the values in sentences of the other language (`korean` is that one), and nothing else."""
    values = dict.fromkeys(value for fact in content.facts for value in fact.values())
    told = [value for value in values if korean or not re.search("[가-힣]", value)]
    content.facts = [Fact(phrase(korean, "value", value=value), 0, whole=True) for value in told]
    content.lines = {"goal": [phrase(korean, "about")]}


def other_headings(wanted: Wanted) -> Wanted:
    """The same request in the other language."""
    korean = not wanted.korean
    names = dict(zip(KINDS, HEADINGS[korean], strict=True))
    headings = tuple(
        f"## {names[kind]}" if kind else heading
        for heading, kind in zip(wanted.headings, kinds_of(wanted.headings), strict=True)
    )
    episodes = tuple([replace(e, heading=e.heading_in(korean)) for e in wanted.episodes])
    return replace(wanted, headings=headings, episodes=episodes, korean=korean)


def bland(wanted: Wanted) -> str:
    """The right form without one exact value."""
    told = [phrase(wanted.korean, key) for key in ("bland", "bland_more")]
    if wanted.form == "running":
        return " ".join(told)
    headings = [e.heading for e in wanted.episodes] if wanted.form == "episodes" else wanted.headings
    sign = "" if wanted.form == "episodes" else "- "
    return "\n\n".join(f"{heading}\n{sign}{told[n % 2]}" for n, heading in enumerate(headings))


def lengthen(text: str, source: Source, most: int) -> str:
    """A summary with the whole conversation behind it, so that it is longer than its source.

    It ends where `most` output tokens are passed in any case.
    """
    least, size = source.tokens * 2 + 60, count_text(text)
    rows = [f"- {' '.join(line.split())}" for line in source.texts if line.strip()] or ["- …"]
    once = "\n".join(rows)
    times = 1 + max(0, least - size) // max(count_text(once), 1)
    return text + ("\n" + once) * min(times, 1 + most * _LONGEST_PAD // max(len(once), 1))
