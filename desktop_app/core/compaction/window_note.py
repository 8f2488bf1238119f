"""What stands in place of messages a sliding window has left out: that they are kept, and where."""

from __future__ import annotations

from desktop_app import assets


def window_note(language: str, messages: int, tools: bool = True) -> str:
    """The note in the person's language; `messages` is how many are left out. It names the tool that finds them only
    where there are `tools`."""
    name = "window_note" if tools else "window_note_without_tools"
    return assets.read_text(f"prompts/{name}.{language}.txt").strip().replace("{messages}", str(messages))
