"""Characters that nobody sees: what they are called, which are fillers, which turn a text around or join letters."""

from __future__ import annotations

TURNING = {
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
}
"""Bidi embeddings, overrides and isolates by their names."""

NAMES = {
    **TURNING,
    "\u00ad": "SHY",
    "\u200b": "ZWSP",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2060": "WJ",
    "\ufeff": "BOM",
}
"""The usual names of characters without width."""

JOINING = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Joiners and selectors: part of emoji and of some scripts; they turn nothing around."""

FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
"""Letters and symbols by Unicode that show nothing."""
