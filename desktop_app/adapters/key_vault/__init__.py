"""The operating system's store of secrets, reached through `keyring`; fulfils `core.ports.KeyVault`."""

from desktop_app.adapters.key_vault.vault import KeyringVault

__all__ = ["KeyringVault"]
