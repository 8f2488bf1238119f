"""Compaction: when it is due, where it cuts, who writes the summary, what came of it, and taking it back."""
