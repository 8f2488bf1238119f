"""The check of a summary: its values, where its words come from, its language, its length, its sections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.core.compaction.compaction import SERVER_STRATEGIES, Strategy
from desktop_app.core.compaction.memo import Section, parse_memo
from desktop_app.core.compaction.rouge import TurnWords
from desktop_app.core.compaction.summary_text import split
from desktop_app.core.compaction.value_check import CheckedValue, Fate, SourceText, SourceValues
from desktop_app.core.exact_values.finding import values_of

LEAST_ROUGE = 0.45
"""A summary below this says things its source does not (B11)."""
_LEAST_KOREAN = 0.3
"""Share of Hangul words from which a text is Korean: technical Korean is full of Latin words."""
_WORD = re.compile(r"[^\W\d_]+")
_HANGUL = re.compile(r"[가-힣ㄱ-ㅎㅏ-ㅣ\u1100-\u11ff]")
_LATIN = re.compile(r"[A-Za-z]")


@dataclass(frozen=True, slots=True)
class SummaryCheck:
    """What a check found. `rouge` is from 0 to 1; `missing_sections` are those a memo lacks or leaves empty."""

    values: tuple[CheckedValue, ...]
    rouge: float
    right_language: bool
    shorter: bool
    missing_sections: tuple[Section, ...] = ()

    @property
    def kept(self) -> tuple[CheckedValue, ...]:
        return self._with(Fate.KEPT)

    @property
    def reworded(self) -> tuple[CheckedValue, ...]:
        return self._with(Fate.REWORDED)

    @property
    def lost(self) -> tuple[CheckedValue, ...]:
        return self._with(Fate.LOST)

    @property
    def invented(self) -> tuple[CheckedValue, ...]:
        return self._with(Fate.INVENTED)

    @property
    def grounded(self) -> bool:
        """Whether its words come from what it stands for."""
        return self.rouge >= LEAST_ROUGE

    @property
    def good(self) -> bool:
        """Whether nothing is wrong with it: no value lost or invented, and all else as it should be.

        A reworded value is no fault of a summary, though it may be put back.
        """
        return (
            self.grounded
            and self.right_language
            and self.shorter
            and not (self.missing_sections or self.lost or self.invented)
        )

    def _with(self, fate: Fate) -> tuple[CheckedValue, ...]:
        return tuple(value for value in self.values if value.fate is fate)


class HeldAgainst:
    """What summaries of the same texts are held against, read once however many drafts there are."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._values = SourceValues(sources)
        self._words = TurnWords([source.text for source in sources])

    def check(
        self, summary: str, *, language: str, strategy: Strategy, folded_tokens: int, summary_tokens: int
    ) -> SummaryCheck:
        """Checks the text that is to stand in place of them.

        `language` is `en` or `ko`; both counts are tokens. A window writes no summary, so its words and language are
        not judged; of the API's own summary the language is not ours to ask for. What is carried word for word counts
        for the values alone.
        """
        written = strategy is not Strategy.WINDOW
        body, carried = split(summary)
        # Headings of ours and what tells how an attachment is read again claim nothing of the conversation.
        claimed = (body, *carried.rules, carried.question, *carried.unfinished, *carried.values)
        return SummaryCheck(
            values=self._values.check(summary, "\n\n".join(claimed)),
            rouge=self._words.rouge_l(body) if written else 1.0,
            right_language=strategy in (Strategy.WINDOW, *SERVER_STRATEGIES) or is_written_in(body, language),
            shorter=summary_tokens < folded_tokens,
            missing_sections=parse_memo(body).missing if strategy is Strategy.MEMO else (),
        )


def check_summary(
    sources: Sequence[SourceText],
    summary: str,
    *,
    language: str,
    strategy: Strategy,
    folded_tokens: int,
    summary_tokens: int,
) -> SummaryCheck:
    """The same for a single summary."""
    return HeldAgainst(sources).check(
        summary, language=language, strategy=strategy, folded_tokens=folded_tokens, summary_tokens=summary_tokens
    )


def is_written_in(text: str, language: str) -> bool:
    """Whether the prose of a text is in `language` (`en` or `ko`), exact values aside; true where there is no prose."""
    korean = latin = 0
    place = 0
    prose = []
    for value in values_of(text):
        prose.append(text[place : value.start])
        place = value.end
    for word in _WORD.findall(" ".join([*prose, text[place:]])):
        if _HANGUL.search(word):
            korean += 1
        elif _LATIN.search(word):
            latin += 1
    if not korean + latin:
        return True
    return (korean / (korean + latin) >= _LEAST_KOREAN) == (language == "ko")
