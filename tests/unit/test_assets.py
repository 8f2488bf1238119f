"""Resources are found in a checkout and in a built wheel, and are what the window expects."""

import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from desktop_app import assets

ROOT = Path(__file__).parents[2]
FONTS = [f"Pretendard-{weight}.otf" for weight in ("Bold", "Medium", "Regular", "SemiBold")]


def test_names_are_the_sorted_files_of_one_folder() -> None:
    assert assets.names("fonts") == FONTS


def test_fonts_are_open_type_with_outlines() -> None:
    for name in FONTS:
        assert assets.read_bytes(f"fonts/{name}").startswith(b"OTTO")


def test_line_icons_take_the_colour_of_the_theme() -> None:
    names = assets.names("icons")
    assert len(names) > 50
    for name in set(names) - {"mnemoscope.svg"}:
        text = assets.read_text(f"icons/{name}")
        assert 'stroke="currentColor"' in text, name
        assert 'viewBox="0 0 24 24"' in text, name


def test_bundled_work_of_others_carries_its_licence() -> None:
    assert "SIL OPEN FONT LICENSE Version 1.1" in assets.read_text("licences/Pretendard-OFL-1.1.txt")
    assert "ISC License" in assets.read_text("licences/Lucide-ISC.txt")


def test_window_icon_is_the_one_of_the_desktop_entry() -> None:
    assert assets.read_bytes("icons/mnemoscope.svg") == (ROOT / "packaging/mnemoscope.svg").read_bytes()


def test_unknown_name_is_not_found() -> None:
    with pytest.raises(FileNotFoundError):
        assets.read_text("icons/no-such-icon.svg")
    with pytest.raises(FileNotFoundError):
        assets.names("no-such-folder")


def test_an_unpacked_wheel_reads_its_own_resources(tmp_path: Path) -> None:
    # Without hatchling at hand pip fetches it for the build.
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else []
    pip_wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *isolation]
    subprocess.run([*pip_wheel, "-w", tmp_path, ROOT], check=True, cwd=tmp_path, stdin=subprocess.DEVNULL)
    [wheel] = tmp_path.glob("mnemoscope-*.whl")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)

    program = (
        "from desktop_app import assets\n"
        "print(assets.__file__)\n"
        "print(len(assets.names('icons')), len(assets.read_bytes('fonts/Pretendard-Regular.otf')))\n"
    )
    # -I keeps the working folder off the path, the inserted entry comes before the installed checkout.
    python = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(unpacked)!r})\n" + program]
    run = subprocess.run(python, check=True, cwd=tmp_path, capture_output=True, text=True)
    where, figures = run.stdout.splitlines()
    assert where == str(unpacked / "desktop_app" / "assets.py")
    assert figures == f"{len(assets.names('icons'))} {len(assets.read_bytes('fonts/Pretendard-Regular.otf'))}"
