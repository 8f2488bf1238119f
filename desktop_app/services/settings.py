"""Settings in memory and on disk, one copy for all services; what a single run overrides never reaches the disk."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desktop_app.core.conversation import clean_title
from desktop_app.core.errors import BadInput
from desktop_app.core.settings import (
    DEFAULT_PROFILE,
    DEMO_PROFILE,
    ProfileSettings,
    Settings,
    endpoint_changes,
    is_valid,
)
from desktop_app.core.settings_changes import carried_over

if TYPE_CHECKING:
    from desktop_app.core.ports import SettingsStore

_LONGEST_NAME = 40


class SettingsService:
    """`settings` is what holds now and always valid; `notices` tells what could not be read at the start.

    Two layers: what the person chose, which `save` writes, and what holds for this run only. A choice
    of the person takes the place of the run's value. The model belongs to the endpoint: while that is
    the run's own, a model chosen for it is too.

    Other processes write the same file. `save` and `refresh` take over what they changed, and may run on another
    thread than the one that changes settings here.
    """

    def __init__(self, store: SettingsStore) -> None:
        self._store = store
        self._chosen, self.notices = store.load()
        self._on_disk = self._chosen
        self._disk, self._memory = threading.Lock(), threading.Lock()
        self._of_run: dict[str, Any] = {}
        self._of_run_by_profile: dict[str, dict[str, Any]] = {}
        self._settings = self._chosen

    @property
    def settings(self) -> Settings:
        """What holds now."""
        return self._settings

    @property
    def profile(self) -> ProfileSettings:
        """The settings of the profile in use."""
        return self._settings.of()

    def profile_names(self) -> list[str]:
        """All profiles: the person's first one, the others by name, Demo last."""
        others = sorted(set(self._settings.profiles) - {DEFAULT_PROFILE, DEMO_PROFILE})
        return [DEFAULT_PROFILE, *others, DEMO_PROFILE]

    def add_profile(self, name: str) -> str:
        """A new profile with the settings of the person's first one; its clean name. Raises BadInput."""
        clean = clean_title(name)
        if not clean or len(clean) > _LONGEST_NAME:
            raise BadInput(what=name, why="profile")
        if _folded(clean) in {_folded(one) for one in self.profile_names()}:
            raise BadInput(what=clean, why="profile_taken")
        with self._memory:
            self._chosen = self._chosen.with_profile(clean)
            self._merge()
        return clean

    def use_profile(self, name: str) -> None:
        """Makes a profile the one in use; raises BadInput for an unknown one."""
        if name not in self.profile_names():
            raise BadInput(what=name, why="profile_unknown")
        self.use(profile=name)

    def use(self, **changes: Any) -> None:
        """The person's values from now on; on disk only after `save`. Raises BadInput."""
        with self._memory:
            self._chosen = replace(self._chosen, **_checked(self._settings, changes))
            _drop(self._of_run, changes)
            self._merge()

    def use_in_profile(self, **changes: Any) -> None:
        """The same for the profile in use."""
        checked, name = dict(_checked(self.profile, changes)), self._settings.profile
        with self._memory:
            of_run = self._of_run_by_profile.setdefault(name, {})
            if "base_url" in of_run and "base_url" not in checked and "model" in checked:
                of_run["model"] = checked.pop("model")
            elif "base_url" in checked and "model" in of_run:
                checked.setdefault("model", of_run["model"])
            if checked:
                self._chosen = self._chosen.with_profile(name, **checked)
            _drop(of_run, checked)
            self._merge()

    def use_endpoint(self, url: str) -> None:
        """The person sends to another base URL, with a model it can know. Raises BadInput."""
        self.use_in_profile(**endpoint_changes(self.profile, url))

    def use_for_run(self, **changes: Any) -> None:
        """Values of the application that end with this run. Raises BadInput."""
        self._of_run |= _checked(self._settings, changes)
        self._merge()

    def use_in_profile_for_run(self, **changes: Any) -> None:
        """Values of the profile in use that end with this run; a base URL brings a model it can know."""
        values = (
            {**endpoint_changes(self.profile, changes["base_url"]), **changes} if "base_url" in changes else changes
        )
        of_run = self._of_run_by_profile.setdefault(self._settings.profile, {})
        of_run |= _checked(self.profile, values)
        self._merge()

    def take_notices(self) -> list[str]:
        """What the window tells at its start: of this reading, and what earlier commands left it to tell; once."""
        return list(dict.fromkeys([*self.notices, *self._store.take_untold()]))

    def save(self) -> None:
        """Writes what the person chose here; raises StoreUnavailable (memory keeps the values)."""
        with self._disk:
            self._store.save(self._chosen)
            self._read()

    def refresh(self) -> None:
        """Takes over what other processes wrote, except which profile is in use: that holds from the next start."""
        with self._disk:
            self._read()

    def _read(self) -> None:
        stored, _ = self._store.load()
        with self._memory:
            in_use = self._settings.profile
            self._chosen = carried_over(self._on_disk, self._chosen, stored)
            self._on_disk = stored
            if self._chosen.profile != in_use:
                self._of_run["profile"] = in_use
            self._merge()

    def _merge(self) -> None:
        merged = replace(self._chosen, **self._of_run)
        for name, values in self._of_run_by_profile.items():
            if values:
                merged = merged.with_profile(name, **values)
        self._settings = merged


def _checked(owner: Settings | ProfileSettings, changes: dict[str, Any]) -> dict[str, Any]:
    for name, value in changes.items():
        if not is_valid(name, value, getattr(owner, name)):
            raise BadInput(what=str(value), why=name)
    return changes


def _folded(name: str) -> str:
    """What names have in common that a person cannot tell apart."""
    return unicodedata.normalize("NFC", name.casefold())


def _drop(values: dict[str, Any], changed: dict[str, Any]) -> None:
    for name in changed:
        values.pop(name, None)
