"""What the API itself says about a cache miss: its diagnosis, beside ours and never in place of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

BETA = "cache-diagnosis-2026-04-07"
"""The header a request must carry, also one that only will be compared with later."""


class DiagnosisKind(StrEnum):
    """What a reply said when it was asked for a diagnosis."""

    NONE = "none"
    """No divergence from the request it was to be compared with, or none to compare with."""
    PENDING = "pending"
    """The comparison was not done when the reply began; it is never completed."""
    MODEL_CHANGED = "model_changed"
    SYSTEM_CHANGED = "system_changed"
    TOOLS_CHANGED = "tools_changed"
    MESSAGES_CHANGED = "messages_changed"
    NOT_FOUND = "previous_message_not_found"
    UNAVAILABLE = "unavailable"
    OTHER = "other"
    """A type this version does not know."""


@dataclass(frozen=True, slots=True)
class CacheDiagnosis:
    """`missed` input tokens, about, where it says so; `told` is the type in the API's own word."""

    kind: DiagnosisKind
    missed: int | None = None
    told: str = ""


def diagnosis_from(reported: object) -> CacheDiagnosis:
    """The diagnosis in a `message_start`: null, an object whose reason is null (pending), or a reason."""
    if not isinstance(reported, Mapping):
        return CacheDiagnosis(DiagnosisKind.NONE)
    reason: Any = reported.get("cache_miss_reason")
    if not isinstance(reason, Mapping):
        return CacheDiagnosis(DiagnosisKind.PENDING)
    told, missed = str(reason.get("type", "")), reason.get("cache_missed_input_tokens")
    known = told in set(DiagnosisKind) - {DiagnosisKind.NONE, DiagnosisKind.PENDING, DiagnosisKind.OTHER}
    count = missed if isinstance(missed, int) and not isinstance(missed, bool) and missed >= 0 else None
    return CacheDiagnosis(DiagnosisKind(told) if known else DiagnosisKind.OTHER, count, told)
