"""Several files at once: each is told when it is done, one that fails keeps no other back, a stop leaves whole ones."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.adapters.document_files.reader import DocumentFiles
from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.adapters.store import Store
from desktop_app.core.errors import BadInput
from desktop_app.services.documents import DocumentService, FileDone
from desktop_app.services.settings import SettingsService
from tests.adapters.store_parts import ask, with_store


def service(store: Store, folder: Path) -> DocumentService:
    return DocumentService(store.documents, DocumentFiles(), SettingsService(SettingsFile(folder)), SecretDetector())


def files(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def test_each_file_is_told_and_one_that_fails_keeps_no_other_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        told: list[FileDone] = []
        paths = files(tmp_path, "one", "", "three", "one")
        assert await service(store, tmp_path).add(paths, told.append) == told
        assert [(one.path, one.number, one.files) for one in told] == [(paths[n], n + 1, 4) for n in range(4)]
        outcomes = [one.added.outcome.value if one.added else one.error and one.error.params["why"] for one in told]
        assert outcomes == ["new", "empty", "new", "same"]

    with_store(tmp_path, work)


def test_a_stop_leaves_the_documents_that_were_told_whole(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        documents = service(store, tmp_path)
        paths = files(tmp_path, "first " * 2_000, "second", "third")
        adding: asyncio.Task[list[FileDone]]

        def told(one: FileDone) -> None:
            if one.number == 2:
                adding.cancel()

        adding = asyncio.create_task(documents.add(paths, told))
        with pytest.raises(asyncio.CancelledError):
            await adding
        kept = await documents.documents()
        assert [one.name for one in kept] == ["1.txt", "0.txt"]
        passages = ask(tmp_path, "SELECT count(*), (SELECT count(*) FROM document_words) FROM passage")
        assert passages == [(sum(one.passages for one in kept),) * 2]

    with_store(tmp_path, work)


def test_names_of_several_removed_ones_mean_the_last_and_of_present_ones_none(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        documents = service(store, tmp_path)
        (path,) = files(tmp_path, "first")
        await documents.add([path])
        path.write_text("second")
        await documents.add([path])
        await documents.remove("0.txt")
        last, before = await documents.documents(deleted=True)
        assert (await documents.restore("0.txt")).id == last.id
        (tmp_path / "other").mkdir()
        await documents.add(files(tmp_path / "other", "elsewhere"))
        with pytest.raises(BadInput):
            await documents.remove("0.txt")
        assert (await documents.remove(last.id[:6])).id == last.id
        assert (await documents.restore(before.id)).id == before.id

    with_store(tmp_path, work)
