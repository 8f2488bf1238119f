"""Opening the database: rights, PRAGMAs, versions, migrations, damaged files."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from desktop_app.adapters.store import Store, fact_tables, passage_tables, tables
from desktop_app.adapters.store.migrations.upgrade import upgrade
from desktop_app.adapters.store.sqlite import engine, migration
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.errors import StoreTooNew, StoreUnavailable
from tests.adapters.store_parts import add_chain, ask, opened, with_store

ROOT = Path(__file__).parents[2]
NEWER = SCHEMA + 1
NEXT = f'''"""Adds a column."""

import sqlalchemy as sa
from alembic import op

revision = "{NEWER:04}"
down_revision = "{SCHEMA:04}"


def upgrade():
    with op.batch_alter_table("conversation") as batch:
        batch.add_column(sa.Column("colour", sa.String, nullable=False, server_default="blue"))
'''


@pytest.fixture(autouse=True)
def true_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "upgrade", upgrade)


async def one_chat(store: Store) -> str:
    conversation = await store.create_conversation("default", "hello", False)
    await add_chain(store, conversation.id, ["question", "answer"])
    return conversation.id


async def nothing(store: Store) -> None:
    """Opening and closing is all."""


def database(folder: Path) -> Path:
    return folder / engine.FILE_NAME


def test_a_new_folder_and_its_file_are_for_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "새 폴더 100% #1?"
    with_store(folder, one_chat)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [entry.name for entry in folder.iterdir()] == [engine.FILE_NAME]
    assert stat.S_IMODE(database(folder).stat().st_mode) == 0o600


def test_the_log_beside_an_open_file_is_for_its_owner_only(tmp_path: Path) -> None:
    def modes() -> set[int]:
        return {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}

    async def work(store: Store) -> set[int]:
        await one_chat(store)
        return modes()

    assert with_store(tmp_path, work) == {0o600}


def test_every_connection_has_its_pragmas(tmp_path: Path) -> None:
    engines = engine.open_engines(tmp_path)
    try:
        for each in (engines.writer, engines.reader):
            with each.connect() as connection:
                found = {
                    name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                    for name in ("journal_mode", "secure_delete", "foreign_keys", "busy_timeout", "synchronous")
                }
            assert found == {
                "journal_mode": "wal",
                "secure_delete": 1,
                "foreign_keys": 1,
                "busy_timeout": 5000,
                "synchronous": 2,
            }
    finally:
        engines.dispose()


def test_the_migrations_make_what_the_tables_describe(tmp_path: Path) -> None:
    engines = engine.open_engines(tmp_path)
    try:
        with engines.reader.connect() as connection:
            context = MigrationContext.configure(connection, opts={"include_name": fact_tables.is_described})
            assert compare_metadata(context, passage_tables.METADATA) == []
            assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all() == [
                f"{tables.SCHEMA:04}"
            ]
    finally:
        engines.dispose()


def test_an_up_to_date_database_opens_without_alembic(tmp_path: Path) -> None:
    with_store(tmp_path, one_chat)
    code = (
        "import asyncio, sys; from pathlib import Path; from desktop_app.adapters.store import Store\n"
        "store = Store.open(Path(sys.argv[1])); asyncio.run(store.close()); sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True)


def test_two_processes_may_make_the_database_at_once(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from desktop_app.adapters.store import Store\n"
        "print('ready', flush=True); sys.stdin.readline(); store = Store.open(Path(sys.argv[1]))\n"
        "asyncio.run(store.create_conversation('default', 'x', False)); asyncio.run(store.close())"
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, tmp_path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout and child.stdout.readline() == b"ready\n"
    for child in children:
        child.communicate(b"\n")
    assert [child.returncode for child in children] == [0, 0]
    assert ask(tmp_path, "SELECT count(*) FROM conversation") == [(2,)]


def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    with_store(tmp_path, one_chat)
    with closing(sqlite3.connect(database(tmp_path))) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = database(tmp_path).read_bytes()
    with pytest.raises(StoreTooNew) as caught:
        Store.open(tmp_path)
    assert caught.value.params == {"found": 99, "known": tables.SCHEMA}
    assert database(tmp_path).read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [engine.FILE_NAME]


@pytest.mark.parametrize("damage", ["noise", "zeros", "cut", "header"])
def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, damage: str) -> None:
    with_store(tmp_path, one_chat)
    whole = database(tmp_path).read_bytes()
    broken = {
        "noise": b"not a database at all " * 400,
        "zeros": bytes(len(whole)),
        "cut": whole[: len(whole) // 2],
        "header": whole[:100] + b"\xff" * 4000 + whole[4100:],
    }[damage]
    database(tmp_path).write_bytes(broken)
    with pytest.raises(StoreUnavailable) as caught:
        Store.open(tmp_path)
    assert caught.value.params == {"path": str(database(tmp_path))}
    assert database(tmp_path).read_bytes() == broken
    assert [entry.name for entry in tmp_path.iterdir()] == [engine.FILE_NAME]


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable):
        Store.open(tmp_path / "file" / "data")


@pytest.mark.skipif(os.name != "posix", reason="the dot-file VFS is a part of SQLite on POSIX")
def test_without_a_write_ahead_log_it_works_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # This way of locking has no shared memory, as many network shares.
    plain = engine.address
    monkeypatch.setattr(engine, "address", lambda path, mode: plain(path, mode) + "&vfs=unix-dotfile")

    async def work(store: Store) -> tuple[tuple[str, ...], list[str]]:
        conversation_id = await one_chat(store)
        return store.notices, [message.text for message in await store.path(conversation_id)]

    notices, texts = with_store(tmp_path, work)
    assert notices == ("store_notice.no_wal",)
    assert texts == ["question", "answer"]


def scripts_with(tmp_path: Path, text: str) -> Path:
    scripts = tmp_path / "migrations 100%"
    shutil.copytree(migration.MIGRATIONS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"v{NEWER:04}_colour.py").write_text(text)
    return scripts


def test_an_old_database_is_copied_and_brought_up_to_date(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with_store(folder, one_chat)
    before = ask(folder, "SELECT id, title, excerpt FROM conversation")
    migration.migrate(database(folder), NEWER, scripts_with(tmp_path, NEXT))
    assert ask(folder, "PRAGMA user_version") == [(NEWER,)]
    assert ask(folder, "SELECT id, title, excerpt, colour FROM conversation") == [(*before[0], "blue")]
    assert ask(folder, "SELECT count(*) FROM message") == [(2,)]
    copy = folder / f"{engine.FILE_NAME}.before-{NEWER:04}"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(SCHEMA,)]
        assert connection.execute("SELECT id, title, excerpt FROM conversation").fetchall() == before


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with_store(folder, one_chat)
    before = ask(folder, "SELECT sql FROM sqlite_master ORDER BY name")
    scripts = scripts_with(tmp_path, NEXT + '    op.execute("DELETE FROM nowhere")\n')
    with pytest.raises(StoreUnavailable), engine.unavailable(database(folder)):
        migration.migrate(database(folder), NEWER, scripts)
    assert ask(folder, "SELECT sql FROM sqlite_master ORDER BY name") == before
    assert ask(folder, "PRAGMA user_version") == [(SCHEMA,)]
    with_store(folder, nothing)


def test_a_closed_store_leaves_no_thread_and_refuses_calls(tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            await one_chat(store)
            assert any(thread.name.startswith("store-") for thread in threading.enumerate())
        assert not any(thread.name.startswith("store-") for thread in threading.enumerate())
        with pytest.raises(RuntimeError):
            await store.conversations("default")

    asyncio.run(work())
