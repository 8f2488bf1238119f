"""What the window shows of a message: frozen values made from the stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from desktop_app.core.attachment_label import MEDIA, label_places
from desktop_app.core.attachments import Attachment, attachment_of, worded
from desktop_app.core.context import CUT_REASONS
from desktop_app.core.conversation import (
    Block,
    Message,
    MessageState,
    Origin,
    Role,
    shows_nothing,
    text_of,
    to_json,
)
from desktop_app.core.refusal import Refusal

_ON_THE_WAY = ("tool_use", "pause_turn")


@dataclass(frozen=True, slots=True)
class TextPart:
    """Markdown text of a message; `index` is the block's place in the message."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """Summarised thinking; `text` may be empty when the model shows none."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ToolPart:
    """A tool call and, once it ran, what came of it. `arguments` is JSON text, may be unfinished."""

    index: int
    call_id: str
    name: str
    arguments: str
    result: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class AttachmentPart:
    """A picture, PDF or text that is attached; `block` holds it whole, and is looked at only to show it."""

    index: int
    attachment: Attachment
    block: Block = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A block shown by its kind only (something newer than this version)."""

    index: int
    kind: str


Part = TextPart | ThinkingPart | ToolPart | AttachmentPart | OtherPart


class Fold(StrEnum):
    """Whether a message is sent itself, would fold, is just being folded, or is told by the summary only."""

    NONE = "none"
    PLANNED = "planned"
    FOLDING = "folding"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Folds:
    """What of a path is folded: down to and including `until` (`count` messages), what is being folded, what would."""

    until: str | None = None
    count: int = 0
    folding: frozenset[str] = frozenset()
    planned: frozenset[str] = frozenset()

    def of(self, message_id: str) -> Fold:
        """How a message stands that is not folded."""
        if message_id in self.folding:
            return Fold.FOLDING
        return Fold.PLANNED if message_id in self.planned else Fold.NONE


@dataclass(frozen=True, slots=True)
class FoldEnd:
    """What ends below a message: `count` messages that are folded, being folded, or would be."""

    fold: Fold
    count: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One message in the chat. `branch` is (place from 1, how many) where alternatives exist.

    `headed` is False for a further reply of the same turn (after tools): it continues the one above.
    `left_out` says that it is not sent any more (a refused turn), `refusal` why the model declined it.
    `output_tokens` of the reply. `shows_nothing` where a whole reply holds neither text nor a tool call.
    `can_continue` where a limit cut the last reply or its tools ran and no answer followed.
    `fold_end` on the last message of those that are folded, are being folded or would be. `notes`, on the last reply of
    a turn, are the lines of memory told beside the message it answers, `question` is the id of that message.
    """

    id: str
    role: Role
    origin: Origin
    parts: tuple[Part, ...]
    state: MessageState = MessageState.COMPLETE
    created_at: datetime | None = None
    headed: bool = True
    model: str | None = None
    simulated: bool = False
    seconds: float | None = None
    output_tokens: int | None = None
    stop_reason: str | None = None
    left_out: bool = False
    refusal: Refusal | None = None
    shows_nothing: bool = False
    branch: tuple[int, int] | None = None
    can_continue: bool = False
    fold: Fold = Fold.NONE
    fold_end: FoldEnd | None = None
    notes: tuple[str, ...] = ()
    question: str = ""


def entries_of(
    path: list[Message],
    *,
    simulated: bool = False,
    left_out: frozenset[str] = frozenset(),
    branches: Mapping[str, tuple[int, int]] | None = None,
    output_tokens: Mapping[str, int] | None = None,
    refusals: Mapping[str, Refusal] | None = None,
    busy: bool = False,
    folds: Folds | None = None,
) -> list[Entry]:
    """The entries of a path; results of tools join the call that asked for them. `busy` while a turn runs.

    `output_tokens` and `refusals` go by the id of the request a reply answers.
    """
    results = {
        str(block.get("tool_use_id")): (result_text(block.get("content")), bool(block.get("is_error")))
        for message in path
        for block in message.blocks
        if block.get("type") == "tool_result"
    }
    entries: list[Entry] = []
    for message in path:
        if message.origin is Origin.TOOL_RESULTS:
            continue
        entries.append(
            Entry(
                id=message.id,
                role=message.role,
                origin=message.origin,
                parts=_parts(message, results),
                state=message.state,
                created_at=message.created_at,
                headed=not (message.role is Role.ASSISTANT and entries and entries[-1].role is Role.ASSISTANT),
                model=message.model,
                simulated=simulated and message.role is Role.ASSISTANT,
                seconds=message.seconds,
                output_tokens=(output_tokens or {}).get(message.request_id or ""),
                stop_reason=message.stop_reason,
                left_out=message.id in left_out,
                refusal=(refusals or {}).get(message.request_id or ""),
                shows_nothing=_answers_nothing(message),
                branch=(branches or {}).get(message.id),
            )
        )
    if entries and not busy and is_unfinished(path):
        entries[-1] = replace(entries[-1], can_continue=True)
    _note(entries, path)
    return _marked(entries, path, folds) if folds is not None else entries


def _note(entries: list[Entry], path: list[Message]) -> None:
    """Puts what was told beside a message to the last reply to it."""
    told = {message.id: message.notes for message in path if message.notes is not None}
    question = ""
    for place, entry in enumerate(entries):
        following = entries[place + 1] if place + 1 < len(entries) else None
        if entry.role is Role.USER:
            question = entry.id
        elif question in told and (following is None or following.role is Role.USER):
            notes = told[question]
            lines = (*(note.line for note in notes.notes), *(passage.line for passage in notes.passages))
            entries[place] = replace(entry, notes=lines, question=question)


def _marked(entries: list[Entry], path: list[Message], folds: Folds) -> list[Entry]:
    """The entries with what of them is folded and being folded, and where that ends."""
    boundary = next((place for place, message in enumerate(path, 1) if message.id == folds.until), 0)
    folded = {message.id for message in path[:boundary]}
    marks = [Fold.FOLDED if entry.id in folded else folds.of(entry.id) for entry in entries]
    counts = {Fold.FOLDED: folds.count, Fold.FOLDING: len(folds.folding), Fold.PLANNED: len(folds.planned)}
    return [
        entry
        if mark is Fold.NONE
        else replace(entry, fold=mark, fold_end=FoldEnd(mark, counts[mark]) if mark is not following else None)
        for entry, mark, following in zip(entries, marks, [*marks[1:], Fold.NONE], strict=True)
    ]


def is_unfinished(path: list[Message]) -> bool:
    """Whether the turn at the end can go on: a limit cut its reply, or its tools ran and no answer followed."""
    if not path:
        return False
    return path[-1].origin is Origin.TOOL_RESULTS or path[-1].stop_reason in CUT_REASONS


def _answers_nothing(message: Message) -> bool:
    """Whether a reply is whole and nothing of it can be read; one on its way to the next round is not whole."""
    whole = message.state is MessageState.COMPLETE and message.stop_reason not in _ON_THE_WAY
    return message.role is Role.ASSISTANT and whole and shows_nothing(message.blocks)


def _parts(message: Message, results: dict[str, tuple[str, bool]]) -> tuple[Part, ...]:
    parts: list[Part] = []
    labels = label_places(message.blocks)
    for index, block in enumerate(message.blocks):
        label = message.blocks[index - 1] if index - 1 in labels else None
        match block.get("type"):
            case "text" if index in labels:
                continue
            case kind if kind in MEDIA and (attachment := attachment_of(block, label)) is not None:
                parts.append(AttachmentPart(index, attachment, block))
            case "text":
                parts.append(TextPart(index, str(block.get("text", ""))))
            case "thinking":
                parts.append(ThinkingPart(index, str(block.get("thinking", ""))))
            case "tool_use":
                call = str(block.get("id", ""))
                result, is_error = results.get(call, (None, False))
                arguments = to_json(block.get("input", {}))
                parts.append(ToolPart(index, call, str(block.get("name", "")), arguments, result, is_error))
            case "tool_result":
                continue
            case kind:
                parts.append(OtherPart(index, str(kind)))
    return tuple(parts)


def result_text(content: object) -> str:
    """The text of a tool result, whichever of its two forms it has."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(worded(content)))
    return ""
