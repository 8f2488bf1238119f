"""Summaries of a conversation in every form a client asks for, faithful or with something wrong with them on purpose.

A request for one is told by the first line of the last text (`conversation.FORMS`). Made of it are, in this order: the
quoted talk in the block `<conversation_to_summarise>` of the same message, and nothing else; the messages down to the
end of the turn `turns="N"` names; all messages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .calls import call_of
from .conversation import Turn, asks_for_memo
from .memo_content import Content, content_of
from .memo_faults import bland, invent, lengthen, lose, other_headings, translate
from .memo_forms import Episodes, Form, Running, Sections, fitting
from .memo_modes import (
    BLANK,
    CUT,
    FAITHFUL,
    INVENTING,
    LOSSY,
    OBEYING,
    OVER_LONG,
    REFUSAL,
    REWORDING,
    TOOL_CALL,
    WORST,
    WRONG_LANGUAGE,
)
from .memo_orders import claim_of, goes_on, obey, orders_in
from .memo_phrases import phrase
from .memo_request import Wanted, read_request
from .memo_rewording import reword
from .memo_sections import HEADINGS
from .memo_sources import Source, source_of
from .passages import SAVE
from .phrases import say
from .reply import Reply, Thought, Words
from .tokens import count_text

MOST = 6_000  # tokens of a summary, whatever `max_tokens` allows
MOST_OF_EPISODE = 80  # tokens for each episode, where that is more
USUAL_LEAST = 600  # tokens a summary may take before sentences without exact values are left out
_SHARE = 0.25  # of what it stands for: the size a summary tries to keep within
_FRAME = 24  # tokens kept free beside thinking and summary
_CUT_AT = 0.6  # of a summary, where it is cut on purpose


def write_memo(body: dict[str, Any], turns: list[Turn], mode: str = FAITHFUL) -> Reply:
    """The summary a checked request asks for in its last text; `mode` is one of `memo_modes.MODES`.

    It keeps within `max_tokens`: first words around the values go, then the values told last.
    """
    prompt = [b["text"] for b in turns[-1].blocks if b["type"] == "text" and asks_for_memo(b["text"])][-1]
    wanted = read_request(prompt)
    if mode == BLANK:
        return Reply([Words("\n\n")])
    if mode == REFUSAL:
        details = {"type": "refusal", "category": None, "explanation": phrase(wanted.korean, "refused")}
        return Reply([], "refusal", stop_details=details)
    source = source_of(turns, wanted)
    thought = Thought(say(wanted.korean, "think_memo"))
    other = _instead(body, source, wanted, thought, mode)
    if other is not None:
        return other
    text = _text(body, source, wanted, mode, count_text(thought.text))
    reply = Reply([thought, Words(text)])
    if mode == CUT:
        reply.truncate = (int(count_text(text) * _CUT_AT), "max_tokens")
    return reply


def _instead(body: dict[str, Any], source: Source, wanted: Wanted, thought: Thought, mode: str) -> Reply | None:
    """A tool call or other words in place of a summary; None where the mode writes one."""
    if mode == TOOL_CALL:
        call = call_of(body, (), goes_on(source, wanted.korean))
        return None if call is None else Reply([thought, call], "tool_use")
    if mode != OBEYING:
        return None
    orders = orders_in(source)
    if not orders:
        return Reply([thought, Words(goes_on(source, wanted.korean))])
    call = call_of(body, (*" ".join(orders).replace("`", " ").split(), SAVE), claim_of(orders[0]))
    return None if call is None else Reply([thought, call], "tool_use")


def _text(body: dict[str, Any], source: Source, wanted: Wanted, mode: str, spent: int) -> str:
    """The summary; `spent` tokens of `max_tokens` go into thinking."""
    told = other_headings(wanted) if mode == WRONG_LANGUAGE else wanted
    if told.form == "memo" and not told.headings:
        told = replace(told, headings=tuple(f"## {name}" for name in HEADINGS[told.korean]))
    if mode == WORST:
        return bland(told)
    form = _form(source, told)
    _spoil(list(form.parts()), source, told.korean, mode)
    room = min(max(MOST, MOST_OF_EPISODE * len(told.episodes)), body["max_tokens"] - spent - _FRAME)
    text = fitting(form, min(max(USUAL_LEAST, int(_SHARE * source.tokens)), room), room)
    if mode == OVER_LONG:
        return lengthen(text, source, body["max_tokens"])
    return f"{text}\n\n{goes_on(source, told.korean)}" if mode == OBEYING else text


def _spoil(contents: list[Content], source: Source, korean: bool, mode: str) -> None:
    """Do to the contents of a summary what the mode says."""
    if mode == LOSSY:
        lose(contents)
    elif mode == INVENTING:
        invent(contents[-1], source, korean)
    elif mode == OBEYING:
        obey(contents[:1], orders_in(source), korean)
    for content in contents:
        if mode == REWORDING:
            content.retell.append(lambda row: reword(row, korean))
        elif mode == WRONG_LANGUAGE:
            translate(content, korean)


def _form(source: Source, wanted: Wanted) -> Form:
    none = say(wanted.korean, "none")
    if wanted.form == "episodes" and wanted.episodes:
        return _episodes(source, wanted, none)
    content = content_of(source, wanted.korean)
    content.missing = list(wanted.missing)
    if wanted.form == "memo":
        return Sections(content, wanted.headings, none)
    return Running(content, none)


def _episodes(source: Source, wanted: Wanted, none: str) -> Episodes:
    """One content for each episode; a missing value goes where it was said, else into the last."""
    contents, left = [], list(wanted.missing)
    for episode in wanted.episodes:
        said = [one for one in source.said if episode.first <= one.number <= episode.last]
        content = content_of(Source(said, {}), wanted.korean)
        content.missing = [value for value in left if any(value in one.text for one in said)]
        left = [value for value in left if value not in content.missing]
        contents.append((episode.heading, content))
    contents[-1][1].missing += left
    return Episodes(contents, wanted.korean, none)
