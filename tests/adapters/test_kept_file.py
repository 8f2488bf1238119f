"""Files that are whole or not there: what stands under a name is never half of anything."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from desktop_app.adapters.kept_file import WholeFiles, write_whole
from desktop_app.core.errors import NotAFile, PipeUnread, StoreUnavailable


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


def test_it_tells_whether_a_file_was_replaced_and_leaves_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "figures.csv"
    assert WholeFiles().write_whole(file, b"first") is False
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o664)
    assert WholeFiles().write_whole(file, b"second") is True
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"second", 0o664)


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    target, link, dangling = tmp_path / "there" / "target.csv", tmp_path / "link.csv", tmp_path / "dangling.csv"
    target.parent.mkdir()
    target.write_bytes(b"earlier")
    link.symlink_to(Path("there") / "target.csv")
    assert WholeFiles().write_whole(link, b"later") is True
    assert link.is_symlink() and target.read_bytes() == b"later"
    dangling.symlink_to(target.with_name("new.csv"))
    assert WholeFiles().write_whole(dangling, b"new") is False
    assert dangling.is_symlink() and target.with_name("new.csv").read_bytes() == b"new"
    assert sorted(path.name for path in target.parent.iterdir()) == ["new.csv", "target.csv"]


@pytest.mark.parametrize("through_link", [False, True])
def test_a_pipe_takes_the_bytes_and_stays_a_pipe(tmp_path: Path, through_link: bool) -> None:
    pipe, data, read = tmp_path / "pipe", b"x" * 300_000, []
    os.mkfifo(pipe)
    given = pipe
    if through_link:
        given = tmp_path / "link"
        given.symlink_to(pipe)
    # Open for both, so that somebody reads from the start; the reader then has its own end.
    held = os.open(pipe, os.O_RDWR)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    try:
        assert WholeFiles().write_whole(given, data) is False
    finally:
        os.close(held)
        reader.join(10)
    assert read == [data]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_nobody_reads_is_told_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(PipeUnread) as caught:
        WholeFiles().write_whole(pipe, b"x")
    assert caught.value.params == {"path": str(pipe)}
    assert stat.S_ISFIFO(pipe.stat().st_mode) and list(tmp_path.iterdir()) == [pipe]


def test_a_folder_and_a_socket_are_refused_and_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as open_socket:
        open_socket.bind("socket")
        for name in ("folder", "socket"):
            with pytest.raises(NotAFile) as caught:
                WholeFiles().write_whole(Path(name), b"x")
            assert caught.value.params == {"path": name}
        assert Path("folder").is_dir() and Path("socket").is_socket()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_one_must_not_write_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures.csv"
    file.write_bytes(b"earlier")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    with pytest.raises(StoreUnavailable):
        WholeFiles().write_whole(file, b"later")
    assert file.read_bytes() == b"earlier"
