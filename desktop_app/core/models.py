"""What the Models API says of a model, and the little it does not say."""

from __future__ import annotations

from dataclasses import dataclass, field

DEFAULT_MODEL = "claude-sonnet-5-5"
EFFORTS = ("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model. `window` and `output_limit` in tokens, None where the endpoint does not say.

    `confirmed` is False for an id the endpoint was not heard to know, `told` when it said what the model can do.
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

    @property
    def takes_thinking(self) -> bool:
        """Whether adaptive thinking may be asked of it: where nothing is told it may be tried."""
        return "adaptive" in self.thinking or not (self.told or self.thinking)

    def takes_effort(self, effort: str) -> bool:
        """Whether this effort may be asked of it, any at all for an empty one; untold it may be tried."""
        if not (self.told or self.efforts):
            return True
        return effort in self.efforts if effort else bool(self.efforts)


@dataclass(frozen=True, slots=True)
class Features:
    """What an endpoint offers beyond plain messages; what it lacks is switched off and said."""

    counting: bool = True
    thinking: bool = True
    effort: bool = True
    caching: bool = True
    tools: bool = True
