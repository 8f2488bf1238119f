"""The Recall panel: what was recalled for an answer, why, and what came near."""
