"""Databases of earlier schemas, as they were written then, open with all they held and take what is new."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.sqlite import engine
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.forecast import CacheForecast, CachePoint
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy, WrittenBy
from desktop_app.core.conversation import Epoch, MessageState, Role, text_block
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.facts import FactActor, FactDraft
from desktop_app.core.importing import ImportedConversation, ImportedMessage
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.money.spending import SpendingBy, SpentOn
from desktop_app.core.money.spending_sums import spending
from desktop_app.core.request_log import RequestPurpose, RequestState, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, SidePass, Usage
from tests.adapters.fact_parts import P, faults
from tests.adapters.store_parts import ask, record_of, request_of, user, with_store
from tests.adapters.test_store_opening import NEWER, NEXT, ROOT, scripts_with
from tests.fakes.house import open_house

DATA = Path(__file__).parent / "data"
CHANGE = "(SELECT number, fact_id, profile, action, by, at, before, after, undone FROM fact_change)"
FACT = "(SELECT number, id, key, same_key, value, state, revision, source_quote, created_at, deleted_at FROM fact)"
TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)


def old_database(folder: Path, schema: int = 1) -> None:
    with closing(sqlite3.connect(folder / engine.FILE_NAME)) as connection:
        connection.executescript((DATA / f"schema_{schema:04}.sql").read_text(encoding="utf-8"))


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
    assert ask(Path(store.place).parent, "SELECT base, shared FROM request ORDER BY number DESC LIMIT 1") == [(2, 6)]
    change = await store.facts.keep(P, FactDraft("강아지", "보리"))
    await store.facts.edit(P, change.fact_id, FactActor.YOU, value="초코")
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


@pytest.mark.parametrize("number", range(1, SCHEMA))
def test_an_old_database_becomes_what_a_new_one_is(tmp_path: Path, number: int) -> None:
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
    old_database(old, number)
    for folder in (old, new):
        with_store(folder, lambda store: store.facts.last_change())
    assert schema(old) == schema(new)


SLEEPS = """
    op.execute("DELETE FROM message")
    print("half way", flush=True)
    import sys
    sys.stdin.readline()
"""
MIGRATING = (
    "import sys; from pathlib import Path\n"
    "from desktop_app.adapters.store.sqlite import migration\n"
    "migration.migrate(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))"
)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_half_way_leaves_the_old_database_to_be_upgraded_again(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    old_database(folder)
    arguments = [folder / engine.FILE_NAME, str(NEWER), scripts_with(tmp_path, NEXT + SLEEPS)]
    command = [sys.executable, "-c", MIGRATING, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as migrating:
        assert migrating.stdout is not None and migrating.stdout.readline() == "half way\n"
        migrating.send_signal(signal.SIGKILL)
    assert ask(folder, "PRAGMA user_version") == [(1,)]
    assert "colour" not in repr(ask(folder, "SELECT sql FROM sqlite_master"))
    with_store(folder, everything_is_there)
    assert ask(folder, "PRAGMA user_version") == [(SCHEMA,)]
    assert ask(folder, "PRAGMA integrity_check") == [("ok",)]


def test_columns_and_tables_nobody_knows_are_left_alone(tmp_path: Path) -> None:
    old_database(tmp_path)
    with_store(tmp_path, everything_is_there)
    with closing(sqlite3.connect(tmp_path / engine.FILE_NAME)) as connection, connection:
        for table in ("message", "conversation", "fact", "block"):
            connection.execute(f"ALTER TABLE {table} ADD COLUMN stranger TEXT NOT NULL DEFAULT 'kept'")
        connection.execute("CREATE TABLE stranger (word TEXT)")
        connection.execute("INSERT INTO stranger VALUES ('kept')")
    with_store(tmp_path, everything_is_there)
    with_store(tmp_path, new_things_go_on)
    assert ask(tmp_path, "SELECT word FROM stranger") == [("kept",)]
    assert ask(tmp_path, "SELECT DISTINCT stranger FROM message UNION SELECT stranger FROM fact") == [("kept",)]
    assert faults(tmp_path) == []


async def memory_is_there(store: Store) -> None:
    (fact,) = await store.facts.facts(P)
    assert (fact.key, fact.value) == ("강아지", "보리")
    assert (await store.facts.word_matches(P, ["보리"])).scores.keys() == {fact.id}
    (epoch,) = await store.epochs("chat-1")
    assert (epoch.facts, epoch.fact_revisions, epoch.facts_upto) == ("강아지: 보리", ((fact.id, 1),), 1)
    assert (await store.path("chat-1"))[0].notes == MessageNotes(0)
    (fold,) = await store.compactions("chat-1")
    assert (fold.until_message_id, fold.summary, fold.request_ids) == ("answer-1", "they walk", ("r4",))
    assert (fold.strategy, fold.written_by, fold.state) == (Strategy.MEMO, WrittenBy.FORK, CompactionState.ACTIVE)


async def requests_are_there(store: Store) -> None:
    first, second, failed, memo = await store.requests("chat-1")
    assert (first.usage, first.counted, first.remote_id) == (Usage(10, 2_000, 0, 0, 40, 5), 2_010, "msg_1")
    assert second.usage == Usage(20, 0, 2_100, 0, 60, None, False)
    assert second.refusal is not None and second.refusal.category == "cyber"
    assert (failed.state, failed.error, failed.usage) == (RequestState.FAILED, "overloaded", None)
    assert (memo.purpose, memo.usage) == (RequestPurpose.MEMO, Usage(30, 0, 0, 2_100, 200, None))
    for record in (first, second, failed, memo):
        assert (record.points, record.predicted, record.diagnosis, record.app_version) == ((), None, None, "")
    whole, request = await store.request("r3")
    assert whole.spans == (SegmentSpan(Segment.RECALLED, 4, 0, 1),)
    assert request.messages[-1].blocks == (text_block("third question"),)
    assert request.prefix_digests()[-1] == whole.digest
    replayed = await store.replayable(TEN)
    assert [record.id for record in replayed] == ["r1", "r2", "r5", "r6"]
    assert replayed[0].rows == first.rows, "it tells of its head by its rows alone"


def test_a_database_of_the_second_schema_opens_with_all_it_held(tmp_path: Path) -> None:
    old_database(tmp_path, 2)
    before = [ask(tmp_path, f"SELECT * FROM {table}") for table in ("message", "block", FACT, CHANGE)]
    with_store(tmp_path, memory_is_there)
    with_store(tmp_path, requests_are_there)
    assert before == [ask(tmp_path, f"SELECT * FROM {table}") for table in ("message", "block", FACT, CHANGE)]
    assert ask(tmp_path, "PRAGMA user_version") == [(SCHEMA,)]
    assert faults(tmp_path) == []
    with closing(sqlite3.connect(tmp_path / f"{engine.FILE_NAME}.before-{SCHEMA:04}")) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(2,)]
        assert connection.execute("SELECT count(*) FROM request").fetchall() == [(6,)]


def test_what_requests_of_the_second_schema_cost_is_told_and_kept(tmp_path: Path) -> None:
    async def told(store: Store) -> None:
        report = spending(await store.spent(None, None), load_prices(), SpendingBy.PROFILE)
        sums = {group.key: group.total.usd for group in report.groups}
        # At 4 USD, 5 and 8 for what is written, 0.20 for what is read and 20 for output, by the million.
        answers = Decimal("0.01084") + Decimal("0.01808")
        assert sums == {("default",): answers + Decimal("0.00454"), ("work",): Decimal("0.006")}
        assert report.lines[SpentOn.COMPACTION].usd == Decimal("0.00454")
        assert report.simulated == 1

    old_database(tmp_path, 2)
    with_store(tmp_path, told)
    with closing(sqlite3.connect(tmp_path / engine.FILE_NAME)) as connection, connection:
        connection.execute(
            "UPDATE conversation SET deleted_at = '2026-01-01T00:00:00.000000+00:00' WHERE id = 'chat-1'"
        )
    with_store(tmp_path, told)
    assert ask(tmp_path, "SELECT id FROM request ORDER BY number") == [("r5",), ("r6",)]


def test_a_miss_of_the_second_schema_is_found_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(conversation_id: str) -> None:
        raise AssertionError(f"the requests of {conversation_id} were at hand")

    async def find() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:9") as house:
            (miss,) = await house.services.reasons.misses("chat-1")
            assert (miss.after.id, miss.culprit.cause) == ("r2", Cause.INSTRUCTIONS)
            assert miss.culprit.lost_tokens == 2_000
            at_hand = await house.services.store.requests("chat-1")
            monkeypatch.setattr(house.services.store, "requests", unread)
            assert await house.services.reasons.misses("chat-1", at_hand) == [miss]

    old_database(tmp_path, 2)
    asyncio.run(find())


def test_a_database_of_the_second_schema_takes_what_is_new(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        path = await store.path("chat-1")
        request = request_of(path)
        usage = Usage(1, 2, 3, 4, 5, sides=(SidePass("compaction", 6, output=7),))
        new = record_of("chat-1", request, usage=usage, points=(CachePoint(1, "d", 9),), app_version="0.4.0")
        new = replace(new, predicted=CacheForecast(4, 2, 3, 1), sent_at=TEN + timedelta(hours=1))
        await store.save_request(new, request)
        assert (await store.requests("chat-1"))[-1] == new
        assert (await store.request(new.id))[1] == request

    old_database(tmp_path, 2)
    with_store(tmp_path, work)
    with_store(tmp_path, memory_is_there)
    assert faults(tmp_path) == []


async def folds_are_there(store: Store) -> None:
    first, second = await store.compactions("chat-1")
    assert (first.summary, first.request_ids, first.state) == ("they walk", ("r4",), CompactionState.ACTIVE)
    assert second == Compaction(
        "fold-2",
        "chat-1",
        "done-1",
        "## Goal\n보리 walks",
        5,
        9_000,
        700,
        TEN,
        "claude-opus-5-5",
        2.5,
        (),
        CompactionCause.BY_HAND,
        "숫자는 그대로",
        CompactionState.UNDONE,
    )
    assert (await store.epochs("chat-1"))[0].result_limit == 0
    newest = (await store.requests("chat-1"))[-1]
    assert (newest.id, newest.app_version, newest.edits) == ("r7", "0.4.0", ())
    assert newest.usage == Usage(1, 2, 3, 4, 5, sides=(SidePass("compaction", 6, output=7),))


async def messages_are_found_when_they_were_indexed(store: Store) -> None:
    found = await store.search_messages(P, "b2-mn-offsite", 8)
    assert (found.hits, found.left) == ((), 12)
    # A message that comes in between waits its turn behind those it follows.
    half = (await store.path("chat-1"))[-1]
    added = await store.add_message(user("chat-1", half, "b2-mn-offsite 확인"))
    assert [await store.index_messages(limit) for limit in (4, 3, 500, 500)] == [9, 6, 0, 0]
    found = await store.search_messages(P, "b2-mn-offsite", 8)
    assert found.left == 0
    assert {(hit.message_id, hit.number, hit.turn, hit.tool) for hit in found.hits} == {
        ("call-1", 6, 3, "read_file"),
        (added.id, 11, 5, None),
    }
    (result,) = (await store.search_messages(P, "4711", 8)).hits
    assert (result.message_id, result.tool, result.tool_use_id) == ("result-1", "read_file", "toolu_1")
    assert (await store.search_messages(P, "secretly", 8)).hits == ()
    half = (await store.search_messages(P, "half an ans", 8)).hits[0]
    assert (half.message_id, half.number, half.turn) == ("half-1", 10, 4)


def test_a_database_of_the_third_schema_opens_with_all_it_held(tmp_path: Path) -> None:
    async def interrupted(store: Store) -> None:
        assert await store.mark_interrupted() == 1
        assert (await store.path("chat-1"))[-1].state is MessageState.INTERRUPTED

    old_database(tmp_path, 3)
    before = [ask(tmp_path, f"SELECT * FROM {table}") for table in ("message", "block", "request_block", FACT)]
    with_store(tmp_path, folds_are_there)
    with_store(tmp_path, memory_of_the_third_is_there)
    assert before == [ask(tmp_path, f"SELECT * FROM {table}") for table in ("message", "block", "request_block", FACT)]
    with closing(sqlite3.connect(tmp_path / f"{engine.FILE_NAME}.before-{SCHEMA:04}")) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(3,)]
        assert connection.execute("SELECT memo FROM compaction").fetchall() == [
            ("they walk",),
            ("## Goal\n보리 walks",),
        ]
    with_store(tmp_path, interrupted)
    with_store(tmp_path, messages_are_found_when_they_were_indexed)
    assert faults(tmp_path) == []
    assert ask(tmp_path, "INSERT INTO message_words (message_words) VALUES ('integrity-check')") == []


async def memory_of_the_third_is_there(store: Store) -> None:
    (fact,) = await store.facts.facts(P)
    assert (await store.facts.word_matches(P, ["보리"])).scores.keys() == {fact.id}
    assert (await store.path("chat-1"))[0].notes == MessageNotes(0)
