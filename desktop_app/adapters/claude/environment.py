"""Takes ANTHROPIC_* out of the environment, so that nothing there can redirect or log what is sent."""

from __future__ import annotations

import os

_KEY = "ANTHROPIC_API_KEY"
_taken: list[str] = []


def take_environment_key() -> str | None:
    """Removes every ANTHROPIC_* variable from this process and returns the key that stood there, now or before.

    The SDK honours a base URL, headers and a log level from the environment even with an explicit
    key; a key held elsewhere must never follow them. Whether the returned key is used is the
    person's choice (`ProfileSettings.environment_key`).
    """
    if key := os.environ.get(_KEY, "").strip():
        _taken[:] = [key]
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        del os.environ[name]
    return _taken[0] if _taken else None
