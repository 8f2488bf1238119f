"""What the Models API says of a model, and the little it does not say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

DEFAULT_MODEL = "claude-sonnet-5-5"
CHEAP_MODEL = "claude-haiku-5-5"
"""What summaries are written, and facts found and compared, with at Anthropic's where nothing else is chosen."""
EFFORTS = ("low", "medium", "high", "xhigh", "max")
_DATE_SUFFIX = re.compile(r"-\d{8}$")
# What a model works with where no effort is asked for. Those left out take none, or nothing was published of them.
_USUAL_EFFORTS = {
    **dict.fromkeys(("claude-fable-5-2", "claude-fable-5-1", "claude-fable-5"), "high"),
    **dict.fromkeys(("claude-mythos-5-2", "claude-mythos-5-1", "claude-mythos-5", "claude-mythos-preview"), "high"),
    "claude-opus-5-5": "medium",
    **dict.fromkeys(("claude-opus-5", "claude-opus-4-8", "claude-opus-4-7"), "high"),
    **dict.fromkeys(("claude-opus-4-6", "claude-opus-4-5"), "high"),
    **dict.fromkeys(("claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6"), "high"),
    "claude-haiku-5-5": "medium",
}


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. `window` and `output_limit` in tokens, None where the endpoint does not say.

    `confirmed` is False for an id the endpoint was not heard to know, `told` when it said what the model can do.
    `image_input` and `pdf_input` are None where nothing is told of them.
    """

    id: str
    name: str
    window: int | None = None
    output_limit: int | None = None
    efforts: tuple[str, ...] = ()
    thinking: frozenset[str] = field(default_factory=frozenset)
    """Modes of the `thinking` parameter it takes: adaptive, enabled, disabled, between_tools."""
    confirmed: bool = True
    told: bool = False
    edits: frozenset[str] = field(default_factory=frozenset)
    """Edits of the context the API makes for it, in its own names (`core.context_editing`)."""
    compacts: bool = False
    """Whether the API compacts a conversation with it on demand."""
    image_input: bool | None = None
    pdf_input: bool | None = None
    structured: bool = False
    """Whether its answer can be held to a JSON schema."""

    @property
    def takes_thinking(self) -> bool:
        """Whether adaptive thinking may be asked of it: where nothing is told it may be tried."""
        return "adaptive" in self.thinking or not (self.told or self.thinking)

    def takes_effort(self, effort: str) -> bool:
        """Whether this effort may be asked of it, any at all for an empty one; untold it may be tried."""
        if not (self.told or self.efforts):
            return True
        return effort in self.efforts if effort else bool(self.efforts)


def undated(model: str) -> str:
    """The id of a model without the date of its version: `claude-haiku-4-5-20251001` is `claude-haiku-4-5`."""
    return _DATE_SUFFIX.sub("", model)


def usual_effort(model: str) -> str:
    """The effort a model works with where none is asked for; empty where that is unknown."""
    return _USUAL_EFFORTS.get(undated(model), "")


def same_effort(model: str, one: str, other: str) -> bool:
    """Whether two efforts are the same for a model, empty for none asked for: its usual one may be named or not."""
    usual = usual_effort(model)
    return (one or usual) == (other or usual)


@dataclass(frozen=True, slots=True)
class Features:
    """What an endpoint offers beyond plain messages; what it lacks is switched off and said.

    What is off by default is used only where the endpoint says that it has it.
    """

    counting: bool = True
    thinking: bool = True
    effort: bool = True
    caching: bool = True
    tools: bool = True
    server_compaction: bool = False
    """The API compacts while it answers, at a threshold."""
    server_compaction_now: bool = False
    """The API compacts on demand."""
    clear_tool_results: bool = False
    clear_thinking: bool = False
    memory_files: bool = False
    """It knows the type of the API's memory tool."""
    images: bool = False
    pdfs: bool = False
    block_binding: bool = False
    """The API can be told to drop thinking that no longer fits instead of refusing it."""
    structured: bool = False
    """An answer can be held to a JSON schema."""
