"""What bears on a text: facts, turns and documents in order, the parts of each score, and what of them is told."""
