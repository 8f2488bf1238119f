"""Serves the tools over standard input and output until the client closes them; whatever is logged goes to stderr."""

from __future__ import annotations

import signal
import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from desktop_app import __version__
from desktop_app.core.errors import AppError, Unexpected
from desktop_app.core.redaction import print_exception
from desktop_app.core.words import Words
from desktop_app.mcp_server.answers import Answers, Told
from desktop_app.mcp_server.lines import Lines
from desktop_app.mcp_server.tools import FORGET, LIST, RECALL, REMEMBER, TOOLS, USUALLY_LISTED, ArgumentError, Tool
from desktop_app.services.outside_memory import OutsideMemory

_NAME = "mnemoscope"


class MemoryServer:
    """The memory of one profile; no call reaches another one."""

    def __init__(self, memory: OutsideMemory, profile: str, words: Words, answers: Answers) -> None:
        self._memory = memory
        self._profile = profile
        self._words = words
        self._answers = answers

    def protocol(self) -> Server[Any]:
        """The tools as the protocol offers them, over whatever transport."""
        return Server(
            _NAME,
            version=__version__,
            instructions=self._answers.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def serve(self) -> None:
        """Answers calls until standard input ends."""
        # Reading standard input cannot be cancelled; what was acknowledged is kept, so Ctrl+C may end it at once.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        server = self.protocol()
        async with stdio_server(anyio.wrap_file(Lines(sys.stdin.buffer))) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    async def _list_tools(self, _: object, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_definition(tool) for tool in TOOLS.values()])

    async def _call_tool(self, _: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, self._words.say("mcp.no_tool", names=", ".join(TOOLS)))
        told = await self._answer(tool, params.arguments or {})
        content: list[types.ContentBlock] = [types.TextContent(text=told.text)]
        return types.CallToolResult(content=content, structured_content=told.values, is_error=told.failed)

    async def _answer(self, tool: Tool, given: dict[str, Any]) -> Told:
        """What came of a call; whatever goes wrong, the server goes on."""
        try:
            return await self._run(tool, tool.arguments(given))
        except ArgumentError as error:
            return self._answers.failure(self._words.say(f"mcp.argument.{error.word}", **error.params))
        except AppError as error:
            return self._answers.failure(self._words.explain(error))
        except Exception as error:
            print_exception(type(error), error, error.__traceback__)
            return self._answers.failure(self._words.explain(Unexpected()))

    async def _run(self, tool: Tool, given: dict[str, Any]) -> Told:
        memory, profile = self._memory, self._profile
        if tool is REMEMBER:
            return self._answers.remembered(await memory.remember(profile, **given))
        if tool is RECALL:
            return self._answers.recalled(await memory.recall(profile, given["query"]))
        if tool is LIST:
            offset = given.get("offset", 0)
            page = await memory.page(profile, given.get("category", ""), given.get("limit", USUALLY_LISTED), offset)
            return self._answers.listed(page, offset)
        assert tool is FORGET
        names = [given[name] for name in ("key", "id") if given.get(name, "").strip()]
        if len(names) != 1:
            raise ArgumentError("key_or_id")
        return self._answers.forgotten(await memory.forget(profile, names[0]))


def _definition(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads, destructive_hint=tool.deletes, open_world_hint=False
        ),
    )
