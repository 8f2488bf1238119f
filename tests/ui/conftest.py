"""What every test of widgets shares: one look, one language, and nothing left running behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakSet

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication

from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme


@pytest.fixture(scope="session")
def shared_theme(qapp: QApplication) -> Theme:
    """The one look of the process; `theme` hands it out in its light form."""
    return Theme(qapp)


@pytest.fixture
def theme(shared_theme: Theme) -> Iterator[Theme]:
    """Fonts and light colours; put back afterwards."""
    yield shared_theme
    shared_theme.use_system_font(False)
    shared_theme.apply("light")


@pytest.fixture
def language(qapp: QApplication) -> Language:
    """English words, switchable."""
    return Language("en")


@pytest.fixture(autouse=True)
def nothing_keeps_running(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that leaves a QTimer or a QThread running."""
    started: WeakSet[QObject] = WeakSet()
    for kind in (QTimer, QThread):
        monkeypatch.setattr(kind, "start", _noting(kind.start, started))
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
    alive = [thing for thing in started if shiboken6.isValid(thing)]
    running = [thing for thing in alive if isinstance(thing, QThread) and thing.isRunning()]
    running += [thing for thing in alive if isinstance(thing, QTimer) and thing.isActive()]
    assert not running, f"still running: {[(thing, thing.parent()) for thing in running]}"


def _noting(start: Callable[..., Any], started: WeakSet[QObject]) -> Callable[..., Any]:
    def noted(self: QObject, *arguments: Any) -> Any:
        started.add(self)
        return start(self, *arguments)

    return noted
