"""Results are read by the ids a request tells, also where a server gives an id again and part of the past is folded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.context import BROKEN_CALL, memo_in_use, plan_context
from desktop_app.core.conversation import Block, Epoch, Message, Origin, now, text_block
from desktop_app.core.errors import NotFound
from desktop_app.core.ports import ToolError
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall
from desktop_app.services.archive import ArchiveService
from desktop_app.services.archive_tools import ReadToolResult, SearchConversation
from tests.adapters.store_parts import opened, reply, user

P = "default"
EPOCH = Epoch(1, "m", "", ({"name": "read_file"},), result_limit=1_000)
Turn = Sequence[tuple[str, str | None]]
"""The calls of one turn, side by side: id and result, None where it never came."""


class NoFacts:
    """No long-term memory."""

    async def search(self, *_: object, **__: object) -> list[object]:
        return []


class Desk:
    """One conversation of a store, with the tools that look into it."""

    def __init__(self, store: Store, chat_id: str) -> None:
        self.store, self.chat_id = store, chat_id
        self.archive = ArchiveService(store, NoFacts())  # type: ignore[arg-type]
        self.reader = ReadToolResult(self.archive)
        self.searcher = SearchConversation(self.archive, store, lambda _: replace(ProfileSettings(), memory=False))

    async def turns(self, *turns: Turn, ends: str = "end_turn", last: Message | None = None) -> list[Message]:
        """Adds turns behind a message; their last messages."""
        tips = []
        for number, turn in enumerate(turns):
            last = await self.store.add_message(user(self.chat_id, last, f"question {number}"))
            calls = [call(id_) for id_, _ in turn]
            if calls:
                last = await self.store.add_message(reply(self.chat_id, last, *calls, stop_reason="tool_use"))
            if came := [result(id_, text) for id_, text in turn if text is not None]:
                answers = replace(user(self.chat_id, last, *came), origin=Origin.TOOL_RESULTS)
                last = await self.store.add_message(answers)
            last = await self.store.add_message(reply(self.chat_id, last, "done", stop_reason=ends))
            tips.append(last)
        return tips

    async def fold(self, until: Message, block: Block | None = None) -> Compaction:
        made = Compaction(f"k{until.id}", self.chat_id, until.id, "text", 1, 9, 5, now(), "m", 1.0, block=block)
        await self.store.add_compaction(made)
        return made

    async def read(self, id_: str) -> str:
        answer = await self.reader.run({"tool_use_id": id_}, ToolCall(P, self.chat_id, "", "now"))
        return answer.partition("\n")[2]

    async def sent(self) -> dict[str, str]:
        """What the next request tells of results: the first line of each by its id, broken calls left out."""
        path = await self.store.path(self.chat_id)
        plan = plan_context(path, EPOCH, memo_in_use(path, await self.store.compactions(self.chat_id)))
        blocks = [planned.block for message in plan.messages for planned in message.blocks]
        told = [block for block in blocks if block["type"] == "tool_result" and block["content"] != BROKEN_CALL]
        assert len({block["tool_use_id"] for block in told}) == len(told), "ids are unique in a request"
        return {block["tool_use_id"]: str(block["content"]).splitlines()[0] for block in told}


def call(id_: str) -> Block:
    return {"type": "tool_use", "id": id_, "name": "read_file", "input": {"path": "a"}}


def result(id_: str, text: str) -> Block:
    return {"type": "tool_result", "tool_use_id": id_, "content": f"{text}\n" + "line of a log\n" * 150}


def at_desk(folder: Path, work: Callable[[Desk], Awaitable[None]]) -> None:
    async def run() -> None:
        async with opened(folder) as store:
            await work(Desk(store, (await store.create_conversation(P, "", False)).id))

    asyncio.run(run())


TURNS: dict[str, list[Turn]] = {
    "one call a turn": [[("c", "one")], [("c", "two")], [("c", "three")], [("c", "four")]],
    "side by side": [[("c", "one"), ("c", "two")], [("c", "three"), ("d", "four")], [("d", "five"), ("c", "six")]],
    "a call without a result": [[("c", "one")], [("c", None)], [("c", "three")], [("c", None)], [("c", "five")]],
    "an id like a number of ours": [[("c", "one")], [("c", "two")], [("c-2", "three")], [("c-2", "four")]],
    "ids of their own": [[("c1", "one")], [("c2", "two")], [("c3", "three")]],
    "turns without calls": [[("c", "one")], [], [("c", "two")], []],
}


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("refused", [False, True])
def test_every_id_a_request_tells_reads_the_result_it_stands_at(tmp_path: Path, name: str, refused: bool) -> None:
    async def work(desk: Desk) -> None:
        tips = await desk.turns(*TURNS[name])
        if refused:
            (bad,) = await desk.turns([("c", "of a refused turn")], ends="refusal", last=tips[-1])
            tips += await desk.turns([("c", "behind it")], last=bad)
        everything = {text for turn in TURNS[name] for _, text in turn if text} | ({"behind it"} if refused else set())
        for boundary in (None, *tips[:-1]):
            if boundary is not None:
                await desk.fold(boundary)
            told = await desk.sent()
            read = {id_: (await desk.read(id_)).splitlines()[0] for id_ in told}
            assert read == told
            readable = await desk.archive.results(desk.chat_id)
            found = {str(kept.block["content"]).splitlines()[0] for kept in readable.values() if kept is not None}
            assert found == everything | ({"of a refused turn"} if refused else set())
            assert list(readable)[: len(told)] == list(told) or None in list(readable.values())
            for id_ in readable:
                if readable[id_] is not None:
                    await desk.read(id_)

    at_desk(tmp_path, work)


def test_folded_results_have_the_numbers_behind_those_in_the_context(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        tips = await desk.turns([("c", "one")], [("c", "two")], [("c", "three")], [("c", "four")])
        await desk.fold(tips[1])
        read = [(await desk.read(id_)).splitlines()[0] for id_ in ("c", "c-2", "c-3", "c-4")]
        assert read == ["three", "four", "one", "two"]
        with pytest.raises(ToolError, match="No tool call with this id"):
            await desk.read("c-5")
        with pytest.raises(NotFound):
            await desk.archive.tool_result(desk.chat_id, "d")

    at_desk(tmp_path, work)


def test_a_call_without_a_result_is_not_given_that_of_another(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        tips = await desk.turns([("c", "one")], [("c", None)], [("c", "three")])
        await desk.fold(tips[0])
        with pytest.raises(ToolError, match="No tool call with this id"):
            await desk.read("c")
        assert (await desk.read("c-2")).startswith("three")
        assert (await desk.read("c-3")).startswith("one")

    at_desk(tmp_path, work)


def test_a_summary_taken_back_gives_the_ids_of_before(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        tips = await desk.turns([("c", "one")], [("c", "two")])
        made = await desk.fold(tips[0])
        assert (await desk.read("c")).startswith("two")
        await desk.store.update_compaction(replace(made, state=CompactionState.UNDONE))
        assert (await desk.read("c")).startswith("one")

    at_desk(tmp_path, work)


def test_the_block_of_the_api_folds_only_for_requests_that_hold_it(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        tips = await desk.turns([("c", "one")], [("c", "two")])
        made = await desk.fold(tips[0], {"type": "compaction", "content": "text"})
        assert (await desk.read("c")).startswith("two")
        await desk.store.add_epoch(desk.chat_id, replace(EPOCH, compaction_id=made.id))
        assert (await desk.read("c")).startswith("two")
        await desk.store.add_epoch(desk.chat_id, replace(EPOCH, number=2, model="other"))
        assert (await desk.read("c")).startswith("one")

    at_desk(tmp_path, work)


def test_a_search_tells_the_id_that_reads_what_it_found(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        words = ("anchor", "barrel", "candle", "dolphin")
        tips = await desk.turns(*([("c", word)] for word in words))
        other = await desk.store.add_message(reply(desk.chat_id, tips[0], call("c"), call("z"), stop_reason="tool_use"))
        aside = user(desk.chat_id, other, result("c", "elephant"), result("z", "fountain"))
        await desk.store.add_message(replace(aside, origin=Origin.TOOL_RESULTS))
        await desk.store.move_head(desk.chat_id, tips[-1].id)
        for folded in (None, tips[1]):
            if folded is not None:
                await desk.fold(folded)
            for word in words:
                asked = ToolCall(P, desk.chat_id, "", "now")
                answer = await desk.searcher.run({"query": word}, asked)
                (line,) = [json.loads(one) for one in answer.splitlines() if one.startswith("{")]
                assert (await desk.read(line["tool_use_id"])).startswith(word)
        answer = await desk.searcher.run({"query": "elephant"}, ToolCall(P, desk.chat_id, "", "now"))
        assert "elephant" in answer and "tool_use_id" not in answer, "of another version, with an id in use here"

    at_desk(tmp_path, work)


def test_an_image_in_a_result_is_named(tmp_path: Path) -> None:
    async def work(desk: Desk) -> None:
        (tip,) = await desk.turns([("c", "one")])
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
        asked = await desk.store.add_message(user(desk.chat_id, tip, "look"))
        called = await desk.store.add_message(reply(desk.chat_id, asked, call("c"), stop_reason="tool_use"))
        answer = {"type": "tool_result", "tool_use_id": "c", "content": [text_block("a plan"), picture]}
        await desk.store.add_message(replace(user(desk.chat_id, called, answer), origin=Origin.TOOL_RESULTS))
        await desk.fold(tip)
        assert await desk.read("c") == "a plan\n[image]"

    at_desk(tmp_path, work)
