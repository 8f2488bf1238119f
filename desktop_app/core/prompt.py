"""Plan in, request out: the one pure function that writes a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.models import Features
from desktop_app.core.prompt_cache import place_marks
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.segment import Segment


@dataclass(frozen=True, slots=True)
class Choices:
    """What the person chose for a request. `max_tokens` is the output reserve in tokens."""

    max_tokens: int
    effort: str | None = None
    show_thinking: bool = True


def build_request(plan: ContextPlan, choices: Choices, features: Features) -> Request:
    """The request for a plan; the same plan and choices give the same bytes, in any process."""
    params: dict[str, Any] = {"max_tokens": choices.max_tokens, "model": plan.epoch.model, "stream": True}
    if features.effort and choices.effort:
        params["output_config"] = {"effort": choices.effort}
    if features.thinking:
        display = "summarized" if choices.show_thinking else "omitted"
        params["thinking"] = {"type": "adaptive", "display": display}
    tools = _bare(plan.tools) if features.tools else ()
    system = _bare(plan.system)
    messages = tuple(RequestMessage(message.role.value, _bare(message.blocks)) for message in plan.messages)
    summary = bool(plan.messages) and plan.messages[0].blocks[0].segment is Segment.SUMMARY
    marks = place_marks(tools, system, messages, summary=summary) if features.caching else ()
    return Request(params, tools, system, messages, marks)


def _bare(blocks: tuple[PlannedBlock, ...]) -> tuple[dict[str, Any], ...]:
    return tuple(planned.block for planned in blocks)
