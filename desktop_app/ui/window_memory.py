"""Where the window stood and how it was arranged, in an ini file of the data folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow, QSplitter, QWidget

_VERSION = 3
FIRST_SIZE = (1440, 900)
SIDEBAR, INSPECTOR = 232, 420


class WindowMemory:
    """Reads and writes geometry, docks, the width of the sidebar and whether it is shown."""

    def __init__(self, file: Path) -> None:
        self._settings = QSettings(str(file), QSettings.Format.IniFormat)

    @property
    def sidebar_shown(self) -> bool:
        """Whether the sidebar was shown last; it is on a fresh machine."""
        return self._is_on("sidebar")

    @property
    def inspector_shown(self) -> bool:
        """Whether the inspector was shown last; it is on a fresh machine."""
        return self._is_on("inspector")

    def _is_on(self, name: str) -> bool:
        return str(self._settings.value(name, True)).lower() != "false"

    def restore_geometry(self, window: QWidget) -> bool:
        """Puts a window where it stood; False where nothing usable is stored."""
        geometry = self._settings.value("geometry")
        return isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)

    def restore(self, window: QMainWindow, splitter: QSplitter) -> bool:
        """Puts docks and columns back; False where there is nothing usable."""
        state, sizes = self._settings.value("docks"), self._settings.value("splitter")
        if isinstance(sizes, QByteArray):
            splitter.restoreState(sizes)
        return isinstance(state, QByteArray) and window.restoreState(state, _VERSION)

    def save(self, window: QMainWindow, splitter: QSplitter, *, sidebar: bool, inspector: bool) -> None:
        """Writes everything now."""
        for name, value in (
            ("geometry", window.window().saveGeometry()),
            ("docks", window.saveState(_VERSION)),
            ("splitter", splitter.saveState()),
            ("sidebar", sidebar),
            ("inspector", inspector),
        ):
            self._settings.setValue(name, value)
        self._settings.sync()
