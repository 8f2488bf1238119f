"""A passage that was found, as it is told and shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from desktop_app.core.passages import PassageKind


@dataclass(frozen=True, slots=True)
class PassageHit:
    """`source_id` is the message or document, `title` the name of its conversation or document.

    `place` is the number of the passage in a document, from 1; `by_person` and `when` are of a message. `bears` says
    whether enough speaks for it to be told.
    """

    kind: PassageKind
    source_id: str
    passage_id: str
    text: str
    title: str
    score: float
    parts: Mapping[str, float] = field(default_factory=dict)
    conversation_id: str = ""
    by_person: bool = False
    when: datetime | None = None
    place: int = 1
    bears: bool = True
