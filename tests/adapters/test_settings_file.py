"""The settings file: whole or not at all, damaged files set aside, unknown keys kept."""

from __future__ import annotations

import json
import random
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.settings_file import DEFAULTS, FIELDS, RESTORED, UNREADABLE, SettingsFile
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.settings import Settings
from desktop_app.core.words import LANGUAGES, load_words

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
CHOSEN = replace(Settings(), theme="dark", language="ko").with_profile("업무", instructions="짧게 \ud83d", window=8192)


def stored(folder: Path) -> Any:
    return json.loads((folder / "settings.json").read_bytes())


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path).load() == (Settings(), [])
    assert names(tmp_path) == []


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "새 폴더"
    SettingsFile(folder).save(CHOSEN)
    assert SettingsFile(folder).load() == (CHOSEN, [])
    assert names(folder) == ["settings.json", "settings.json.good", "settings.json.lock"]
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert "업무" in (folder / "settings.json").read_text(encoding="utf-8", errors="surrogatepass")


@pytest.mark.parametrize("kind", ["nul", "cut", "empty", "array"])
def test_a_damaged_file_is_set_aside_and_the_last_good_copy_used(tmp_path: Path, kind: str) -> None:
    bad = (DATA / f"settings_{kind}.json").read_bytes()
    file = SettingsFile(tmp_path)
    file.save(CHOSEN)
    file.path.write_bytes(bad)
    assert file.load() == (CHOSEN, [RESTORED])
    assert (tmp_path / "settings.json.bad").read_bytes() == bad
    assert file.load() == (CHOSEN, [])
    file.save(CHOSEN)
    file.path.write_bytes(b"\0" + bad)
    assert file.load() == (CHOSEN, [RESTORED])
    assert (tmp_path / "settings.json.bad").read_bytes() == bad
    assert (tmp_path / "settings.json.bad.1").read_bytes() == b"\0" + bad


@pytest.mark.parametrize("kind", ["nul", "cut", "empty", "array"])
def test_a_damaged_file_without_a_good_copy_gives_defaults(tmp_path: Path, kind: str) -> None:
    bad = (DATA / f"settings_{kind}.json").read_bytes()
    (tmp_path / "settings.json").write_bytes(bad)
    (tmp_path / "settings.json.good").write_bytes(bad)
    assert SettingsFile(tmp_path).load() == (Settings(), [DEFAULTS])
    assert (tmp_path / "settings.json.bad").read_bytes() == bad


def test_values_of_the_wrong_type_fall_back_one_by_one(tmp_path: Path) -> None:
    bad = (DATA / "settings_types.json").read_bytes()
    file = SettingsFile(tmp_path)
    file.path.write_bytes(bad)
    assert file.load() == (Settings(), [FIELDS])
    file.path.write_text(json.dumps({"theme": "dark", "language": 5, "profiles": {"p": {"model": 1, "window": 9}}}))
    settings, notices = file.load()
    assert (settings.theme, settings.language, notices) == ("dark", "system", [FIELDS])
    assert settings.of("p") == replace(Settings().of("p"), window=9)
    assert file.load()[1] == [FIELDS]
    assert names(tmp_path) == ["settings.json", "settings.json.bad", "settings.json.bad.1"]
    assert (tmp_path / "settings.json.bad").read_bytes() == bad


def test_keys_of_a_newer_version_survive(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    newer = {"future": {"a": [1]}, "profiles": {"default": {"later": 1}, "old": {"later": 2}}, "theme": "dark"}
    file.path.write_text(json.dumps(newer))
    settings, _ = file.load()
    kept = {name: profile for name, profile in settings.profiles.items() if name != "old"}
    file.save(replace(settings, theme="light", profiles=kept))
    found = stored(tmp_path)
    assert (found["future"], found["theme"]) == ({"a": [1]}, "light")
    assert found["profiles"]["default"]["later"] == 1
    assert "old" not in found["profiles"]
    assert file.load()[0].theme == "light"


def test_two_processes_keep_what_each_of_them_changed(tmp_path: Path) -> None:
    SettingsFile(tmp_path).save(CHOSEN)
    window, command = SettingsFile(tmp_path), SettingsFile(tmp_path)
    in_window, in_command = window.load()[0], command.load()[0]
    command.save(replace(in_command, profile="work").with_profile("work", model="m").with_profile("업무", window=1))
    window.save(replace(in_window, theme="light").with_profile("업무", instructions="long").with_profile("home"))
    found = SettingsFile(tmp_path).load()[0]
    assert sorted(found.profiles) == ["default", "home", "work", "업무"]
    assert (found.profile, found.theme) == ("work", "light")
    assert (found.of("업무").window, found.of("업무").instructions, found.of("work").model) == (1, "long", "m")
    command.save(replace(command.load()[0], theme="dark"))
    window.save(replace(window.load()[0], language="en"))
    found = SettingsFile(tmp_path).load()[0]
    assert (found.theme, found.language, found.profile) == ("dark", "en", "work")


ADDER = """
import sys
from pathlib import Path
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.services.settings import SettingsService
for number in range(25):
    settings = SettingsService(SettingsFile(Path(sys.argv[1])))
    settings.add_profile(f"{sys.argv[2]} {number}")
    settings.save()
"""


def test_profiles_made_by_several_processes_at_once_are_all_there(tmp_path: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", ADDER, tmp_path, name], cwd=ROOT) for name in ("a", "b", "c")]
    assert [one.wait(15) for one in started] == [0, 0, 0]
    profiles = SettingsFile(tmp_path).load()[0].profiles
    assert sorted(profiles) == sorted(["default", *(f"{name} {number}" for name in "abc" for number in range(25))])


def test_a_folder_that_lost_its_settings_takes_nothing_from_a_running_window(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    file.save(CHOSEN)
    for path in tmp_path.iterdir():
        path.unlink()
    assert file.load() == (CHOSEN, [])
    file.save(CHOSEN)
    assert SettingsFile(tmp_path).load() == (CHOSEN, [])


def test_a_file_damaged_while_running_is_set_aside_before_it_is_replaced(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    file.save(CHOSEN)
    file.path.write_bytes(b"{half")
    file.save(CHOSEN)
    assert file.load() == (CHOSEN, [])
    assert (tmp_path / "settings.json.bad").read_bytes() == b"{half"


def test_a_file_set_aside_is_left_to_tell_once(tmp_path: Path) -> None:
    command, window = SettingsFile(tmp_path), SettingsFile(tmp_path)
    command.save(CHOSEN)
    assert window.take_untold() == []
    command.path.write_bytes(b"{half")
    assert command.load() == (CHOSEN, [RESTORED])
    assert window.load() == (CHOSEN, [])
    assert [window.take_untold(), window.take_untold()] == [[RESTORED], []]
    command.save(CHOSEN)
    command.path.write_bytes(b"{half again")
    command.save(CHOSEN)
    assert [window.take_untold(), window.take_untold()] == [[RESTORED], []]
    for name in ("settings.json", "settings.json.good"):
        (tmp_path / name).write_bytes(b"{")
    assert command.load()[1] == window.take_untold() == [DEFAULTS]
    (tmp_path / "settings.json.untold").write_bytes(b"no notice \xff")
    assert window.take_untold() == []


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    file = SettingsFile(tmp_path)
    file.path.mkdir()
    assert file.load() == (Settings(), [UNREADABLE])
    with pytest.raises(StoreUnavailable) as caught:
        file.save(CHOSEN)
    assert caught.value.params == {"path": str(file.path)}
    assert names(tmp_path) == ["settings.json", "settings.json.lock"]


def test_every_notice_has_its_words() -> None:
    for language in LANGUAGES:
        for notice in (RESTORED, DEFAULTS, FIELDS, UNREADABLE):
            assert load_words(language).say(notice)


SAVER = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.core.settings import Settings
file = SettingsFile(Path(sys.argv[1]))
for line in sys.stdin:
    child = os.fork()
    if not child:
        for number in range(1, 100_000):
            file.save(Settings().with_profile("p", window=number, instructions="x" * 20_000))
            if number == 1:
                os.write(1, b"saved\\n")
    sys.stdin.readline()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.write(1, b"killed\\n")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs fork and SIGKILL")
def test_a_process_killed_while_saving_leaves_a_whole_file(tmp_path: Path) -> None:
    dice = random.Random(43)
    saver = subprocess.Popen(
        [sys.executable, "-c", SAVER, tmp_path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert saver.stdin and saver.stdout
    for _ in range(40):
        saver.stdin.write(b"start\n")
        saver.stdin.flush()
        assert saver.stdout.readline() == b"saved\n"
        time.sleep(dice.random() * 0.01)  # the kill falls anywhere in a save
        saver.stdin.write(b"kill\n")
        saver.stdin.flush()
        assert saver.stdout.readline() == b"killed\n"
        settings, notices = SettingsFile(tmp_path).load()
        assert notices == []
        assert settings.of("p").instructions == "x" * 20_000
    saver.stdin.close()
    assert saver.wait() == 0
    saver.stdout.close()
    SettingsFile(tmp_path).save(CHOSEN)
    assert names(tmp_path) == ["settings.json", "settings.json.good", "settings.json.lock"]
