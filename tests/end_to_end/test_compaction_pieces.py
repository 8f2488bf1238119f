"""Where compaction is needed most it works: a message larger than the window, pictures and PDFs, a full window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import turn_events
from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import AttachedFile
from desktop_app.core.compaction.compaction import CompactionCause, CompactionState, Strategy, WrittenBy
from tests.end_to_end.compaction_stage import (
    LARGE,
    PLAIN,
    fold,
    in_house,
    last_chat,
    messages_of,
    summaries,
    talk_of,
    written,
)
from tests.fakes.attached import pdf, picture
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

HEAD, TAIL = "HEAD-NEEDLE-4711", "TAIL-NEEDLE-0815"
MIDDLE = "The weather at the harbour was calm and the boats came in one after the other.\n"


def huge(characters: int) -> str:
    """One message with a needle at either end."""
    return f"{HEAD}\n{MIDDLE * (characters // len(MIDDLE))}{TAIL}"


def within(simulator: RunningSimulator, window: int) -> None:
    """Every request that was answered fits the window by the simulator's own count."""
    counts = [row["input_tokens"] for row in simulator.recorded("/v1/messages") if row["status"] == 200]
    assert counts and max(counts) <= window


@pytest.mark.parametrize(
    ("model", "window", "characters", "strategy"),
    [
        ("claude-haiku-4-5", 200_000, 1_200_000, Strategy.MEMO),
        ("claude-sim-small", 8_000, 80_000, Strategy.MEMO),
        ("claude-sim-small", 8_000, 60_000, Strategy.TIERS),
        ("claude-sim-small", 8_000, 60_000, Strategy.WINDOW),
    ],
)
def test_a_message_larger_than_the_window_is_compacted_in_pieces(
    tmp_path: Path, simulator: RunningSimulator, model: str, window: int, characters: int, strategy: Strategy
) -> None:
    async def test(house: House) -> None:
        text = huge(characters)
        talk = await written(house, "Hello", "Hi", text, "That is a lot.", "Thanks", "Gladly.")
        state = await house.services.compaction.state(talk)
        assert state.used is not None and state.used.tokens > window and state.due
        made = await fold(house, talk, strategy)
        assert made.state is CompactionState.ACTIVE
        by = {Strategy.WINDOW: WrittenBy.NOBODY, Strategy.TIERS: made.written_by}.get(strategy, WrittenBy.PIECES)
        assert made.written_by is by
        assert made.after < 0.75 * window
        within_pieces = [request for _, request in await summaries(house, talk)]
        assert len(within_pieces) < 80
        if strategy is not Strategy.WINDOW:
            quoted = "".join(messages_of(request) for request in within_pieces)
            assert quoted.count(HEAD) >= 1 and quoted.count(TAIL) >= 1
        assert text in [message.text for message in await house.path(talk)]
        for needle in (HEAD, TAIL):
            found = await house.services.archive.search("demo", needle, talk)
            assert found.messages and found.messages[0].number == 3
        await talk_of(house, "And now?", talk=talk)
        assert house.of(turn_events.TurnFinished) and not house.of(turn_events.TurnFailed)

    in_house(tmp_path, simulator, test, **{**PLAIN, "model": model, "fold_model": model, "memory": False})
    if strategy is not Strategy.WINDOW:
        within(simulator, window)


def test_a_turn_on_a_full_window_makes_room_by_itself_once(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def test(house: House) -> None:
        talk = await written(house, "Hello", "Hi", huge(60_000), "That is a lot.")
        await talk_of(house, "Thanks", talk=talk)
        assert [event.stop_reason for event in house.of(turn_events.TurnFinished)] == ["end_turn"]
        (made,) = await house.services.store.compactions(talk)
        assert (made.cause, made.state) == (CompactionCause.AUTOMATIC, CompactionState.ACTIVE)
        assert (await last_chat(house, talk)).messages[-1].blocks[-1]["text"] == "Thanks"

    in_house(tmp_path, simulator, test, **{**PLAIN, "fold_automatically": True})
    within(simulator, 8_000)


async def send(house: House, talk: str | None, text: str, *files: AttachedFile) -> str:
    chat = house.services.chat
    talk = talk or (await chat.new_conversation(text, files)).id
    await chat.send(talk, text, house.events.append, house.control, attachments=files)
    return talk


def kinds(messages: Any) -> list[str]:
    return [block["type"] for message in messages for block in message.blocks if block["type"] in ("image", "document")]


@pytest.mark.parametrize("strategy", [Strategy.MEMO, Strategy.WINDOW])
def test_what_is_attached_stays_whole_in_the_newest_turn_and_leaves_a_pointer_when_it_folds(
    tmp_path: Path, simulator: RunningSimulator, strategy: Strategy
) -> None:
    async def test(house: House) -> None:
        first, newest = picture("plan.png", side=720), picture("harbour.png", side=64, seed=2)
        talk = await send(house, None, "Look at this", first)
        await send(house, talk, "And at that", recognised("report.pdf", pdf(9)))
        await send(house, talk, "Thanks")
        await send(house, talk, "One more", newest)
        assert house.of(turn_events.FoldingStarted) == []
        assert kinds((await last_chat(house, talk)).messages) == ["image", "document", "image"]
        plan = await house.services.compaction.plan(talk, strategy)
        assert plan.folded_tokens < 691 * 1.3 + 9 * 3_000  # by pixels and pages, not by a megabyte of base64
        assert plan.folded_tokens > 691 * 0.7 + 9 * 1_000
        made = await fold(house, talk, strategy)
        for _, request in await summaries(house, talk):
            text = messages_of(request)
            assert len(text) < 20_000 and kinds(request.messages) == []
            assert "[image: plan.png, 720×720]" in text and "[PDF: report.pdf, 9 pages]" in text
            assert "harbour.png" not in text
        await send(house, talk, "And now?")
        request = await last_chat(house, talk)
        whole = [block for message in request.messages for block in message.blocks if block["type"] == "image"]
        sent = [block for message in await house.path(talk) for block in message.blocks if block["type"] == "image"]
        assert whole == [sent[-1]]
        for name in ("plan.png", "report.pdf"):
            assert name in made.summary and name in messages_of(request)

    in_house(tmp_path, simulator, test, **{**LARGE, "fold_keep": 300, "fold_automatically": True}, fold_by="separate")
