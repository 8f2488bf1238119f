"""Keys of endpoints: held in memory for this session, or in the system's key store and read from there once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from desktop_app.core.errors import BadInput, KeyVaultError, NoKeyVault
from desktop_app.core.ports import KeyVault
from desktop_app.core.redaction import never_show

LONGEST = 1_280
"""Most characters of a key: more does not fit into the key store of every system."""
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_SECRET = "••••"


class KeyService:
    """Names of keys are the URLs of endpoints. Without a vault, keys are held for the session only.

    What the vault answered is remembered until `reread`, and `trouble` until `retry`: the error with which it refused
    (locked, silent, none there), so that nobody is asked for a password twice and nothing waits a second time.
    """

    def __init__(self, vault: KeyVault | None = None) -> None:
        self._vault = vault
        self._session: dict[str, str] = {}
        self._kept: dict[str, str | None] = {}
        self._to_keep: set[str] = set()
        self._store = ""
        self._asking = asyncio.Lock()
        self.trouble: KeyVaultError | None = None if vault is not None else NoKeyVault()

    def __repr__(self) -> str:
        return "KeyService()"

    def of_session(self, name: str) -> str | None:
        """The key held for this session only."""
        return self._session.get(name)

    async def kept(self, name: str) -> str | None:
        """The key in the vault; None where there is none, or where there is `trouble`."""
        if name not in self._kept:
            async with self._asking:  # whoever asks meanwhile waits for the one answer
                if name not in self._kept and self.trouble is None:
                    await self._read(name)
        return self._kept.get(name)

    async def reread(self, name: str) -> bool:
        """Asks the vault again, which another process may have written; whether it answers otherwise now.

        Not where there is `trouble`: nobody is asked for a password twice.
        """
        before = self._kept.get(name)
        async with self._asking:
            if self.trouble is None:
                await self._read(name)
        return self._kept.get(name) != before

    async def store(self) -> str:
        """The name of the system's key store; empty where there is none or it does not answer."""
        if not self._store:
            async with self._asking:
                if not self._store and self.trouble is None:
                    await self._find()
        return self._store

    def hold(self, name: str, text: str) -> None:
        """Holds a key until the program ends, before any other of this name; raises BadInput."""
        self._session[name] = clean_key(text)
        self._to_keep.discard(name)

    async def keep(self, name: str) -> None:
        """Moves the key of the session into the vault. Raises KeyVaultError; the session has it still."""
        key = self._session.get(name)
        if key is None:
            return
        self._to_keep.add(name)
        try:
            await self._need().set(name, key)
            self._store = await self._need().backend()
        except KeyVaultError as error:
            self.trouble = error
            raise
        self.trouble = None
        self._kept[name] = key
        self._to_keep.discard(name)
        if self._session.get(name) == key:
            del self._session[name]

    async def forget(self, name: str) -> bool:
        """Drops the key in use: that of the session, else the one in the vault. Whether there was one.

        Raises KeyVaultError.
        """
        self._to_keep.discard(name)
        if self._session.pop(name, None) is not None:
            return True
        return await self.delete(name)

    async def delete(self, name: str) -> bool:
        """Removes the key from the vault; whether there was one. Raises KeyVaultError."""
        there = await self._need().delete(name)
        self._kept[name] = None
        return there

    async def retry(self) -> None:
        """Forgets what the vault answered, so that it is asked again; keeps in it what it did not take before."""
        self._kept.clear()
        self._store = ""
        self.trouble = None if self._vault is not None else NoKeyVault()
        for name in sorted(self._to_keep):
            with suppress(KeyVaultError):  # `trouble` tells it
                await self.keep(name)

    async def _read(self, name: str) -> None:
        try:
            key = await self._need().get(name)
        except KeyVaultError as error:
            self.trouble = error
            return
        self._kept[name] = key
        if key:
            never_show(key)

    async def _find(self) -> None:
        try:
            self._store = await self._need().backend()
        except KeyVaultError as error:
            self.trouble = error

    def _need(self) -> KeyVault:
        if self._vault is None:
            raise NoKeyVault()
        return self._vault


def clean_key(text: str) -> str:
    """A pasted key without what nobody sees; raises BadInput, which never holds it, for a text no key can be."""
    clean = text.translate(_UNSEEN).strip()
    if not clean:
        raise BadInput(what=_SECRET, why="key_empty")
    if not clean.isascii() or not clean.isprintable() or " " in clean:
        raise BadInput(what=_SECRET, why="key_shape")
    if len(clean) > LONGEST:
        raise BadInput(what=_SECRET, why="key_too_long")
    never_show(clean)
    return clean
