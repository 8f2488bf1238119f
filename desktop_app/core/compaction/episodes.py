"""Episodes: stretches of whole turns, cut where the topic shifts, each told in a few sentences; the oldest melt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from operator import mul
from statistics import fmean, pstdev

from desktop_app.core.conversation import is_blank

SMALLEST, LARGEST, BLOCK = 3, 15, 10
"""Turns of an episode: at least, at most, and where nothing tells the topics apart."""
SENTENCES = 3
"""An episode is told in at most as many."""
TOKENS = 80
"""What an episode of some 500 tokens comes down to."""
_STANDS_OUT = 0.8
"""Standard deviations above the mean of the gaps around at which one is a shift."""
_WINDOW = 8
"""Gaps on each side that a gap is held against."""
_LEAST_BUDGET, _MOST_BUDGET, _SHARE = 800, 4_000, 25


@dataclass(frozen=True, slots=True)
class Episode:
    """Message numbers of the path, from 1, inclusive: whole turns."""

    number: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class ToldEpisode:
    """An episode as it stands in a summary: the line of its heading as it was written, and the text below it.

    Number 0 is what the oldest melted into, or (without a heading) a text that is no episode.
    """

    number: int
    first: int
    last: int
    text: str
    heading: str = ""


_HEADINGS = {
    "en": "## Episode {number} (messages {first}-{last})",
    "ko": "## 에피소드 {number} (메시지 {first}-{last})",
}
_MELTED = {"en": "## Earlier (messages {first}-{last})", "ko": "## 그 이전 (메시지 {first}-{last})"}
_HEADING = re.compile(
    r" {0,3}#{1,6}[ \t]+\**(?:(?:Episode|에피소드)[ \t]*(?P<number>\d+)|Earlier|그 이전)[ \t]*"
    r"\((?:messages?|메시지)?[ \t]*(?P<first>\d+)[ \t]*[-–~][ \t]*(?P<last>\d+)\)[*: \t\r]*",
    re.IGNORECASE,
)


def heading_of(episode: Episode, language: str) -> str:
    """The line above an episode, as the prompt lists it and the summary shows it."""
    form = _HEADINGS if episode.number else _MELTED
    return form[language].format(number=episode.number, first=episode.first, last=episode.last)


# -- cutting -----------------------------------------------------------------------------------------------


def cut_episodes(
    turns: Sequence[tuple[int, int]],
    vectors: Sequence[Sequence[float]] | None,
    smallest: int = SMALLEST,
    largest: int = LARGEST,
    block: int = BLOCK,
) -> list[tuple[int, int]]:
    """Stretches of turns as (start, end), the end not included, that together are all turns.

    A cut falls between turns whose vectors are further apart than most around them. No stretch has fewer than
    `smallest` turns (unless there are no more) nor more than `largest`. Without vectors, one for each turn, or where
    they do not differ, stretches have `block` turns. Raises ValueError for another number of vectors than turns.
    """
    if not turns:
        return []
    distances = [] if vectors is None else _distances(turns, vectors)
    if not distances or max(distances) - min(distances) < 1e-9:
        return _blocks(len(turns), smallest, block)
    cuts = [0, *_shifts(distances, smallest, len(turns)), len(turns)]
    stretches: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        stretches += _no_longer(start, end, distances, smallest, largest, block)
    return stretches


def _distances(turns: Sequence[tuple[int, int]], vectors: Sequence[Sequence[float]]) -> list[float]:
    """The cosine distance of each turn to the next; 0 beside one without a direction."""
    if len(vectors) != len(turns):
        raise ValueError(f"{len(vectors)} vectors for {len(turns)} turns")
    norms = [sqrt(sum(map(mul, vector, vector))) for vector in vectors]
    return [
        1 - sum(map(mul, left, right)) / (size * other) if size and other else 0.0
        for left, right, size, other in zip(vectors, vectors[1:], norms, norms[1:], strict=False)
    ]


def _shifts(distances: Sequence[float], smallest: int, turns: int) -> list[int]:
    """The turns at which a new topic begins, the clearest chosen first where two are too close to each other."""
    clear: list[tuple[float, int]] = []
    usual = fmean(distances)
    for gap, distance in enumerate(distances):
        around = distances[max(0, gap - _WINDOW) : gap + _WINDOW + 1]
        spread = pstdev(around)
        highest = distance >= max(distances[max(0, gap - 1) : gap + 2])
        if highest and spread > 1e-9 and distance > max(usual, fmean(around) + _STANDS_OUT * spread):
            clear.append(((distance - fmean(around)) / spread, gap + 1))
    chosen: list[int] = []
    for _, place in sorted(clear, key=lambda one: (-one[0], one[1])):
        if smallest <= place <= turns - smallest and all(abs(place - other) >= smallest for other in chosen):
            chosen.append(place)
    return sorted(chosen)


def _no_longer(
    start: int, end: int, distances: Sequence[float], smallest: int, largest: int, block: int
) -> Iterator[tuple[int, int]]:
    """A stretch cut at its widest gaps until no part is too long; of equal gaps at the one nearest to a block."""
    while end - start > largest:
        places = range(start + smallest, min(start + largest, end - smallest) + 1)
        place = max(places, key=lambda place: (distances[place - 1], -abs(place - start - block)))
        yield start, place
        start = place
    yield start, end


def _blocks(turns: int, smallest: int, block: int) -> list[tuple[int, int]]:
    """Equal stretches; a rest too small for one of its own goes with the last."""
    starts = list(range(0, turns, block))
    if len(starts) > 1 and turns - starts[-1] < smallest:
        starts.pop()
    return list(zip(starts, [*starts[1:], turns], strict=True))


# -- the text ----------------------------------------------------------------------------------------------


def episodes_text(told: Sequence[ToldEpisode]) -> str:
    """The body of a summary in episodes; what was parsed from one comes out to the byte."""
    return "\n\n".join(f"{one.heading}\n{one.text}" if one.heading else one.text for one in told)


def parse_episodes(text: str) -> list[ToldEpisode]:
    """The episodes of a text in order; what stands before the first heading is one without a heading, number 0."""
    told: list[ToldEpisode] = []
    heading, found, below = "", None, list[str]()
    for line in [*text.split("\n"), None]:
        next_found = _HEADING.fullmatch(line) if line is not None else None
        if line is not None and next_found is None:
            below.append(line)
            continue
        under = "\n".join(below).strip("\n")
        if found is not None:
            told.append(ToldEpisode(int(found["number"] or 0), int(found["first"]), int(found["last"]), under, heading))
        elif not is_blank(under):
            told.append(ToldEpisode(0, 0, 0, under))
        heading, found, below = line or "", next_found, []
    return told


def last_number(told: Sequence[ToldEpisode]) -> int:
    """The highest number given so far, 0 before the first: the next episode is numbered from there on."""
    return max((one.number for one in told), default=0)


def with_new(
    earlier: Sequence[ToldEpisode], found: Sequence[Episode], written: Mapping[int, str], language: str
) -> str:
    """The body: earlier episodes byte for byte, behind them the new ones with what was written of each."""
    fresh = [
        ToldEpisode(one.number, one.first, one.last, written[one.number].strip(), heading_of(one, language))
        for one in found
        if not is_blank(written.get(one.number, ""))
    ]
    return episodes_text([*earlier, *fresh])


# -- melting -----------------------------------------------------------------------------------------------


def most_tokens(threshold: int) -> int:
    """Tokens all episodes together may take in a context that is compacted at `threshold` tokens."""
    return max(_LEAST_BUDGET, min(_MOST_BUDGET, threshold // _SHARE))


def oldest_part(body: str, budget: int, tokens_of: Callable[[str], int]) -> tuple[str, str]:
    """The oldest episodes that are to become one paragraph, so that the rest takes half of `budget`; and that rest.

    Half, so that not every further compaction melts again. The newest episode stays; nothing melts where that is all,
    or where only what was melted before is left to melt.
    """
    told = parse_episodes(body)
    if tokens_of(body) <= budget or len(told) < 2:
        return "", body
    place, kept = len(told) - 1, tokens_of(episodes_text(told[-1:]))
    while place > 0:
        more = tokens_of(episodes_text(told[place - 1 : place]))
        if kept + more > budget // 2:
            break
        kept += more
        place -= 1
    oldest = told[:place]
    if len(oldest) == 1 and oldest[0].number == 0 and oldest[0].heading and tokens_of(oldest[0].text) <= 2 * TOKENS:
        return "", body
    return episodes_text(oldest), episodes_text(told[place:])


def melted(paragraph: str, rest: str, language: str) -> str:
    """The body with one paragraph, under a heading of its own, in place of the oldest episodes; the rest unchanged."""
    first = next((one.first for one in parse_episodes(rest) if one.first), 1)
    heading = heading_of(Episode(0, 1, max(1, first - 1)), language)
    return "\n\n".join(part for part in (f"{heading}\n{paragraph.strip()}", rest) if part)
