"""The process that parses one file: the file in, `{"text", "pages"}` or `{"why"}` as JSON out.

It allows itself so much memory and time and no more, whatever the file holds.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from desktop_app.adapters.document_files.html_text import html_text
from desktop_app.adapters.document_files.pdf_text import PdfUnusable, pdf_text

_MEMORY = 2_000_000_000
_CPU_SECONDS = 120


def main(arguments: list[str]) -> int:
    """Parses standard input as the kind (`pdf` or `html`) in `arguments`; returns the exit code."""
    _limit()
    data = sys.stdin.buffer.read()
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


def _limit() -> None:
    # Windows has no such limits; there the time the parent waits has to do.
    with suppress(ImportError, OSError, ValueError):
        import resource

        for kind, most in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CPU, _CPU_SECONDS)):
            resource.setrlimit(kind, (most, most))
