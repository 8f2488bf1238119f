"""What leaves the context at one compaction, each view of it made once: texts, quotation, what is carried along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from desktop_app.core.attachments import pointer_lines
from desktop_app.core.compaction.carried import Carried, standing_rules, unfinished, word_for_word
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.compaction.quoting import quoted_messages
from desktop_app.core.compaction.sources import sources_of
from desktop_app.core.compaction.summary_check import HeldAgainst
from desktop_app.core.compaction.summary_text import split
from desktop_app.core.compaction.value_check import SourceText
from desktop_app.core.conversation import Message, Origin, is_blank
from desktop_app.core.token_estimate import FEATURES, TokenEstimator, text_features

_VALUES_SHARE = 15
"""Percent that values may take which a summary lost: of all it stands for, but never more of the threshold."""
_LEAST_VALUES = 400
_QUOTED = 1.15
"""How much longer a message is when it is quoted, by tokens."""
_ELEMENT = 12


@dataclass(frozen=True)
class Leaving:
    """The messages that fold now and the compaction they fold with: `tokens` of them, `stands_for` those of all
    messages the new summary is to stand for.

    `first_number` is the number of the first of those messages on the path, from 1; `sizes` are tokens by message;
    `estimator` is that of the model that sums it up.
    """

    path: Sequence[Message]
    folded: Sequence[Message]
    first_number: int
    base: Compaction | None
    language: str
    strategy: Strategy
    tokens: int
    stands_for: int
    threshold: int
    sizes: Mapping[str, int]
    estimator: TokenEstimator
    tools: bool = True
    """Whether the model is offered tools, so that a text may name one."""

    @property
    def base_text(self) -> str:
        """The text of the compaction so far; empty without one."""
        if self.base is None:
            return ""
        written = (str(self.base.block.get("content") or "") if self.base.block else "", self.base.summary)
        return "\n\n".join(text for text in written if not is_blank(text))

    @property
    def base_body(self) -> str:
        """The same without what it carries word for word."""
        if self.base is None or self.base.block is not None:
            return self.base_text
        return split(self.base.summary)[0]

    @cached_property
    def sources(self) -> list[SourceText]:
        """What a summary is held against."""
        return sources_of(self.folded, self.base)

    @cached_property
    def held_against(self) -> HeldAgainst:
        """The same, read once however many drafts are checked."""
        return HeldAgainst(self.sources)

    @cached_property
    def quoted(self) -> list[str]:
        """The messages as quoted data, one text each."""
        return quoted_messages(self.folded, self.first_number)

    @cached_property
    def carried(self) -> Carried:
        """What survives word for word whatever a summary says: rules, the last question, what was never answered."""
        before = split(self.base.summary)[1] if self.base else Carried()
        asked_again = {message.text for message in self.folded} if before.unfinished else ()
        still = [text for text in before.unfinished if text not in asked_again]
        return Carried(
            # The last place counts: a rule said again after it was lifted holds again.
            rules=_distinct((*before.rules, *standing_rules(self.folded))[::-1])[::-1],
            question=word_for_word(self._last_question(), self.language),
            unfinished=_distinct((*still, *unfinished(self.folded))),
            files=_distinct((*before.files, *pointer_lines(self.folded, self.language, self.tools))),
        )

    @property
    def values_budget(self) -> int:
        """Tokens the values may take that a summary lost."""
        return max(_LEAST_VALUES, min(self.stands_for, self.threshold) * _VALUES_SHARE // 100)

    def tokens_of(self, text: str) -> int:
        """Tokens of a text, by estimate; of a quoted message by what is known of it."""
        known = self._quoted_sizes.get(text)
        return known if known is not None else self._estimate(text)

    def _estimate(self, text: str) -> int:
        # How doubtful that is, is not asked: to tell it takes most of the time of an estimate.
        return round(sum(self._weights[name] * value for name, value in text_features(text).items()))

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        return dict(zip(FEATURES, self.estimator.calibration.weights, strict=True))

    @cached_property
    def quoted_tokens(self) -> int:
        """Tokens of all messages as they are quoted."""
        return sum(self._quoted_sizes.values())

    @cached_property
    def _quoted_sizes(self) -> Mapping[str, int]:
        sized = zip(self.quoted, self.folded, strict=True)
        return {text: self._quoted_size(text, one) for text, one in sized}

    def _quoted_size(self, text: str, message: Message) -> int:
        if message.origin is Origin.TOOL_RESULTS:
            return self._estimate(text)  # quoted whole, sent as head and tail
        return round(self.sizes.get(message.id, 0) * _QUOTED) + _ELEMENT

    def _last_question(self) -> str:
        """The newest message of the person, where it folds."""
        last = next((message for message in reversed(self.path) if message.origin is Origin.TYPED), None)
        return last.text if last is not None and any(message.id == last.id for message in self.folded) else ""


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
