"""Why compaction by itself waits: it was taken back, came to nothing, or gained too little twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState
from desktop_app.core.conversation import Epoch, Message
from desktop_app.core.errors import MemoUnusable, SummaryUnusable
from desktop_app.services.compaction.fill import ContextFill

_ENOUGH_IN_VAIN = 2
_UNUSABLE = (MemoUnusable.word, SummaryUnusable.word)
_TAKEN_BACK = (CompactionState.UNDONE, CompactionState.REJECTED)


@dataclass(frozen=True, slots=True)
class Rest:
    """`until` how many tokens it waits, None where it does not; `stuck` is a catalogue id where it waits for the
    person."""

    until: int | None = None
    stuck: str = ""


def rest_of(fill: ContextFill, compactions: Sequence[Compaction], epochs: Sequence[Epoch]) -> Rest:
    """Read from what is stored, for another process or an earlier run may have tried.

    After an undo the context must have grown by 20 % of the threshold, after one in vain by 10 %: one that failed,
    gained too little, or left the context at the threshold. Two automatic ones in a row in vain are the last until the
    person acts.
    """
    ids = {message.id for message in fill.path}
    newest = [one for one in reversed(compactions) if one.until_message_id in ids]
    vain = 0
    for one in newest:
        if one.cause is CompactionCause.BY_HAND or not _in_vain(one, fill.threshold):
            break
        # What an endpoint failed of says nothing about the next attempt: it only rests.
        vain += one.state is not CompactionState.FAILED or one.failed_of[0] in _UNUSABLE
    if vain >= _ENOUGH_IN_VAIN:
        return Rest(stuck="compaction.stuck.vain")
    until = None
    for one in newest:
        if one.state not in (*_TAKEN_BACK, CompactionState.FAILED) and not _in_vain(one, fill.threshold):
            break
        undone = one.state in _TAKEN_BACK
        # One in use stays in use: only of one taken back the last turn with it tells when that was.
        moments = _moments(one, fill.path, epochs) if undone else (one.created_at,)
        at = max(fill.at(moment) for moment in moments)
        end = trigger.rests_until(at, fill.threshold, fill.setting.model.window, undone=undone)
        until = end if until is None else max(until, end)
    return Rest(until if until is not None and fill.used.tokens < until else None)


def _in_vain(one: Compaction, threshold: int) -> bool:
    if one.state is CompactionState.FAILED:
        return one.failure != "stopped"
    if one.state is not CompactionState.ACTIVE:
        return False
    return trigger.due(one.after, threshold) or not trigger.real_gain(one.before, one.after)


def _moments(one: Compaction, path: Sequence[Message], epochs: Sequence[Epoch]) -> Iterator[datetime]:
    """When it was made and last sent."""
    yield one.created_at
    numbers = {epoch.number for epoch in epochs if epoch.compaction_id == one.id}
    for message in path:
        if message.epoch in numbers and message.created_at is not None:
            yield message.created_at
