"""Settings of a request that spoil a whole level of the prompt cache, whichever of its blocks changed.

| setting | spoils |
|---|---|
| model; the list of tools, also where a mark lies before the changed one | everything |
| speed; citations switched on or off | system and messages |
| tool choice; thinking and its budget; effort; whether there is any image | messages |

The default written out equals the default left out. How thinking is displayed, `max_tokens` and `stream` spoil nothing.
A web search switch would count like citations, but this server offers no web search and refuses the tool.
"""

from __future__ import annotations

import json
from typing import Any

from .conversation import Block, blocks_within, canonical
from .models import Model


def speed_of(body: dict[str, Any]) -> str:
    """The speed a request runs at: "standard" or "fast"."""
    return str(body.get("speed") or "standard")


def tool_switches(body: dict[str, Any], model: Model) -> bytes:
    """What is mixed into the level of the tools."""
    return b"|".join([model.id.encode(), *map(canonical, body.get("tools") or [])])


def system_switches(body: dict[str, Any]) -> bytes:
    """What is mixed into the system level, apart from the speed."""
    return b"citations" if any(map(_cites, blocks_within(body["messages"]))) else b""


def message_switches(body: dict[str, Any], model: Model) -> bytes:
    """What is mixed into the message level."""
    thinking = body.get("thinking") or {"type": "adaptive" if model.thinks_unasked else "disabled"}
    effort = (body.get("output_config") or {}).get("effort") or model.default_effort
    choice = body.get("tool_choice") or {"type": "auto"}
    images = any(block.get("type") == "image" for block in blocks_within(body["messages"]))
    parts = [thinking["type"], thinking.get("budget_tokens"), effort, choice, images]
    return json.dumps(parts, sort_keys=True).encode()


def _cites(block: Block) -> bool:
    given = block.get("citations")
    return isinstance(given, dict) and given.get("enabled") is True
