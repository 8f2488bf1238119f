"""Compaction in a request: what asks for one, and the blocks of earlier ones that are sent back.

A request follows the rules of compaction on demand where it asks for one, holds a block made on demand or comes with
that header alone: one block with content, first of all. Otherwise everything before the last block is ignored, neither
counted nor checked. (Stricter than the API may be: a block needs the header of its own kind.)
"""

from __future__ import annotations

from typing import Any

from ..compaction_block import AT_THRESHOLD, ON_DEMAND, kind_of, stands_for_nothing, verify
from ..conversation import blocks_of
from ..errors import invalid
from ..models import COMPACT, SUMMARIZE, Model
from ..view import View
from .blocks import check_block
from .envelope import COMPACT_AT_THRESHOLD, COMPACT_ON_DEMAND, Envelope
from .shapes import need, need_dict, one_of, only_keys

HEADERS = {AT_THRESHOLD: COMPACT_AT_THRESHOLD, ON_DEMAND: COMPACT_ON_DEMAND}
CAPABILITIES = {AT_THRESHOLD: COMPACT, ON_DEMAND: SUMMARIZE}
UNKNOWN_TAG = "{}: Input tag 'compaction' found using 'type' does not match any of the expected tags"


def check_order(body: dict[str, Any], model: Model, *, counting: bool) -> None:
    """The `compaction` field and what it cannot be combined with; a count ignores it."""
    order = body.get("compaction")
    if order is None:
        return
    only_keys(need_dict(order, "compaction"), ("type", "instructions"), "compaction")
    one_of(need(order, "type", "compaction"), ("summarize",), "compaction.type")
    if not isinstance(order.get("instructions") or "", str):
        raise invalid("compaction.instructions: Input should be a valid string")
    if not model.offers(SUMMARIZE):
        raise invalid("compaction: `compaction` is not supported on this model")
    if body.get("context_management") is not None:
        raise invalid("compaction: cannot be combined with `context_management`")
    if counting:
        return
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    for name, given in (("stop_sequences", body.get("stop_sequences")), ("tool_choice", forced)):
        if given:
            raise invalid(f"compaction: cannot be combined with `{name}`")
    if body["max_tokens"] == 0:
        raise invalid("max_tokens: must be at least 1 when `compaction` is set")


def adopt(body: dict[str, Any], model: Model, envelope: Envelope) -> View:
    """The messages that count. Raises ApiError 400 for blocks that are not as they were returned, or misplaced."""
    messages = body["messages"]
    found = _blocks(messages)
    if not found:
        return View(messages)
    if not envelope.betas & set(HEADERS.values()):
        raise invalid(UNKNOWN_TAG.format(_path(found[0])))
    whole = [place for place in found if not stands_for_nothing(_block(messages, place))]
    strict = _by_the_rules_on_demand(body, envelope, [_block(messages, place) for place in whole])
    if strict and len(whole) > 1:
        raise invalid(
            f"{_path(whole[1])}: only one `compaction` block with content is allowed", "compaction_block_ambiguous"
        )
    for place in found if strict else found[-1:]:
        _check_place(messages, place)
    if not whole:
        return View.behind(messages, (0, 0), None)
    return _behind(body, model, envelope, whole[-1], strict=strict)


def _blocks(messages: Any) -> list[tuple[int, int]]:
    places = []
    for number, message in enumerate(messages if isinstance(messages, list) else []):
        content = message.get("content") if isinstance(message, dict) else None
        for index, block in enumerate(content if isinstance(content, list) else []):
            if isinstance(block, dict) and block.get("type") == "compaction":
                places.append((number, index))
    return places


def _block(messages: list[Any], place: tuple[int, int]) -> dict[str, Any]:
    found: dict[str, Any] = messages[place[0]]["content"][place[1]]
    return found


def _path(place: tuple[int, int]) -> str:
    return f"messages.{place[0]}.content.{place[1]}"


def _by_the_rules_on_demand(body: dict[str, Any], envelope: Envelope, whole: list[dict[str, Any]]) -> bool:
    asked = body.get("compaction") is not None or COMPACT_AT_THRESHOLD not in envelope.betas
    return asked or any(kind_of(block) == ON_DEMAND for block in whole)


def _check_place(messages: list[Any], place: tuple[int, int]) -> None:
    role, path = messages[place[0]].get("role"), _path(place)
    if role != "assistant":
        raise invalid(
            f"{path}: `compaction` blocks are not permitted in `{role}` content", "compaction_block_misplaced"
        )
    check_block(_block(messages, place), "assistant", path, newest=False)


def _behind(body: dict[str, Any], model: Model, envelope: Envelope, last: tuple[int, int], *, strict: bool) -> View:
    messages, path = body["messages"], _path(last)
    number, kept = View.behind(messages, (0, 0), None).places[0]
    if strict and (number, kept[:1]) != (last[0], [last[1]]):
        raise invalid(
            f"{path}: the `compaction` block must be the first block of the conversation", "compaction_block_misplaced"
        )
    block = verify(_block(messages, last), path)
    if HEADERS[block.kind] not in envelope.betas:
        raise invalid(UNKNOWN_TAG.format(path))
    if not model.offers(CAPABILITIES[block.kind]):
        raise invalid(f"{path}: `compaction` blocks are not supported on this model")
    if block.kind == ON_DEMAND and _compacts_at_threshold(body):
        raise invalid(f"{path}: a `compaction` block cannot be combined with a `compact_20260112` edit")
    return View.behind(messages, last, block)


def _compacts_at_threshold(body: dict[str, Any]) -> bool:
    edits = (body.get("context_management") or {}).get("edits") or []
    return any(edit["type"] == "compact_20260112" for edit in edits)


def check_finished(body: dict[str, Any], view: View) -> None:
    """Where a compaction is ordered: there is something to summarise, and the last turn is a whole one."""
    if body.get("compaction") is None:
        return
    told = [b for m in view.messages if m["role"] != "system" for b in blocks_of(m["content"])]
    if not [block for block in told if block["type"] != "compaction"]:
        raise invalid("messages: there is nothing to summarize", "compaction_nothing_to_summarize")
    last = view.messages[-1]
    if last["role"] != "assistant":
        return
    blocks = blocks_of(last["content"])
    done = {block["tool_use_id"] for block in blocks if block["type"] == "web_search_tool_result"}
    calls = [b for b in blocks if b["type"] in ("tool_use", "server_tool_use") and b["id"] not in done]
    if calls or not blocks or blocks[-1]["type"] in ("thinking", "redacted_thinking"):
        raise invalid("messages: the last `assistant` turn is not finished", "compaction_incomplete_turn")
