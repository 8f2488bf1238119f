"""What stands in place of messages a sliding window has left out: that they are kept, and how to look for them."""

from __future__ import annotations

from desktop_app import assets


def window_note(language: str, messages: int) -> str:
    """The note in the person's language; `messages` is how many are left out."""
    return assets.read_text(f"prompts/window_note.{language}.txt").strip().replace("{messages}", str(messages))
