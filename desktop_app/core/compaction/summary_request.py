"""What a model is asked when a summary is wanted: the prompt by kind, and the system prompt of a call of its own."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from desktop_app import assets
from desktop_app.core.compaction.compaction import Strategy
from desktop_app.core.compaction.episodes import Episode, heading_of
from desktop_app.core.compaction.language import language_of
from desktop_app.core.compaction.memo import HEADINGS, Section
from desktop_app.core.compaction.quoting import as_data
from desktop_app.core.conversation import is_blank

__all__ = ["TurnsUpTo", "join_prompt", "language_of", "names_of", "summariser_system", "summary_prompt"]

_TAGS = {
    Strategy.MEMO: "handover_memo_request",
    Strategy.RUNNING: "running_summary_request",
    Strategy.TIERS: "episode_summaries_request",
}
_JOIN = "join_request"
_NAMES = {Strategy.MEMO: "memo", Strategy.RUNNING: "running", Strategy.TIERS: "episodes"}
_BEGINNING = 60
"""Characters by which a message is named."""
_PLACE = re.compile(r"\{(\w+)\}")
_MISSING_OPENS, _MISSING_CLOSES = "<missing_values>", "</missing_values>"


@dataclass(frozen=True, slots=True)
class TurnsUpTo:
    """How far a fork is to sum up: to the message of the person of this number among those sent (from 1), its text,
    and what was answered to it."""

    number: int
    text: str

    @property
    def begins(self) -> str:
        """How the message begins, on one line: what it is named by."""
        line = as_data(" ".join(self.text[: 8 * _BEGINNING].split()))
        line = line.replace("“", '"').replace("”", '"')
        if len(line) <= _BEGINNING:
            return line
        border = line.rfind(" ", _BEGINNING // 2, _BEGINNING)
        return f"{line[: border if border > 0 else _BEGINNING]}…"


def summary_prompt(
    kind: Strategy,
    language: str,
    *,
    focus: str = "",
    turns: TurnsUpTo | None = None,
    unusable: Collection[Section] = (),
    missing_values: Sequence[str] = (),
    part: tuple[int, int] | None = None,
    episodes: Sequence[Episode] = (),
) -> str:
    """The prompt for a memo, a running summary or episodes, in `language` (`en` or `ko`).

    `turns` on a fork: how far to go. `part`: this is part i of n. `focus` is what the person wants kept with care.
    `unusable` names sections a first attempt lacked, `missing_values` what it lost or changed. KeyError for a kind
    nobody is asked for.
    """
    words = _words(language)
    if turns is not None:
        scope = _filled(words["up_to"], begins=turns.begins, number=str(turns.number))
    elif part is not None:
        scope = _filled(words["part"], number=str(part[0]), count=str(part[1]))
    else:
        scope = words["all"]
    headings = "\n".join(heading_of(episode, language) for episode in episodes)
    text = _filled(words[_NAMES[kind]], **_common(words), scope=scope, headings=headings)
    limit = f' turns="{turns.number}"' if turns is not None else ""
    return _whole(f"<{_TAGS[kind]}{limit}>", text, kind, language, focus, unusable, missing_values)


def join_prompt(
    kind: Strategy,
    language: str,
    *,
    focus: str = "",
    unusable: Collection[Section] = (),
    missing_values: Sequence[str] = (),
) -> str:
    """The prompt that makes one memo or running summary of several, given as parts; see `summary_prompt`."""
    words = _words(language)
    text = _filled(words[f"join_{_NAMES[kind]}"], **_common(words))
    return _whole(f'<{_JOIN} kind="{_NAMES[kind]}">', text, kind, language, focus, unusable, missing_values)


def summariser_system(language: str) -> str:
    """The system prompt of a call of its own, in which the conversation is quoted."""
    return _words(language)["system"]


def names_of(sections: Collection[Section], language: str) -> str:
    """The headings of these sections, in order, quoted."""
    return ", ".join(f'"{HEADINGS[language][section]}"' for section in Section if section in sections)


def _whole(
    opening: str,
    text: str,
    kind: Strategy,
    language: str,
    focus: str,
    unusable: Collection[Section],
    missing_values: Sequence[str],
) -> str:
    words = _words(language)
    parts = [f"{opening}\n{text}"]
    if not is_blank(focus):
        parts.append(
            _filled(words["focus"], focus=json.dumps(focus.strip(), ensure_ascii=False).replace("<", "\\u003c"))
        )
    if unusable:
        again = words["again_memo" if kind is Strategy.MEMO else "again"]
        parts.append(_filled(again, sections=names_of(unusable, language)))
    # A value of several lines has no line of its own here; it is carried behind the summary in any case.
    values = [value for value in missing_values if not is_blank(value) and len(value.splitlines()) == 1]
    if values:
        listed = [f"- {_listed(value)}" for value in dict.fromkeys(values)]
        parts.append("\n".join([_MISSING_OPENS, words["missing"], *listed, _MISSING_CLOSES]))
    return "\n\n".join(parts)


def _listed(value: str) -> str:
    """A value that can neither end its list nor pass for a tag."""
    return as_data(value).replace(_MISSING_CLOSES, "&lt;" + _MISSING_CLOSES[1:])


def _common(words: dict[str, str]) -> dict[str, str]:
    return {"from_app": f"{words['from_app']} ", "rules": words["rules"]}


def _filled(template: str, **values: str) -> str:
    """The template with its places filled; nothing that is filled in is looked through for further places."""
    return _PLACE.sub(lambda found: values[found[1]], template)


@cache
def _words(language: str) -> dict[str, str]:
    texts: dict[str, str] = tomllib.loads(assets.read_text(f"prompts/summary.{language}.toml"))
    return {name: text.strip() for name, text in texts.items()}
