"""Requests come back to the byte, cost what they add, and tell their known totals."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.request_columns import RECORD, KnownRecords, columns_of
from desktop_app.core.cache.forecast import CachePoint, PointPart
from desktop_app.core.conversation import Block, text_block, to_json
from desktop_app.core.errors import NotFound
from desktop_app.core.request import Mark, Request, RequestMessage
from desktop_app.core.request_log import RequestPurpose, RequestRecord, RequestState, SegmentSpan
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage
from tests.adapters.store_parts import add_chain, ask, record_of, request_of, with_store

pytestmark = pytest.mark.usefixtures("database")

TOOL = {"name": "calculator", "description": "계산", "input_schema": {"type": "object", "b": {}, "a": []}}


def whole_request(messages: tuple[RequestMessage, ...], **changes: Any) -> Request:
    request = Request(
        {"model": "m", "max_tokens": 7, "stream": True, "thinking": {"type": "adaptive", "display": "x"}},
        (TOOL,),
        (text_block("규칙"), text_block("rule")),
        messages,
        (Mark("tools", 0), Mark("system", 1, "1h"), Mark(0, 0)),
        ("beta-b", "beta-a"),
    )
    return replace(request, **changes)


def test_a_request_comes_back_equal_to_the_byte(tmp_path: Path) -> None:
    messages = (
        RequestMessage("user", (text_block("hi"), {"type": "image", "source": {"b": 1, "a": 2.0}})),
        RequestMessage("assistant", ()),
        RequestMessage("user", (text_block("hi"), text_block("hi"))),
        RequestMessage("system", (text_block("note"),)),
    )
    requests = [
        whole_request(messages),
        whole_request(messages[:1], tools=(), system=(), marks=(), betas=()),
        whole_request((), tools=(), system=()),
        whole_request(messages[1:]),
    ]

    async def write(store: Store) -> list[RequestRecord]:
        chat = await store.create_conversation("default", "", False)
        records = [record_of(chat.id, request) for request in requests]
        for record, request in zip(records, requests, strict=True):
            await store.save_request(record, request)
        return records

    records = with_store(tmp_path, write)

    async def read(store: Store) -> None:
        for record, request in zip(records, requests, strict=True):
            found_record, found = await store.request(record.id)
            assert (found_record, found) == (record, request)
            assert found.body_bytes() == request.body_bytes()
            assert list(found.params) == list(request.params)
        assert await store.requests(records[0].conversation_id) == records
        with pytest.raises(NotFound):
            await store.request("nothing")

    with_store(tmp_path, read)


def test_what_a_request_was_sent_for_comes_back(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        request = whole_request(())
        chat_record = record_of(chat.id, request)
        memo = record_of(chat.id, request, purpose=RequestPurpose.MEMO)
        for record in (chat_record, memo):
            await store.save_request(record, request)
        await store.update_request(replace(memo, state=RequestState.ANSWERED))
        assert [record.purpose for record in await store.requests(chat.id)] == ["chat", "memo"]
        assert (await store.request(memo.id))[0] == replace(memo, state=RequestState.ANSWERED)

    with_store(tmp_path, work)


def test_what_changed_since_it_was_read_is_read_anew(tmp_path: Path) -> None:
    """Also where another process wrote; what did not change is the same record."""

    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        request = whole_request(())
        for number in range(3):
            await store.save_request(record_of(chat.id, request, id=f"r{number}", counted=number), request)
        first, second, third = await store.requests(chat.id)
        await store.update_request(replace(second, counted=9))
        ask(tmp_path, 'UPDATE request SET points = \'[[0,"d",7,"1h","head"]]\' WHERE id = \'r2\'')
        again = await store.requests_since(first.sent_at - timedelta(seconds=1))
        assert again[0] is first
        assert again[1] == replace(second, counted=9)
        assert again[2] == replace(third, points=(CachePoint(0, "d", 7, "1h", PointPart.HEAD),))
        assert await store.requests(chat.id) == again

    with_store(tmp_path, work)


def test_no_more_records_are_remembered_than_may_be(tmp_path: Path) -> None:
    with_store(tmp_path, lambda store: store.create_conversation("default", "", False))
    chat_id = ask(tmp_path, "SELECT id FROM conversation")[0][0]
    record = record_of(chat_id, whole_request(()))
    row = tuple(columns_of(record)[column.name] for column in RECORD)
    rows = [(f"r{number}", *row[1:]) for number in range(5)]
    known = KnownRecords(most=3)
    made = known.of(rows)
    assert [one.id for one in made] == [row[0] for row in rows]
    again = known.of(rows[3:])
    assert all(one is other for one, other in zip(again, made[3:], strict=True))
    assert known.of(rows) == made


def test_segments_stand_with_their_blocks(tmp_path: Path) -> None:
    def said(number: int, *, current: bool) -> tuple[RequestMessage, list[SegmentSpan]]:
        blocks = (text_block(f"question {number}"), text_block(f"told {number}"))
        spans = [SegmentSpan(Segment.RECALLED, number * 2 + 1, 1, 1)]
        if current:
            spans.insert(0, SegmentSpan(Segment.CURRENT, number * 2 + 1, 0, 1))
        return RequestMessage("user", blocks), spans

    def turn(number: int) -> tuple[Request, tuple[SegmentSpan, ...]]:
        messages = [RequestMessage("user", (text_block("memo"),))]
        spans = [SegmentSpan(Segment.FACTS, -1, 1, 1), SegmentSpan(Segment.SUMMARY, 0, 0, 1)]
        for before in range(number + 1):
            message, more = said(before, current=before == number)
            messages += [message, RequestMessage("assistant", (text_block(f"answer {before}"),))]
            spans += more
        return whole_request(tuple(messages[:-1])), tuple(spans)

    async def write(store: Store) -> list[tuple[RequestRecord, Request]]:
        chat = await store.create_conversation("default", "", False)
        saved = []
        for number in range(20):
            request, spans = turn(number)
            record = record_of(chat.id, request, turn=number + 1, spans=spans)
            await store.save_request(record, request)
            # What comes later knows less of the spans, and changes none.
            for known in await store.requests(chat.id):
                await store.update_request(replace(known, counted=7))
            saved.append((replace(record, counted=7), request))
        return saved

    saved = with_store(tmp_path, write)

    async def read(store: Store) -> None:
        for record, request in saved:
            assert await store.request(record.id) == (record, request)
        for listed in await store.requests(saved[0][0].conversation_id):
            assert [span.segment for span in listed.spans] == [Segment.CURRENT]

    with_store(tmp_path, read)
    # Once each: tools, two of system, the memo; then question, told and answer of each turn, without the last answer.
    assert ask(tmp_path, "SELECT count(*) FROM request_block") == [(1 + 2 + 1 + 20 * 3 - 1,)]
    assert ask(tmp_path, "SELECT max(length(spans)) FROM request")[0][0] < 30
    counted = "SELECT coalesce(segment, ''), count(*) FROM request_block GROUP BY segment ORDER BY 1"
    assert ask(tmp_path, counted) == [
        ("", 1 + 1 + 20 * 2 - 1),
        ("facts", 1),
        ("recalled", 20),
        ("summary", 1),
    ]


def test_a_block_that_becomes_another_segment_is_told_so_from_then_on(tmp_path: Path) -> None:
    told = RequestMessage("user", (text_block("hi"), text_block("told"), text_block("told"), text_block("hi")))
    kinds = [
        (SegmentSpan(Segment.RECALLED, 0, 1, 2),),
        (SegmentSpan(Segment.CURRENT, 0, 0, 1), SegmentSpan(Segment.RECALLED, 0, 1, 1)),
        (SegmentSpan(Segment.RECALLED, 0, 1, 1), SegmentSpan(Segment.SUMMARY, 0, 2, 1)),
        (),
        (SegmentSpan(Segment.RECALLED, 0, 0, 1), SegmentSpan(Segment.RECALLED, 0, 2, 1)),
    ]

    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        request = whole_request((told,))
        records = [record_of(chat.id, request, spans=spans) for spans in kinds]
        for record in records:
            await store.save_request(record, request)
        for record in records:
            assert await store.request(record.id) == (record, request)

    with_store(tmp_path, work)


def test_what_a_refusal_says_and_what_failed_come_back(tmp_path: Path) -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "위험한 요청입니다 {<b>}"}

    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        request = whole_request(())
        refused = record_of(chat.id, request, stop_reason="refusal", stop_details=details)
        failed = record_of(chat.id, request, state=RequestState.FAILED, error="stream_broken")
        for record in (refused, failed):
            await store.save_request(replace(record, state=RequestState.SENT, stop_details=None), request)
            await store.update_request(record)
        assert await store.requests(chat.id) == [refused, failed]
        assert refused.refusal is not None and refused.refusal.explanation == details["explanation"]
        assert replace(refused, stop_reason="end_turn").refusal is None

    with_store(tmp_path, work)


def test_a_block_said_and_sent_is_one_row(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for _ in range(2):
            chat = await store.create_conversation("default", "", False)
            chain = await add_chain(store, chat.id, ["the same words", "an answer"])
            request = request_of(chain)
            await store.save_request(record_of(chat.id, request), request)

    with_store(tmp_path, work)
    bodies = Counter(body for (body,) in ask(tmp_path, "SELECT body FROM block"))
    assert bodies == {to_json(text_block(text)): 1 for text in ("the same words", "an answer", "be kind")}


blocks = st.sampled_from(["a", "b", "c", "가나다", ""]).map(text_block)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("grow"), st.lists(blocks, max_size=3), st.sampled_from(["user", "assistant"])),
        st.tuples(st.just("cut"), st.integers(0, 12), st.just("")),
        st.tuples(st.just("extend"), st.lists(blocks, min_size=1, max_size=2), st.just("")),
        st.tuples(st.just("prefix"), st.integers(0, 2), st.just("")),
        st.tuples(st.just("same"), st.just(0), st.just("")),
    ),
    min_size=1,
    max_size=25,
)


def histories(moves: list[tuple[str, Any, str]]) -> list[Request]:
    """Requests of a conversation that grows, is edited, repeated and changes its prefix."""
    messages: tuple[RequestMessage, ...] = ()
    tools: tuple[Block, ...] = (TOOL,)
    requests = []
    for move, value, role in moves:
        if move == "grow":
            messages += (RequestMessage(role, tuple(value)),)
        elif move == "cut":
            messages = messages[:value]
        elif move == "extend" and messages:
            last = messages[-1]
            messages = (*messages[:-1], RequestMessage(last.role, last.blocks + tuple(value)))
        elif move == "prefix":
            tools = tuple({**TOOL, "name": f"t{number}"} for number in range(value))
        requests.append(whole_request(messages, tools=tools))
    return requests


@settings(max_examples=15, deadline=None, database=None)
@given(steps)
@pytest.mark.of_file
def test_any_history_comes_back_also_after_reopening(moves: list[tuple[str, Any, str]]) -> None:
    requests = histories(moves)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        saved: dict[str, Request] = {}

        async def write(store: Store) -> None:
            chats = [await store.create_conversation("default", "", False) for _ in range(2)]
            for number, request in enumerate(requests):
                record = record_of(chats[number % 5 == 4].id, request)
                await store.save_request(record, request)
                saved[record.id] = request

        async def check(store: Store) -> None:
            for request_id, request in saved.items():
                _, found = await store.request(request_id)
                assert found == request
                assert found.body_bytes() == request.body_bytes()

        with_store(folder, write)
        with_store(folder, check)


@pytest.mark.timed
def test_300_turns_cost_what_they_add(tmp_path: Path) -> None:
    random_text = random.Random(7)
    messages: list[RequestMessage] = []
    sizes: dict[int, int] = {}
    seconds: list[float] = []

    def turn(number: int) -> Request:
        words = " ".join(random_text.choices(["alpha", "베타", "gamma", "델타"], k=60))
        messages.append(RequestMessage("user", (text_block(f"{number} {words}"),)))
        request = whole_request(tuple(messages), marks=(Mark(len(messages) - 1, 0),))
        messages.append(RequestMessage("assistant", (text_block(f"answer {number} {words}"),)))
        return request

    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        ids = []
        for number in range(1, 301):
            request = turn(number)
            record = record_of(chat.id, request, turn=number)
            start = time.perf_counter()
            await store.save_request(record, request)
            seconds.append(time.perf_counter() - start)
            ids.append((record.id, request.body_bytes()))
            if number % 100 == 0:
                sizes[number] = size_of(tmp_path)
        for request_id, body in ids[::10]:
            assert (await store.request(request_id))[1].body_bytes() == body

    with_store(tmp_path, work)
    print(f"save_request at turn 300: {min(seconds[-9:]) * 1000:.1f} ms; bytes at turns {sizes}")
    early, late = sizes[200] - sizes[100], sizes[300] - sizes[200]
    assert late < early * 1.2
    body = sum(len(to_json(message.as_json()).encode()) for message in messages)
    assert sizes[300] < 3 * body + 300_000
    assert ask(tmp_path, "SELECT count(*) FROM request_block") == [(3 + 1 + 299 * 2,)]


def size_of(folder: Path) -> int:
    """Pages in use, whether they are in the log or in the file."""
    ((pages,),) = ask(folder, "PRAGMA page_count")
    return int(pages) * 4096


@pytest.mark.timed
def test_repeating_an_answer_often_neither_grows_the_disk_nor_slows_reading(tmp_path: Path) -> None:
    history = tuple(RequestMessage("user", (text_block(f"message {number}"),)) for number in range(200))

    async def work(store: Store) -> float:
        chat = await store.create_conversation("default", "", False)
        for number in range(100):
            changed = (*history, RequestMessage("user", (text_block(f"try {number}"),)))
            request = whole_request(changed)
            record = record_of(chat.id, request)
            await store.save_request(record, request)
        start = time.perf_counter()
        assert (await store.request(record.id))[1] == request
        return time.perf_counter() - start

    assert with_store(tmp_path, work) < 0.2
    assert ask(tmp_path, "SELECT count(*) FROM request_block") == [(3 + 200 + 100,)]
    assert ask(tmp_path, "SELECT count(DISTINCT base) FROM request") == [(1,)]


def test_what_is_known_of_a_request_is_replaced_and_its_body_is_not(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        request = whole_request((RequestMessage("user", (text_block("hi"),)),))
        record = record_of(chat.id, request, window=None)
        await store.save_request(record, request)
        for changes in (
            {"counted": 12},
            {"edits": ({"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3, "note": "보리 🐶"},)},
            {"edits": ()},
            {"usage": Usage(), "state": RequestState.FAILED, "error": "overloaded"},
            {"usage": Usage(uncached=0, read=None, output=0, split_known=False, output_estimated=True)},
            {
                "state": RequestState.ANSWERED,
                "usage": Usage(1, 2, 3, 4, 5, 6),
                "answered_by": "m-1",
                "stop_reason": "end_turn",
                "remote_id": "msg_1",
                "seconds": 0.125,
                "error": None,
            },
        ):
            record = replace(record, **changes)
            await store.update_request(record)
            assert await store.request(record.id) == (record, request)
        with pytest.raises(NotFound):
            await store.update_request(replace(record, id="nothing"))

    with_store(tmp_path, work)


def test_known_totals_prefer_what_was_measured(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        other = await store.create_conversation("default", "", False)
        request = whole_request((RequestMessage("user", (text_block("hi"),)),))
        for conversation_id, digest, counted, usage in (
            (chat.id, "both", 10, Usage(uncached=3, write_5m=4, write_1h=2, read=2)),
            (chat.id, "both", 12, None),
            (chat.id, "counted", 9, Usage(output=4)),
            (chat.id, "counted", 8, None),
            (chat.id, "neither", None, None),
            (chat.id, "not asked", 1, None),
            (chat.id, "measured as nothing", 7, Usage(uncached=0, output=3)),
            (chat.id, "never looked", 0, Usage(uncached=0, output=3)),
            (other.id, "elsewhere", 5, None),
        ):
            record = record_of(conversation_id, request, digest=digest, counted=counted, usage=usage)
            await store.save_request(record, request)
        asked = ["both", "counted", "neither", "elsewhere", "measured as nothing", "never looked"]
        asked += [*(f"digest {number}" for number in range(2000))]
        assert await store.known_totals(chat.id, asked) == {
            "both": Figure(11, Known.MEASURED),
            "counted": Figure(8, Known.COUNTED),
            "measured as nothing": Figure(7, Known.COUNTED),
        }
        assert await store.known_totals(chat.id, []) == {}

    with_store(tmp_path, work)
