"""Realistic values for the window's tests: budgets, histories and a past request."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from desktop_app.bridge.session_state import ShownRequest
from desktop_app.core.context import PlannedBlock
from desktop_app.core.context_budget import BlockTokens, Budget, BudgetRow
from desktop_app.core.conversation import text_block, to_json
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.request_log import RequestRecord, RequestState
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Figure, Known, Usage

START = datetime(2026, 11, 30, 4, 2, tzinfo=UTC)


def block(segment: Segment, tokens: int, content: dict[str, Any], message: str | None = None) -> BlockTokens:
    """One block with a counted figure."""
    return BlockTokens(PlannedBlock(segment, content, message), Figure(tokens, Known.COUNTED))


def row(segment: Segment, known: Known, *blocks: BlockTokens) -> BudgetRow:
    """A row whose tokens are the sum of its blocks."""
    return BudgetRow(segment, Figure(sum(one.figure.tokens for one in blocks), known), tuple(blocks))


def budget(
    messages: int = 53_100,
    window: int | None = 1_000_000,
    known: Known = Known.COUNTED,
    reserve: int = 32_000,
) -> Budget:
    """A budget of system, tools, messages (in three blocks) and the current message."""
    third = messages // 3
    rows = (
        row(Segment.SYSTEM, Known.COUNTED, block(Segment.SYSTEM, 1_840, text_block("Answer in short sentences."))),
        row(
            Segment.TOOLS,
            Known.COUNTED,
            block(Segment.TOOLS, 2_310, {"name": "calculator", "description": "Computes exactly."}),
        ),
        row(
            Segment.MESSAGES,
            Known.COUNTED,
            block(Segment.MESSAGES, third, text_block("오프사이트 사본은 아직 옛 버킷에 있지?"), "m1"),
            block(Segment.MESSAGES, third, {"type": "thinking", "thinking": "The bucket moved."}, "m2"),
            block(
                Segment.MESSAGES,
                messages - 2 * third,
                {"type": "tool_use", "id": "t1", "name": "calculator", "input": {"expression": "35*24"}},
                "m2",
            ),
        ),
        row(
            Segment.CURRENT,
            Known.ESTIMATED,
            block(Segment.CURRENT, 683, text_block("And the encryption keys, are they there too?"), "m3"),
        ),
    )
    total = sum(one.figure.tokens for one in rows)
    return Budget("claude-opus-5-5", Figure(total, known), rows, reserve, window, total + 120)


def record(turn: int, messages: int, *, round_number: int = 1, id: str | None = None) -> RequestRecord:
    """The record of one answered request, eleven minutes after the one before."""
    rows = (
        (Segment.SYSTEM, Figure(1_840, Known.COUNTED)),
        (Segment.TOOLS, Figure(2_310, Known.COUNTED)),
        (Segment.MESSAGES, Figure(messages, Known.COUNTED)),
        (Segment.CURRENT, Figure(683, Known.COUNTED)),
    )
    total = sum(figure.tokens for _, figure in rows)
    return RequestRecord(
        id=id or f"r{turn}.{round_number}",
        conversation_id="c1",
        turn_id=f"t{turn}",
        turn=turn,
        round=round_number,
        sent_at=START + timedelta(minutes=11 * turn),
        host="api.anthropic.com",
        model="claude-opus-5-5",
        digest="d",
        reserve=32_000,
        window=1_000_000,
        estimated=total - 90,
        rows=rows,
        state=RequestState.ANSWERED,
        counted=total,
        usage=Usage(uncached=total, output=400),
        seconds=1.1,
    )


def history(turns: int = 46) -> list[RequestRecord]:
    """A growing conversation."""
    return [record(turn, 900 + turn * 1_150 + (turn * 37 % 11) * 90) for turn in range(1, turns + 1)]


def shown(one: RequestRecord, sent: str | None = None) -> ShownRequest:
    """A past request as it was sent; `sent` is its JSON."""
    text = sent or to_json(
        {
            "max_tokens": 32_000,
            "messages": [{"role": "user", "content": [text_block("Where did we put the backups? 백업 <b>x</b>")]}],
            "model": one.model,
        }
    )
    messages = next(figure.tokens for segment, figure in one.rows if segment is Segment.MESSAGES)
    return ShownRequest(one, budget(messages, known=Known.MEASURED), request_from(json.loads(text)))


def request_from(body: dict[str, Any]) -> Request:
    """The request with that body."""
    params = {name: value for name, value in body.items() if name not in ("messages", "tools", "system")}
    messages = tuple(RequestMessage(one["role"], tuple(one["content"])) for one in body["messages"])
    return Request(params, tuple(body.get("tools", ())), tuple(body.get("system", ())), messages)
