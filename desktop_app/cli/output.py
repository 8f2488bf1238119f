"""Writing to the terminal: lines, tables and JSON, whatever the encoding and even when the reader went away."""

from __future__ import annotations

import io
import json
import os
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

from desktop_app.core.redaction import redact
from desktop_app.core.visible import TURNING


class ReaderGone(Exception):
    """Nobody reads standard output any more (`| head`); whatever runs should end quietly."""


def prepare_streams() -> None:
    """Makes standard output take every text: what its encoding lacks becomes `?`."""
    # A program started without streams (a window, a service) has None here.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write(text: str) -> None:
    """Writes to standard output at once; raises ReaderGone."""
    try:
        sys.stdout.write(_harmless(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise _reader_gone() from error


def write_bytes(data: bytes) -> None:
    """Writes bytes as they are; raises ReaderGone."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise _reader_gone() from error


def write_json(value: object, indent: int | None = None) -> None:
    """One JSON value; letters stay as they are where standard output can hold them all."""
    can_hold_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    write(json.dumps(value, ensure_ascii=not can_hold_all, indent=indent) + "\n")


def note(text: str) -> None:
    """One line on standard error, whatever the text holds."""
    with suppress(OSError):
        print(one_line(redact(text)), file=sys.stderr, flush=True)


def note_json(value: object) -> None:
    """One JSON value on one line of standard error, in letters every encoding holds."""
    with suppress(OSError):
        print(json.dumps(value), file=sys.stderr, flush=True)


def note_piece(text: str) -> None:
    """A piece of a text on standard error, for what streams beside the answer."""
    with suppress(OSError):
        print(_harmless(text), end="", file=sys.stderr, flush=True)


def one_line(text: str, limit: int | None = None) -> str:
    """The text without line breaks and control characters, cut to `limit` characters."""
    line = " ".join(_harmless(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Lines with columns two spaces apart; `align` has `<` or `>` for each column. Wide letters count as two cells."""
    widths = [max(cells(row[place]) for row in rows) for place in range(len(align))]
    lines = ("  ".join(map(_padded, row, widths, align)).rstrip() for row in rows)
    return "".join(f"{line}\n" for line in lines)


def cells(text: str) -> int:
    """The width of a text in terminal cells."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _padded(text: str, width: int, align: str) -> str:
    space = " " * (width - cells(text))
    return space + text if align == ">" else text + space


def _harmless(text: str) -> str:
    """A text of a model or a file must not steer the terminal: controls and what turns a line around become visible."""
    return "".join(map(_shown, text.replace("\r", "")))


def _shown(char: str) -> str:
    if char in TURNING:
        return f"⟨{TURNING[char]}⟩"
    return "�" if unicodedata.category(char) == "Cc" and char not in "\n\t" else char


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _reader_gone() -> ReaderGone:
    # What is still buffered would fail again when the interpreter ends.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ReaderGone()
