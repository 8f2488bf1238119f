"""A server of `mnemoscope mcp` in a process of its own, and the official client's session with it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TextIO

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, InitializeResult

from tests.fakes.command_line import ROOT


class Served:
    """Calls tools of a running server; `hello` is what it told of itself."""

    def __init__(self, portal: BlockingPortal, session: ClientSession, hello: InitializeResult) -> None:
        self._portal = portal
        self.session = session
        self.hello = hello

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """What came of one call."""
        return self._portal.call(self.session.call_tool, tool, arguments)

    def told(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured result of one call."""
        told: dict[str, Any] = self.call(tool, **arguments).structured_content
        return told

    def tools(self) -> dict[str, Any]:
        """The tools by name."""
        return {tool.name: tool for tool in self._portal.call(self.session.list_tools).tools}


@contextmanager
def served(data_dir: Path, profile: str, *options: str) -> Iterator[Served]:
    """Starts a server for a profile of a data folder and ends it."""
    arguments = ["-m", "desktop_app", "--data-dir", str(data_dir), "--profile", profile, "mcp", *options]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, cwd=ROOT)
    with (
        (data_dir / "mcp.log").open("w", encoding="utf-8") as log,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_session(parameters, log)) as (session, hello),
    ):
        yield Served(portal, session, hello)


@asynccontextmanager
async def _session(
    parameters: StdioServerParameters, log: TextIO
) -> AsyncIterator[tuple[ClientSession, InitializeResult]]:
    async with stdio_client(parameters, log) as (reading, writing), ClientSession(reading, writing) as session:
        yield session, await session.initialize()


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    (content,) = result.content
    assert content.type == "text"
    return content.text
