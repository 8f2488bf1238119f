"""One window for a data folder: a second start raises the first.

Signals:
    raised(): another start asked for this window.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject, QThread, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_CONNECT_MS = 300
_ANSWER_MS = 1_000
_PAUSE_MS = 50
_PATIENCE_MS = 8_000
"""How long a start that came second looks for the first one, which may not listen yet or be on its way out."""


class SingleWindow(QObject):
    """Who holds the lock in the data folder has the window and listens under a name made from the folder."""

    raised = Signal()

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        digest = hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:24]
        self._name = f"mnemoscope-{digest}"
        self._lock = QLockFile(str(data_dir / "mnemoscope.lock"))
        # No age makes a lock stale, only that the process which took it is gone.
        self._lock.setStaleLockTime(0)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._take)

    def is_first(self) -> bool:
        """Whether no other window has this folder; if one has, it was asked to come to the front."""
        patience = QDeadlineTimer(_PATIENCE_MS)
        while True:
            if self._lock.tryLock(0):
                # Only the holder of the lock may take away the name that a crash left behind.
                QLocalServer.removeServer(self._name)
                self._server.listen(self._name)
                return True
            if self._lock.error() is not QLockFile.LockError.LockFailedError:
                return True  # a folder that takes no lock: opening the data will say what is wrong with it
            if self._raise_other() or patience.hasExpired():
                return False
            QThread.msleep(_PAUSE_MS)

    def close(self) -> None:
        """Lets another window have the folder."""
        self._server.close()
        self._lock.unlock()

    def _raise_other(self) -> bool:
        """Whether the other window answered; one that is closing takes the connection but does not."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_CONNECT_MS):
            return False
        answered = socket.waitForReadyRead(_ANSWER_MS)
        socket.disconnectFromServer()
        return answered

    def _take(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.write(b"raised")
            socket.flush()
        self.raised.emit()
