"""How the index is divided: by profile, so that none sees another's facts, and by script."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

KIND = "fact"


class Shelf(NamedTuple):
    """What a collection of the index is for: facts of one profile, with Hangul or without."""

    profile: str
    hangul: bool

    @property
    def name(self) -> str:
        """Chroma takes few letters in names; people take any."""
        digest = hashlib.sha256(self.profile.encode()).hexdigest()[:32]
        return f"{KIND}-{digest}-{'hangul' if self.hangul else 'other'}"


def by_shelf(scripts: Mapping[str, Mapping[str, bool]]) -> dict[Shelf, set[str]]:
    """Facts by where they belong; `scripts` tells by profile and fact whether it holds Hangul."""
    return {
        Shelf(profile, hangul): {fact_id for fact_id, own in facts.items() if own is hangul}
        for profile, facts in scripts.items()
        for hangul in (True, False)
    }
