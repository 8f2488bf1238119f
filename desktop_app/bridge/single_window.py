"""One window for a data folder: a second start raises the first.

Signals:
    raised(): another start asked for this window.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_PATIENCE_MS = 300


class SingleWindow(QObject):
    """Listens under a name made from the data folder."""

    raised = Signal()

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        digest = hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:24]
        self._name = f"mnemoscope-{digest}"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._take)

    def is_first(self) -> bool:
        """Whether no other window has this folder; if one has, it was asked to come to the front."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if socket.waitForConnected(_PATIENCE_MS):
            socket.write(b"raise")
            socket.waitForBytesWritten(_PATIENCE_MS)
            socket.disconnectFromServer()
            return False
        # Nobody answers: what a crash left behind may go.
        QLocalServer.removeServer(self._name)
        self._server.listen(self._name)
        return True

    def close(self) -> None:
        """Lets another window have the folder."""
        self._server.close()

    def _take(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
        self.raised.emit()
