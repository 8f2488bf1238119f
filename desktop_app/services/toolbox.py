"""The tools offered to the model, and how a call of one is run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from desktop_app.core.attachments import worded
from desktop_app.core.conversation import Block, text_of, well_formed, well_formed_block
from desktop_app.core.ports import Tool, ToolError
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call; `text` is what the model will read.

    Where that is more than a text, it stands in `blocks`, and `text` says it in words for the person.
    """

    call_id: str
    name: str
    text: str
    is_error: bool
    blocks: tuple[Block, ...] = ()

    def as_block(self) -> Block:
        """The `tool_result` block."""
        content = [well_formed_block(block) for block in self.blocks] or well_formed(self.text)
        block: Block = {"type": "tool_result", "tool_use_id": self.call_id, "content": content}
        return {**block, "is_error": True} if self.is_error else block


class Toolbox:
    """Tools by name; their definitions always in the order of their names, so that the prefix stays the same.

    `settings_of` gives the settings a profile has now.
    """

    def __init__(self, tools: Sequence[Tool], settings_of: Callable[[str], ProfileSettings]) -> None:
        self._tools = {str(tool.definition["name"]): tool for tool in tools}
        self._settings_of = settings_of

    def put(self, tool: Tool) -> None:
        """Takes in one more tool: one that asks a model itself is made after the requests that offer it."""
        self._tools[str(tool.definition["name"])] = tool

    def definitions(self, profile: ProfileSettings) -> tuple[Block, ...]:
        """The tools a profile offers, as the API takes them."""
        offered = (self._tools[name] for name in sorted(self._tools))
        return tuple(tool.definition for tool in offered if tool.offered(profile))

    async def run_all(self, calls: Sequence[Block], turn: ToolCall) -> list[ToolOutcome]:
        """Runs the calls of one reply of a turn side by side; every call gets an outcome, in order."""
        return list(await asyncio.gather(*(self._run(call, turn) for call in calls)))

    async def _run(self, call: Block, turn: ToolCall) -> ToolOutcome:
        name, call_id, arguments = str(call.get("name")), str(call.get("id")), call.get("input")
        tool = self._tools.get(name)
        if tool is None:
            return ToolOutcome(call_id, name, f"There is no tool named {name}.", True)
        if not tool.offered(self._settings_of(turn.profile)):
            # Told of at the start of the turn, switched off since; or called from memory of earlier turns.
            return ToolOutcome(call_id, name, f"The tool {name} is switched off now. Do not call it again.", True)
        if not isinstance(arguments, Mapping):
            return ToolOutcome(call_id, name, "The input of the call is not an object.", True)
        try:
            # Not wait_for: it can swallow a stop that comes just as the tool ends (Python 3.11).
            async with asyncio.timeout(None if tool.waits_for_person else _SECONDS) as limit:
                result = await tool.run(arguments, replace(turn, call_id=call_id))
        except ToolError as error:
            return ToolOutcome(call_id, name, str(error), True)
        except Exception as error:
            if limit.expired():
                return ToolOutcome(call_id, name, f"The tool did not finish within {_SECONDS:.0f} seconds.", True)
            # A fault of a tool costs its result, never the turn.
            return ToolOutcome(call_id, name, f"The tool failed ({type(error).__name__}: {error}).", True)
        if isinstance(result, str):
            return ToolOutcome(call_id, name, result, False)
        return ToolOutcome(call_id, name, "\n".join(text_of(worded(result))), False, tuple(result))
