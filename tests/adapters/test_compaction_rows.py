"""Several compactions changed in one transaction, and the texts of all that stand or wait, found letter for letter."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from desktop_app.adapters.store import Store
from desktop_app.core.compaction.compaction import Compaction, CompactionState
from desktop_app.core.conversation import now
from desktop_app.core.errors import NotFound, StoreUnavailable
from tests.adapters.store_parts import add_chain, with_store

pytestmark = pytest.mark.usefixtures("database")

PROPOSED, ACTIVE, REJECTED, UNDONE, FAILED = (
    CompactionState.PROPOSED,
    CompactionState.ACTIVE,
    CompactionState.REJECTED,
    CompactionState.UNDONE,
    CompactionState.FAILED,
)


def made(chat_id: str, name: str, state: CompactionState = ACTIVE, **fields: object) -> Compaction:
    plain = Compaction(name, chat_id, "m", "nothing", 1, 9, 5, now(), "m", 1.0, state=state)
    return replace(plain, **fields)  # type: ignore[arg-type]


async def begun(store: Store, *kept: CompactionState) -> tuple[str, list[Compaction]]:
    chat = await store.create_conversation("default", "", False)
    all_of = [made(chat.id, f"k{number}", state) for number, state in enumerate(kept)]
    for one in all_of:
        await store.add_compaction(one)
    return chat.id, all_of


async def states(store: Store, chat_id: str) -> list[CompactionState]:
    return [one.state for one in await store.compactions(chat_id)]


def test_a_new_one_is_kept_and_proposals_give_way_together(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, kept = await begun(store, PROPOSED, ACTIVE, PROPOSED)
        edited = replace(kept[0], summary="not what is stored")
        await store.add_compaction(made(chat_id, "new", PROPOSED), rejecting=[edited, kept[1], kept[2]])
        assert await states(store, chat_id) == [REJECTED, ACTIVE, REJECTED, PROPOSED]
        assert (await store.compaction("k0")).summary == "nothing"

    with_store(tmp_path, work)


def test_where_the_new_one_cannot_be_kept_the_proposal_still_waits(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, kept = await begun(store, PROPOSED, ACTIVE)
        with pytest.raises(NotFound):
            await store.add_compaction(made("nothing", "new"), rejecting=kept)
        with pytest.raises((StoreUnavailable, IntegrityError)):
            await store.add_compaction(made(chat_id, "k1"), rejecting=kept)  # the id is taken
        assert await states(store, chat_id) == [PROPOSED, ACTIVE]

    with_store(tmp_path, work)


def test_several_are_taken_back_together_or_not_at_all(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, kept = await begun(store, ACTIVE, ACTIVE, ACTIVE)
        undone = [replace(one, state=UNDONE, after=7) for one in reversed(kept)]
        with pytest.raises(NotFound):
            await store.update_compactions([*undone, made(chat_id, "nothing")])
        assert await store.compactions(chat_id) == kept
        await store.update_compactions(undone[:2])
        assert await states(store, chat_id) == [ACTIVE, UNDONE, UNDONE]
        await store.update_compactions([])
        await store.update_compaction(undone[2])
        assert await store.compactions(chat_id) == undone[::-1]

    with_store(tmp_path, work)


@pytest.mark.of_file
def test_no_reader_ever_sees_half_of_a_change(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat_id, kept = await begun(store, *[ACTIVE] * 40)
        seen: set[tuple[CompactionState, ...]] = set()

        async def watch(writing: asyncio.Task[None]) -> None:
            while not writing.done():
                seen.add(tuple(await states(store, chat_id)))

        for state in (UNDONE, ACTIVE, UNDONE):
            changed = [replace(one, state=state) for one in kept]
            writing = asyncio.create_task(store.update_compactions(changed))
            await watch(writing)
            await writing
        assert all(len(set(one)) == 1 for one in seen)

    with_store(tmp_path, work)


TEXTS = ["green tea", "초록차 🍵", 'a "quoted" \\ path', "two\nlines\tand tab", "\u2028 and \u0001", "한"]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("where", ["summary", "block", "parts"])
def test_a_text_is_found_in_what_stands_or_waits(tmp_path: Path, text: str, where: str) -> None:
    said = f"They drink {text} every day."
    fields: dict[str, dict[str, object]] = {
        "summary": {"summary": said},
        "block": {"summary": "", "block": {"type": "compaction", "content": said, "signature": "x"}},
        "parts": {"block": {"type": "compaction", "content": [{"type": "text", "text": said}]}},
    }

    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        await add_chain(store, chat.id, ["one"])
        for number, state in enumerate((ACTIVE, PROPOSED, REJECTED, UNDONE, FAILED)):
            await store.add_compaction(made(chat.id, f"k{number}", state, **fields[where]))
        await store.add_compaction(made(chat.id, "other", ACTIVE, block={"type": "compaction", "content": "no"}))
        assert await store.compactions_with("default", ["zzz", text]) == ["k0", "k1"]
        assert await store.compactions_with("other", [text]) == []
        await store.delete(chat.id)
        assert await store.compactions_with("default", [text]) == []

    with_store(tmp_path, work)


def test_what_only_json_writes_is_no_text_of_a_summary(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        chat = await store.create_conversation("default", "", False)
        block = {"type": "compaction", "content": "one\ntwo", "encrypted_content": "c2VjcmV0"}
        await store.add_compaction(made(chat.id, "k", summary="", block=block))
        for text in ("compaction", "content", "ntwo", "\\n", "c2VjcmV0", '"', ""):
            assert await store.compactions_with("default", [text]) == [], text
        assert await store.compactions_with("default", ["one\ntwo"]) == ["k"]
        assert await store.compactions_with("default", ["e\nt"]) == [], "inside of words"
        assert await store.compactions_with("default", [*map(str, range(100, 2_000)), "two"]) == ["k"]

    with_store(tmp_path, work)
