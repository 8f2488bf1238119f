"""Takes keys out of whatever is logged, traced or shown: texts shaped like one, and those in use here."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
from types import TracebackType
from typing import Any, TextIO
from urllib.parse import quote

from desktop_app.core.secrets.shapes import PROVIDER_KEY

HIDDEN = "[key]"
_SHAPE = re.compile(r"sk-ant-[A-Za-z0-9_\-]*[A-Za-z0-9]")
"""Of our own provider a beginning is enough: what is logged may have been cut."""
_HEAD = 12
"""So many characters of a key in use, wherever they stand, are taken out too: a masked key is half a key."""
_in_use: dict[str, re.Pattern[str]] = {}


def never_show(secret: str) -> None:
    """From now on this very text is taken out too, whatever its shape. It is held in memory only."""
    if len(secret) >= _HEAD and secret not in _in_use:
        spelt = {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], quote(secret, safe="")}
        texts = "|".join(re.escape(one) for one in sorted(spelt, key=len, reverse=True))
        _in_use[secret] = re.compile(f"{texts}|{re.escape(secret[:_HEAD])}[A-Za-z0-9_\\-]*")


def redact(text: str) -> str:
    """The text with every key replaced by `HIDDEN`."""
    for pattern in list(_in_use.values()):
        text = pattern.sub(HIDDEN, text)
    return PROVIDER_KEY.sub(HIDDEN, _SHAPE.sub(HIDDEN, text))


def print_exception(
    kind: type[BaseException],
    fault: BaseException | None,
    trace: TracebackType | None,
    file: TextIO | None = None,
) -> None:
    """Writes a trace without keys, to standard error by default."""
    out = file or sys.stderr
    if out is not None:
        out.write(redact("".join(traceback.format_exception(kind, fault, trace))))
        out.flush()


def install() -> None:
    """Cleans all log records as they are made, whoever handles them, and the traces of what nobody caught."""
    made = logging.getLogRecordFactory()
    if getattr(made, "cleans", False):
        return

    def clean(*arguments: Any, **named: Any) -> logging.LogRecord:
        record = made(*arguments, **named)
        record.msg, record.args = redact(_message(record)), None
        if record.exc_info and record.exc_info[0] is not None:
            # Formatted here, for a handler would print the exception as it is.
            record.exc_text = redact("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
            record.exc_info = None
        if record.stack_info:
            record.stack_info = redact(record.stack_info)
        return record

    clean.cleans = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(clean)
    sys.excepthook = print_exception
    threading.excepthook = _report
    sys.unraisablehook = _report


def _report(fault: threading.ExceptHookArgs | sys.UnraisableHookArgs) -> None:
    if fault.exc_type is not SystemExit:  # the end of a thread that was asked for
        print_exception(fault.exc_type, fault.exc_value, fault.exc_traceback)


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        return f"{record.msg} {record.args}"  # a wrong call is told as it stands
