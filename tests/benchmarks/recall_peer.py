"""mem0 with our vectors: an environment of its own in the cache folder, asked through files."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop_app.core.ports import Embedder
from tests.benchmarks.kept_vectors import CACHE

PACKAGES = ("mem0ai==2.2.1", "chromadb>=1.5.9,<1.6")
_CHILD = Path(__file__).with_name("recall_peer_child.py")


class NotInstalled(Exception):
    """It cannot be had here; the words say why."""


def python() -> Path:
    """The interpreter of its environment, which is made where it is not there; raises NotInstalled."""
    folder = CACHE / "mem0"
    place = folder / "bin" / "python"
    if not (folder / "installed").exists():
        for command in ([sys.executable, "-m", "venv", str(folder)], [place, "-m", "pip", "install", "-q", *PACKAGES]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
                raise NotInstalled(f"mem0 could not be installed: {lines[-1]}")
        (folder / "installed").touch()
    return place


async def ranked(
    embedder: Embedder, pools: Sequence[tuple[Mapping[str, str], Sequence[str]]], limit: int
) -> list[list[list[str]]]:
    """For each pool (texts by id, questions) and question the best ids; raises NotInstalled."""
    interpreter = await asyncio.to_thread(python)
    asked = []
    for texts, questions in pools:
        vectors = [vector.hex() for vector in await embedder.embed(list(texts.values()))]
        own = [vector.hex() for vector in await embedder.embed(list(questions), asked=True)]
        asked.append({"texts": dict(texts), "vectors": vectors, "questions": list(questions), "asked": own})
    return await asyncio.to_thread(_answers, interpreter, {"limit": limit, "pools": asked})


def _answers(interpreter: Path, asked: Mapping[str, Any]) -> list[list[list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "asked.json", Path(folder) / "found.json"
        given.write_text(json.dumps(asked), encoding="utf-8")
        quiet = {"HOME": folder, "MEM0_DIR": folder, "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "none"}
        command = [interpreter, _CHILD, given, made, folder]
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotInstalled(f"mem0 does not run: {(done.stderr.splitlines() or ['no words'])[-1]}")
        found: list[list[list[str]]] = json.loads(made.read_text(encoding="utf-8"))
        return found
