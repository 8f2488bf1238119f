"""The tour: the real window on a temporary data folder, used as a person would, a picture of each step."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from desktop_app.tour import (
    steps_answers,
    steps_folding,
    steps_key,
    steps_look,
    steps_memory,
    steps_requests,
    steps_start,
    steps_truth,
    steps_versions,
)
from desktop_app.tour.driver import Driver
from desktop_app.tour.report import Report

CHAPTERS = (
    steps_start.CHAPTER,
    steps_answers.CHAPTER,
    steps_versions.CHAPTER,
    steps_requests.CHAPTER,
    steps_memory.CHAPTER,
    steps_folding.CHAPTER,
    steps_truth.CHAPTER,
    steps_key.CHAPTER,
    steps_look.CHAPTER,
)
"""All steps in the order in which they are played; each goes on where the one before it ended."""


def run_tour(directory: Path) -> int:
    """Plays the tour into a folder: a PNG a step and `tour.json`; the exit code is 1 if a step fails."""
    directory.mkdir(parents=True, exist_ok=True)
    # The person's own store of keys is none of the tour's business.
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    report = Report(directory)
    with tempfile.TemporaryDirectory() as data:
        driver = Driver(Path(data), [rule for chapter in CHAPTERS for rule in chapter.scenario])
        for chapter in CHAPTERS:
            for step in chapter.steps:
                report.play(step, driver)
        driver.close()
    report.write()
    return 0 if report.passed else 1
