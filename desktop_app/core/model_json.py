"""JSON in the answer of a model: alone, in a fence, or among words; whatever else comes is no JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_MOST_TRIED = 20


def rows_in(text: str, name: str) -> list[dict[str, Any]]:
    """The objects listed under `name` in the first JSON object that has such a list; none where there is no such.

    A bare list of objects counts too. What is no object in it is left out.
    """
    for value in _values(text):
        rows = value.get(name) if isinstance(value, dict) else value
        if isinstance(rows, list):
            return [row for row in rows if isinstance(row, dict)]
    return []


def _values(text: str) -> Iterator[Any]:
    for part in (text, *_FENCE.findall(text)):
        try:
            yield json.loads(part)
        except (ValueError, RecursionError):
            continue
    decoder, place = json.JSONDecoder(), -1
    for _ in range(_MOST_TRIED):
        place = text.find("{", place + 1)
        if place < 0:
            return
        try:
            yield decoder.raw_decode(text, place)[0]
        except (ValueError, RecursionError):
            continue
