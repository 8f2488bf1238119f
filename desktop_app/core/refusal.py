"""Why a model declined to answer, in the endpoint's own words."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.core.conversation import Block, is_blank


@dataclass(frozen=True, slots=True)
class Refusal:
    """`category` is the API's name for the reason (`cyber`, `bio` …); either is empty where nothing was said."""

    category: str = ""
    explanation: str = ""


def refusal_from(stop_details: Block | None) -> Refusal | None:
    """What the `stop_details` of a refusal say; None where they say nothing that can be shown."""
    said = {name: _text((stop_details or {}).get(name)) for name in ("category", "explanation")}
    return Refusal(**said) if any(said.values()) else None


def _text(value: object) -> str:
    return value if isinstance(value, str) and not is_blank(value) else ""
