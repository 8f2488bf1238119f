"""`mnemoscope` without a command hands the window what the command line said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import desktop_app.gui
from desktop_app.cli import main


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, bool]]:
    calls: list[tuple[Any, bool]] = []

    def run_window(options: Any, connections: Any, *, demo: bool = False) -> int:
        assert connections.poll() is None
        calls.append((options, demo))
        return 7

    monkeypatch.setattr(desktop_app.gui, "run_window", run_window)
    return calls


def test_the_window_opens_with_the_options_and_its_exit_code_is_ours(
    opened: list[tuple[Any, bool]], tmp_path: Path
) -> None:
    data_dir = tmp_path / "data"
    assert main(["--data-dir", str(data_dir), "--lang", "ko", "--profile", "work"]) == 7
    assert main(["--data-dir", str(data_dir), "--demo"]) == 7
    (options, demo), (_, demo_too) = opened
    assert (options.data_dir, options.language, options.profile) == (data_dir, "ko", "work")
    assert (demo, demo_too) == (False, True)
    assert data_dir.stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_made_is_told_before_the_window(
    opened: list[tuple[Any, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("x")
    assert main(["--data-dir", str(tmp_path / "file"), "--lang", "en"]) == 1
    assert not opened
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'file'} is a file, not a folder.")
