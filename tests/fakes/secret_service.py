"""A real gnome-keyring on a bus of its own, in a folder of the test: nothing of the machine's is touched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType

MISSING = [name for name in ("dbus-run-session", "gnome-keyring-daemon") if shutil.which(name) is None]
REASON = f"a real key store needs {' and '.join(MISSING)} (Debian: gnome-keyring, dbus)"
_UNLOCK = (
    'printf %s "$PASSWORD" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; unset PASSWORD; '
    'echo "$DBUS_SESSION_BUS_ADDRESS"; read -r _'
)


class SecretService:
    """A context manager; `environment` leads a process to the store.

    The first password makes the store in `folder`; started there again with another one, it stays locked.
    """

    def __init__(self, folder: Path, password: str = "right") -> None:
        self._folder, self._password = folder, password
        self._session: subprocess.Popen[str] | None = None
        self.environment: dict[str, str] = {}

    def __enter__(self) -> SecretService:
        for name in ("data", "run", "config"):
            (self._folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        places = {
            "XDG_DATA_HOME": str(self._folder / "data"),
            "XDG_RUNTIME_DIR": str(self._folder / "run"),
            "XDG_CONFIG_HOME": str(self._folder / "config"),
            "PYTHON_KEYRING_BACKEND": "",
        }
        without_display = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
        self._session = subprocess.Popen(
            ["dbus-run-session", "--", "sh", "-c", _UNLOCK],
            env={**without_display, **places, "PASSWORD": self._password},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._session.stdout is not None
        address = self._session.stdout.readline().strip()
        assert address, "the bus did not start"
        self.environment = {**places, "DBUS_SESSION_BUS_ADDRESS": address}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._session is not None
        self._session.communicate("\n", timeout=10)
