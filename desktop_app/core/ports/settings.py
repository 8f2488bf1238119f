"""What services need to keep what a person chose, keys and prices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from desktop_app.core.money.price_rows import PriceRow
from desktop_app.core.money.written_prices import PriceNotice
from desktop_app.core.settings import Settings


class SettingsStore(Protocol):
    """Settings on disk."""

    def load(self) -> tuple[Settings, list[str]]:
        """Settings and notices (catalogue ids) about what could not be read; never raises for bad content."""

    def save(self, settings: Settings) -> None:
        """Writes them whole or not at all; raises StoreUnavailable."""

    def take_untold(self) -> list[str]:
        """Notices about what was set aside since this was last asked, also by other processes; each only once."""


class PriceStore(Protocol):
    """The person's own prices on disk. Several processes may write them."""

    def mark(self) -> object:
        """A value that differs when anyone wrote since."""

    def load(self) -> tuple[list[PriceRow], list[PriceNotice]]:
        """The rows and notices about what could not be read; never raises for bad content."""

    def change(self, alter: Callable[[list[PriceRow]], list[PriceRow]]) -> list[PriceRow]:
        """Writes what `alter` makes of the rows there are, whole or not at all; raises StoreUnavailable."""


class KeyVault(Protocol):
    """The operating system's store of secrets. No method blocks longer than its time limit."""

    async def get(self, name: str) -> str | None:
        """The secret kept under a name; None where there is none. Raises KeyVaultError."""

    async def set(self, name: str, secret: str) -> None:
        """Keeps one, and reads it back to be sure. Raises KeyVaultError."""

    async def delete(self, name: str) -> bool:
        """Removes it; whether there was one. Raises KeyVaultError."""

    async def backend(self) -> str:
        """The name of the store in use; raises KeyVaultError where there is none that is safe."""
