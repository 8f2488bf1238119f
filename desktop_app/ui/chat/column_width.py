"""The width messages and composer share."""

COLUMN = 640
"""Pixels of text: a line of mixed Hangul and Latin stays near 76 characters at most."""
SIDE = 24
"""Least room at each side in pixels."""
RING = 8
"""Room around a message for the ring of the keyboard, in pixels."""
