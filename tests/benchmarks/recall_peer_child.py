"""Runs in mem0's own environment: keeps each text without inferring, asks each question, writes the ids it found."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from typing import Any


def vector(written: str) -> list[float]:
    """A vector as mem0 takes it."""
    return list(struct.unpack(f"<{len(written) // 8}f", bytes.fromhex(written)))


class Vectors:
    """Stands where mem0's embedder stands."""

    def __init__(self) -> None:
        self.texts: dict[str, list[float]] = {}
        self.questions: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """What was computed before."""
        return (self.questions if memory_action == "search" else self.texts)[text.strip()]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        """The same for several."""
        return [self.embed(text, memory_action) for text in texts]


def main(given: Path, made: Path, folder: Path) -> None:
    """Answers one file of pools."""
    from mem0 import Memory  # type: ignore[import-not-found]

    asked: dict[str, Any] = json.loads(given.read_text(encoding="utf-8"))
    chroma = {"collection_name": "pool", "path": str(folder / "chroma")}
    store = {"provider": "chroma", "config": chroma}
    memory = Memory.from_config({"vector_store": store, "history_db_path": str(folder / "history.db")})
    memory.embedding_model = vectors = Vectors()
    found = []
    for place, pool in enumerate(asked["pools"]):
        # mem0 strips what it is given.
        vectors.texts = {t.strip(): vector(one) for t, one in zip(pool["texts"].values(), pool["vectors"], strict=True)}
        vectors.questions = {q.strip(): vector(one) for q, one in zip(pool["questions"], pool["asked"], strict=True)}
        for name, text in pool["texts"].items():
            memory.add(text, user_id=f"pool{place}", metadata={"name": name}, infer=False)
        answers = []
        for question in pool["questions"]:
            hits = memory.search(question, filters={"user_id": f"pool{place}"}, top_k=asked["limit"], threshold=0.0)
            answers.append([hit["metadata"]["name"] for hit in hits["results"]])
        found.append(answers)
    made.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
