"""Settings of several processes on one file: what one of them changed is carried onto what another wrote."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from desktop_app.core.settings import ProfileSettings, Settings

_PROFILES = "profiles"


def carried_over(before: Settings, after: Settings, onto: Settings) -> Settings:
    """`onto` with what changed from `before` to `after`, field by field and profile by profile; nothing else of it."""
    gone = before.profiles.keys() - after.profiles.keys()
    profiles = {name: profile for name, profile in onto.profiles.items() if name not in gone}
    for name, profile in after.profiles.items():
        if name in profiles:
            profiles[name] = replace(profiles[name], **_changed(before.of(name), profile))
        elif before.profiles.get(name) != profile:
            profiles[name] = profile
    return replace(onto, profiles=profiles, **_changed(before, after))


def _changed(before: Settings | ProfileSettings, after: Settings | ProfileSettings) -> dict[str, Any]:
    """The fields that are others now, with their new values."""
    return {
        part.name: value
        for part in fields(after)
        if part.name != _PROFILES and (value := getattr(after, part.name)) != getattr(before, part.name)
    }
