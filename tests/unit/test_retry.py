"""When an attempt is made again by itself, and when a person must decide."""

from __future__ import annotations

import pytest

from desktop_app.core import errors
from desktop_app.core.retry import MOST_ATTEMPTS, PATIENCE, retry_delay


@pytest.mark.parametrize(
    "kind",
    [
        errors.RateLimited,
        errors.Overloaded,
        errors.ServerFailed,
        errors.Unreachable,
        errors.TimedOut,
        errors.StreamBroken,
    ],
)
def test_passing_failures_are_tried_again_ever_later(kind: type[errors.EndpointError]) -> None:
    delays = [retry_delay(kind(), attempt, anything_arrived=False) for attempt in range(1, MOST_ATTEMPTS + 1)]
    assert delays == [1.0, 2.0, 4.0, None]


@pytest.mark.parametrize(
    "kind",
    [
        errors.NoKey,
        errors.KeyRefused,
        errors.PaymentRequired,
        errors.ModelUnknown,
        errors.InvalidRequest,
        errors.WindowExceeded,
    ],
)
def test_lasting_failures_are_not(kind: type[errors.EndpointError]) -> None:
    assert retry_delay(kind(retry_after=1.0), 1, anything_arrived=False) is None


@pytest.mark.parametrize(
    ("retry_after", "delay"), [(0.0, 0.0), (7.5, 7.5), (PATIENCE, PATIENCE), (PATIENCE + 1, None), (None, 1.0)]
)
def test_the_server_names_its_own_delay(retry_after: float | None, delay: float | None) -> None:
    assert retry_delay(errors.RateLimited(retry_after=retry_after), 1, anything_arrived=False) == delay


def test_nothing_is_paid_for_twice() -> None:
    assert retry_delay(errors.Overloaded(retry_after=1.0), 1, anything_arrived=True) is None


def test_no_delay_grows_beyond_half_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.core.retry.MOST_ATTEMPTS", 50)
    assert retry_delay(errors.Overloaded(), 40, anything_arrived=False) == 30.0
