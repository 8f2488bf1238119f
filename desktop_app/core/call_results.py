"""The results of calls by the ids they can be asked for: those of the request as it numbers them, then the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import BROKEN_CALL, free_id, plan_context, unfolded
from desktop_app.core.conversation import Block, Epoch, Message

# Neither the numbers nor the whole of a result depend on what stands before the messages.
_ANY_EPOCH = Epoch(0, "", "")


class KeptResult(NamedTuple):
    """A whole `tool_result` and the message it stands in."""

    message_id: str | None
    block: Block


def results_by_id(path: Sequence[Message], memo: Compaction | None) -> dict[str, KeptResult | None]:
    """Every result of a path (root first) by id; None for a call the request holds without one.

    Some servers give an id again. What the request behind the compaction in use holds stands under the ids it is sent
    with; what is folded, or left out as refused, takes the numbers behind those, oldest first.
    """
    plan = plan_context(path, _ANY_EPOCH, memo)
    found: dict[str, KeptResult | None] = {}
    for sent in plan.messages:
        for planned in sent.blocks:
            if planned.block.get("type") == "tool_result":
                kept = KeptResult(planned.message_id, planned.block)
                found[str(planned.block.get("tool_use_id"))] = None if _is_broken(planned.block) else kept
    held = {message.id for message in unfolded(path, memo)} - set(plan.left_out)
    seen = Counter(found.keys())
    for message in path:
        for block in message.blocks if message.id not in held else ():
            if block.get("type") == "tool_result":
                found[free_id(str(block.get("tool_use_id")), seen)] = KeptResult(message.id, block)
    return found


def id_of_result(results: Mapping[str, KeptResult | None], message_id: str, came_as: str) -> str | None:
    """The id for the result in a message whose call came with this one; None where there is none."""
    numbered = re.compile(rf"{re.escape(came_as)}(?:-\d+)?")
    ids = (name for name, kept in results.items() if kept is not None and kept.message_id == message_id)
    return next((name for name in ids if numbered.fullmatch(name)), None)


def _is_broken(block: Block) -> bool:
    return bool(block.get("is_error")) and block.get("content") == BROKEN_CALL
