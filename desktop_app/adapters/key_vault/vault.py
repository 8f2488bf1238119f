"""Secrets in the system's store, in a worker thread and never for longer than a time limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import TypeVar

from desktop_app.adapters.key_vault.backends import Store, find_stores, name_of
from desktop_app.adapters.key_vault.worker import Worker
from desktop_app.core.errors import KeyVaultError, KeyVaultLocked, KeyVaultSilent, NoKeyVault

T = TypeVar("T")
SERVICE = "mnemoscope"
PATIENCE = 5.0
_CLOSED = {"KeyringLocked", "LockedException", "PromptDismissedException"}


class KeyringVault:
    """Fulfils `core.ports.KeyVault`. `find` names the stores to use in place of the safe ones of this system;
    `patience` is in seconds.
    """

    def __init__(self, find: Callable[[], Sequence[Store]] = find_stores, patience: float = PATIENCE) -> None:
        self._find = find
        self._stores: Sequence[Store] = ()
        self._worker = Worker("key vault", patience)

    def __repr__(self) -> str:
        return "KeyringVault()"

    async def get(self, name: str) -> str | None:
        """The secret kept under a name; None where there is none."""

        def read() -> str | None:
            found = (store.get_password(SERVICE, name) for store in self._safe())
            return next((secret for secret in found if secret), None)

        return await self._ask(read)

    async def set(self, name: str, secret: str) -> None:
        """Keeps one in the preferred store, and reads it back: a store may take it and forget it."""

        def write() -> None:
            store = self._safe()[0]
            store.set_password(SERVICE, name, secret)
            if store.get_password(SERVICE, name) != secret:
                raise KeyVaultError("what was read back is not what was written")

        await self._ask(write)

    async def delete(self, name: str) -> bool:
        """Removes it from every store; whether there was one."""

        def remove() -> bool:
            having = [store for store in self._safe() if store.get_password(SERVICE, name) is not None]
            for store in having:
                store.delete_password(SERVICE, name)
            return bool(having)

        return await self._ask(remove)

    async def backend(self) -> str:
        """The name of the preferred store."""
        return await self._ask(lambda: name_of(self._safe()[0]))

    def _safe(self) -> Sequence[Store]:
        """The stores, in the worker; raises NoKeyVault."""
        self._stores = self._stores or self._find()
        if not self._stores:
            raise NoKeyVault()
        return self._stores

    async def _ask(self, call: Callable[[], T]) -> T:
        try:
            return await self._worker.run(call)
        except TimeoutError:
            raise KeyVaultSilent(seconds=ceil(self._worker.patience)) from None
        except KeyVaultError:
            raise
        except Exception as error:
            self._stores = ()  # the next call looks for them anew
            raise _as_vault_error(error) from error


def _as_vault_error(error: Exception) -> KeyVaultError:
    """What a store's error means to the person; its libraries are known by name, for few systems have them all."""
    kinds, said = {kind.__name__ for kind in type(error).__mro__}, f"{type(error).__name__}: {error}"
    if "NoKeyringError" in kinds:
        return NoKeyVault(said)
    if kinds & _CLOSED or "dismissed" in said.lower():
        return KeyVaultLocked(said)
    return KeyVaultError(said)
