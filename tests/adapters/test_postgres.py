"""A PostgreSQL as one place of several workstations: who gets in, what is said, and that both databases agree."""

from __future__ import annotations

import asyncio
import re
import shlex
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import make_url

from desktop_app.adapters.own_process import own_environment
from desktop_app.adapters.store import Store, fact_tables, passage_tables, sql
from desktop_app.adapters.store.postgres.address import address_of, shown
from desktop_app.adapters.store.postgres.engine import open_database
from desktop_app.adapters.store.postgres.stems import stems
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.conversation import MessageState
from desktop_app.core.errors import (
    BadInput,
    DatabaseRefused,
    DatabaseUnreachable,
    FactChanged,
    StoreTooNew,
    StoreUnavailable,
)
from desktop_app.core.facts import FactActor
from tests.adapters.fact_parts import P, add
from tests.adapters.store_parts import add_chain, opened, streaming
from tests.fakes.chroma_server import free_port
from tests.fakes.command_line import CommandLine
from tests.fakes.postgres_server import PASSWORD, PostgresServer, rows, url_of

YOU = FactActor.YOU
on_server = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


def refusal(url: str) -> StoreUnavailable:
    with pytest.raises(StoreUnavailable) as caught:
        Store.open(Path("unused"), url)
    told = f"{caught.value.params} {caught.value.details} {caught.value}"
    assert "hunter" not in told and PASSWORD not in told
    return caught.value


@pytest.mark.parametrize(
    "url", ["", "mnemoscope.db", "sqlite:///x", "mysql://u:hunter2@h/x", "postgresql+asyncpg://h/x", "http://h:port/x"]
)
def test_what_is_no_address_is_said_without_its_password(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        address_of(url)
    assert "hunter2" not in str(caught.value.params) and caught.value.params["why"] == "database_url"


def test_an_address_is_shown_without_anything_secret() -> None:
    url = address_of("postgres://me:hunter2hunter2@db.example/notes?password=p&sslmode=require&sslpassword=q")
    assert shown(url) == "postgresql+psycopg://me@db.example/notes?sslmode=require"
    assert url.password == "hunter2hunter2"


def test_whoever_is_not_let_in_is_told_why(postgres_server: PostgresServer) -> None:
    here = f"127.0.0.1:{postgres_server.port}"
    nobody = refusal(f"postgresql+psycopg://mnemoscope:hunter@127.0.0.1:{free_port()}/x")
    assert type(nobody) is DatabaseUnreachable and nobody.params["path"].endswith("/x")
    wrong = refusal(f"postgresql+psycopg://mnemoscope:hunter@{here}/template")
    assert type(wrong) is DatabaseRefused and "mnemoscope" in wrong.details
    assert type(refusal(f"postgresql+psycopg://mnemoscope:{PASSWORD}@{here}/nowhere")) is DatabaseRefused
    latin = postgres_server.make("latin", "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    assert type(refusal(latin)) is DatabaseRefused


def test_a_password_in_the_environment_lets_in(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = make_url(postgres_server.make("by_password")).set(host="127.0.0.1", port=postgres_server.port, query={})
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    store = Store.open(Path("unused"), url.render_as_string())
    assert store.place == url.render_as_string()
    asyncio.run(store.close())


def test_a_new_database_is_made_as_described_by_whoever_comes_first(postgres_server: PostgresServer) -> None:
    url = postgres_server.make("fresh")

    async def both() -> None:
        stores = await asyncio.gather(*(asyncio.to_thread(Store.open, Path("unused"), url) for _ in range(2)))
        await add(stores[0], "dog", "Bori")
        assert [fact.value for fact in await stores[1].facts.facts(P)] == ["Bori"]
        for store in stores:
            await store.close()

    asyncio.run(both())
    database = open_database(url, "1:1.00:0000abcd")
    try:
        with database.writer.connect() as connection:
            context = MigrationContext.configure(connection, opts={"include_name": fact_tables.is_described})
            assert compare_metadata(context, passage_tables.METADATA) == []
    finally:
        database.dispose()


def test_a_newer_database_is_left_as_it_is(postgres_server: PostgresServer) -> None:
    url = postgres_server.make("newer", "TEMPLATE template")
    rows(url, f"UPDATE alembic_version SET version_num = '{SCHEMA + 1:04}'")
    with pytest.raises(StoreTooNew) as caught:
        Store.open(Path("unused"), url)
    assert caught.value.params == {"found": SCHEMA + 1, "known": SCHEMA}


@on_server
def test_a_server_that_went_away_is_said_and_used_again_when_it_is_back(
    database: str, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    async def work() -> None:
        async with opened(tmp_path) as store:
            await add(store, "dog", "Bori")
            postgres_server.stop()
            try:
                for call in (store.facts.facts(P), add(store, "cat", "Mango")):
                    with pytest.raises(DatabaseUnreachable):
                        await call
            finally:
                postgres_server.start()
            assert [fact.value for fact in await store.facts.facts(P)] == ["Bori"]
            await add(store, "cat", "Mango")
            assert len(await store.facts.facts(P)) == 2

    asyncio.run(work())


@on_server
def test_of_two_edits_of_one_fact_the_second_is_told(database: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as one, opened(tmp_path) as two:
            fact = await add(one, "dog", "Bori")
            seen = await two.data_version()
            edits = await asyncio.gather(
                one.facts.edit(P, fact.id, YOU, value="Kong", expected=fact.revision),
                two.facts.edit(P, fact.id, YOU, value="Choco", expected=fact.revision),
                return_exceptions=True,
            )
            assert sorted(type(edit) is FactChanged for edit in edits) == [False, True]
            assert [change.after.value for change in await one.facts.history(P, "dog")][:1] == ["Bori"]
            assert (await one.facts.fact(P, "dog")).value == (await two.facts.fact(P, "dog")).value != "Bori"
            await add(one, "cat", "Mango")
            assert await two.data_version() > seen

    asyncio.run(work())


@on_server
def test_a_stream_ends_with_the_connection_of_its_workstation_and_not_with_a_process_number(
    database: str, tmp_path: Path
) -> None:
    async def work() -> None:
        async with opened(tmp_path) as here:
            elsewhere = Store.open(tmp_path, url_of(tmp_path))
            chat = await elsewhere.create_conversation(P, "x", False)
            await elsewhere.add_message(streaming(chat.id, None, "half"))
            assert await here.mark_interrupted() == 0
            await elsewhere.close()
            assert await here.mark_interrupted() == 1
            assert [message.state for message in await here.path(chat.id)] == [MessageState.INTERRUPTED]

    asyncio.run(work())


SAID = [
    "The backups run at 02:40 on b2:mn-offsite-eu, running late on Mondays.",
    "백업 비밀번호는 서랍에 있어요. 서랍은 부엌에 있고요.",
    "Café crème at the café: connections, connected, connecting.",
    "run run run " * 30 + "offsite",
    "nothing to see here",
]
ASKED = [
    "running backups",
    "비밀번호 서랍",
    "cafe connection",
    '"run at 02:40"',
    "mn-offsite-eu",
    "fsit",
    "run offsite",
]


def test_both_databases_find_the_same_with_the_same_scores(postgres_server: PostgresServer, tmp_path: Path) -> None:
    async def found(store: Store) -> tuple[list[dict[str, float]], list[list[tuple[str, float]]]]:
        for place, text in enumerate(SAID):
            await add(store, f"key {place}", text, "other" if place == 4 else P)
        chat = await store.create_conversation(P, "", False)
        await add_chain(store, chat.id, SAID)
        facts = {fact.id: fact.key for fact in await store.facts.facts(P)}
        words = [await store.facts.word_matches(P, asked.split()) for asked in ASKED]
        hits = [(await store.search_messages(P, asked, 10)).hits for asked in ASKED]
        await store.close()
        return (
            [{facts[fact_id]: score for fact_id, score in sorted(one.scores.items())} for one in words],
            [[(hit.excerpt, hit.score) for hit in some] for some in hits],
        )

    facts, messages = asyncio.run(found(Store.open(tmp_path)))
    facts_there, messages_there = asyncio.run(found(Store.open(tmp_path, postgres_server.make("same"))))
    for here, there in zip(facts, facts_there, strict=True):
        assert here == pytest.approx(there)
    for said, said_there in zip(messages, messages_there, strict=True):
        assert [excerpt for excerpt, _ in said] == [excerpt for excerpt, _ in said_there]
        assert [score for _, score in said] == pytest.approx([score for _, score in said_there])
    assert any(facts) and all(messages)


def test_words_are_cut_and_stemmed_as_in_the_file() -> None:
    assert stems("running café app_config connections 보리 보리") == [
        "run",
        "cafe",
        "app",
        "config",
        "connect",
        "보리",
        "보리",
    ]
    assert stems(" ") == [] and stems("*") == []
    assert len(stems("x" * 5000)[0]) == 200


def test_commands_of_two_machines_work_on_one_database(
    postgres_server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_server.make("commands", "TEMPLATE template")
    one, two = CommandLine(tmp_path / "one"), CommandLine(tmp_path / "two")
    assert one.run("facts", "add", "dog", "Bori", "--database-url", url).code == 0
    (fact,) = one.run("--database-url", url, "facts", "list", "--json").json
    undo = one.run("--database-url", url, "facts", "delete", "dog").out
    assert shlex.join(["--database-url", shown(address_of(url))]) in undo
    monkeypatch.setenv("MNEMOSCOPE_DATABASE_URL", url)
    assert two.run("facts", "restore", fact["id"][:8]).code == 0
    assert [(kept["id"], kept["value"]) for kept in two.run("facts", "list", "--json").json] == [(fact["id"], "Bori")]
    monkeypatch.setenv("MNEMOSCOPE_DATABASE_URL", f"postgresql+psycopg://me:hunter2@127.0.0.1:{free_port()}/notes")
    line = two.run("facts", "list").line
    assert "me@127.0.0.1" in line and "hunter2" not in line
    assert "hunter2" not in own_environment().get("MNEMOSCOPE_DATABASE_URL", "")
    assert not list(tmp_path.rglob("mnemoscope.db"))


SQLITE_ONLY = re.compile(
    r"json_each|json_extract|\bMATCH\b|\bGLOB\b|\browid\b|\bPRAGMA\b|OR (REPLACE|IGNORE)|\bifnull\(|group_concat"
)


def test_what_only_sqlite_understands_stands_in_its_own_room() -> None:
    """Statements for both databases name what differs in braces (`store/sql`)."""
    store = Path(sql.__file__).parent
    common = [path for path in store.glob("*.py") if path.name not in ("sql.py", "backend.py")]
    written = {
        path.name: SQLITE_ONLY.findall(re.sub(r'^\s*(#|""").*', "", path.read_text(), flags=re.M)) for path in common
    }
    assert {name: found for name, found in written.items() if found} == {}
