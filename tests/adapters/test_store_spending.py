"""What requests cost outlives their conversations: sums over all profiles never shrink."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.conversation import Conversation
from desktop_app.core.money.spending import SpentRequest
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState
from desktop_app.core.usage import SidePass, Usage
from tests.adapters.store_parts import ask, record_of, request_of, user, with_store

pytestmark = pytest.mark.usefixtures("database")

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
USAGE = Usage(
    10, 20, 30, 40, 50, 5, split_known=False, output_estimated=True, sides=(SidePass("compaction", 1, output=2),)
)


async def sent(store: Store, chat: Conversation, minutes: int, **fields: object) -> RequestRecord:
    """A request of a conversation as the log keeps it."""
    request = request_of([user(chat.id, None, "hello")])
    values = {"sent_at": NOON + timedelta(minutes=minutes), "state": RequestState.ANSWERED, "usage": USAGE}
    record = record_of(chat.id, request, **values | fields)
    await store.save_request(record, request)
    return record


def money_of(record: RequestRecord) -> RequestRecord:
    """What spending reads of a record."""
    left_out = {"rows": (), "spans": (), "stop_reason": None, "stop_details": None}
    return replace(record, digest="", reserve=0, window=None, **left_out)


async def fill(store: Store) -> list[SpentRequest]:
    """Requests of two profiles and a simulated one, with everything that concerns money; oldest first."""
    mine = await store.create_conversation("default", "Backups", simulated=False)
    work = await store.create_conversation("work", "Invoices", simulated=False)
    demo = await store.create_conversation("demo", "Tour", simulated=True)
    second = await sent(store, work, 2, usage=None, state=RequestState.FAILED, error="overloaded")
    stopped = {"usage": None, "state": RequestState.STOPPED, "predicted": CacheForecast(9, 8, 7, 6), "counted": 30}
    third = await sent(store, mine, 3, **stopped)
    first = await sent(store, mine, 1, answered_by="claude-opus-5-5-20260901", purpose=RequestPurpose.MEMO)
    fourth = await sent(store, demo, 4, stop_reason="refusal", stop_details={"type": "refusal", "category": "harm"})
    return [
        SpentRequest(money_of(first), "default", "Backups"),
        SpentRequest(money_of(second), "work", "Invoices"),
        SpentRequest(money_of(third), "default", "Backups"),
        SpentRequest(money_of(fourth), "demo", "Tour", simulated=True),
    ]


def test_requests_of_all_conversations_are_told_oldest_first(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        expected = await fill(store)
        assert await store.spent(None, None) == expected
        assert await store.spent("default", None) == [expected[0], expected[2]]
        assert await store.spent(None, expected[1].record.sent_at) == expected[1:]
        assert await store.spent("work", NOON + timedelta(minutes=3)) == []
        assert await store.spent("nobody", None) == []

    with_store(tmp_path, work)


def test_deleted_conversation_still_counts(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        expected = await fill(store)
        await store.delete(expected[0].record.conversation_id)
        assert await store.spent(None, None) == expected

    with_store(tmp_path, work)


def test_figures_outlive_the_conversation_and_its_words_do_not(tmp_path: Path) -> None:
    async def before(store: Store) -> list[SpentRequest]:
        expected = await fill(store)
        for one in expected:
            await store.delete(one.record.conversation_id)
        return expected

    async def after(store: Store) -> list[SpentRequest]:
        return await store.spent(None, None)

    async def of_work(store: Store) -> list[SpentRequest]:
        return await store.spent("work", NOON)

    expected = with_store(tmp_path, before)
    with_store(tmp_path, after)
    long_ago = (datetime.now(UTC) - timedelta(days=31)).isoformat(timespec="microseconds")
    ask(tmp_path, f"UPDATE conversation SET deleted_at = '{long_ago}'")
    left = with_store(tmp_path, after)
    assert left == [replace(one, title="", gone=True) for one in expected]
    assert with_store(tmp_path, of_work) == [left[1]]
    assert ask(tmp_path, "SELECT count(*) FROM request") == [(0,)]
    assert ask(tmp_path, "SELECT count(*), count(error) FROM spent_request") == [(4, 1)]
    kept = str(ask(tmp_path, "SELECT * FROM spent_request"))
    assert not [words for words in ("Backups", "Invoices", "hello", "harm") if words in kept]
