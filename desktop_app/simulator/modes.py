"""How the assistant answers what is no conversation: summaries, extractions and judgements."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .memo_modes import FAITHFUL
from .scenario import Step
from .task_modes import RIGHT


@dataclass(frozen=True)
class Modes:
    """`memo` is one of `memo_modes.MODES`, `extraction` and `judging` of `task_modes.TASK_MODES`; `verdicts` are the
    judgement to give, in the order of the facts."""

    memo: str = FAITHFUL
    extraction: str = RIGHT
    judging: str = RIGHT
    verdicts: tuple[str, ...] | None = None

    def under(self, step: Step | None) -> Modes:
        """The same with what a step says of the next answer."""
        if step is None or step.action not in ("memo", "extraction", "judging"):
            return self
        if step.action == "judging" and (verdicts := step.get("verdicts")) is not None:
            return replace(self, verdicts=tuple(verdicts))
        return replace(self, **{step.action: step.get("mode")})
