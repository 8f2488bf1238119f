"""What each model allows: one table, read by the checks, the cache and the Models API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNKNOWN_MINIMUM_PREFIX = 1_024  # tokens; taken where no published figure exists
ALL_EFFORTS = ("low", "medium", "high", "xhigh", "max")
OLD_EFFORTS = ("low", "medium", "high", "max")
CLEAR_THINKING = "context_management.clear_thinking_20251015"
CLEAR_TOOL_USES = "context_management.clear_tool_uses_20250919"
COMPACT = "context_management.compact_20260112"
SUMMARIZE = "compaction.summarize"
IMAGES, PDFS = "image_input", "pdf_input"
STRUCTURED = "structured_outputs"
SWITCHABLE = (IMAGES, PDFS, STRUCTURED, CLEAR_THINKING, CLEAR_TOOL_USES, COMPACT, SUMMARIZE)
"""Capabilities that can be switched off, by where they stand in the Models API."""


@dataclass(frozen=True)
class Model:
    """One row. Sizes are tokens; `thinking_modes` are the accepted values of `thinking.type`."""

    id: str
    display_name: str
    created_at: str
    line: str | None
    window: int = 1_000_000
    output_limit: int = 128_000
    minimum_prefix: int = UNKNOWN_MINIMUM_PREFIX
    bound_thinking: bool = False
    system_messages: bool = False
    system_role_known: bool = True  # False: the role itself is unknown to the model's generation
    thinking_modes: frozenset[str] = frozenset({"adaptive", "disabled"})
    thinks_unasked: bool = False
    shows_thinking: bool = False  # the default `display` is "summarized"
    prefill: bool = False
    forced_tool_choice: bool = True
    stops_at_window: bool = True  # False: input + max_tokens over the window is refused
    efforts: tuple[str, ...] = ALL_EFFORTS
    default_effort: str = "high"
    lifecycle: str = "active"
    deprecated_at: str | None = None
    retires_at: str | None = None
    aliases: tuple[str, ...] = ()
    server_compaction: bool = True
    without: frozenset[str] = frozenset()  # capabilities switched off

    def offers(self, capability: str) -> bool:
        """Whether the model has one of the `SWITCHABLE` capabilities."""
        return capability not in self.without and (self.server_compaction or capability not in (COMPACT, SUMMARIZE))

    def card(self) -> dict[str, Any]:
        """The Models API object of this row."""
        return {
            "type": "model",
            "id": self.id,
            "display_name": self.display_name,
            "created_at": self.created_at,
            "lifecycle": self.lifecycle,
            "deprecated_at": self.deprecated_at,
            "retires_at": self.retires_at,
            "line": self.line,
            "max_input_tokens": self.window,
            "max_tokens": self.output_limit,
            "allowed_fallback_models": None,
            "capabilities": self._capabilities(),
        }

    def _capabilities(self) -> dict[str, Any]:
        no = {"supported": False}
        modes = {mode: {"supported": mode in self.thinking_modes} for mode in THINKING_MODES}
        efforts = {level: {"supported": level in self.efforts} for level in ALL_EFFORTS}
        edits = {name: {"supported": self.offers(name)} for name in (CLEAR_THINKING, CLEAR_TOOL_USES, COMPACT)}
        # What this server does not offer is reported as unsupported, so that a client sees the truth.
        return {
            "batch": no,
            "citations": no,
            "code_execution": no,
            "image_input": {"supported": self.offers(IMAGES)},
            "pdf_input": {"supported": self.offers(PDFS)},
            "structured_outputs": {"supported": self.offers(STRUCTURED)},
            "server_tools": {"supported": False, "web_search": no, "code_execution": no},
            "thinking": {"supported": True, "types": modes},
            "effort": {"supported": bool(self.efforts), **efforts},
            "context_management": {
                "supported": any(edit["supported"] for edit in edits.values()),
                **{name.partition(".")[2]: edit for name, edit in edits.items()},
            },
            "compaction": {"supported": self.offers(SUMMARIZE), "summarize": {"supported": self.offers(SUMMARIZE)}},
        }


THINKING_MODES = ("adaptive", "between_tools", "disabled", "enabled")
_ADAPTIVE = frozenset({"adaptive"})
_MANUAL = frozenset({"enabled", "disabled"})
_EITHER = frozenset({"adaptive", "enabled", "disabled"})


def _day(date: str) -> str:
    return f"{date}T00:00:00Z"


# Where no release date is published, the date only keeps the order of the line-up.
_ROWS = (
    Model(
        "claude-fable-5-2", "Claude Fable 5.2", _day("2026-11-12"), "fable",
        bound_thinking=True, system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
        forced_tool_choice=False,
    ),
    Model(
        "claude-mythos-5-2", "Claude Mythos 5.2", _day("2026-11-12"), "mythos",
        bound_thinking=True, system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
        forced_tool_choice=False,
    ),
    Model(
        "claude-haiku-5-5", "Claude Haiku 5.5", _day("2026-10-28"), "haiku",
        bound_thinking=True, system_messages=True, thinks_unasked=True, default_effort="medium",
    ),
    Model(
        "claude-sonnet-5-5", "Claude Sonnet 5.5", _day("2026-10-07"), "sonnet",
        bound_thinking=True, system_messages=True, thinking_modes=frozenset({"adaptive", "between_tools"}),
        thinks_unasked=True, forced_tool_choice=False,
    ),
    Model(
        "claude-fable-5-1", "Claude Fable 5.1", _day("2026-09-17"), "fable", minimum_prefix=512,
        bound_thinking=True, system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
        forced_tool_choice=False,
    ),
    Model(
        "claude-opus-5-5", "Claude Opus 5.5", _day("2026-09-16"), "opus",
        bound_thinking=True, system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
        forced_tool_choice=False, default_effort="medium",
    ),
    Model(
        "claude-mythos-5-1", "Claude Mythos 5.1", _day("2026-09-15"), "mythos", minimum_prefix=512,
        bound_thinking=True, system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
        forced_tool_choice=False,
    ),
    Model("claude-sonnet-5", "Claude Sonnet 5", _day("2026-07-15"), "sonnet"),
    Model(
        "claude-fable-5", "Claude Fable 5", _day("2026-07-02"), "fable", minimum_prefix=512,
        system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
    ),
    Model(
        "claude-mythos-5", "Claude Mythos 5", _day("2026-07-01"), "mythos", minimum_prefix=512,
        system_messages=True, thinking_modes=_ADAPTIVE, thinks_unasked=True,
    ),
    Model(
        "claude-opus-5", "Claude Opus 5", _day("2026-06-24"), "opus", minimum_prefix=512, system_messages=True,
    ),
    Model("claude-opus-4-8", "Claude Opus 4.8", _day("2026-05-20"), "opus", system_messages=True),
    Model("claude-opus-4-7", "Claude Opus 4.7", _day("2026-04-16"), "opus", minimum_prefix=2_048),
    Model(
        "claude-opus-4-6", "Claude Opus 4.6", _day("2026-02-05"), "opus", minimum_prefix=4_096,
        thinking_modes=_EITHER, shows_thinking=True, efforts=OLD_EFFORTS,
    ),
    Model(
        "claude-sonnet-4-6", "Claude Sonnet 4.6", _day("2026-02-17"), "sonnet", output_limit=64_000,
        thinking_modes=_EITHER, shows_thinking=True, efforts=OLD_EFFORTS,
    ),
    Model(
        "claude-sim-small", "Simulated small model", _day("2026-01-01"), None, window=8_000,
        output_limit=2_000, minimum_prefix=64, bound_thinking=True, system_messages=True, thinks_unasked=True,
    ),
    Model(
        "claude-opus-4-5-20251101", "Claude Opus 4.5", _day("2025-11-24"), "opus", window=200_000,
        output_limit=64_000, minimum_prefix=4_096, thinking_modes=_MANUAL, shows_thinking=True, prefill=True,
        system_role_known=False, stops_at_window=False, efforts=("low", "medium", "high"),
        lifecycle="deprecated", deprecated_at=_day("2026-07-22"), retires_at=_day("2027-01-22"),
        aliases=("claude-opus-4-5",), server_compaction=False,
    ),
    Model(
        "claude-haiku-4-5-20251001", "Claude Haiku 4.5", _day("2025-10-15"), "haiku", window=200_000,
        output_limit=64_000, minimum_prefix=4_096, thinking_modes=_MANUAL, shows_thinking=True, prefill=True,
        system_role_known=False, stops_at_window=False, efforts=(),
        aliases=("claude-haiku-4-5",), server_compaction=False,
    ),
    Model(
        "claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", _day("2025-09-29"), "sonnet", window=200_000,
        output_limit=64_000, thinking_modes=_MANUAL, shows_thinking=True, prefill=True,
        system_role_known=False, stops_at_window=False, efforts=(),
        lifecycle="deprecated", deprecated_at=_day("2026-05-30"), retires_at=_day("2026-11-30"),
        aliases=("claude-sonnet-4-5",), server_compaction=False,
    ),
    Model(
        "claude-mythos-preview", "Claude Mythos Preview", _day("2026-03-31"), "mythos",
        lifecycle="retired", deprecated_at=_day("2026-05-01"), retires_at=_day("2026-06-30"),
    ),
)  # fmt: skip

_NEWEST_FIRST = tuple(sorted(_ROWS, key=lambda row: row.created_at, reverse=True))
_BY_NAME = {name: row for row in _ROWS for name in (row.id, *row.aliases)}


def all_models() -> tuple[Model, ...]:
    """Every row, newest first, retired ones included."""
    return _NEWEST_FIRST


def find_model(name: str) -> Model | None:
    """The row of an id or alias, or None."""
    return _BY_NAME.get(name)
