"""Facts are looked through for secrets when they are written, and by each version of the detector once when read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from desktop_app.adapters.secret_detector import VERSION
from desktop_app.adapters.store import Store, fact_checks, fact_guard
from desktop_app.core.facts import FactActor, FactDraft, FactSource, FactState
from tests.adapters.fact_parts import P, add, propose
from tests.adapters.store_parts import with_store
from tests.unit.secret_samples import KEY


@contextmanager
def looked_at() -> Iterator[list[str]]:
    """The texts that the detector is given meanwhile."""
    texts: list[str] = []
    real = fact_guard._find
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fact_guard, "_find", lambda text: texts.append(text) or real(text))
        yield texts


def sql(folder: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "mnemoscope.db")) as connection, connection:
        return connection.execute(statement).fetchall()


def marks(folder: Path) -> dict[object, object]:
    return dict(sql(folder, "SELECT key, checked_by FROM fact"))


def test_what_was_written_is_read_without_being_looked_through(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        source = FactSource("m1", "c1", "the port of the build is 8443")
        for number in range(40):
            await store.facts.keep(P, FactDraft(f"build {number}", f"port {number}", source=source))
        await store.facts.edit(P, "build 1", FactActor.YOU, value="port 9100", category="work")
        await store.facts.accept(P, (await propose(store, "proposed", "value")).id)
        await store.facts.pin(P, "build 2", True)
        await store.facts.delete(P, "build 3", FactActor.YOU)
        await store.facts.undo(P)
        masked = await store.facts.keep(P, FactDraft("key", KEY))
        with looked_at() as texts:
            facts = await store.facts.facts(P, *FactState)
        assert (len(facts), texts) == (42, [])
        assert {fact.key: fact.value for fact in facts}["key"] == masked.after.value == "⟨API key …STAA⟩"
        assert set(marks(tmp_path).values()) == {VERSION}

    with_store(tmp_path, work)


def test_what_an_earlier_version_kept_is_looked_through_once(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for number in range(20):
            await add(store, f"old {number}", "harmless")
        sql(tmp_path, f"UPDATE fact SET checked_by = {VERSION - 1}")
        sql(tmp_path, f"UPDATE fact SET value = '{KEY}' WHERE key = 'old 7'")
        for looked in (20, 1, 1):
            with looked_at() as texts:
                facts = {fact.key: fact.value for fact in await store.facts.facts(P)}
            assert len({text.partition(":")[0] for text in texts}) == looked
            assert facts["old 7"] == "⟨API key …STAA⟩"  # as long as it stands there, it is masked anew
            assert facts["old 8"] == "harmless"
        assert {key for key, mark in marks(tmp_path).items() if mark != VERSION} == {"old 7"}
        await store.facts.mask(P, "old 7")
        assert set(marks(tmp_path).values()) == {VERSION}

    with_store(tmp_path, work)


def test_what_the_person_keeps_as_it_is_has_no_mark_for_the_day_it_is_guarded(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.facts.keep(P, FactDraft("vault", KEY, keeps_secrets=True))
        assert [fact.value for fact in await store.facts.facts(P)] == [KEY]
        assert marks(tmp_path) == {"vault": 0}
        sql(tmp_path, "UPDATE fact SET keeps_secrets = 0")
        assert [fact.value for fact in await store.facts.facts(P)] == ["⟨API key …STAA⟩"]

    with_store(tmp_path, work)


def test_a_fact_that_changed_since_it_was_looked_through_gets_no_mark(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "port", "8443")
        other = await add(store, "host", "nas")
        await store.facts.edit(P, "port", FactActor.YOU, value="9100")
        sql(tmp_path, "UPDATE fact SET checked_by = 0")
        looked = [(fact.id, fact.revision), (other.id, other.revision)]
        await store.threads.write(lambda session: fact_checks.mark(session, looked))
        assert marks(tmp_path) == {"port": 0, "host": VERSION}

    with_store(tmp_path, work)


def test_the_history_of_an_earlier_version_is_looked_through_once(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for number in range(20):
            await add(store, f"old {number}", "harmless")
        await store.facts.edit(P, "old 7", FactActor.YOU, value="harmless still")
        with looked_at() as texts:
            assert await store.facts.suspected(P) == []
        assert texts == []
        sql(tmp_path, f"UPDATE fact_change SET checked_by = {VERSION - 1}")
        sql(tmp_path, f"UPDATE fact_change SET after = replace(after, 'harmless', '{KEY}') WHERE number = 8")
        for looked in (20, 1, 1):
            with looked_at() as texts:
                assert [fact.key for fact in await store.facts.suspected(P)] == ["old 7"]
            assert len({text.partition(":")[0] for text in texts}) == looked
        await store.facts.mask(P, "old 7")
        assert await store.facts.suspected(P) == []
        assert KEY not in repr(sql(tmp_path, "SELECT before, after FROM fact_change"))

    with_store(tmp_path, work)
