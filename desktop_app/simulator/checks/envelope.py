"""Headers and raw body: key, version, betas, size, UTF-8 and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import ApiError, invalid

BODY_LIMIT = 32 * 1024 * 1024  # bytes
NEWEST_VERSION = "2026-10-21"
VERSIONS = ("2023-01-01", "2023-06-01", NEWEST_VERSION)

CONTEXT_MANAGEMENT = "context-management-2025-06-27"
COMPACT_AT_THRESHOLD = "compact-2026-01-12"
COMPACT_ON_DEMAND = "compact-2026-09-04"
BINDING_CONTROLS = "thinking-binding-controls-2026-08-01"
CLEAR_AT = "mid-conversation-system-clear-at-2026-08-21"
DIAGNOSIS = "cache-diagnosis-2026-04-07"
FAST_MODE = "fast-mode-2026-02-01"
THREADS = "message-threads-2026-08-12"
DISPLAY_UPDATES = "thinking-display-updates-2026-08-18"
MESSAGE_CONFIG = "mid-conversation-output-config-2026-07-01"
TASK_BUDGETS = "task-budgets-2026-03-13"

KNOWN_BETAS = frozenset(
    {
        CONTEXT_MANAGEMENT,
        COMPACT_AT_THRESHOLD,
        COMPACT_ON_DEMAND,
        BINDING_CONTROLS,
        CLEAR_AT,
        DIAGNOSIS,
        FAST_MODE,
        THREADS,
        DISPLAY_UPDATES,
        MESSAGE_CONFIG,
        TASK_BUDGETS,
        "token-counting-2024-11-01",
        "prompt-caching-2024-07-31",
        "extended-cache-ttl-2025-04-11",
        "interleaved-thinking-2025-05-14",
        "context-1m-2025-08-07",
        "model-context-window-exceeded-2025-08-26",
        "fine-grained-tool-streaming-2025-05-14",
        "token-efficient-tools-2025-02-19",
        "thinking-token-count-2026-05-13",
        "mid-conversation-tool-changes-2026-07-01",
        "inline-tools-2026-09-15",
        "output-128k-2025-02-19",
        "output-300k-2026-03-24",
        "pdfs-2024-09-25",
        "files-api-2025-04-14",
        "structured-outputs-2025-11-13",
        "mcp-client-2025-11-20",
        "mcp-client-2026-09-15",
        "server-side-fallback-2026-07-01",
        "fallback-credit-2026-07-01",
        "user-profiles-2026-09-04",
        "skills-2025-10-02",
        "advisor-tool-2026-03-01",
    }
)


@dataclass(frozen=True)
class Envelope:
    """What the headers say: the API version and the beta features switched on."""

    version: str
    betas: frozenset[str]

    @property
    def newest(self) -> bool:
        return self.version == NEWEST_VERSION

    @classmethod
    def open(cls, headers: Mapping[str, str]) -> Envelope:
        """Check key, version and betas. Raises ApiError 401 or 400."""
        _check_key(headers)
        version = headers.get("anthropic-version", "").strip()
        if not version:
            raise invalid("anthropic-version: header is required")
        if version not in VERSIONS:
            raise invalid(f'anthropic-version: "{version}" is not a valid version')
        betas = frozenset(name.strip() for name in headers.get("anthropic-beta", "").split(",") if name.strip())
        unknown = sorted(betas - KNOWN_BETAS)
        if unknown:
            names = ", ".join(f"`{name}`" for name in unknown)
            raise invalid(f"Unexpected value(s) {names} for the `anthropic-beta` header.")
        return cls(version, betas)


def _check_key(headers: Mapping[str, str]) -> None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    key = headers.get("x-api-key", "").strip() or (token.strip() if scheme.lower() == "bearer" else "")
    if not key:
        raise ApiError(401, "x-api-key header is required")
    if "invalid" in key.lower():
        raise ApiError(401, "invalid x-api-key")


def too_large() -> ApiError:
    """The refusal of a body over `BODY_LIMIT`."""
    return ApiError(413, "Request exceeds the maximum size")


def parse_body(raw: bytes) -> dict[str, Any]:
    """The JSON object of a body. Raises ApiError 400 for broken UTF-8, broken JSON or another shape."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid(f"The request body is not valid UTF-8: {error.reason} at byte {error.start}") from None
    try:
        body = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise invalid(f"The request body is not valid JSON: {error}") from None
    if not isinstance(body, dict):
        raise invalid("The request body must be a JSON object")
    if "\\u" in text:
        _refuse_surrogates(body)
    return body


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not allowed")


def _refuse_surrogates(body: dict[str, Any]) -> None:
    try:
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise invalid("The request body is not valid JSON: no low surrogate in string") from None
