"""A database of the first schema, as it was written then, opens with all it held and takes what is new."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.adapters.store import Store, engine
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.conversation import Epoch, Role, text_block
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.facts import FactDraft, FactOrigin
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.core.request_log import RequestPurpose, RequestState, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage
from tests.adapters.fact_parts import P, faults
from tests.adapters.store_parts import ask, record_of, request_of, user, with_store

FIRST = Path(__file__).parent / "data" / "schema_0001.sql"


def old_database(folder: Path) -> None:
    with closing(sqlite3.connect(folder / engine.FILE_NAME)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))


async def everything_is_there(store: Store) -> None:
    chats = await store.conversations("default")
    assert [(chat.id, chat.title, chat.excerpt) for chat in chats] == [
        ("chat-1", "보리와 산책", "second question"),
        ("imported-1", "old export", "from an export"),
    ]
    question, answer, last = await store.path("chat-1")
    assert (question.text, last.text) == ('"따옴표" 그리고\n줄바꿈', "second question")
    assert answer.blocks[0] == {"type": "thinking", "thinking": "흠 …", "signature": "Eo="}
    assert (answer.text, answer.seconds, question.notes) == ("an answer", 1.25, None)
    assert await store.epochs("chat-1") == [Epoch(0, "m", "be kind", ({"name": "calculator"},), "api")]
    first, second = await store.requests("chat-1")
    assert {record.purpose for record in (first, second)} == {RequestPurpose.CHAT}
    assert (first.state, first.usage) == (RequestState.ANSWERED, Usage(1, 2, 3, 4, 5, 6))
    assert (second.state, second.error, second.total) == (RequestState.FAILED, "overloaded", Figure(90, Known.COUNTED))
    record, request = await store.request("r2")
    assert record.spans == second.spans == (SegmentSpan(Segment.CURRENT, 2, 0, 1),)
    assert request == request_of([question, answer, last], tools=({"name": "calculator"},))
    assert record.digest == request.prefix_digests()[-1]
    assert await store.compactions("chat-1") == []
    assert await store.facts.facts("default") == [] and await store.facts.last_change() == 0


async def new_things_go_on(store: Store) -> None:
    question, answer, last = await store.path("chat-1")
    await store.add_notes(last.id, MessageNotes(1))
    added = await store.add_message(user("chat-1", last, "보리"))
    request = request_of([question, answer, last, added], tools=({"name": "calculator"},))
    record = record_of("chat-1", request, spans=(SegmentSpan(Segment.RECALLED, 3, 0, 1),), purpose=RequestPurpose.MEMO)
    await store.save_request(record, request)
    assert await store.request(record.id) == (record, request)
    assert ask(store.file.parent, "SELECT base, shared FROM request ORDER BY number DESC LIMIT 1") == [(2, 6)]
    change = await store.facts.keep(P, FactDraft("강아지", "보리"))
    await store.facts.edit(P, change.fact_id, FactOrigin.YOU, value="초코")
    # The key of the installation is the old one: what was said before is found again.
    await store.add_message(user("chat-1", added, "second question"))
    exported = ImportedConversation(
        "s1", "", (ImportedMessage("m1", Role.USER, (text_block("from an export"),), None),), None
    )
    assert (await store.import_conversations("default", [exported])).unchanged == 1
    await store.restore("deleted-1")
    assert [chat.id for chat in await store.conversations("work")] == ["deleted-1"]


def test_an_old_database_opens_with_all_it_held(tmp_path: Path) -> None:
    old_database(tmp_path)
    before = ask(tmp_path, "SELECT * FROM message ORDER BY number")
    with_store(tmp_path, everything_is_there)
    with_store(tmp_path, everything_is_there)
    assert ask(tmp_path, "PRAGMA user_version") == [(SCHEMA,)]
    assert ask(tmp_path, "SELECT * FROM message ORDER BY number") == before
    assert ask(tmp_path, "SELECT model_key FROM calibration") == [("api/m",)]
    copy = tmp_path / f"{engine.FILE_NAME}.before-{SCHEMA:04}"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
        assert connection.execute("SELECT * FROM message ORDER BY number").fetchall() == before


def test_an_old_database_takes_what_is_new(tmp_path: Path) -> None:
    old_database(tmp_path)
    with_store(tmp_path, new_things_go_on)
    assert faults(tmp_path) == []
    assert ask(tmp_path, "SELECT count(*) FROM block WHERE body LIKE '%second question%'") == [(1,)]


def test_an_old_database_becomes_what_a_new_one_is(tmp_path: Path) -> None:
    def schema(folder: Path) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(folder / engine.FILE_NAME)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
            columns = [
                (table, *column[1:])
                for (table,) in tables
                for column in sorted(connection.execute(f"PRAGMA table_info('{table}')"), key=lambda row: row[1])
            ]
            return [
                *columns,
                *connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name"),
            ]

    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    old_database(old)
    for folder in (old, new):
        with_store(folder, lambda store: store.facts.last_change())
    assert schema(old) == schema(new)
