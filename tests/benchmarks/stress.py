"""A minute of streaming, importing, learning and searching at once under a lock that comes again: is anything lost?"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from desktop_app.bridge.app_session import AppSession
from tests.benchmarks.report import Figure, Report, json_argument
from tests.fakes.house import make_services, make_settings
from tests.fakes.stress import HELD_SECONDS, compare, stress

SECONDS = 60.0


def measure() -> Report:
    """Works, closes, and compares what is there with what was acknowledged."""
    report = Report("stress", ("what", "count"))
    app = QApplication.instance() or QApplication([])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = make_settings(folder, "http://127.0.0.1:9")
        session = AppSession(settings, lambda: make_services(folder, "http://127.0.0.1:9", settings))
        session.start()
        while not session.is_ready:
            app.processEvents()
        told = stress(session, folder, SECONDS)
        session.close()
        compare(folder, told)
    report.rows = [(what, str(count)) for what, count in sorted(told.done.items())]
    report.rows += [(f"locks of {HELD_SECONDS:g} s", str(told.holds))]
    report.rows += [("lost or failed", what[:300]) for what in (told.lost + told.errors)[:10]]
    report.figures = [
        Figure("lost", len(told.lost), 0),
        Figure("errors", len(told.errors), 0),
        Figure("slowest answer of the window", told.slowest_ping * 1_000, 200, " ms"),
        Figure("slowest write", told.slowest_write, unit=" s"),
        Figure("slowest search by words", told.slowest_search, unit=" s"),
        Figure("slowest search by meaning", told.slowest_recall, unit=" s"),
    ]
    return report


if __name__ == "__main__":
    target = json_argument(__doc__ or "")
    sys.exit(measure().finish(target))
