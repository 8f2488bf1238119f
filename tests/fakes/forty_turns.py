"""A conversation of forty turns with tools and thinking in both languages, and the oracle for its budget rows."""

from __future__ import annotations

from typing import Any

import httpx2

from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.segment import Segment

INSTRUCTIONS = (
    "You help one person keep track of a small household. The nightly backups go to the NAS under "
    "/srv/backup/nas-7 and are kept for 35 days. The router runs firmware 7.3.1. Answer briefly and name the "
    "place where you read something. 집 열쇠는 현관 옆 서랍에 있고, 관리실 전화는 02-555-0142입니다."
)

_ROUNDS = (
    "My bicycle is locked at the station, rack 14.",
    "use the calculator for 12*7 and 1250/8 and 99-101",
    "Where are the nightly backups kept, and for how long do we keep them?",
    "내 자전거는 어디에 있지? 그리고 관리실 전화번호도 알려 줘.",
    "write 150 words about harbours",
    "계산해 줘 1234*5678",
    "The invoice INV-2025-00417 over 1,240.50 EUR is due on 3 December; the contact is Mr. Han, han@example.org.",
    "show me code",
    "회의는 12월 3일 오후 2시, 장소는 3층 회의실이고 준비물은 지난 분기 보고서와 예산안 초안입니다.",
    "What do you know about invoice INV-2025-00417?",
)
PROMPTS = tuple(_ROUNDS[number % len(_ROUNDS)] for number in range(40))


class RowOracle:
    """Counts a request with and without each segment, by the server itself."""

    def __init__(self, http: httpx2.Client, headers: dict[str, str]) -> None:
        self._http = http
        self._headers = headers

    def rows(self, record: RequestRecord, request: Request) -> dict[Segment, int]:
        """Tokens of each segment: the count with it less the count without it.

        Thinking is taken out of both, since it would not fit another prefix; its tokens belong to the messages.
        """
        whole = _plain(request)
        base = self._count(whole)
        thinking = self._count(_with_thinking(request)) - base
        number, place = _current(record)
        rows = {
            Segment.TOOLS: base - self._count({**whole, "tools": []}) if request.tools else 0,
            Segment.SYSTEM: base - self._count({**whole, "system": []}) if request.system else 0,
        }
        shortened = [dict(message, content=list(message["content"])) for message in whole["messages"]]
        shortened[number]["content"][place] = {"type": "text", "text": "x"}
        rows[Segment.CURRENT] = base - self._count({**whole, "messages": shortened}) + 1
        alone = [{"role": "user", "content": [whole["messages"][number]["content"][place]]}]
        if len(whole["messages"]) > 1 or len(whole["messages"][0]["content"]) > 1:
            rows[Segment.MESSAGES] = base - self._count({**whole, "messages": alone}) + thinking
        return rows

    def _count(self, body: dict[str, Any]) -> int:
        clean = {name: value for name, value in body.items() if value}
        answer = self._http.post("/v1/messages/count_tokens", json=clean, headers=self._headers)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["input_tokens"])


def _with_thinking(request: Request) -> dict[str, Any]:
    body = request.body()
    return {name: body[name] for name in ("model", "messages", "system", "tools", "thinking") if name in body}


def _plain(request: Request) -> dict[str, Any]:
    body = _with_thinking(request)
    messages = []
    for message in body["messages"]:
        content = [block for block in message["content"] if block["type"] != "thinking"]
        messages.append({"role": message["role"], "content": content})
    return {**body, "messages": messages}


def _current(record: RequestRecord) -> tuple[int, int]:
    """The message and the block of the person's current text."""
    span = next(span for span in record.spans if span.segment is Segment.CURRENT)
    return span.message, span.first
