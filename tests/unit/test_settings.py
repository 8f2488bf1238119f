"""Settings survive the disk field by field; what cannot be used takes its default and is named."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core.settings import (
    CHOICES,
    DEFAULT_PROFILE,
    RANGES,
    ProfileSettings,
    Settings,
    is_valid,
    settings_from,
    settings_to,
)

DATA = Path(__file__).parent / "data"


def test_settings_come_back_as_they_were_written() -> None:
    settings = Settings(language="ko", theme="dark", welcomed=True, profile="demo").with_profile(
        "demo", instructions="짧게 답하세요.", output_limit=1, window=0, effort="max", show_thinking=False
    )
    written = json.loads(json.dumps(settings_to(settings)))
    assert settings_from(written) == (settings, [])
    assert settings.of().instructions == "짧게 답하세요."
    assert settings.of(DEFAULT_PROFILE) == ProfileSettings()
    assert settings.of("nobody") == ProfileSettings()


@pytest.mark.parametrize("data", [None, [], "text", 5, True])
def test_what_is_no_table_gives_the_defaults(data: object) -> None:
    assert settings_from(data) == (Settings(), ["settings"])


def test_an_empty_table_is_fine() -> None:
    assert settings_from({}) == (Settings(), [])


def test_a_file_of_wrong_types_falls_back_field_by_field() -> None:
    data = json.loads((DATA / "settings_types.json").read_text("utf-8"))
    assert settings_from(data | {"theme": "dark"}) == (Settings(theme="dark"), ["language"])
    in_profile = settings_from({"profiles": {DEFAULT_PROFILE: data | {"effort": "low"}}})
    assert in_profile == (Settings().with_profile(DEFAULT_PROFILE, effort="low"), ["model", "window"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", None), ("model", 5), ("instructions", ["a"]), ("effort", "extreme"), ("effort", None),
        ("output_limit", 0), ("output_limit", 1_000_001), ("output_limit", 16_000.0), ("output_limit", True),
        ("output_limit", "16000"), ("window", -1), ("window", None), ("show_thinking", 1), ("show_thinking", "yes"),
        ("use_tools", None), ("environment_key", 0), ("plain_endpoint", "false"),
    ],
)  # fmt: skip
def test_a_bad_field_of_a_profile_costs_only_itself(field: str, value: object) -> None:
    other = {"model": "claude-opus-5-5"} if field != "model" else {"use_tools": False}
    settings, bad = settings_from({"profiles": {"p": {field: value} | other}})
    assert bad == [field]
    assert settings.of("p") == ProfileSettings(**other)  # type: ignore[arg-type]
    assert settings.of() == ProfileSettings()


@pytest.mark.parametrize(
    ("data", "bad"),
    [
        ({"language": "xx"}, ["language"]),
        ({"theme": None, "system_font": "no"}, ["theme", "system_font"]),
        ({"profile": 1, "welcomed": "true"}, ["profile", "welcomed"]),
        ({"profiles": []}, ["profiles"]),
        ({"profiles": {"a": 1, "b": {}}}, ["profiles.a"]),
        ({"unknown": 1, "profiles": {"default": {"unknown": {}}}}, []),
    ],
)
def test_bad_fields_of_the_application(data: dict[str, Any], bad: list[str]) -> None:
    settings, found = settings_from(data)
    assert sorted(found) == sorted(bad)
    assert settings.of() == ProfileSettings()
    assert settings.language == "system"


def test_every_choice_and_range_belongs_to_a_setting_and_allows_its_default() -> None:
    defaults = {part.name: getattr(kind(), part.name) for kind in (Settings, ProfileSettings) for part in fields(kind)}
    assert {*CHOICES, *RANGES} <= set(defaults)
    for name, default in defaults.items():
        assert is_valid(name, default, default), name
    for name, (low, high) in RANGES.items():
        inside = [is_valid(name, value, 1) for value in (low - 1, low, high, high + 1)]
        assert inside == [False, True, True, False]
