"""The heat of rows and blocks in words: short for a cell, whole for a tool tip and for screen readers."""

from __future__ import annotations

from desktop_app.bridge.figures import number, percent
from desktop_app.core.cache.heat import BlockHeat, Heat, HeatMap
from desktop_app.core.segment import Segment
from desktop_app.core.words import Words


def row_words(words: Words, heat: HeatMap, segment: Segment) -> str:
    """`cached`, `97 %` or `new`."""
    return words.say(f"context.heat.{heat.heat(segment)}", share=_whole_percent(words, heat.share(segment)))


def row_sentence(words: Words, heat: HeatMap, segment: Segment) -> str:
    """The same as a sentence."""
    return words.say(f"context.heat.{heat.heat(segment)}_hint", share=percent(words, heat.share(segment)))


def block_words(words: Words, block: BlockHeat) -> str:
    """How often in a row a block was read, the share of one that is partly, nothing for a new one."""
    if block.heat is Heat.PART:
        return _whole_percent(words, block.read / block.tokens)
    return words.say("context.heat.times", n=block.streak) if block.heat is Heat.HOT and block.streak > 1 else ""


def block_sentence(words: Words, block: BlockHeat) -> str:
    """`read from the cache, read 12 times in a row`."""
    share = percent(words, block.read / block.tokens) if block.tokens else ""
    sentence = words.say(f"context.heat.{block.heat}_hint", share=share)
    if block.heat is Heat.HOT and block.streak > 1:
        return f"{sentence}, {words.say('context.heat.streak', n=block.streak)}"
    return sentence


def _whole_percent(words: Words, share: float) -> str:
    """A part in whole percent: never none and never all of it."""
    return f"{number(words, min(max(round(share * 100), 1), 99))} %"
