"""Plan in, request out: the one pure function that writes a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from desktop_app.core.cache.diagnosis import BETA
from desktop_app.core.cache.marks import place_marks
from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.context_editing import (
    BINDING_BETA,
    CLEAR_THINKING,
    CLEAR_TOOL_RESULTS,
    COMPACT,
    ON_DEMAND_BETA,
    THRESHOLD_BETA,
    betas_for,
    block_betas,
    in_order,
)
from desktop_app.core.conversation import Block, Role, is_blank
from desktop_app.core.models import Features
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.segment import Segment

_USER = Role.USER
_NAMES = (Role.ASSISTANT.value, Role.USER.value)
"""How a message says whose it is, by whether it is the person's: looked up once for the thousands of a request."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person chose for a request. `max_tokens` is the output reserve in tokens.

    `lifetime` is how long its prefixes are kept (`LIFETIMES`); `continues` is False where no request will ever begin
    with this one. `edits` are made by the API before the model reads (`core.context_editing`); it takes none that
    compacts while a compaction it made on demand is in use. With `compact` the answer is a compaction of the
    conversation and nothing else: no edit goes with it; `instructions` take the place of the API's own prompt for it.
    `drop_thinking` has the API leave out thinking that no longer fits. The answer is held to the JSON schema `schema`.
    """

    max_tokens: int
    effort: str | None = None
    show_thinking: bool = True
    lifetime: str = "5m"
    continues: bool = True
    edits: tuple[Block, ...] = ()
    compact: bool = False
    instructions: str = ""
    drop_thinking: bool = False
    schema: Mapping[str, Any] | None = None


def build_request(plan: ContextPlan, choices: Choices, features: Features) -> Request:
    """The request for a plan; the same plan and choices give the same bytes, in any process.

    What the endpoint lacks is not asked of it; raises ValueError where that is the compaction itself.
    """
    tools = _bare(plan.tools) if features.tools else ()
    system = _bare(plan.system)
    messages = tuple(
        [RequestMessage(_NAMES[message.role is _USER], _bare(message.blocks)) for message in plan.messages]
    )
    summary = bool(plan.messages) and plan.messages[0].blocks[0].segment is Segment.SUMMARY
    marks: tuple[Mark, ...] = ()
    if features.caching:
        marks = place_marks(
            tools, system, messages, summary=summary, lifetime=choices.lifetime, keep_end=choices.continues
        )
    params: dict[str, Any] = {"max_tokens": choices.max_tokens, "model": plan.epoch.model, "stream": True}
    if config := _output_config(choices, features):
        params["output_config"] = config
    thinking, for_thinking = _thinking(choices, features)
    changes, for_changes = _changes(choices, features)
    # The API's own compaction stands first or nowhere.
    opening = messages[0].blocks if messages else ()
    compacts = THRESHOLD_BETA in for_changes
    for_blocks = [block_betas(block, compacts=compacts) for block in opening if block.get("type") == "compaction"]
    betas = dict.fromkeys((*for_thinking, *for_changes, *chain.from_iterable(for_blocks)))
    return Request({**params, **thinking, **changes}, tools, system, messages, marks, tuple(betas))


def _output_config(choices: Choices, features: Features) -> dict[str, Any]:
    effort = {"effort": choices.effort} if features.effort and choices.effort else {}
    held = choices.schema is not None and features.structured
    return {**effort, **({"format": {"type": "json_schema", "schema": choices.schema}} if held else {})}


def _thinking(choices: Choices, features: Features) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The `thinking` parameter where there is one, and the beta header it needs."""
    if not features.thinking:
        return {}, ()
    thinking: dict[str, Any] = {"type": "adaptive", "display": "summarized" if choices.show_thinking else "omitted"}
    if not (choices.drop_thinking and features.block_binding):
        return {"thinking": thinking}, ()
    thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return {"thinking": thinking}, (BINDING_BETA,)


def _changes(choices: Choices, features: Features) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the API is to do to the context itself, and the beta headers it needs."""
    if choices.compact:
        if not features.server_compaction_now:
            raise ValueError("the endpoint does not compact on demand")
        told = {} if is_blank(choices.instructions) else {"instructions": choices.instructions}
        return {"compaction": {"type": "summarize", **told}}, (ON_DEMAND_BETA,)
    offered = {
        CLEAR_THINKING: features.clear_thinking and features.thinking,
        CLEAR_TOOL_RESULTS: features.clear_tool_results,
        COMPACT: features.server_compaction,
    }
    edits = in_order(edit for edit in choices.edits if offered.get(str(edit.get("type"))))
    return ({"context_management": {"edits": list(edits)}}, betas_for(edits)) if edits else ({}, ())


def with_diagnosis(request: Request, previous_id: str | None) -> Request:
    """The same request asking the API why it would miss the cache, compared with the reply `previous_id`.

    Without one it is only remembered for the next comparison.
    """
    params = {**request.params, "diagnostics": {"previous_message_id": previous_id}}
    return replace(request, params=params, betas=tuple(dict.fromkeys((*request.betas, BETA))))


def _bare(blocks: tuple[PlannedBlock, ...]) -> tuple[dict[str, Any], ...]:
    return tuple([planned.block for planned in blocks])
