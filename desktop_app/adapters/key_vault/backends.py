"""Which stores of `keyring` are safe: an allow-list by class, whatever is installed or configured beside it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_SAFE = {
    ("keyring.backends.SecretService", "Keyring"): "Secret Service",
    ("keyring.backends.kwallet", "DBusKeyring"): "KWallet",
    ("keyring.backends.kwallet", "DBusKeyringKWallet4"): "KWallet",
    ("keyring.backends.macOS", "Keyring"): "macOS Keychain",
    ("keyring.backends.Windows", "WinVaultKeyring"): "Windows Credential Manager",
}
_ONLY_ON = {"keyring.backends.macOS": "darwin", "keyring.backends.Windows": "win32"}
"""Modules that elsewhere take long to find out that they cannot run."""
_CHAIN = ("keyring.backends.chainer", "ChainerBackend")


class Store(Protocol):
    """What is asked of a backend of `keyring`; `user` is the name of the secret."""

    def get_password(self, service: str, user: str) -> str | None:
        """The secret, None where there is none."""

    def set_password(self, service: str, user: str, secret: str) -> None:
        """Keeps it."""

    def delete_password(self, service: str, user: str) -> None:
        """Removes it; an error where there is none."""


def find_stores() -> Sequence[Store]:
    """The safe stores of this system, the preferred one first; imports `keyring`, and may take its time.

    What the person configured for `keyring` (PYTHON_KEYRING_BACKEND, keyringrc.cfg) is used alone, and refused
    where it is not on the list: a store that forgets, or one that writes plain files, is none.
    """
    from keyring import core

    try:
        named = bool(os.environ.get("PYTHON_KEYRING_BACKEND"))
        chosen = core.load_env() if named else core.load_config()
    except (ImportError, AttributeError, RuntimeError, ValueError):
        return []  # its name leads nowhere, or it cannot run here
    if chosen is None:
        return _viable()
    members: Sequence[Any] = chosen.backends if _name(chosen) == _CHAIN else (chosen,)  # type: ignore[attr-defined]
    return [one for one in members if _name(one) in _SAFE]


def name_of(store: object) -> str:
    """The name a person knows the store by."""
    return _SAFE.get(_name(store), type(store).__name__)


def _name(backend: object) -> tuple[str, str]:
    return type(backend).__module__, type(backend).__qualname__


def _viable() -> list[Store]:
    """Those of the list that run here; asked anew each time, for one may have been started since."""
    kinds: list[type[KeyringBackend]] = []
    for module, name in _SAFE:
        if _ONLY_ON.get(module, sys.platform) != sys.platform:
            continue
        try:
            kind = getattr(import_module(module), name)
        except ImportError:
            continue
        if kind.viable:
            kinds.append(kind)
    return [kind() for kind in sorted(kinds, key=lambda kind: kind.priority, reverse=True)]
