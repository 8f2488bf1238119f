"""A window and commands that write 500 facts each into one data folder at the same time: is one lost?"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from desktop_app.bridge.app_session import AppSession
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.house import make_services, make_settings
from tests.fakes.two_writers import write_at_once

COUNT = 500
_SECONDS = 300.0


def measure() -> Report:
    """Writes, and compares both lists with what was written."""
    report = Report("two_writers", ("what", "count", "seconds"))
    app = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        settings = make_settings(Path(folder), "http://127.0.0.1:9")
        session = AppSession(settings, lambda: make_services(Path(folder), "http://127.0.0.1:9", settings))
        session.start()
        while not session.is_ready:
            app.processEvents()
        began = time.monotonic()
        window, command = write_at_once(session, Path(folder), COUNT, _SECONDS)
        seconds = time.monotonic() - began
        session.close()
    expected = {f"{side} {number}" for side in ("window", "command") for number in range(COUNT)}
    report.rows = [("facts written", str(len(expected)), f"{seconds:.1f}")]
    report.figures = [
        Figure("lost in the window", len(expected - set(window)), 0),
        Figure("lost on the command line", len(expected - set(command)), 0),
        Figure("listed differently", len(set(window) ^ set(command)), 0),
    ]
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
