"""Files that are whole or not there: what stands under a name is never half of anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop_app.adapters.kept_file import WholeFiles, write_whole
from desktop_app.core.errors import StoreUnavailable


def test_bytes_are_on_the_disk_before_they_take_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, synced = tmp_path / "figures.csv", []
    file.write_bytes(b"earlier")
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(file.read_bytes())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    WholeFiles().write_whole(file, b"a\r\n1\n")
    assert synced[0] == b"earlier"
    assert file.read_bytes() == b"a\r\n1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["figures.csv"]


def test_a_full_disk_leaves_what_stood_there_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "figures.csv"
    file.write_bytes(b"earlier")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreUnavailable) as caught:
        WholeFiles().write_whole(file, b"later")
    assert caught.value.params["path"] == str(file)
    assert file.read_bytes() == b"earlier"
    assert [path.name for path in tmp_path.iterdir()] == ["figures.csv"]


def test_two_writers_of_one_process_have_a_file_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures.csv"
    real, nested = os.fsync, []

    def fsync(descriptor: int) -> None:
        if not nested:
            nested.append(True)
            write_whole(file, b"of the other")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write_whole(file, b"of the one")
    assert file.read_bytes() == b"of the one"
    assert [path.name for path in tmp_path.iterdir()] == ["figures.csv"]
