"""Documents in the store: added once, replaced, removed and brought back, found by words, each profile by itself."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.documents import AddedAs, DocumentAdded, DocumentText
from desktop_app.core.errors import DocumentNotFound
from desktop_app.core.passages import PassageKind
from desktop_app.core.search_words import query_words
from desktop_app.core.vectors import ItemVector
from tests.adapters.fact_parts import P, owed
from tests.adapters.store_parts import ask, opened, with_store

pytestmark = pytest.mark.usefixtures("database")

_LEASE = "The lease of the flat in Busan ends in March. The deposit is 5,000,000 won. "
_TEA = "보리차는 아침에 끓인다. 냉장고에 넣어 둔다. "


def document(name: str = "lease.txt", text: str = _LEASE, **fields: object) -> DocumentText:
    place = str(fields.pop("place", f"/home/me/{name}"))
    return DocumentText(name, "text/plain", place, len(text.encode()), text, **fields)  # type: ignore[arg-type]


async def add(store: Store, read: DocumentText, profile: str = P) -> DocumentAdded:
    return await store.documents.add(profile, read)


async def found(store: Store, query: str, profile: str = P) -> list[str]:
    """What a question finds, best first: name and number of each passage."""
    scores = (await store.documents.word_matches(profile, query_words(query))).scores
    best = sorted(scores, key=lambda passage_id: -scores[passage_id])
    texts = await store.documents.texts(profile, best)
    return [f"{texts[one].name} {texts[one].part}/{texts[one].parts}" for one in best]


def test_a_document_is_cut_found_and_told_with_its_page(tmp_path: Path) -> None:
    text = f"{_LEASE * 30}\n\f{_TEA * 20}"

    async def work(store: Store) -> None:
        added = await add(store, document(text=text, pages=2))
        kept = added.document
        assert added.outcome is AddedAs.NEW
        assert (kept.name, kept.profile, kept.pages, kept.letters) == ("lease.txt", P, 2, len(text))
        assert kept.passages > 3
        assert await store.documents.documents(P) == [kept]
        scores = (await store.documents.word_matches(P, query_words("보리차"))).scores
        texts = await store.documents.texts(P, [*scores, "999", "x"])
        assert texts.keys() == scores.keys()
        assert {one.page for one in texts.values() if one.text.startswith("보리차")} == {2}
        assert all("보리차" in one.text and "\f" not in one.text for one in texts.values())
        assert {one.document_id for one in texts.values()} == {kept.id}
        assert await found(store, "lease.txt") != []

    with_store(tmp_path, work)
    hangul = ask(tmp_path, "SELECT hangul, count(*) FROM passage WHERE kind = 'document' GROUP BY hangul")
    assert [bool(flag) for flag, _ in hangul] == [False, True]


def test_a_passage_is_told_without_its_secrets(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, document("wifi.txt", "The wifi of the flat: password=hunter2-FAKE"))
        scores = (await store.documents.word_matches(P, query_words("wifi"))).scores
        (passage,) = (await store.documents.texts(P, list(scores))).values()
        assert passage.text == "The wifi of the flat: password=⟨password⟩"

    with_store(tmp_path, work)


def test_the_same_text_is_kept_once_and_a_new_version_takes_the_place_of_the_old(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first = (await add(store, document())).document
        again = await add(store, document("copy.txt"))
        assert again == DocumentAdded(first, AddedAs.SAME)
        beside = await add(store, document(text="Another lease, in Seoul.", place="/elsewhere/lease.txt"))
        assert beside.outcome is AddedAs.NEW
        newer = await add(store, document(text=_LEASE.replace("March", "April")))
        assert newer.outcome is AddedAs.REPLACED
        assert [one.id for one in await store.documents.documents(P)] == [newer.document.id, beside.document.id]
        assert (await found(store, "March"), await found(store, "April")) == ([], ["lease.txt 1/1"])
        (old,) = await store.documents.documents(P, deleted=True)
        assert (old.id, old.passages) == (first.id, 0)
        back = await store.documents.restore(P, old.id)
        assert (back.id, back.deleted_at, back.passages) == (first.id, None, 1)
        assert (await found(store, "March"), await found(store, "April")) == (["lease.txt 1/1"], [])
        same = await add(store, document(text=_LEASE.replace("March", "April")))
        assert (same.document.id, same.outcome) == (newer.document.id, AddedAs.REPLACED)

    with_store(tmp_path, work)


def test_a_removed_document_is_found_nowhere_until_it_is_brought_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        kept = (await add(store, document(text=_LEASE * 30))).document
        passages = list((await store.documents.word_matches(P, ["busan"])).scores)
        vectors = [ItemVector(one, 0, b"1234", PassageKind.DOCUMENT) for one in passages]
        await store.vectors.put("test", vectors)
        assert sorted(owed(tmp_path)) == sorted((one, "put") for one in passages)
        assert sorted((await store.vectors.pool(P, "test", kind=PassageKind.DOCUMENT)).ids) == sorted(passages)
        assert len(passages) == kept.passages
        gone = await store.documents.remove(P, kept.id)
        assert gone.deleted_at is not None
        assert await store.documents.documents(P) == []
        matches = await store.documents.word_matches(P, ["busan"])
        assert (matches.total, matches.frequency, matches.scores) == (0, {"busan": 0}, {})
        assert await store.documents.texts(P, passages) == {}
        assert (await store.vectors.pool(P, "test", kind=PassageKind.DOCUMENT)).ids == ()
        assert sorted(owed(tmp_path)) == sorted((one, "remove") for one in passages)
        for table in ("passage", "document_words"):
            assert ask(tmp_path, f"SELECT count(*) FROM {table}") == [(0,)]
        with pytest.raises(DocumentNotFound):
            await store.documents.remove(P, kept.id)
        await store.documents.restore(P, kept.id)
        assert len(await store.vectors.lacking("test", 100)) == kept.passages
        fresh = (await store.documents.word_matches(P, ["busan"])).scores
        assert len(fresh) == kept.passages
        assert not set(fresh) & set(passages)
        assert await store.documents.restore(P, kept.id) == (await store.documents.documents(P))[0]

    with_store(tmp_path, work)


def test_profiles_see_nothing_of_each_other(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        mine = (await add(store, document(), "one")).document
        other = await add(store, document(), "two")
        assert other.outcome is AddedAs.NEW
        await add(store, document("tea.txt", _TEA), "two")
        for profile, total in (("one", 1), ("two", 2), ("three", 0)):
            matches = await store.documents.word_matches(profile, ["busan", "보리"])
            assert (matches.total, matches.frequency["busan"]) == (total, min(total, 1))
            assert matches.frequency["보리"] == total // 2
        passages = (await store.documents.word_matches("one", ["busan"])).scores
        assert await store.documents.texts("two", list(passages)) == {}
        for act in (store.documents.remove, store.documents.restore):
            with pytest.raises(DocumentNotFound):
                await act("two", mine.id)
        assert len(await store.documents.documents("two")) == 2

    with_store(tmp_path, work)


@pytest.mark.of_file
def test_what_was_removed_long_ago_is_gone_when_the_store_opens(tmp_path: Path) -> None:
    async def fill(store: Store) -> None:
        kept = (await add(store, document(text="A word nobody else says: zanzibar."))).document
        await add(store, document("tea.txt", _TEA))
        await store.documents.remove(P, kept.id)

    async def look(store: Store) -> list[str]:
        assert await store.documents.documents(P, deleted=True) == []
        return [one.name for one in await store.documents.documents(P)]

    with_store(tmp_path, fill)
    with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
        connection.execute("UPDATE document SET deleted_at = '2020-01-01T00:00:00.000000+00:00' WHERE deleted_at > ''")
    assert with_store(tmp_path, look) == ["tea.txt"]
    with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("INSERT INTO document_words (document_words) VALUES ('integrity-check')")
    assert b"zanzibar" not in (tmp_path / "mnemoscope.db").read_bytes()


def test_many_at_once_keep_one_of_each_text(tmp_path: Path) -> None:
    async def run() -> list[AddedAs]:
        async with opened(tmp_path) as store:
            read = [document(f"{number}.txt", _LEASE if number % 2 else _TEA) for number in range(8)]
            added = await asyncio.gather(*(add(store, one) for one in read))
            assert len(await store.documents.documents(P)) == 2
            return [one.outcome for one in added]

    assert sorted(asyncio.run(run())) == [AddedAs.NEW] * 2 + [AddedAs.SAME] * 6
