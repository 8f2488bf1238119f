"""What Qt itself says goes to standard error without keys."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QMessageLogContext, QtMsgType, qFormatLogMessage, qInstallMessageHandler

from desktop_app.core.redaction import redact


@contextmanager
def redacted_qt_messages() -> Iterator[None]:
    """While it holds, Qt's messages pass through `redact`; afterwards the handler before it is back."""
    before = qInstallMessageHandler(_write)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def _write(kind: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{redact(qFormatLogMessage(kind, context, message or ''))}\n")
