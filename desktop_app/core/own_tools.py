"""The app's own tools that give again what stands elsewhere: in memory, in an earlier message, in an attachment."""

from __future__ import annotations

from desktop_app.core.context_editing import MEMORY_TOOLS

SEARCHER = "search_conversation"
"""The tool that finds what was said."""
RESULT_READER = "read_tool_result"
"""The tool that gives the whole of a result."""
ATTACHMENT_READER = "read_attachment"
"""The tool that gives an attachment once more."""
REPEATING_TOOLS = frozenset((*MEMORY_TOOLS, SEARCHER, RESULT_READER, ATTACHMENT_READER))
"""What they were given and gave is a copy: its place is another one, which may be deleted since."""
