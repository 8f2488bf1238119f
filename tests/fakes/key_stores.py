"""Stores of keys for tests: backends as `keyring` has them, in memory, and the odd ones among them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from desktop_app.adapters.key_vault import KeyringVault

URL = "https://api.anthropic.com"
CANARY = "sk-ant-Zq7wXcanary0123456789abcdef"
HEAD = CANARY[:12]
"""What of it must be found nowhere either."""


class MemoryStore:
    """Keeps secrets in memory; `calls` are what it was asked for, in order."""

    def __init__(self, key: str | None = None) -> None:
        self.kept = {} if key is None else {("mnemoscope", URL): key}
        self.calls: list[str] = []
        self.threads: set[str] = set()

    def get_password(self, service: str, user: str) -> str | None:
        self._note("get")
        return self.kept.get((service, user))

    def set_password(self, service: str, user: str, secret: str) -> None:
        self._note("set")
        self.kept[service, user] = secret

    def delete_password(self, service: str, user: str) -> None:
        self._note("delete")
        del self.kept[service, user]

    def _note(self, call: str) -> None:
        self.calls.append(call)
        self.threads.add(threading.current_thread().name)


class ForgetfulStore(MemoryStore):
    """Takes a secret and forgets it, as the null backend does."""

    def set_password(self, service: str, user: str, secret: str) -> None:
        self._note("set")


class HangingStore(MemoryStore):
    """Never answers until `release` is called; a test that uses it must do so."""

    def __init__(self, key: str | None = None) -> None:
        super().__init__(key)
        self._free = threading.Event()

    def release(self) -> None:
        """Somebody answered the prompt."""
        self._free.set()

    def _note(self, call: str) -> None:
        super()._note(call)
        self._free.wait(60)


class RefusingStore(MemoryStore):
    """Raises an error while it is not `open`."""

    def __init__(self, error: Callable[[], Exception], key: str | None = None) -> None:
        super().__init__(key)
        self._error, self.open = error, False

    def _note(self, call: str) -> None:
        super()._note(call)
        if not self.open:
            raise self._error()


def vault_of(store: MemoryStore, patience: float = 0.3) -> KeyringVault:
    """The real adapter over a store."""
    return KeyringVault(lambda: [store], patience)


def no_worker() -> bool:
    """Whether the thread of every vault has ended."""
    return not [thread for thread in threading.enumerate() if thread.name == "key vault"]
