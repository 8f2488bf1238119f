"""Failures of the SDK and its transport as kinds of EndpointError, without ever showing a key."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import anthropic
import httpx2

from desktop_app.core import errors

FAILURES = (anthropic.AnthropicError, httpx2.HTTPError, httpx2.InvalidURL)
"""What a call raises by design; a stream's transport errors are not errors of the SDK."""
_KEY_SHAPED = re.compile(r"sk-[A-Za-z0-9_\-]{8,}")
# The transport has one error for an end of the connection and for bytes that are no HTTP.
_ENDED = ("disconnected", "peer closed")
_UNFIT = ("block_ambiguous", "block_misplaced", "content_mismatch", "signature_invalid", "tool_changes_mismatch")
"""What is wrong with a compaction block that was sent back, in the API's words without `compaction_`."""
_TOO_LARGE = ("exceed_context_size_error", "context size", "prompt is too long", "exceed context limit")


def as_endpoint_error(error: Exception, host: str, *, streaming: bool = False) -> errors.EndpointError:
    """The kind the person can act on. `streaming`: a part of the answer had already arrived."""
    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return errors.StreamBroken(_text(error)) if streaming else errors.TimedOut(_text(error), host=host)
    if streaming:
        return errors.StreamBroken(_text(error))
    if isinstance(error, anthropic.APIResponseValidationError) or not isinstance(error, FAILURES):
        # What came is no answer of the Messages API: the SDK stumbled over it.
        return errors.NotMessagesApi(_text(error), host=host)
    return _without_answer(error, host)


def _without_answer(error: Exception, host: str) -> errors.EndpointError:
    """Nobody is there, or whoever is there ended the connection, or speaks no HTTP."""
    cause = (isinstance(error, anthropic.AnthropicError) and error.__cause__) or error
    if isinstance(cause, httpx2.RemoteProtocolError) and not any(said in str(cause) for said in _ENDED):
        return errors.NotMessagesApi(_text(cause), host=host)
    if isinstance(cause, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
        return errors.HungUp(_text(cause), host=host)
    return errors.Unreachable(_text(cause), host=host)


def _of_status(error: anthropic.APIStatusError) -> errors.EndpointError:
    status, kind = error.status_code, str(error.type or "")
    reason = _short(_message(error))
    details = f"{status} {kind}: {reason}".strip()
    if status == 200:
        # An `error` event inside the stream.
        return errors.Overloaded(details) if kind == "overloaded_error" else errors.StreamBroken(details)
    if (said := _of_compaction(error, details, reason)) is not None:
        return said
    if any(word in f"{kind} {reason}".lower() for word in _TOO_LARGE) or status == 413:
        return errors.WindowExceeded(details, reason=reason)
    if status == 400 and "`signature`" in reason and "thinking" in reason:
        return errors.ThinkingUnfit(details)
    wait = _retry_after(error.response.headers)
    if 300 <= status < 400:
        return errors.Redirected(str(status), host=error.request.url.host, target=_target(error))
    match status:
        case 401 | 403:
            return errors.KeyRefused(details)
        case 402:
            return errors.PaymentRequired(details)
        case 404:
            return errors.ModelUnknown(details, reason=reason)
        case 429:
            return errors.RateLimited(details, retry_after=wait)
        case 503 | 529:
            return errors.Overloaded(details, retry_after=wait)
        case 408 | 504:
            return errors.TimedOut(details, host=error.request.url.host)
        case _ if status >= 500:
            return errors.ServerFailed(details, retry_after=wait, reason=reason)
    return errors.InvalidRequest(details, reason=reason)


def _of_compaction(error: anthropic.APIStatusError, details: str, reason: str) -> errors.EndpointError | None:
    """The kind of an error about the API's own compaction; None for any other."""
    found = str(error.error_code or "")
    if not found.startswith("compaction_"):
        return None
    code = found.removeprefix("compaction_")
    if code == "unavailable":
        return errors.CompactionUnavailable(details, retry_after=_retry_after(error.response.headers))
    kind = errors.CompactionUnfit if code in _UNFIT else errors.CompactionRefused
    return kind(details, code=code, reason=reason)


def _message(error: anthropic.APIStatusError) -> str:
    if error.api_message:
        return str(error.api_message)
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error")
        found = inner.get("message") if isinstance(inner, Mapping) else inner or body.get("message")
        if found:
            return str(found)
    return str(error)


def _target(error: anthropic.APIStatusError) -> str:
    """Where a redirect leads, without what may be secret in it."""
    try:
        found = error.request.url.join(error.response.headers.get("location", ""))
    except httpx2.InvalidURL:
        return "?"
    return _short(str(found.copy_with(username=None, password=None, query=None, fragment=None)), 200)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks to wait, from milliseconds, seconds or a date."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return _seconds(float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _seconds(value: float) -> float | None:
    """A waiting time; None for one that is no number."""
    return None if math.isnan(value) else max(0.0, value)


def _text(error: BaseException) -> str:
    return without_keys(f"{type(error).__name__}: {error}")


def _short(text: str, most: int = 400) -> str:
    clean = " ".join(without_keys(text).split())
    return clean if len(clean) <= most else clean[: most - 1] + "…"


def without_keys(text: str) -> str:
    """The text with anything shaped like an API key taken out."""
    return _KEY_SHAPED.sub("sk-…", text)
