"""What can be behind a cache miss, and where two requests first differ."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment


class Cause(StrEnum):
    """What is behind a miss, or that there is none."""

    NONE = "none"
    """The earlier request is the beginning of this one, and it was read."""
    FIRST = "first"
    """There is no earlier request."""
    ENDPOINT = "endpoint"
    MODEL = "model"
    SPEED = "speed"
    TOOL_ADDED = "tool_added"
    TOOL_REMOVED = "tool_removed"
    TOOL_ORDER = "tool_order"
    TOOL_CHANGED = "tool_changed"
    INSTRUCTIONS = "instructions"
    DATE = "date"
    """A date, time or random id in the instructions."""
    APP_VERSION = "app_version"
    """The program's own words are others since an update."""
    FACT = "fact"
    """A fact of the facts block is another, new, gone or in another place."""
    NOTE = "note"
    """What was told of facts beside an earlier message is another."""
    FOLDED = "folded"
    """A memo stands in place of messages, another memo does, or one was taken back."""
    MESSAGE = "message"
    """An earlier message is another: another version, or an edited one."""
    THINKING_LEFT = "thinking_left"
    """Thinking of earlier answers is no longer sent."""
    TOOL_CHOICE = "tool_choice"
    THINKING = "thinking"
    """The thinking setting."""
    EFFORT = "effort"
    IMAGES = "images"
    """Images came or went."""
    CITATIONS = "citations"
    """Citing from documents was switched on or off."""
    EXPIRED = "expired"
    """Nothing differs; it was sent too late."""
    TOO_SMALL = "too_small"
    """Nothing differs; the prefix is below what the model caches."""
    LOOK_BACK = "look_back"
    """Nothing differs; more than twenty blocks lie between the marks."""
    NOT_STARTED = "not_started"
    """Nothing differs; the earlier request ended before its answer began, so nothing was kept."""
    UNMARKED = "unmarked"
    """Nothing differs; the earlier request carried no marks."""
    UNREPORTED = "unreported"
    """Nothing differs, and whether it was read is unknown: the endpoint reports nothing of a cache."""
    UNEXPLAINED = "unexplained"
    """Nothing differs that is known to matter; the server read less all the same."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request with what is known of it."""

    record: RequestRecord
    request: Request


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference of two prefixes in the order the cache reads them: tools, system, messages.

    `part` and `block` say where in the later request (in the earlier one where the later has no such block);
    `byte` counts from the beginning of the prefix without its marks, block behind block as JSON; `before` and `after`
    are the line around it in each, cut to what can be shown, empty where there is none. `name` is the key of the fact
    or the name of the tool that stands there.
    """

    part: Literal["params", "tools", "system"] | int
    block: int
    byte: int
    segment: Segment | None
    before: str
    after: str
    name: str = ""
