"""What an embedding server refuses, or fails to do, as kinds of EmbedderUnavailable without ever showing a key."""

from __future__ import annotations

import json

import httpx2

from desktop_app.core import errors
from desktop_app.core.embedders import EmbedderChoice

_REASON = 300


def of_failure(error: Exception, choice: EmbedderChoice) -> errors.EmbedderUnavailable:
    """No answer came, or none that is HTTP."""
    details = f"{type(error).__name__}: {error}"
    if isinstance(error, ValueError | httpx2.DecodingError):
        return errors.EmbedderUnfit(details, host=choice.host, reason=_short(str(error)))
    return errors.EmbedderUnreachable(details, host=choice.host)


def of_status(status: int, data: bytes, choice: EmbedderChoice) -> errors.EmbedderUnavailable:
    """An answer that is none."""
    host, reason = choice.host, _short(_said(data) or str(status))
    details = f"{status}: {reason}"
    match status:
        case 401 | 403:
            return errors.EmbedderKeyRefused(details, host=host)
        case 404:
            return errors.EmbedderModelUnknown(details, host=host, model=choice.model)
        case 408 | 504:
            return errors.EmbedderUnreachable(details, host=host)
        case _ if status == 429 or status >= 500:
            return errors.EmbedderBusy(details, host=host, reason=reason)
    return errors.EmbedderRefused(details, host=host, reason=reason)


def _said(data: bytes) -> str:
    """What the server gives as a reason, in the forms of OpenAI, Ollama and Voyage."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return data[:_REASON].decode("utf-8", "replace")
    if not isinstance(answer, dict):
        return ""
    said = answer.get("error") or answer.get("detail") or answer.get("message") or ""
    return str(said.get("message", "") if isinstance(said, dict) else said)


def _short(text: str) -> str:
    clean = " ".join(text.split())
    return clean if len(clean) <= _REASON else clean[: _REASON - 1] + "…"
