"""When a failed attempt is made again, and after how long."""

from __future__ import annotations

from desktop_app.core.errors import EndpointError

MOST_ATTEMPTS = 4
"""Attempts of one request before the turn fails."""
_FIRST_DELAY = 1.0
_LONGEST_DELAY = 30.0
PATIENCE = 300.0
"""A retry-after longer than this many seconds is shown as an error instead of a countdown."""


def retry_delay(error: EndpointError, attempt: int, *, anything_arrived: bool) -> float | None:
    """Seconds until the next attempt after the `attempt`-th (from 1) failed; None when it is not made again.

    Nothing is repeated on its own once a part of the answer arrived: it would be paid for twice.
    """
    if not error.retryable or anything_arrived or attempt >= MOST_ATTEMPTS:
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= PATIENCE else None
    return float(min(_FIRST_DELAY * 2 ** (attempt - 1), _LONGEST_DELAY))
