"""Plays the steps one by one and tells of each: a line on the terminal, a picture, an entry in `tour.json`."""

from __future__ import annotations

import json
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from desktop_app.tour.chapter import Step
from desktop_app.tour.driver import Driver


@dataclass(frozen=True, slots=True)
class Played:
    """One step as `tour.json` tells it; `seconds` it took, `picture` the name of its PNG."""

    name: str
    passed: bool
    seconds: float
    picture: str


class Report:
    """What came of the steps; a step that fails is told and the tour goes on."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._played: list[Played] = []

    @property
    def passed(self) -> bool:
        """Whether every step showed what it should."""
        return all(step.passed for step in self._played)

    def play(self, step: Step, driver: Driver) -> None:
        """Runs a step and takes its picture."""
        name, number = step.__name__, len(self._played) + 1
        picture = f"{number:02d}-{name.replace('_', '-')}.png"
        began = time.monotonic()
        try:
            step(driver)
            passed = True
        except Exception:
            traceback.print_exc()
            passed = False
        seconds = round(time.monotonic() - began, 2)
        driver.picture().save(str(self._directory / picture))
        self._played.append(Played(name, passed, seconds, picture))
        print(f"{number:2d}  {'ok  ' if passed else 'FAIL'}  {seconds:5.1f} s  {name}", flush=True)

    def write(self) -> None:
        """Writes `tour.json`."""
        steps = [
            {"name": step.name, "pass": step.passed, "seconds": step.seconds, "picture": step.picture}
            for step in self._played
        ]
        (self._directory / "tour.json").write_text(json.dumps({"steps": steps}, indent=2) + "\n", encoding="utf-8")
