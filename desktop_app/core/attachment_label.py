"""The line of the app's own that names an attachment in front of it, told from the person's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

MEDIA = frozenset(("image", "document"))
"""Types of the blocks that hold an attachment."""
_LABEL = re.compile(r"\[attachment ([0-9a-f]{8}): (.+), ([a-z]+/[\w.+-]+), ([^,\]]+)\]")


def label_text(id_: str, name: str, media_type: str, measure: str) -> str:
    """The line that names an attachment: `[attachment a1b2c3d4: plan.png, image/png, 720×720]`."""
    return f"[attachment {id_}: {name}, {media_type}, {measure}]"


def read_label(block: Mapping[str, Any]) -> tuple[str, str, str, str] | None:
    """Id, name, media type and measure of a line that names an attachment; None for any other block."""
    if block.get("type") != "text" or not isinstance(block.get("text"), str):
        return None
    found = _LABEL.fullmatch(block["text"])
    return (found[1], found[2], found[3], found[4]) if found else None


def label_places(blocks: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """The places of such lines: only what stands right before an attachment is one, whatever else is written so."""
    if len(blocks) < 2:
        return frozenset()  # nearly every message of a long conversation
    return frozenset(
        place
        for place, (block, following) in enumerate(pairwise(blocks))
        if following.get("type") in MEDIA and read_label(block) is not None
    )


def without_labels(blocks: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """The blocks that are not the app's lines about attachments."""
    labels = label_places(blocks)
    return [block for place, block in enumerate(blocks) if place not in labels] if labels else blocks
