"""The top-level fields of a body: which exist, which need a beta header, which this server does not offer."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from .envelope import (
    COMPACT_AT_THRESHOLD,
    COMPACT_ON_DEMAND,
    CONTEXT_MANAGEMENT,
    DIAGNOSIS,
    FAST_MODE,
    THREADS,
    Envelope,
)
from .shapes import extra, need

SHARED = {"model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"}
ONLY_MESSAGES = {"max_tokens", "stream", "stop_sequences", "metadata", "service_tier", "inference_geo"}
SAMPLING = ("temperature", "top_p", "top_k")
GATED = {
    "context_management": (CONTEXT_MANAGEMENT, COMPACT_AT_THRESHOLD),
    "compaction": (COMPACT_ON_DEMAND,),
    "thread": (THREADS,),
    "speed": (FAST_MODE,),
    "mcp_servers": ("mcp-client-2025-11-20", "mcp-client-2026-09-15"),
    "fallbacks": ("server-side-fallback-2026-07-01",),
    "fallback_credit_token": ("fallback-credit-2026-07-01",),
    "user_profile_id": ("user-profiles-2026-09-04",),
    "container": ("skills-2025-10-02",),
}
GATED_ONLY_MESSAGES = {"diagnostics": (DIAGNOSIS,)}
NEVER_NULL = {
    "system": "string",
    "tools": "list",
    "tool_choice": "dictionary",
    "thinking": "dictionary",
    "output_config": "dictionary",
    "metadata": "dictionary",
    "stop_sequences": "list",
    "stream": "boolean",
}
OFFERED_BETAS = ("speed", "diagnostics", "context_management", "compaction")


def check_fields(body: dict[str, Any], envelope: Envelope, *, counting: bool) -> None:
    """Refuse unknown and gated fields and missing required ones."""
    allowed = SHARED if counting else SHARED | ONLY_MESSAGES
    gated = GATED if counting else GATED | GATED_ONLY_MESSAGES
    for name, value in body.items():
        if name in SAMPLING and not counting and not envelope.newest:
            continue
        if name in gated:
            _check_gate(name, gated[name], envelope)
        elif name not in allowed:
            raise invalid(extra(name))
        if value is None and name in NEVER_NULL:
            raise invalid(f"{name}: Input should be a valid {NEVER_NULL[name]}")
    for name in ("model", "messages") if counting else ("model", "max_tokens", "messages"):
        need(body, name, "")


def _check_gate(name: str, headers: tuple[str, ...], envelope: Envelope) -> None:
    if not envelope.betas & set(headers):
        raise invalid(extra(name))
    if name == "thread":
        raise invalid("thread: message threads are not available on this server", "thread_unsupported_request")
    if name not in OFFERED_BETAS:
        raise invalid(f"{name}: {name} is not available on this server")
