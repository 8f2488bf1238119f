"""What the Models API says of a model, and the little it does not say."""

from __future__ import annotations

from dataclasses import dataclass, field

FALLBACK_MODELS = (
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-2",
)
"""Ids offered while the Models API cannot be reached; limits are never taken from here."""

DEFAULT_MODEL = "claude-sonnet-5-5"
EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. `window` and `output_limit` in tokens, None where the endpoint does not say.

    `confirmed` is False for an id the endpoint was not heard to know.
    """

    id: str
    name: str
    window: int | None = None
    output_limit: int | None = None
    efforts: tuple[str, ...] = ()
    thinking: frozenset[str] = field(default_factory=frozenset)
    """Modes of the `thinking` parameter it takes: adaptive, enabled, disabled, between_tools."""
    confirmed: bool = True


@dataclass(frozen=True, slots=True)
class Features:
    """What an endpoint offers beyond plain messages; what it lacks is switched off and said."""

    counting: bool = True
    models: bool = True
    thinking: bool = True
    effort: bool = True
    caching: bool = True
    tools: bool = True
