"""What a long command says when it is stopped: by Ctrl+C, or told to end by the system."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from desktop_app.cli.output import note


@contextmanager
def told_when_stopped(sentence: Callable[[], str]) -> Iterator[None]:
    """Says it on standard error when what runs inside is cancelled. SIGTERM cancels like Ctrl+C meanwhile."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    except asyncio.CancelledError:
        note(sentence())
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
