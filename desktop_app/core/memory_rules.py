"""The rules for notes in memory that the model is taught, by the tools it is offered to keep them with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from desktop_app import assets
from desktop_app.core.context_editing import FILES_TOOL
from desktop_app.core.conversation import Block
from desktop_app.core.settings import MEMORY_FILES, OWN_MEMORY

_RULES = re.compile(r"<memory_rules>.*?</memory_rules>\s*\Z", re.DOTALL)


def memory_rules(tools: Sequence[Block]) -> str:
    """The rules for these tools, the same bytes within a version; empty where none of them can keep a note."""
    names = {str(tool.get("name")) for tool in tools}
    if FILES_TOOL in names:
        return _rules(MEMORY_FILES)
    return _rules(OWN_MEMORY) if "save_memory" in names else ""


def without_rules(text: str) -> str:
    """A system text without them: what the person wrote."""
    return _RULES.sub("", text).strip()


@cache
def _rules(kind: str) -> str:
    return assets.read_text(f"prompts/memory_rules_{kind}.txt").strip()
