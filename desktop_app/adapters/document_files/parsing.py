"""The process that parses one file: its size and the file in, `{"text", "pages"}` or `{"why"}` as JSON out.

It allows itself so much memory and time and no more, whatever the file holds, and ends when its input does.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from threading import Thread

from desktop_app.adapters.document_files.html_text import html_text
from desktop_app.adapters.document_files.pdf_text import PdfUnusable, pdf_text

_MEMORY = 2_000_000_000
_CPU_SECONDS = 120
_HTML_CPU_SECONDS = 3
_HTML_BYTES_A_SECOND = 1_000_000
SIZE_BYTES = 8
"""The file comes behind its size in so many bytes, big end first: the input stays open until the parent is gone."""


def main(arguments: list[str]) -> int:
    """Parses standard input as the kind (`pdf` or `html`) in `arguments`; returns the exit code."""
    size = int.from_bytes(sys.stdin.buffer.read(SIZE_BYTES))
    # HTML takes a tenth of that, but time grows with the square of its depth, which no page needs.
    _limit(_CPU_SECONDS if arguments == ["pdf"] else _HTML_CPU_SECONDS + size // _HTML_BYTES_A_SECOND)
    data = sys.stdin.buffer.read(size)
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        if arguments == ["pdf"]:
            text, pages = pdf_text(data)
            answer = {"text": text, "pages": pages}
        else:
            answer = {"text": html_text(data.decode())}
    except PdfUnusable as error:
        answer = {"why": str(error)}
    sys.stdout.buffer.write(json.dumps(answer).encode())
    return 0


def _limit(seconds: int) -> None:
    # Windows has no such limits; there the time the parent waits has to do.
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        # At the first of the two the signal tells the parent that time ran out.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def _end_with_parent() -> None:
    """Nobody waits for the answer of a parent that was killed."""
    while os.read(0, 1):
        pass
    os._exit(1)
