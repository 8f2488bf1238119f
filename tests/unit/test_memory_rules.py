"""What the model is told of memory: short rules for the tools it has, and descriptions that say when to call them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from desktop_app.core.context import plan_context
from desktop_app.core.conversation import Block, Epoch
from desktop_app.core.memory_rules import memory_rules
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import TokenEstimator, block_features
from desktop_app.services.forget_tool import ForgetMemory
from desktop_app.services.memory_file_tool import MemoryFiles
from desktop_app.services.memory_tools import SaveMemory, SearchMemory
from tests.unit.message_samples import path_of, user

UNUSED: Any = None
OWN = (
    ForgetMemory(UNUSED, UNUSED, UNUSED, UNUSED).definition,
    SaveMemory(UNUSED).definition,
    SearchMemory(UNUSED, UNUSED).definition,
)
FILES = (MemoryFiles(UNUSED, UNUSED, UNUSED, UNUSED).definition,)


@pytest.mark.parametrize("tools", [OWN, FILES], ids=["own", "files"])
def test_the_rules_are_short_and_whole(tools: tuple[Block, ...]) -> None:
    rules = memory_rules(tools)
    assert rules.startswith("<memory_rules>")
    assert rules.endswith("</memory_rules>")
    for part in ("one lesson", "one-line summary", "several turns", "findings", "instead of adding", "is wrong"):
        assert part in rules
    features = block_features({"type": "text", "text": rules}, "system")
    assert TokenEstimator().estimate(features).tokens < 150


def test_there_are_no_rules_without_a_tool_that_keeps_anything() -> None:
    assert memory_rules(()) == ""
    assert memory_rules(OWN[-1:]) == ""


@pytest.mark.parametrize("tool", OWN, ids=lambda tool: tool["name"])
def test_a_description_says_when_to_call_and_does_not_shout(tool: Block) -> None:
    description = tool["description"]
    assert "Call it when" in description
    assert not re.search(r"\balways\b|\bcritical\b|\bmust\b|!", description, re.IGNORECASE)
    assert not re.search(r"\b[A-Z]{3,}\b", description)


def test_small_talk_is_not_saved() -> None:
    assert "small talk" in OWN[1]["description"]
    assert "small talk" in memory_rules(FILES)


def test_the_rules_stand_in_one_block_with_the_instructions() -> None:
    rules = memory_rules(FILES)
    epoch = Epoch(1, "claude-sonnet-5-5", "Be brief.", FILES, facts="<long_term_facts>", memory_rules=rules)
    plan = plan_context(path_of(user("Hello.")), epoch)
    shown = [(planned.segment, planned.block["text"]) for planned in plan.system]
    assert shown == [(Segment.SYSTEM, f"Be brief.\n\n{rules}"), (Segment.FACTS, "<long_term_facts>")]
    assert not epoch.same_prefix(Epoch(1, "claude-sonnet-5-5", "Be brief.", FILES))
