"""Mnemoscope's own strategies on an imported chat, through its services, and its archive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop_app.core import turn_events
from desktop_app.core.archive import message_text
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.compaction.plan import FoldOrder
from tests.benchmarks.compaction_chats import Chat, NewTurn
from tests.benchmarks.compaction_rounds import TAIL, Folded, answer_with
from tests.benchmarks.compaction_values import stands_in
from tests.fakes.house import House
from tests.fakes.simulator import RunningSimulator

OURS = (Strategy.MEMO, Strategy.RUNNING, Strategy.TIERS, Strategy.WINDOW)
PROFILE: dict[str, Any] = {"fold_keep": TAIL, "fold_automatically": False}
HITS = 8


async def imported(house: House, chat: Chat, folder: Path) -> str:
    """The chat in a house, by its id."""
    profile = house.services.settings.settings.profile
    await house.services.importing.import_file(chat.export(folder), profile)
    found = await house.services.store.conversations(profile)
    return next(conversation.id for conversation in found if conversation.title == chat.name)


@dataclass
class OurTalk:
    """One conversation of a house under one strategy."""

    house: House
    talk: str
    strategy: Strategy
    simulator: RunningSimulator
    stood_for: int = 0
    """Tokens of all messages that are folded so far."""

    async def fold(self) -> Folded:
        """See Talk."""
        path = await self.house.path(self.talk)
        before = await self.house.services.compaction.current(self.talk)
        gone = before.folded if before else 0
        made = await self._made()
        self.stood_for += made.folded_tokens - (before.summary_tokens if before else 0)
        of_all = 1 - made.summary_tokens / self.stood_for
        return Folded((made.folded - gone) / (len(path) - gone), made.saved, len(made.request_ids), of_all)

    async def ask(self, turn: NewTurn) -> None:
        """See Talk."""
        answer_with(self.simulator, turn.answer)
        await self.house.ask(turn.question, self.talk)
        self._check()

    async def answer(self, text: str) -> None:
        """See Talk."""
        answer_with(self.simulator, text)
        question = (await self.house.path(self.talk))[-1]
        await self.house.services.chat.answer_again(question.id, self.house.events.append, self.house.control)
        self._check()

    async def _made(self) -> Compaction:
        order = FoldOrder(strategy=self.strategy)
        return await self.house.services.compaction.fold(self.talk, order, self.house.events.append)

    def _check(self) -> None:
        ended = self.house.events[-1]
        if not isinstance(ended, turn_events.TurnFinished):
            raise RuntimeError(f"the turn did not finish: {ended}")
        self.house.events.clear()


async def share_in_archive(
    house: House, talk: str, named: Iterable[str], values: Iterable[str]
) -> tuple[float, list[str]]:
    """The share of values for which the search gives a message that holds them, and those it does not find."""
    archive = house.services.archive
    profile = house.services.settings.settings.profile
    texts = {message.id: message_text(message.blocks) for message in await house.path(talk)}
    wanted = [*((value, False) for value in named), *((value, True) for value in values)]
    missing = []
    for value, alone in wanted:
        hits = (await archive.search(profile, value, talk, HITS, facts=False)).messages
        found = [texts[hit.message_id] for hit in hits]
        if not any(stands_in(value, text) if alone else value in text for text in found):
            missing.append(value)
    return 1 - len(missing) / len(wanted), missing
