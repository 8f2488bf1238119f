"""How much of a text is shown, so that laying it out stalls nothing."""

LINE_LIMIT = 4_000
"""Longest line laid out in one piece; a longer one is broken for display."""
DISPLAY_LIMIT = 300_000
"""Most characters of one text that are shown."""
