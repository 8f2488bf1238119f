"""What of long-term memory a conversation was told, and what there is to tell beside its next message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from desktop_app.core.context import told_notes, told_passages
from desktop_app.core.conversation import Epoch, Message
from desktop_app.core.fact_lines import fact_lines, read_fact_line
from desktop_app.core.fact_notes import FactNote, NoteKind, PassageNote, fact_line, note_of
from desktop_app.core.facts import Fact
from desktop_app.core.secrets.fact_text import Find, masked_pair


def told_revisions(path: Sequence[Message], epoch: Epoch) -> dict[str, int]:
    """The facts that stand in the block or in notes of these messages, with the revision last told."""
    told = dict(epoch.fact_revisions)
    for message in path:
        told.update({note.fact_id: note.revision for note in told_notes(message, epoch)})
    return told


def told_additions(path: Sequence[Message], epoch: Epoch) -> list[str]:
    """The lines of facts that were told as additions: they take of the budget of the block."""
    return [note.line for message in path for note in told_notes(message, epoch) if note.kind is NoteKind.ADDED]


def quoted_passages(path: Sequence[Message], epoch: Epoch) -> list[PassageNote]:
    """The passages a request of this epoch quotes."""
    return [note for message in path for note in told_passages(message, epoch)]


def is_stale(epoch: Epoch, path: Sequence[Message], standing: Collection[str]) -> bool:
    """Whether a request of this epoch would still hold a fact that is no longer active, or a passage that may be told
    no more; `standing` are ids of the active facts and of the passages that may."""
    told = {*told_revisions(path, epoch), *(note.passage_id for note in quoted_passages(path, epoch))}
    return any(item not in standing for item in told)


def leaked(epoch: Epoch, path: Sequence[Message], facts: Collection[Fact], find: Find) -> set[str]:
    """Ids of facts that were told with a secret and would be told without it now: before there was a guard, or before
    the person had it masked. What holds one of them is as stale as what holds a deleted fact."""
    now = {fact.id: fact_line(fact) for fact in facts if not fact.keeps_secrets}
    told = [(fact_id, line) for (fact_id, _), line in zip(epoch.fact_revisions, fact_lines(epoch.facts), strict=False)]
    told += [(note.fact_id, note.line) for message in path for note in told_notes(message, epoch)]
    return {fact_id for fact_id, line in told if now.get(fact_id, line) != line and _holds_secret(line, find)}


def _holds_secret(line: str, find: Find) -> bool:
    said = read_fact_line(line.partition("\n")[0])
    return said is not None and masked_pair(*said, find) != said


def noted_passages(path: Sequence[Message]) -> list[PassageNote]:
    """The passages that were ever told beside these messages."""
    return [note for message in path if message.notes for note in message.notes.passages]


def no_longer_told(path: Sequence[Message], standing: Collection[str]) -> tuple[str, ...]:
    """Ids of facts and passages in notes of these messages that stand no more, sorted."""
    noted = {note.fact_id for message in path if message.notes for note in message.notes.notes}
    noted |= {note.passage_id for note in noted_passages(path)}
    return tuple(sorted(noted - set(standing)))


def changes_to_tell(
    facts: Sequence[Fact], told: Mapping[str, int], epoch: Epoch, room: int, tokens: Callable[[str], int]
) -> tuple[FactNote, ...]:
    """Facts changed since they were told, and those added since the epoch began as far as `room` tokens go.

    Pinned additions come first, then the newest; what finds no room can still be recalled.
    """
    edited = [fact for fact in facts if fact.id in told and told[fact.id] < fact.revision]
    added = [fact for fact in facts if fact.id not in told and fact.revision > epoch.facts_upto]
    fitting = []
    for fact in sorted(added, key=lambda one: (not one.pinned, -one.revision)):
        cost = tokens(fact_line(fact))
        if cost <= room:
            fitting.append(fact)
            room -= cost
    return (
        *(note_of(fact, NoteKind.ADDED) for fact in sorted(fitting, key=_age)),
        *(note_of(fact, NoteKind.EDITED) for fact in sorted(edited, key=_age)),
    )


def _age(fact: Fact) -> int:
    return fact.revision
