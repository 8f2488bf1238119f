"""The strategies behind one interface: each makes the body of what will stand in place of the folded messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from desktop_app.core import errors
from desktop_app.core.compaction.boundary import Boundary, closed_until
from desktop_app.core.compaction.compaction import Strategy, WrittenBy
from desktop_app.core.compaction.memo import Section, memo_text, parse_memo
from desktop_app.core.compaction.pieces import cut_pieces
from desktop_app.core.compaction.plan import FoldOrder, Way
from desktop_app.core.compaction.quoting import quoted_conversation, quoted_part
from desktop_app.core.compaction.summary_request import (
    TurnsUpTo,
    join_prompt,
    names_of,
    summary_prompt,
)
from desktop_app.core.compaction.summary_text import split
from desktop_app.core.context import CUT_REASONS, plan_context
from desktop_app.core.conversation import Block, Message, Role, is_blank, tool_calls
from desktop_app.core.segment import Segment
from desktop_app.services.aside import Answer, question
from desktop_app.services.compaction.asking import Asking, with_room
from desktop_app.services.compaction.fill import ContextFill
from desktop_app.services.compaction.leaving import Leaving
from desktop_app.services.compaction.ways import Separate


@dataclass(frozen=True, slots=True)
class Work:
    """What a strategy works on: the context, where it is cut, what leaves, and how it may ask.

    `way` is None where nobody writes; `separate` is what a call of its own is sent with. `missing` are exact values an
    earlier draft of the same compaction had lost.
    """

    fill: ContextFill
    boundary: Boundary
    order: FoldOrder
    leaving: Leaving
    way: Way | None
    separate: Separate
    asking: Asking
    missing: tuple[str, ...] = ()
    summaries: list[str] = field(default_factory=list)
    """What was written so far of the pieces of a conversation that does not fit one request."""

    @property
    def language(self) -> str:
        """The person's."""
        return self.leaving.language

    @property
    def folded(self) -> Sequence[Message]:
        """The messages that fold now."""
        return self.leaving.folded

    def tokens_of(self, text: str) -> int:
        """Tokens of a text for the summariser, by estimate."""
        return self.leaving.tokens_of(text)


@dataclass(frozen=True, slots=True)
class Draft:
    """The body of a summary, or the API's block; who wrote it with which model (empty where nobody did)."""

    body: str
    by: WrittenBy
    model: str = ""
    block: Block | None = None


class CompactionStrategy(Protocol):
    """Makes a draft; sends what it must through `work.asking`."""

    async def draft(self, work: Work) -> Draft:
        """The draft; raises MemoUnusable, SummaryUnusable, ContextTooLarge, RequestRefused or EndpointError."""


# -- one summary of everything: handover memo, running summary -----------------------------------


@dataclass(frozen=True, slots=True)
class SummaryForm:
    """What is asked of the model and how its answer is read: the body, and the sections it lacks."""

    kind: Strategy
    read: Callable[[str, str], tuple[str, Collection[Section]]]


def _read_memo(text: str, language: str) -> tuple[str, Collection[Section]]:
    parsed = parse_memo(text)
    if not parsed.whole:
        return "", (*parsed.missing, *parsed.repeated)
    return memo_text(parsed.sections, language), ()


def _read_running(text: str, _language: str) -> tuple[str, Collection[Section]]:
    body = split(text)[0].strip()
    if is_blank(body):
        raise errors.SummaryUnusable(why="blank")  # headings of the app copied, and nothing said
    return body, ()


MEMO_FORM = SummaryForm(Strategy.MEMO, _read_memo)
RUNNING_FORM = SummaryForm(Strategy.RUNNING, _read_running)


@dataclass(frozen=True, slots=True)
class OneSummary:
    """A handover memo or a running summary: by a fork where that was chosen, else by a call of its own.

    A fork that answers with anything else than a summary is asked once more; then a call of its own is made, in
    which the conversation is quoted and no tool can be called.
    """

    form: SummaryForm

    async def draft(self, work: Work) -> Draft:
        """See CompactionStrategy."""
        assert work.way is not None
        fork = work.way.by is WrittenBy.FORK
        ways = [self._fork, self._fork, self._separate] if fork else [self._separate, self._separate]
        unusable: Collection[Section] = ()
        fault: errors.AppError | None = None
        for ask in ways:
            try:
                draft, unusable = await ask(work, unusable)
            except (errors.SummaryUnusable, errors.ContextTooLarge, errors.WindowExceeded) as error:
                if error.params.get("why") == "too_long":
                    raise  # asked for again it would hardly be shorter, and is paid for again
                if not isinstance(error, errors.SummaryUnusable):
                    # The same again would not fit either.
                    smaller = replace(work.separate, room=work.separate.room // 2)
                    work = replace(work, separate=smaller, summaries=[])
                fault, unusable = error, ()
                continue
            if not unusable:
                return draft
            fault = errors.MemoUnusable(missing=names_of(unusable, work.language))
        assert fault is not None
        raise fault

    async def _fork(self, work: Work, unusable: Collection[Section]) -> tuple[Draft, Collection[Section]]:
        """The whole conversation with our prompt at its end: only so its cache is read."""
        path, setting = work.fill.path, with_room(work.fill.setting)
        prompt = summary_prompt(
            self.form.kind,
            work.language,
            focus=work.order.focus,
            turns=_turns_up_to(work),
            unusable=unusable,
            missing_values=work.missing,
        )
        asked = question(path[-1].conversation_id, path[-1].id, (prompt,), setting.epoch.number)
        answer = await work.asking.ask([*path, asked], setting)
        return self._read(answer, WrittenBy.FORK, work)

    async def _separate(self, work: Work, unusable: Collection[Section]) -> tuple[Draft, Collection[Section]]:
        """The folded messages quoted in a request of its own, in pieces where they do not fit one."""
        parts, tokens = work.leaving.quoted, work.leaving.quoted_tokens
        earlier = work.leaving.base_text
        room = work.separate.room - work.tokens_of(earlier)
        if room < work.separate.room // 4:
            # An earlier summary larger than most of the room is read like a message.
            parts, earlier, room = [quoted_part(0, earlier), *parts], "", work.separate.room
            tokens += work.tokens_of(parts[0])
        # Nothing is looked at closer where all of it fits one request anyway.
        pieces = [parts] if tokens <= room else cut_pieces(parts, room, work.tokens_of)
        if len(pieces) == 1:
            prompt = self._prompt(work, unusable)
            answer = await ask_apart(work, quoted_conversation(pieces[0], earlier), prompt)
            return self._read(answer, WrittenBy.SEPARATE, work)
        # Pieces that were summed up once are not paid for again by another attempt at joining them.
        for number, piece in enumerate(pieces[len(work.summaries) :], len(work.summaries) + 1):
            prompt = self._prompt(work, (), part=(number, len(pieces)))
            answer = await ask_apart(work, quoted_conversation(piece, earlier if number == 1 else ""), prompt)
            work.summaries.append(said(answer))
        return await self._joined(work, work.summaries, unusable)

    async def _joined(
        self, work: Work, summaries: Sequence[str], unusable: Collection[Section]
    ) -> tuple[Draft, Collection[Section]]:
        """Several summaries of consecutive parts as one; in groups while they do not fit one request."""
        while True:
            parts = [quoted_part(number, text) for number, text in enumerate(summaries, 1)]
            groups = cut_pieces(parts, work.separate.room, work.tokens_of)
            answers = []
            for group in groups:
                prompt = join_prompt(
                    self.form.kind,
                    work.language,
                    focus=work.order.focus,
                    unusable=unusable,
                    missing_values=work.missing,
                )
                answers.append(await ask_apart(work, quoted_conversation(group), prompt))
            if len(groups) == 1:
                return self._read(answers[0], WrittenBy.PIECES, work)
            if len(groups) >= len(summaries):
                raise errors.SummaryUnusable(why="too_long")
            summaries = [said(answer) for answer in answers]

    def _prompt(self, work: Work, unusable: Collection[Section], part: tuple[int, int] | None = None) -> str:
        return summary_prompt(
            self.form.kind,
            work.language,
            focus=work.order.focus,
            unusable=unusable,
            missing_values=work.missing,
            part=part,
        )

    def _read(self, answer: Answer, by: WrittenBy, work: Work) -> tuple[Draft, Collection[Section]]:
        body, unusable = self.form.read(said(answer), work.language)
        if work.tokens_of(body) >= work.leaving.tokens:
            raise errors.SummaryUnusable(why="too_long")
        return Draft(body, by, answer.record.answered_by or answer.record.model), unusable


async def ask_apart(work: Work, quoted: str, prompt: str) -> Answer:
    """One call of its own: the conversation as data, then the prompt; raises SummaryModelUnknown where it cannot be."""
    if work.separate.fault is not None:
        raise work.separate.fault
    setting = work.separate.setting
    path = work.fill.path
    asked = question(path[-1].conversation_id, None, (quoted, prompt), setting.epoch.number)
    return await work.asking.ask([asked], setting)


def said(answer: Answer) -> str:
    """The text of a whole answer; raises SummaryUnusable for what is none."""
    reason = answer.record.stop_reason
    if tool_calls(answer.blocks):
        raise errors.SummaryUnusable(why="tool_call")
    if reason == "refusal":
        raise errors.SummaryUnusable(why="refused")
    if reason in CUT_REASONS or reason == "pause_turn":
        raise errors.SummaryUnusable(why="cut")
    if is_blank(answer.text):
        raise errors.SummaryUnusable(why="blank")
    return answer.text


def _turns_up_to(work: Work) -> TurnsUpTo:
    """Up to which message of the person a fork is to summarise: its number among those that are sent, its beginning."""
    setting = work.fill.setting
    plan = plan_context(work.fill.path, setting.epoch, setting.compaction)
    folded = {message.id: message for message in work.folded if message.opens_turn}
    number, reached, text = 0, 0, ""
    for message in plan.messages:
        # As they are sent: what was never answered stands in one message with what came next.
        words = [one for one in message.blocks if one.block.get("type") != "tool_result"]
        if message.role is not Role.USER or all(one.segment is Segment.SUMMARY for one in words):
            continue
        number += 1
        opened = [folded[one.message_id] for one in words if one.message_id in folded]
        if opened:
            reached, text = number, opened[-1].text
    return TurnsUpTo(reached, text)


# -- without a summary: the sliding window ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Window:
    """The last messages stay, what falls out is in the archive; a note says so. No request."""

    note: Callable[[str, int, bool], str]

    async def draft(self, work: Work) -> Draft:
        """See CompactionStrategy."""
        return Draft(self.note(work.language, work.boundary.place, work.leaving.tools), WrittenBy.NOBODY)


# -- by the API --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OnDemand:
    """The API compacts the messages down to the boundary and signs its block."""

    async def draft(self, work: Work) -> Draft:
        """See CompactionStrategy."""
        setting = with_room(work.fill.setting)
        setting = replace(setting, choices=replace(setting.choices, compact=True, edits=()))
        answer = await work.asking.ask(closed_until(work.fill.path, work.boundary.place), setting)
        block = next((block for block in answer.blocks if block.get("type") == "compaction"), None)
        if block is None or is_blank(str(block.get("content") or "")):
            raise errors.SummaryUnusable(why="blank")
        return Draft("", WrittenBy.SERVER, answer.record.answered_by or answer.record.model, block)
