"""Settings in memory and on disk, one copy for all services."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from desktop_app.core.errors import BadInput
from desktop_app.core.settings import ProfileSettings, Settings, is_valid

if TYPE_CHECKING:
    from desktop_app.core.ports import SettingsStore


class SettingsService:
    """`settings` is always valid; `notices` tells what could not be read at the start."""

    def __init__(self, store: SettingsStore) -> None:
        self._store = store
        self.settings, self.notices = store.load()

    @property
    def profile(self) -> ProfileSettings:
        """The settings of the profile in use."""
        return self.settings.of()

    def use(self, **changes: Any) -> None:
        """Values from now on; on disk only after `save`. Raises BadInput."""
        self.settings = replace(self.settings, **_checked(self.settings, changes))

    def use_in_profile(self, **changes: Any) -> None:
        """The same for the profile in use."""
        checked = _checked(self.profile, changes)
        self.settings = self.settings.with_profile(self.settings.profile, **checked)

    def save(self) -> None:
        """Writes what holds now; raises StoreUnavailable (memory keeps the values)."""
        self._store.save(self.settings)


def _checked(owner: Settings | ProfileSettings, changes: dict[str, Any]) -> dict[str, Any]:
    for name, value in changes.items():
        if not is_valid(name, value, getattr(owner, name)):
            raise BadInput(what=str(value), why=name)
    return changes
