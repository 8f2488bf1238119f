"""`mnemoscope request diff`: two requests side by side, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from desktop_app.cli.options import RunOptions
from desktop_app.cli.output import one_line, write, write_json
from desktop_app.cli.session import Session, open_session
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.errors import BadInput, NotFound
from desktop_app.core.request_diff import BlockPair, Change, RequestDiff
from desktop_app.core.text_difference import first_difference
from desktop_app.core.words import Words
from desktop_app.services.context_view import Comparison

_LINE = 160
_SIGNS = {Change.SAME: "=", Change.CHANGED: "~", Change.ADDED: "+", Change.REMOVED: "−"}
_MOST_DIGITS = 6
"""A longer number is the beginning of an id."""


async def diff(run: RunOptions, conversation_id: str | None, before: str, after: str) -> int:
    """The comparison of two requests, each named by its turn or id; raises NotFound, BadInput."""
    async with open_session(run) as session:
        ids = [await _request_id(session, conversation_id, named) for named in (before, after)]
        found = await session.services.context.compare(*ids)
    if run.as_json:
        write_json(_as_json(found))
    else:
        write("".join(f"{line}\n" for line in _lines(session.words, found)))
    return 0


async def _request_id(session: Session, conversation_id: str | None, named: str) -> str:
    """The id of a request: the last one of a turn, else the one in the conversation whose id begins so, else any whole
    id."""
    conversation = await session.conversation_or_last(conversation_id)
    if conversation is None:
        raise NotFound(what="request")
    if named.isascii() and named.isdigit() and len(named) <= _MOST_DIGITS:
        return (await session.services.context.of_turn(conversation.id, int(named))).id
    records = await session.services.store.requests(conversation.id)
    found = [record.id for record in records if named and record.id.startswith(named)]
    if len(found) > 1:
        raise BadInput(what=named, why="ambiguous")
    return found[0] if found else (await session.services.store.request(named))[0].id


def _lines(words: Words, found: Comparison) -> Iterator[str]:
    for sign, sent in (("−", found.before), ("+", found.after)):
        record = sent.record
        yield words.say("cli.diff.request", sign=sign, id=record.id[:8], turn=record.turn, model=record.model)
    for name, before, after in found.diff.params:
        yield f"~ {name}: {one_line(before, _LINE) or '–'} → {one_line(after, _LINE) or '–'}"
    for same, pairs in groupby(found.diff.blocks, key=lambda pair: pair.change is Change.SAME):
        if same:
            yield words.say("cli.diff.same", n=len(list(pairs)))
        else:
            for pair in pairs:
                yield from _of_pair(words, pair)
    if not found.diff.params and found.diff.shared == len(found.diff.blocks):
        yield words.say("cli.diff.equal")


def _of_pair(words: Words, pair: BlockPair) -> Iterator[str]:
    place = words.say(f"context.segment.{pair.segment}")
    if isinstance(pair.part, int):
        place = f"{words.say('cache.why.message', n=pair.part + 1)} · {pair.role} · {place}"
    yield f"{_SIGNS[pair.change]} {place}"
    before, after = _shown(pair.before), _shown(pair.after)
    if pair.before is not None and pair.after is not None:
        difference = first_difference(
            *((before, after) if before != after else map(to_json, (pair.before, pair.after)))
        )
        before, after = difference.before, difference.after
    if pair.before is not None:
        yield f"    − {one_line(before, _LINE)}"
    if pair.after is not None:
        yield f"    + {one_line(after, _LINE)}"


def _shown(block: Block | None) -> str:
    """The text of a block, or its JSON."""
    if block is None:
        return ""
    return str(block["text"]) if block.get("type") == "text" and "text" in block else to_json(block)


def _as_json(found: Comparison) -> dict[str, Any]:
    """What is the same is named without its content."""
    return {
        "before": {"request": found.before.record.id, "turn": found.before.record.turn},
        "after": {"request": found.after.record.id, "turn": found.after.record.turn},
        "params": [{"name": name, "before": before, "after": after} for name, before, after in found.diff.params],
        "shared": found.diff.shared,
        "blocks": _blocks(found.diff),
    }


def _blocks(diff: RequestDiff) -> list[dict[str, Any]]:
    return [
        {
            "change": pair.change.value,
            "part": pair.part,
            "place": pair.place,
            "role": pair.role,
            "segment": pair.segment.value,
            **({} if pair.change is Change.SAME else {"before": pair.before, "after": pair.after}),
        }
        for pair in diff.blocks
    ]
