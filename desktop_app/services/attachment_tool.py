"""The tool `read_attachment`: gives an attachment of the conversation again where only its name is left."""

from __future__ import annotations

from collections.abc import Mapping

from desktop_app.core.attachments import found_attachment
from desktop_app.core.conversation import Block
from desktop_app.core.own_tools import ATTACHMENT_READER
from desktop_app.core.ports import ConversationStore, ToolError
from desktop_app.core.settings import ProfileSettings
from desktop_app.core.tool_call import ToolCall

_DEFINITION: Block = {
    "name": ATTACHMENT_READER,
    "description": (
        "Gives a picture, PDF or text file that the person attached earlier in this conversation once more. Call it "
        "when the answer depends on what is in an attachment and only its name is left: it is listed in a summary, or "
        "a line in brackets says that it was left out. Do not call it for an attachment whose content you can still "
        "see. The ids stand beside the names."
    ),
    "input_schema": {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The id beside the name, for example a1b2c3d4"}},
        "required": ["id"],
        "additionalProperties": False,
    },
}


class ReadAttachment:
    """Finds attachments of the conversation of the call only."""

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    @property
    def definition(self) -> Block:
        """The tool as the API takes it."""
        return _DEFINITION

    @property
    def waits_for_person(self) -> bool:
        """It only reads."""
        return False

    def offered(self, _profile: ProfileSettings) -> bool:
        """Wherever tools are."""
        return True

    async def run(self, arguments: Mapping[str, object], call: ToolCall) -> str | list[Block]:
        """The line that names the attachment and the attachment; raises ToolError for an id that is none."""
        wanted = arguments.get("id")
        if not isinstance(wanted, str) or not wanted.strip():
            raise ToolError("The argument `id` is missing or not a text.")
        found = found_attachment(await self._store.path(call.conversation_id), wanted.strip().lower())
        if found is None:
            raise ToolError(f"This conversation has no attachment with the id {wanted.strip()[:40]}.")
        return list(found)
