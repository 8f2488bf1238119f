"""How the index is divided: by profile, so that none sees what is another's, by kind, and by script."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from desktop_app.core.passages import PassageKind


class Shelf(NamedTuple):
    """What a collection of the index is for: items of one profile and kind, with Hangul or without."""

    profile: str
    kind: PassageKind
    hangul: bool

    def name(self, embedder: str) -> str:
        """Chroma takes few letters in names; people take any. Vectors of two embedders never share a collection."""
        digest = hashlib.sha256(f"{self.profile}\0{embedder}".encode()).hexdigest()[:32]
        return f"{self.kind.value}-{digest}-{'hangul' if self.hangul else 'other'}"


def by_shelf(scripts: Mapping[tuple[str, PassageKind], Mapping[str, bool]]) -> dict[Shelf, set[str]]:
    """Items by where they belong; `scripts` tells by profile and kind whether each holds Hangul."""
    return {
        Shelf(profile, kind, hangul): {item for item, own in items.items() if own is hangul}
        for (profile, kind), items in scripts.items()
        for hangul in (True, False)
    }
