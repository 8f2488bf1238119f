"""What services need of tools, and of whoever may allow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from desktop_app.core.conversation import Block
from desktop_app.core.gate import Proposal, Verdict
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall


class Approver(Protocol):
    """Whoever can ask the person."""

    async def ask(self, proposal: Proposal) -> Verdict:
        """Shows exactly what would be written and waits for the answer; closing is a denial."""


class Tool(Protocol):
    """A tool the model may call."""

    @property
    def definition(self) -> Block:
        """The tool as the API takes it; its bytes never change within a version."""

    @property
    def waits_for_person(self) -> bool:
        """Whether a call may take as long as the person does."""

    def offered(self, profile: ProfileSettings) -> bool:
        """Whether the model is told of it under these settings."""

    async def run(self, arguments: Mapping[str, object], call: ToolCall) -> str | list[Block]:
        """The result: a text, or blocks where it is more than that. Raises ToolError with a text for the model."""


class ToolError(Exception):
    """A tool could not do what was asked; the text goes to the model as an error result."""
