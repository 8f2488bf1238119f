"""Plan in, request out: the one pure function that writes a request."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from desktop_app.core.cache.diagnosis import BETA
from desktop_app.core.cache.marks import place_marks
from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.conversation import Role
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
    with this one.
    """

    max_tokens: int
    effort: str | None = None
    show_thinking: bool = True
    lifetime: str = "5m"
    continues: bool = True


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
    messages = tuple(
        [RequestMessage(_NAMES[message.role is _USER], _bare(message.blocks)) for message in plan.messages]
    )
    summary = bool(plan.messages) and plan.messages[0].blocks[0].segment is Segment.SUMMARY
    marks: tuple[Mark, ...] = ()
    if features.caching:
        marks = place_marks(
            tools, system, messages, summary=summary, lifetime=choices.lifetime, keep_end=choices.continues
        )
    return Request(params, tools, system, messages, marks)


def with_diagnosis(request: Request, previous_id: str | None) -> Request:
    """The same request asking the API why it would miss the cache, compared with the reply `previous_id`.

    Without one it is only remembered for the next comparison.
    """
    params = {**request.params, "diagnostics": {"previous_message_id": previous_id}}
    return replace(request, params=params, betas=tuple(dict.fromkeys((*request.betas, BETA))))


def _bare(blocks: tuple[PlannedBlock, ...]) -> tuple[dict[str, Any], ...]:
    return tuple([planned.block for planned in blocks])
