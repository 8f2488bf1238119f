"""Three common ways to compact a conversation, as small as they are usually shown: memo, running summary, window."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.compaction_chats import Chat, NewTurn
from tests.benchmarks.compaction_rounds import TAIL, Folded, answer_with
from tests.fakes.simulator import RunningSimulator

MODEL = "claude-sonnet-5-5"
SYSTEM = "You are a helpful assistant."
MEMO_PROMPT = """<handover_memo_request>
Write a handover memo of the conversation above, so that the work can go on. Only what stands in it; "none" where
there is nothing. Keep to these headings:
## Goal
## Decisions, constraints, preferences
## Work in progress
## Facts
## Dead ends
## Next steps"""
RUNNING_PROMPT = """<running_summary_request>
Bring the earlier summary up to date with the new exchanges. Keep decisions, open items, preferences and names with
ids and paths, drop small talk, stay under 200 words. Return only the summary."""


@dataclass
class Baseline(ABC):
    """One chat in memory; `messages` are sent as they are, the first of them may be the summary."""

    simulator: RunningSimulator
    chat: Chat
    messages: list[dict[str, Any]] = field(default_factory=list)
    summary: str = ""
    fresh: bool = False

    def __post_init__(self) -> None:
        for said in self.chat.messages:
            self._add("user" if said.person else "assistant", said.text)

    async def ask(self, turn: NewTurn) -> None:
        """See Talk. Only the first after a compaction is sent: what is answered to the others is known."""
        self._add("user", turn.question)
        if self.fresh:
            await self.answer(turn.answer)
        else:
            self._add("assistant", turn.answer)
        self.fresh = False

    async def answer(self, text: str) -> None:
        """See Talk."""
        answer_with(self.simulator, text)
        self._add("assistant", await self._send(self._rendered()))

    async def fold(self) -> Folded:
        """See Talk."""
        old, recent = await self._split()
        gone = await self._count(self.summary, *(message["content"] for message in old))
        requests = await self._sum_up(old)
        self.messages, self.fresh = recent, True
        left = await self._count(self.summary) if self.summary else 0
        return Folded(len(old) / (len(old) + len(recent)), 1 - left / gone, requests)

    @abstractmethod
    async def _sum_up(self, old: list[dict[str, Any]]) -> int:
        """Makes `summary`; how many requests that took."""

    def _rendered(self) -> list[dict[str, Any]]:
        return [_user(f"[Summary of the conversation so far]\n\n{self.summary}"), *self.messages]

    async def _split(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The messages from the back that fit the tail stay, the last one always."""
        place, kept = len(self.messages), 0
        while place:
            tokens = await self._count(self.messages[place - 1]["content"])
            if kept and kept + tokens > TAIL:
                break
            place, kept = place - 1, kept + tokens
        return self.messages[:place], self.messages[place:]

    def _add(self, role: str, text: str) -> None:
        self.messages.append({"role": role, "content": text})

    async def _count(self, *texts: str) -> int:
        body = {"model": MODEL, "messages": [_user("\n".join(texts))]}
        answer = await self._post("/v1/messages/count_tokens", body)
        return int(answer["input_tokens"])

    async def _send(self, messages: list[dict[str, Any]], system: str = SYSTEM) -> str:
        body = {"model": MODEL, "max_tokens": 2048, "system": system, "messages": messages}
        answer = await self._post("/v1/messages", body)
        return "".join(block["text"] for block in answer["content"] if block["type"] == "text")

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        http, headers = self.simulator.http, self.simulator.headers()
        answer = await asyncio.to_thread(http.post, path, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


class PlainMemo(Baseline):
    """Everything old is sent once more with a prompt behind it; the memo stands in its place."""

    async def _sum_up(self, old: list[dict[str, Any]]) -> int:
        before = [_user(self.summary)] if self.summary else []
        system = "You condense conversations into handover memos."
        self.summary = await self._send([*before, *old, _user(MEMO_PROMPT)], system)
        return 1


class RunningSummary(Baseline):
    """The earlier summary and what is new become one, as text in a request of its own."""

    async def _sum_up(self, old: list[dict[str, Any]]) -> int:
        new = "\n".join(f"{message['role']}: {message['content']}" for message in old)
        talk = f"[Earlier summary]\n{self.summary or '(none)'}\n\n[New exchanges]\n{new}"
        blocks = [{"type": "text", "text": text} for text in (talk, RUNNING_PROMPT)]
        self.summary = await self._send([{"role": "user", "content": blocks}], "You keep a running summary.")
        return 1


class SlidingWindow(Baseline):
    """What is old is gone; the first message that stays is one of the person."""

    async def _split(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        old, recent = await super()._split()
        while recent and recent[0]["role"] != "user":
            old, recent = [*old, recent[0]], recent[1:]
        return old, recent

    async def _sum_up(self, old: list[dict[str, Any]]) -> int:
        return 0

    def _rendered(self) -> list[dict[str, Any]]:
        return self.messages


BASELINES: dict[str, type[Baseline]] = {
    "plain memo": PlainMemo,
    "running summary": RunningSummary,
    "sliding window": SlidingWindow,
}


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}
