"""What every benchmark prints: a table, one line of figures against their targets, JSON on request, an exit code."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """One measured figure; `target` is the most it may be, None where it is only told; the least where `at_least`."""

    name: str
    value: float
    target: float | None = None
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the target holds."""
        if self.target is None:
            return True
        return self.value >= self.target if self.at_least else self.value <= self.target

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        target = "" if self.target is None else f" ({sign} {self.target:g}: {'met' if self.met else 'MISSED'})"
        return f"{self.name} {self.value:.3g}{self.unit}{target}"


@dataclass
class Report:
    """Rows of a table, figures, and what was skipped with its reason."""

    name: str
    header: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def finish(self, json_file: Path | None) -> int:
        """Prints everything; the exit code is 1 where a target is missed."""
        widths = [max(len(row[place]) for row in [self.header, *self.rows]) for place in range(len(self.header))]
        for row in [self.header, *self.rows]:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        for reason in self.skipped:
            print(f"skipped: {reason}")
        print(f"{self.name}: " + " · ".join(map(str, self.figures)))
        if json_file is not None:
            figures = [{**asdict(figure), "met": figure.met} for figure in self.figures]
            json_file.write_text(json.dumps({"name": self.name, "figures": figures, "skipped": self.skipped}, indent=2))
        return 0 if all(figure.met for figure in self.figures) else 1


def json_argument(description: str) -> Path | None:
    """Reads `--json FILE` from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    found: Path | None = parser.parse_args().json
    return found
