"""What comes of a command of the memory tool: an answer, or a change that waits to be allowed."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.facts import Fact


@dataclass(frozen=True, slots=True)
class Told:
    """What a command answers without changing anything; `fact` is the one that was read."""

    text: str
    fact: Fact | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """A file would be created, or the text of the fact `before` become another one; `told` is then the answer."""

    path: str
    key: str
    category: str
    value: str
    told: str
    before: Fact | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """A file, or every file in a folder, would be deleted."""

    path: str
    facts: tuple[Fact, ...]
    told: str


@dataclass(frozen=True, slots=True)
class Move:
    """A fact that would get another key or category; `path` is where it then stands."""

    fact: Fact
    key: str
    category: str
    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """A file, or every file in a folder, would stand elsewhere."""

    path: str
    moves: tuple[Move, ...]
    told: str


Outcome = Told | Write | Delete | Rename
