"""What compaction costs over three hundred turns, how long we work on it ourselves, and what ROUGE-L tells apart."""

from __future__ import annotations

import gc
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from unittest.mock import patch

from desktop_app.adapters.claude.client import ClaudeEndpoint
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, Strategy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.compaction.rouge import rouge_l
from desktop_app.core.compaction.summary_check import LEAST_ROUGE
from desktop_app.core.money.pricing import PriceList, load_prices
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.stream import StreamEvent
from desktop_app.simulator.tokens import count_text
from tests.benchmarks.cache import AT, PAUSES
from tests.benchmarks.compaction_chats import Chat, Said, new_turns
from tests.benchmarks.compaction_ours import PROFILE, imported
from tests.benchmarks.compaction_rounds import answer_with
from tests.benchmarks.report import Figure
from tests.fakes.house import House, open_house
from tests.fakes.simulator import RunningSimulator

COST_TURNS, ANSWER = 300, 700
WORKED_ON, WORK_TIMES = 200_000, 3
MOST_SHARE, MOST_WORK = 5, 500


async def cost_share() -> list[Figure]:
    """Three hundred turns with default settings, pauses between them, a summariser at its worst: it is asked twice.

    Priced by Anthropic's list. Messages of the person have about 200 tokens, answers about 700.
    """
    chance, talk = random.Random(4), None
    with tempfile.TemporaryDirectory() as name, RunningSimulator("--memo", "worst") as simulator:
        async with open_house(Path(name), simulator.url) as house:
            for turn in new_turns(99, "en", COST_TURNS, answer=ANSWER):
                simulator.advance(chance.uniform(*PAUSES))
                answer_with(simulator, turn.answer)
                talk = await house.ask(turn.question, talk)
                house.events.clear()
            assert talk is not None
            records = await house.services.store.requests(talk)
            compactions = await house.services.store.compactions(talk)
    made = [one for one in compactions if one.cause is CompactionCause.AUTOMATIC]
    prices = load_prices()
    whole = _cost(prices, records)
    spent = _cost(prices, [record for record in records if record.purpose is RequestPurpose.MEMO])
    return [
        Figure(f"cost of compaction over {COST_TURNS} turns", float(100 * spent / whole), MOST_SHARE, " %"),
        Figure("the whole cost", float(whole), unit=" USD"),
        Figure("automatic compactions in it", len(made), 1, at_least=True),
    ]


def _cost(prices: PriceList, records: Sequence[RequestRecord]) -> Decimal:
    total = Decimal(0)
    for record in records:
        cost = prices.cost(record.answered_by or record.model, record.usage, AT)
        assert cost is not None
        total += cost.total
    return total


async def own_work() -> list[Figure]:
    """Milliseconds of one compaction that are spent outside its requests, the best of three.

    From the order to the event that it is kept: reading the conversation, boundary, both prices, quoting, checks,
    repair, composing, storing. It is the first compaction after a start, so nothing of any text is remembered, and the
    summariser is at its worst, so there are two drafts and two checks. Processor time counts, for a busy machine gives
    its time to others as well; what passed from sending a request to its last event is taken off.
    """
    figures = []
    gc.freeze()  # as the window does once it has started: what lives on is not looked through again
    for name, chat in (("", _long_chat(WORKED_ON)), (", short messages", _short_chat(WORKED_ON))):
        with tempfile.TemporaryDirectory() as folder, RunningSimulator("--memo", "worst") as simulator:
            async with open_house(Path(folder) / "data", simulator.url, **PROFILE) as house:
                talk = await imported(house, chat, Path(folder))
                taken = [await _work(house, talk) for _ in range(WORK_TIMES)]
        figures.append(Figure(f"our own work on 200k tokens{name}", min(taken), MOST_WORK, " ms"))
    gc.unfreeze()
    return figures


async def _work(house: House, talk: str) -> float:
    _forget()
    with _requests_timed() as asked:
        began = time.process_time()
        made = await _memo(house, talk)
        worked = time.process_time() - began
    assert len(asked) == len(made.request_ids) == 2, "the worst summariser is asked twice"
    await house.services.review.undo(talk)
    return 1000 * (worked - sum(asked))


def _forget() -> None:
    """Empties whatever is remembered of texts that were read before: values, words, forms, counts for estimates."""
    for name, module in list(sys.modules.items()):
        if name.startswith("desktop_app.core."):
            for kept in vars(module).values():
                if callable(getattr(kept, "cache_clear", None)):
                    kept.cache_clear()
    gc.collect()


@contextmanager
def _requests_timed() -> Iterator[list[float]]:
    """Processor seconds from sending a request to its last event, of each one."""
    spent: list[float] = []
    stream = ClaudeEndpoint.stream

    @asynccontextmanager
    async def timed(endpoint: ClaudeEndpoint, request: Request) -> AsyncIterator[AsyncIterator[StreamEvent]]:
        began = time.process_time()
        try:
            async with stream(endpoint, request) as events:
                yield events
        finally:
            spent.append(time.process_time() - began)

    with patch.object(ClaudeEndpoint, "stream", timed):
        yield spent


async def _memo(house: House, talk: str) -> Compaction:
    order = FoldOrder(strategy=Strategy.MEMO)
    return await house.services.compaction.fold(talk, order, house.events.append)


def _long_chat(tokens: int) -> Chat:
    """Turns like those of the rounds, until there are so many tokens."""
    messages: list[Said] = []
    size, seed = 0, 1_000
    while size < tokens:
        for turn in new_turns(seed, "en"):
            messages += [Said(True, turn.question), Said(False, turn.answer)]
            size += count_text(turn.question) + count_text(turn.answer)
        seed += 1
    return Chat("long", "en", tuple(messages), (), "")


def _short_chat(tokens: int) -> Chat:
    """The same in messages of two sentences."""
    messages: list[Said] = []
    for said in _long_chat(tokens).messages:
        sentences = said.text.split(". ")
        for place in range(0, len(sentences), 2):
            messages.append(Said(len(messages) % 2 == 0, ". ".join(sentences[place : place + 2])))
    return Chat("short", "en", tuple(messages), (), "")


async def likeness(talks: Sequence[Chat]) -> list[Figure]:
    """ROUGE-L of a faithful memo of each talk: against the talk itself the least, against any other the most.

    The opening turn that sets the same rule in all of them is left out.
    """
    if len(talks) < 2:
        return []
    talks = [replace(chat, messages=chat.messages[2:]) for chat in talks]
    memos: list[str] = []
    with tempfile.TemporaryDirectory() as name, RunningSimulator() as simulator:
        async with open_house(Path(name) / "data", simulator.url, **PROFILE) as house:
            for chat in talks:
                made = await _memo(house, await imported(house, chat, Path(name)))
                memos += [made.summary]
    turns = [[said.text for said in chat.messages] for chat in talks]
    likes = [[rouge_l(memo, said) for said in turns] for memo in memos]
    others = [like for place, row in enumerate(likes) for other, like in enumerate(row) if other != place]
    honest = min(row[place] for place, row in enumerate(likes))
    return [
        Figure("ROUGE-L of another conversation's summary", max(others), LEAST_ROUGE - 0.0001),
        Figure("ROUGE-L of an honest summary", honest, LEAST_ROUGE, at_least=True),
    ]
