"""What a request for a summary asks for: its form, how far to go, headings or episodes, and values that were missed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .conversation import form_asked
from .memo_phrases import phrase

_MISSING = re.compile(r"^[ \t]*<missing_values>[ \t]*$(.*?)^[ \t]*</missing_values>", re.MULTILINE | re.DOTALL)
_MISSED = re.compile(r"^- (.*\S)[ \t]*$", re.MULTILINE)
_EPISODE = re.compile(r"## \D*(\d+)\s*\(\D*(\d+)\s*[-–]\s*(\d+)\s*\)")
_KIND = re.compile(r'\bkind="(\w+)"')
_TURNS = re.compile(r'\bturns="(\d+)"')
_TAG = re.compile(r"<[^>\n]*>")
_ESCAPED = re.compile(
    r"&lt;(?=/?(?:conversation_to_summarise|earlier_summary|message|part|handover_memo|long_term_facts|memory_notes|"
    r"\w+_request)\b)"
)


@dataclass(frozen=True)
class Episode:
    """A stretch of messages, by their numbers (inclusive), that gets a summary of its own."""

    heading: str
    number: int
    first: int
    last: int

    def heading_in(self, korean: bool) -> str:
        """Its heading in one of the languages."""
        return phrase(korean, "episode", number=str(self.number), first=str(self.first), last=str(self.last))


@dataclass(frozen=True)
class Wanted:
    """A request for a summary.

    `form` is the form of the answer: memo, running or episodes; `joins` says that its sources are summaries of parts.
    `turns` is how many messages of the person are to be summarised, None for all.
    """

    form: str
    joins: bool
    turns: int | None
    headings: tuple[str, ...]
    episodes: tuple[Episode, ...]
    missing: tuple[str, ...]
    korean: bool


def read_request(prompt: str) -> Wanted:
    """What a prompt asks for whose first line opens one of the request tags."""
    form = form_asked(prompt) or "memo"
    opening = prompt.strip().splitlines()[0]
    turns, kind = _TURNS.search(opening), _KIND.search(opening)
    missing = [value for block in _MISSING.findall(prompt) for value in _MISSED.findall(block)]
    rules = _MISSING.sub("", prompt)
    headings = tuple(dict.fromkeys(line.strip() for line in rules.splitlines() if line.startswith("## ")))
    episodes = [Episode(h, *map(int, found.groups())) for h in headings if (found := _EPISODE.match(h))]
    return Wanted(
        form=(kind[1] if kind else "memo") if form == "join" else form,
        joins=form == "join",
        turns=int(turns[1]) if turns else None,
        headings=headings,
        episodes=tuple(episodes),
        missing=tuple(dict.fromkeys(map(unescape, missing))),
        korean=_in_korean("\n".join(headings) or _TAG.sub("", rules)),
    )


def unescape(text: str) -> str:
    """A text out of quoted data, with the tags in it as they were written."""
    return _ESCAPED.sub("<", text) if "&lt;" in text else text


def _in_korean(text: str) -> bool:
    return len(re.findall(r"[가-힣]", text)) > len(re.findall(r"[A-Za-z]", text)) / 2
