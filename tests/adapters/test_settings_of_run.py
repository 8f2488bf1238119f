"""What a command line says holds for its run and never reaches the disk; what the person chooses does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.composition import Options, open_settings
from desktop_app.core.endpoints import ANTHROPIC_URL
from desktop_app.core.errors import BadInput
from desktop_app.core.models import DEFAULT_MODEL
from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE, ProfileSettings, Settings
from desktop_app.services.settings import SettingsService

LOCAL = "http://localhost:11434"


def on_disk(folder: Path) -> dict[str, Any]:
    """The settings file as JSON."""
    found: dict[str, Any] = json.loads((folder / "settings.json").read_text("utf-8"))
    return found


def stored(folder: Path, **profile: Any) -> None:
    """Settings of an earlier run."""
    SettingsFile(folder).save(Settings(welcomed=True, profiles={DEFAULT_PROFILE: ProfileSettings(**profile)}))


def test_the_overrides_of_a_run_hold_and_are_not_kept(tmp_path: Path) -> None:
    stored(tmp_path, instructions="Be brief.")
    options = Options(tmp_path, base_url=LOCAL, model="qwen:7b", language="ko")
    settings = open_settings(options)
    assert (settings.settings.language, settings.profile.base_url, settings.profile.model) == ("ko", LOCAL, "qwen:7b")
    settings.use(theme="dark")
    settings.use_in_profile(output_limit=500)
    settings.save()
    assert (settings.settings.language, settings.profile.base_url, settings.profile.model) == ("ko", LOCAL, "qwen:7b")
    kept = on_disk(tmp_path)
    assert (kept["language"], kept["theme"], list(kept["profiles"])) == ("system", "dark", ["default"])
    profile = kept["profiles"]["default"]
    assert (profile["base_url"], profile["model"], profile["output_limit"]) == (ANTHROPIC_URL, DEFAULT_MODEL, 500)
    assert profile["instructions"] == "Be brief."


def test_a_run_with_the_demo_does_not_make_it_the_profile_of_the_next(tmp_path: Path) -> None:
    stored(tmp_path)
    settings = open_settings(Options(tmp_path, profile=DEMO_PROFILE))
    settings.use(theme="light")
    settings.use_in_profile(effort="high")
    settings.save()
    again = open_settings(Options(tmp_path))
    assert again.settings.profile == DEFAULT_PROFILE
    assert (again.settings.of(DEMO_PROFILE).effort, again.profile.effort) == ("high", "")


def test_a_choice_of_the_person_takes_the_place_of_the_override(tmp_path: Path) -> None:
    stored(tmp_path)
    settings = open_settings(Options(tmp_path, profile=DEMO_PROFILE, language="ko", model="claude-opus-5-5"))
    settings.use(profile=DEFAULT_PROFILE, language="en")
    settings.save()
    assert (settings.settings.profile, settings.settings.language) == (DEFAULT_PROFILE, "en")
    assert (on_disk(tmp_path)["profile"], on_disk(tmp_path)["language"]) == (DEFAULT_PROFILE, "en")
    settings = open_settings(Options(tmp_path, model="claude-opus-5-5"))
    settings.use_in_profile(model="claude-haiku-5-5")
    settings.save()
    assert settings.profile.model == on_disk(tmp_path)["profiles"]["default"]["model"] == "claude-haiku-5-5"


def test_a_model_chosen_for_the_endpoint_of_a_run_stays_with_it(tmp_path: Path) -> None:
    stored(tmp_path)
    settings = open_settings(Options(tmp_path, base_url=LOCAL))
    settings.use_in_profile(model="qwen:7b")
    settings.save()
    assert settings.profile.model == "qwen:7b"
    assert on_disk(tmp_path)["profiles"]["default"]["model"] == DEFAULT_MODEL
    settings.use_endpoint("http://localhost:1234")
    settings.save()
    profile = on_disk(tmp_path)["profiles"]["default"]
    assert (profile["base_url"], profile["model"]) == ("http://localhost:1234", "qwen:7b")


def test_a_profile_nobody_changed_is_not_kept(tmp_path: Path) -> None:
    stored(tmp_path, instructions="Be brief.")
    settings = open_settings(Options(tmp_path, profile="demo"))
    assert settings.profile.instructions == ""
    settings.use(theme="dark")
    settings.save()
    assert list(on_disk(tmp_path)["profiles"]) == ["default"]
    settings.use_in_profile(effort="low")
    settings.save()
    demo = on_disk(tmp_path)["profiles"]["demo"]
    assert (demo["effort"], demo["instructions"]) == ("low", "")


def test_the_demo_begins_with_its_own_model_whatever_was_used_before(tmp_path: Path) -> None:
    stored(tmp_path, base_url=LOCAL, model="qwen:7b", instructions="Be brief.", plain_endpoint=False, window=8_000)
    chosen = SettingsService(SettingsFile(tmp_path))
    chosen.use(profile=DEMO_PROFILE)
    assert chosen.profile == ProfileSettings()
    assert open_settings(Options(tmp_path, profile=DEMO_PROFILE)).profile == ProfileSettings()


@pytest.mark.parametrize(
    ("model", "url", "expected"),
    [
        ("qwen:7b", ANTHROPIC_URL, DEFAULT_MODEL),
        ("qwen:7b", "api.anthropic.com/v1", DEFAULT_MODEL),
        ("claude-opus-5-5", ANTHROPIC_URL, "claude-opus-5-5"),
        ("qwen:7b", "http://localhost:1234", "qwen:7b"),
        ("qwen:7b", "no url", "qwen:7b"),
    ],
)
def test_anthropic_is_not_asked_for_the_model_of_another_server(
    tmp_path: Path, model: str, url: str, expected: str
) -> None:
    stored(tmp_path, base_url=LOCAL, model=model)
    settings = SettingsService(SettingsFile(tmp_path))
    settings.use_endpoint(url)
    assert settings.profile.model == expected
    of_run = open_settings(Options(tmp_path, base_url=url))
    assert of_run.profile.model == expected
    assert open_settings(Options(tmp_path, base_url=url, model="other")).profile.model == "other"


def test_values_of_a_run_are_checked_like_others(tmp_path: Path) -> None:
    settings = SettingsService(SettingsFile(tmp_path))
    for change in ({"language": "xx"}, {"profile": "  "}):
        with pytest.raises(BadInput):
            settings.use_for_run(**change)
    with pytest.raises(BadInput):
        settings.use_in_profile_for_run(output_limit=0)
    assert settings.settings == Settings()


def test_a_window_takes_over_what_a_command_changed_and_stays_in_its_profile(tmp_path: Path) -> None:
    stored(tmp_path)
    window, command = open_settings(Options(tmp_path)), open_settings(Options(tmp_path))
    command.add_profile("work")
    command.use_profile("work")
    command.use_in_profile(effort="low")
    command.save()
    window.use(theme="dark")
    window.save()
    assert window.profile_names() == [DEFAULT_PROFILE, "work", DEMO_PROFILE]
    assert (window.settings.profile, window.settings.of("work").effort) == (DEFAULT_PROFILE, "low")
    assert (on_disk(tmp_path)["profile"], on_disk(tmp_path)["theme"]) == ("work", "dark")
    window.use_in_profile(output_limit=700)
    command.use_in_profile(window=4_096)
    command.save()
    window.refresh()
    assert (window.profile.output_limit, window.settings.of("work").window) == (700, 4_096)
    window.save()
    assert on_disk(tmp_path)["profiles"]["default"]["output_limit"] == 700
    assert open_settings(Options(tmp_path)).settings.profile == "work"
    window.use_profile("work")
    window.save()
    window.use_profile(DEFAULT_PROFILE)
    window.save()
    assert open_settings(Options(tmp_path)).settings.profile == DEFAULT_PROFILE
