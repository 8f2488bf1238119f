"""Settings on disk in step with the window: what it changes is saved, what other processes write is taken over.

Signals:
    changed(Settings): another process changed settings; what held here before.
    failed(AppError): they could not be saved.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.services.settings import SettingsService

_POLL_MS = 1_000


class SettingsWatch(QObject):
    """Reads and writes off the GUI thread."""

    changed = Signal(object)
    failed = Signal(object)

    def __init__(self, settings: SettingsService, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._background = background
        self._told = settings.settings
        self._poll = QTimer(self)
        self._poll.setInterval(_POLL_MS)
        self._poll.timeout.connect(self.read)

    def start(self) -> None:
        """Looks for changes of other processes from now on."""
        self._poll.start()

    def stop(self) -> None:
        """Looks no more."""
        self._poll.stop()

    def save(self) -> None:
        """Saves what the window changed and told of itself."""
        self._told = self._settings.settings
        self._background.run(self._save(), self._compare, self.failed.emit)

    def read(self) -> None:
        """Takes over what other processes changed."""
        self._background.run(self._refresh(), self._compare)

    async def _save(self) -> None:
        self._settings.save()

    async def _refresh(self) -> None:
        self._settings.refresh()

    def _compare(self, _: None) -> None:
        before, self._told = self._told, self._settings.settings
        if before != self._told:
            self.changed.emit(before)
