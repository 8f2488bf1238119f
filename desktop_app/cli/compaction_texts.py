"""Compactions as the command line tells them: lines, values by their fate, JSON."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from desktop_app.cli.output import one_line
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.compaction.plan import CompactionLine, FoldPlan, Way
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.words import Words

_VALUE = 80
_SIGNS = {Fate.KEPT: "✓", Fate.REWORDED: "≈", Fate.LOST: "✗", Fate.INVENTED: "+"}


def told(words: Words, made: Compaction, word: str) -> str:
    """One sentence about a compaction."""
    figures = {"before": f"{made.before:,}", "after": f"{made.after:,}"}
    return words.say(f"cli.compact.{word}", n=made.folded, **figures)


def plan_lines(words: Words, plan: FoldPlan) -> list[str]:
    """What would happen, and what each way costs."""
    lines = [
        words.say(
            "cli.compact.plan",
            n=len(plan.message_ids),
            kept=f"{plan.kept_tokens:,}",
            before=f"{plan.before.tokens:,}",
            after=f"{plan.after.tokens:,}",
        )
    ]
    return lines + [_way_line(words, way, first=number == 0) for number, way in enumerate(plan.ways)]


def _way_line(words: Words, way: Way, *, first: bool) -> str:
    mark = "→" if first else " "
    name = words.say(f"compaction.ways.{way.by}", model=way.model)
    if not way.possible:
        return f"{mark} {name}: {words.say(way.reason)}"
    cost = words.say("compaction.ways.unknown") if way.cost is None else usd(way.cost)
    read = words.say("compaction.ways.cached", share=f"{way.read / way.tokens:.0%}") if way.read else ""
    reason = words.say(way.reason) if way.reason else ""
    told = (words.say("compaction.ways.tokens", tokens=f"{way.tokens:,}"), read, cost, reason)
    return f"{mark} {name}: " + " · ".join(part for part in told if part)


def saved_text(words: Words, made: Compaction) -> str:
    """By how much the folded part became smaller, or larger; a dash where nothing stands in its place."""
    if made.state is CompactionState.FAILED or not made.summary_tokens or not made.folded_tokens:
        return "–"
    percent = round(100 * made.saved)
    return words.say(f"cli.compact.{'saved' if percent >= 0 else 'grew'}", percent=f"{abs(percent):,}")


def usd(amount: Decimal) -> str:
    """Dollars to the hundredth of a cent."""
    return f"${amount:.4f}"


def values_lines(words: Words, check: SummaryCheck) -> list[str]:
    """Counts by fate, then every value that did not simply stay."""
    groups = {fate: [value for value in check.values if value.fate is fate] for fate in Fate}
    counts = " · ".join(
        f"{_SIGNS[fate]} {words.say(f'compaction.fate.{fate}')} {len(group)}" for fate, group in groups.items()
    )
    return [counts, *(_value_line(value) for fate, group in groups.items() if fate is not Fate.KEPT for value in group)]


def _value_line(value: CheckedValue) -> str:
    found = f" → {one_line(value.found, _VALUE)}" if value.found else ""
    return f"  {_SIGNS[value.fate]} {one_line(value.text, _VALUE)}{found}"


def as_json(made: Compaction, line: CompactionLine | None = None, check: SummaryCheck | None = None) -> dict[str, Any]:
    """A compaction with what is known of it."""
    told: dict[str, Any] = {
        "id": made.id,
        "conversation": made.conversation_id,
        "strategy": made.strategy.value,
        "state": made.state.value,
        "cause": made.cause.value,
        "written_by": made.written_by.value,
        "model": made.model,
        "messages": made.folded,
        "before": made.before,
        "after": made.after,
        "predicted": made.predicted,
        "folded_tokens": made.folded_tokens,
        "summary_tokens": made.summary_tokens,
        "saved": round(made.saved, 4),
        "seconds": made.seconds,
        "created_at": made.created_at.isoformat(),
        "failure": made.failed_of[0] or None,
        "edited": made.edited,
        "summary": made.summary,
        "block": made.block,
    }
    if line is not None:
        told |= {
            "number": line.number,
            "measured_after": line.measured_after,
            "usd": None if line.cost is None else str(line.cost),
            "share": line.share,
            "requests": line.asked,
        }
    if check is not None:
        told |= {
            "rouge": round(check.rouge, 3),
            "right_language": check.right_language,
            "values": [
                {"kind": value.kind.value, "text": value.text, "fate": value.fate.value, "found": value.found or None}
                for value in check.values
            ],
        }
    return told


def plan_json(conversation_id: str, plan: FoldPlan) -> dict[str, Any]:
    """A plan with its ways."""
    return {
        "conversation": conversation_id,
        "strategy": plan.strategy.value,
        "messages": len(plan.message_ids),
        "turns": list(plan.turns),
        "folded_tokens": plan.folded_tokens,
        "kept_tokens": plan.kept_tokens,
        "before": plan.before.tokens,
        "after": plan.after.tokens,
        "ways": [
            {
                "by": way.by.value,
                "model": way.model,
                "tokens": way.tokens,
                "read": way.read,
                "usd": None if way.cost is None else str(way.cost),
                "possible": way.possible,
                "reason": way.reason or None,
            }
            for way in plan.ways
        ],
    }
