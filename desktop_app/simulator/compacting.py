"""The server's own compaction: when it is due, what it summarises, and how the assistant reads what became of it.

The summary covers everything up to the end of the request and is written by the assistant that writes handover memos;
instructions given take the place of its usual headings. Made while an answer is due, the block stands for the
whole conversation, and the answer goes on from it and from the turn that was still open; what was open travels in
the block, so that an answer may go on later. An open turn is used until the user says something new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .assistant import answer, speaks_korean
from .cache import Outcome
from .compaction_block import AT_THRESHOLD, ON_DEMAND, Genuine
from .conversation import Block, blocks_of, last_question, text_of
from .memo_modes import FAITHFUL
from .memo_sections import HEADINGS
from .models import Model
from .modes import Modes
from .reply import BLOCK_FRAME, Words
from .tokens import count_text

TRIGGER = 150_000
"""Input tokens at which a conversation is compacted where the edit names no trigger."""
MOST = 32_000  # tokens of a summary at a threshold; one on demand ends at `max_tokens`
UNAVAILABLE = "The conversation could not be compacted right now. Please try again."


@dataclass(frozen=True)
class Order:
    """A compaction that is due: its kind, the prompt in place of the usual one, whether nothing is said after it, and
    the most tokens of the summary."""

    kind: bytes
    instructions: str
    alone: bool
    most: int


def order_of(body: dict[str, Any], tokens: int) -> Order | None:
    """The compaction a checked request of so many input tokens leads to."""
    asked = body.get("compaction")
    if asked is not None:
        return Order(ON_DEMAND, asked.get("instructions") or "", True, body["max_tokens"])
    edit = compact_edit(body)
    if edit is None or body["max_tokens"] == 0 or tokens < (edit.get("trigger") or {"value": TRIGGER})["value"]:
        return None
    paused = bool(edit.get("pause_after_compaction"))
    return Order(AT_THRESHOLD, edit.get("instructions") or "", paused, MOST)


def compact_edit(body: dict[str, Any]) -> dict[str, Any] | None:
    """The edit that compacts at a threshold, where the request has one."""
    edits = (body.get("context_management") or {}).get("edits") or []
    return next((edit for edit in edits if edit["type"] == "compact_20260112"), None)


def summarise(body: dict[str, Any], model: Model, order: Order, mode: str = FAITHFUL) -> str | None:
    """The summary of a conversation as the assistant reads it; None where it is not a whole text that fits."""
    headings = "\n".join(f"## {name}" for name in HEADINGS[speaks_korean(body)])
    prompt = f"<handover_memo_request>\n{order.instructions.strip() or headings}"
    # The empty turn between keeps the prompt apart from words of the user that wait for their answer.
    asked = [{"role": "assistant", "content": []}, {"role": "user", "content": [{"type": "text", "text": prompt}]}]
    reply = answer({**body, "messages": [*body["messages"], *asked], "max_tokens": order.most}, model, Modes(mode))
    text = "".join(part.text for part in reply.parts if isinstance(part, Words)).strip()
    whole = reply.stop_reason == "end_turn" and reply.truncate is None and text
    return text if whole and summary_tokens(text) <= order.most else None


def summary_tokens(content: str | None) -> int:
    """Output tokens of a summary; a failed one was begun."""
    return 1 if content is None else count_text(content) + BLOCK_FRAME


def read(body: dict[str, Any], block: Genuine | None = None) -> dict[str, Any]:
    """A request as the assistant reads it: a compaction block at its beginning is a handover memo."""
    messages = body["messages"]
    blocks = blocks_of(messages[0]["content"])
    if not blocks or blocks[0]["type"] != "compaction":
        return body
    rest = [{**messages[0], "content": blocks[1:]}] if blocks[1:] else []
    rest += messages[1:]
    memo = {"type": "text", "text": f"<handover_memo>\n{blocks[0]['content']}\n</handover_memo>"}
    still_open = [] if block is None or last_question({"messages": rest}) else block.open_turn
    return {**body, "messages": [{"role": "user", "content": [memo]}, *still_open, *rest]}


def open_turn(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages from the user's last own words on; all where there are none."""
    for number in range(len(messages) - 1, -1, -1):
        if messages[number]["role"] == "user" and last_question({"messages": [messages[number]]}):
            return messages[number:]
    return messages


def carried(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a block carries of an open turn: its words, calls and the text of their results."""
    kept = []
    for message in messages:
        content = [_bare(b) for b in blocks_of(message["content"]) if b["type"] in ("text", "tool_use", "tool_result")]
        if content and message["role"] != "system":
            kept.append({"role": message["role"], "content": content})
    return kept


def _bare(block: Block) -> Block:
    bare = {key: value for key, value in block.items() if key != "cache_control"}
    return bare | {"content": text_of(block)} if block["type"] == "tool_result" else bare


def iteration(kind: str, outcome: Outcome, output: int) -> dict[str, Any]:
    """One entry of `usage.iterations`: a "compaction" reads the cache as it is and writes nothing into it."""
    if kind == "compaction":
        written = outcome.written_5m + outcome.written_1h
        outcome = Outcome(outcome.read, 0, 0, outcome.uncached + written)
    return {"type": kind, **outcome.usage(), "output_tokens": output}
