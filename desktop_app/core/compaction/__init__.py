"""Folding the past into a handover memo: where it is cut, what the memo must hold, and what came of it."""
