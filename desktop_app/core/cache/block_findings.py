"""What differs between the blocks of two requests: which tool, fact, note or message is behind the first difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest

from desktop_app.core.cache.causes import Cause, Difference
from desktop_app.core.cache.volatile_words import only_volatile_words_differ, volatile_at
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.fact_lines import ToldChange, fact_changes, first_fact, read_fact_line
from desktop_app.core.memory_rules import without_rules
from desktop_app.core.request_diff import LEVELS, Level, PlacedBlock
from desktop_app.core.rule_case import THINKING
from desktop_app.core.segment import Segment
from desktop_app.core.text_difference import bytes_shared, cut, first_difference

_NAMED_FACTS = 3
"""So many keys of facts are named for one block."""
_PROGRAM_LINES = 2
"""Lines at the beginning of a memo's block that are the program's own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that differs; the fields are those of a `Culprit`."""

    cause: Cause
    difference: Difference
    name: str = ""
    was: str = ""
    is_now: str = ""
    facts: tuple[ToldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class BothSides:
    """The blocks of two requests, and the version of this program that wrote each."""

    before: Mapping[Level, Sequence[PlacedBlock]]
    after: Mapping[Level, Sequence[PlacedBlock]]
    versions: tuple[str, str]

    @property
    def updated(self) -> bool:
        """Whether another version of this program wrote the later one."""
        return self.versions[0] != self.versions[1]


def tool_findings(both: BothSides) -> list[Finding]:
    """The first tool that came, went, changed and moved, in the order of their places."""
    old, new = both.before["tools"], both.after["tools"]
    was, is_now = _names(old), _names(new)
    found = []
    if came := next((tool for tool in new if _name(tool) not in was), None):
        found.append(Finding(Cause.TOOL_ADDED, _between(both, "tools", None, came), _name(came)))
    if went := next((tool for tool in old if _name(tool) not in is_now), None):
        found.append(Finding(Cause.TOOL_REMOVED, _between(both, "tools", went, None), _name(went)))
    twins = ((old[was.index(_name(tool))], tool) for tool in new if _name(tool) in was)
    if changed := next((pair for pair in twins if not pair[0].same_as(pair[1])), None):
        cause, values = (Cause.APP_VERSION, both.versions) if both.updated else (Cause.TOOL_CHANGED, ("", ""))
        found.append(Finding(cause, _between(both, "tools", *changed), _name(changed[1]), *values))
    kept = [name for name in was if name in is_now], [name for name in is_now if name in was]
    if kept[0] != kept[1]:
        place = next(is_now.index(name) for one, name in zip(*kept, strict=False) if one != name)
        difference = _between(both, "tools", old[place] if place < len(old) else None, new[place])
        found.append(Finding(Cause.TOOL_ORDER, difference, is_now[place], ", ".join(was), ", ".join(is_now)))
    return sorted(found, key=lambda finding: finding.difference.block)


def _names(tools: Sequence[PlacedBlock]) -> list[str]:
    return [_name(tool) for tool in tools]


def _name(tool: PlacedBlock) -> str:
    return str(tool.block.get("name", ""))


def system_findings(both: BothSides) -> Iterator[Finding]:
    """Instructions first, then the facts, as they stand in the prefix."""
    for segment in (Segment.SYSTEM, Segment.FACTS):
        old = [one for one in both.before["system"] if one.segment is segment]
        new = [one for one in both.after["system"] if one.segment is segment]
        for one, other in zip_longest(old, new):
            if one is None or other is None or not one.same_as(other):
                find = _of_facts if segment is Segment.FACTS else _of_instructions
                yield find(both, one, other)
                break


def _of_instructions(both: BothSides, one: PlacedBlock | None, other: PlacedBlock | None) -> Finding:
    difference = _between(both, "system", one, other)
    before, after = _text(one), _text(other)
    if both.updated and without_rules(before) == without_rules(after):
        return Finding(Cause.APP_VERSION, difference, "", *both.versions)
    if before and after:
        at = first_difference(before, after).at
        if only_volatile_words_differ(before, after) or (volatile_at(before, at) and volatile_at(after, at)):
            return Finding(Cause.DATE, difference, "", difference.before, difference.after)
    return Finding(Cause.INSTRUCTIONS, difference)


def _of_facts(both: BothSides, one: PlacedBlock | None, other: PlacedBlock | None) -> Finding:
    """The facts that differ, not only the one at the first difference: a deleted one renews the whole block."""
    difference = _between(both, "system", one, other)
    before, after = _text(one), _text(other)
    fact = first_fact(before, after)
    if fact.key is None:
        return Finding(Cause.APP_VERSION, difference, "", *both.versions)
    changes = fact_changes(before, after) if before and after else ()
    if not changes:  # the block came or went as a whole, or its lines are in another order
        return Finding(Cause.FACT, difference, fact.key, fact.before, fact.after)
    name = ", ".join(change.key for change in changes[:_NAMED_FACTS])
    difference = replace(difference, name=fact.key)
    return Finding(Cause.FACT, difference, name, changes[0].before, changes[0].after, changes)


def message_findings(both: BothSides) -> Iterator[Finding]:
    """The first difference inside what both hold, and what it hides when it is only thinking that is left out."""
    old, new = both.before["messages"], both.after["messages"]
    place = _first(old, new)
    if place is None:
        return
    one, other = old[place], new[place] if place < len(new) else None
    finding = _of_message(both, one, other)
    if one.block.get("type") in THINKING and other is not None and other.block.get("type") not in THINKING:
        bare = [block for block in old if block.block.get("type") not in THINKING]
        rest = [block for block in new if block.block.get("type") not in THINKING]
        behind = sum(1 for block in old[:place] if block.block.get("type") not in THINKING)
        further = _first(bare, rest)
        if further is None or further > behind:
            yield Finding(Cause.THINKING_LEFT, finding.difference, finding.name)
        if further is not None:
            yield _of_message(both, bare[further], rest[further] if further < len(rest) else None)
        return
    yield finding


def _first(old: Sequence[PlacedBlock], new: Sequence[PlacedBlock]) -> int | None:
    """The first place where the later is not as the earlier; None where it only goes on."""
    pairs = zip_longest(old, new[: len(old)])
    return next((n for n, (one, other) in enumerate(pairs) if other is None or not one.same_as(other)), None)


def _of_message(both: BothSides, one: PlacedBlock, other: PlacedBlock | None) -> Finding:
    difference = _between(both, "messages", one, other)
    segments = {one.segment, other.segment if other else one.segment}
    number = str(int((other or one).part) + 1)
    same_kind = len(segments) == 1
    if Segment.SUMMARY in segments:
        if same_kind and both.updated and _is_program_line(_text(one), _text(other)):
            return Finding(Cause.APP_VERSION, difference, "", *both.versions)
        return Finding(Cause.FOLDED, difference)
    if Segment.RECALLED in segments:
        notes = (_text(block) if block and block.segment is Segment.RECALLED else "" for block in (one, other))
        fact = first_fact(*notes)
        if fact.key is None:
            return Finding(Cause.APP_VERSION, difference, "", *both.versions)
        return Finding(Cause.NOTE, difference, fact.key, fact.before, fact.after)
    return Finding(Cause.MESSAGE, difference, number)


def _is_program_line(before: str, after: str) -> bool:
    return before.split("\n")[:_PROGRAM_LINES] != after.split("\n")[:_PROGRAM_LINES]


def _between(both: BothSides, level: Level, one: PlacedBlock | None, other: PlacedBlock | None) -> Difference:
    """The difference of two blocks of a level, of which one may be missing."""
    shown = other or one
    assert shown is not None
    blocks = both.after if other else both.before
    ahead = [block for earlier in LEVELS[: LEVELS.index(level) + 1] for block in blocks[earlier]]
    behind = sum(len(to_json(block.block).encode()) for block in takewhile(lambda block: block is not shown, ahead))
    shared = bytes_shared(to_json(one.block), to_json(other.block)) if one and other else 0
    lines = _lines(one.block if one else None, other.block if other else None)
    return Difference(shown.part, shown.place, behind + shared, shown.segment, *lines)


def _lines(one: Block | None, other: Block | None) -> tuple[str, str]:
    """The line around the difference in each block."""
    words = (_shown(one), _shown(other))
    if one and other and words[0] == words[1]:
        words = (to_json(one), to_json(other))
    if not one or not other:
        return cut(_telling_line(words[0])), cut(_telling_line(words[1]))
    difference = first_difference(*words)
    return difference.before, difference.after


def _telling_line(text: str) -> str:
    """The line that stands for a whole block: its first fact, else its first line."""
    lines = text.split("\n")
    return next((line for line in lines if read_fact_line(line)), lines[0])


def _shown(block: Block | None) -> str:
    """A block as a person reads it: its text, or its JSON."""
    if block is None:
        return ""
    text = block.get("text") if block.get("type") == "text" else None
    return text if isinstance(text, str) else to_json(block)


def _text(placed: PlacedBlock | None) -> str:
    return _shown(placed.block) if placed else ""
