"""Settings as `settings.json` in the data folder: written whole or not at all, with a last good copy beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from desktop_app.adapters.kept_file import KeptFile, write_whole
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.settings import Settings, settings_from, settings_to
from desktop_app.core.settings_changes import carried_over

FILE_NAME = "settings.json"
RESTORED = "settings_notice.restored"
DEFAULTS = "settings_notice.defaults"
FIELDS = "settings_notice.fields"
UNREADABLE = "settings_notice.unreadable"
_PROFILES = "profiles"
_SET_ASIDE = (RESTORED, DEFAULTS)


class SettingsFile:
    """Fulfils `core.ports.SettingsStore`. Several processes write one file: a save changes only what this one did."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / FILE_NAME
        self._file = KeptFile(self.path)
        self._untold = data_dir / f"{FILE_NAME}.untold"
        self._known: Settings | None = None

    def load(self) -> tuple[Settings, list[str]]:
        """Settings and notices (catalogue ids). A file that is no settings at all is set aside under `.bad`.

        Where neither the file nor its good copy says anything, what was read or written before still holds.
        """
        self._known, notices = self._loaded()
        return self._known, notices

    def _loaded(self) -> tuple[Settings, list[str]]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return self._last_good(_read(self._file.good)), []
        except OSError:
            return self._last_good(_read(self._file.good)), [UNREADABLE]
        found = _parsed(data)
        if found is not None:
            settings, bad = settings_from(found)
            if bad:
                self._file.keep_copy(data)
            return settings, [FIELDS] if bad else []
        good = _read(self._file.good)
        notice = DEFAULTS if good is None else RESTORED
        self._set_aside(notice)
        return self._last_good(good), [notice]

    def _last_good(self, good: dict[str, Any] | None) -> Settings:
        return settings_from(good)[0] if good is not None else self._known or Settings()

    def save(self, settings: Settings) -> None:
        """Writes what differs from what was read or written last into file and good copy; all else in it stays.

        Raises StoreUnavailable.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._file.alone():
                stored = self._stored()
                if stored and self._known is not None:
                    settings = carried_over(self._known, settings, settings_from(stored)[0])
                values = _with_unknown(settings_to(settings), stored)
                # Half a surrogate pair in a value must not make the file unwritable.
                data = (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")
                self._file.write(data)
        except OSError as error:
            raise StoreUnavailable(str(error), path=str(self.path)) from error
        self._known = settings

    def take_untold(self) -> list[str]:
        """Notices about a file set aside since this was last asked, also by other processes; each only once."""
        with suppress(OSError):
            said = self._untold.read_bytes()
            self._untold.unlink()
            return [notice for notice in _SET_ASIDE if notice.encode() == said]
        return []

    def _stored(self) -> dict[str, Any]:
        """What the file holds before it is replaced; one that was damaged since is set aside first."""
        try:
            found = _parsed(self.path.read_bytes())
        except FileNotFoundError:
            return {}
        if found is None:
            self._set_aside(RESTORED)
        return found or {}

    def _set_aside(self, notice: str) -> None:
        """Renames the file, and leaves a note for whoever can tell the person where it is."""
        if self._file.set_aside():
            with suppress(OSError):
                write_whole(self._untold, notice.encode())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return _parsed(path.read_bytes())
    except OSError:
        return None


def _parsed(data: bytes) -> dict[str, Any] | None:
    """The settings in a file; None when it is no JSON object."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _with_unknown(values: dict[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """`values` plus the keys only a newer version knows, at the top and inside each profile that still exists."""
    merged = {**{name: value for name, value in stored.items() if name not in values}, **values}
    profiles = stored.get(_PROFILES)
    if isinstance(profiles, Mapping):
        merged[_PROFILES] = {
            name: {**part, **profile} if isinstance(part := profiles.get(name), Mapping) else profile
            for name, profile in values[_PROFILES].items()
        }
    return merged
