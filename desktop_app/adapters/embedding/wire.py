"""What embedding servers are asked and what they answer: Ollama, OpenAI-compatible ones, Voyage."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.core.embedders import EmbedderChoice, EmbedderKind

PATHS: Mapping[EmbedderKind, str] = {
    EmbedderKind.OLLAMA: "/api/embed",
    EmbedderKind.OPENAI: "/v1/embeddings",
    EmbedderKind.VOYAGE: "/v1/embeddings",
}
TAGS_PATH = "/api/tags"
_PREFIXES = (
    ("nomic-embed", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    ("multilingual-e5", "query: ", "passage: "),
)
"""What some models want before a question and before what answers it, by a part of their names."""
_NEAR_ZERO = 1e-12


class NoVectors(Exception):
    """The answer does not hold the vectors that were asked for."""


def body(choice: EmbedderChoice, texts: Sequence[str], asked: bool) -> dict[str, Any]:
    """The request for some texts."""
    if choice.kind is EmbedderKind.VOYAGE:
        kind = "query" if asked else "document"
        return {"model": choice.model, "input": list(texts), "input_type": kind, "truncation": True}
    prefixed = [_prefix(choice.model, asked) + text for text in texts]
    if choice.kind is EmbedderKind.OLLAMA:
        return {"model": choice.model, "input": prefixed, "truncate": True}
    return {"model": choice.model, "input": prefixed, "encoding_format": "float"}


def vectors(choice: EmbedderChoice, answer: Any, count: int) -> list[bytes]:
    """So many vectors of one size, each brought to length 1; raises NoVectors."""
    try:
        if choice.kind is EmbedderKind.OLLAMA:
            rows = answer["embeddings"]
        else:
            rows = [one["embedding"] for one in sorted(answer["data"], key=lambda one: int(one["index"]))]
        found = [_of_length_one(row) for row in rows]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise NoVectors(f"{type(error).__name__}: {error}") from error
    if len(found) != count or len({len(vector) for vector in found}) > 1:
        raise NoVectors(f"{len(found)} vectors for {count} texts")
    return found


def digest_of(model: str, answer: Any) -> str:
    """The beginning of the digest Ollama lists for a model; empty where it lists none."""
    listed = answer.get("models") if isinstance(answer, Mapping) else None
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and one.get("name") in (model, f"{model}:latest"):
            return str(one.get("digest", "")).removeprefix("sha256:")[:12]
    return ""


def _prefix(model: str, asked: bool) -> str:
    lowered = model.lower()
    for part, question, passage in _PREFIXES:
        if part in lowered and "instruct" not in lowered:
            return question if asked else passage
    return ""


def _of_length_one(row: Any) -> bytes:
    numbers = [float(number) for number in row]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    if not numbers or not math.isfinite(length) or length < _NEAR_ZERO:
        raise ValueError("a vector without direction")
    found = array("f", [number / length for number in numbers])
    if not _LITTLE:
        found.byteswap()
    return found.tobytes()


_LITTLE = array("H", [1]).tobytes() == b"\x01\x00"
