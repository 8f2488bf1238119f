"""Collects cyclic garbage in the GUI thread alone.

Python collects in whichever thread happens to allocate. Where that is a worker and the garbage holds Qt objects, their
destructors take Qt's locks there and wait for the interpreter, while the GUI thread holds the interpreter and waits
for the same locks: the window stands still for ever. pyqtgraph's GarbageCollector is the model for this.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

_EVERY_MILLISECONDS = 100
_SHARE_OF_TIME = 0.01


class Garbage(QObject):
    """Lives in the GUI thread; from its making to `stop` nothing else collects, and from `start` on it does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_on = gc.isenabled()
        gc.disable()
        self._next_full = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        """Begins to collect; what lives by now, all that was imported, is never looked through again."""
        if not self._timer.isActive():
            gc.freeze()
            self._timer.start()

    def stop(self) -> None:
        """Leaves collecting to Python again, where it was."""
        self._timer.stop()
        if self._was_on:
            gc.enable()

    def collect(self) -> None:
        """Collects the generations in which enough was made since, as Python would; all at most a hundredth of the
        time."""
        for generation, enough in enumerate(gc.get_threshold()):
            if gc.get_count()[generation] <= enough:
                return
            began = time.monotonic()
            if generation == 2 and began < self._next_full:
                return
            gc.collect(generation)
            if generation == 2:
                ended = time.monotonic()
                self._next_full = ended + (ended - began) / _SHARE_OF_TIME
