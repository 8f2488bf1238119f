"""Reads a document as text: plain text here, PDF and HTML in a process of their own that is ended when it takes long.

What parses a file it was not made for may hang, fail hard or take all memory; in that process it takes nothing along.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import unicodedata
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from desktop_app.adapters.attached_files import AttachedFiles
from desktop_app.adapters.document_files.parsing import SIZE_BYTES
from desktop_app.adapters.own_process import own_command
from desktop_app.core.attachment_kinds import read_text
from desktop_app.core.attachments import clean_name
from desktop_app.core.conversation import is_blank, well_formed
from desktop_app.core.documents import MOST_BYTES, MOST_LETTERS, PAGE_BREAK, DocumentText, clean_text
from desktop_app.core.errors import AttachmentUnusable, DocumentUnusable

COMMAND = "document-text"
"""The argument this program is started with to parse a file; the kind follows, the file is its input."""

_SECONDS = 60.0
_OUT_OF_TIME = -getattr(signal, "SIGXCPU", 0) or None
"""How a process ends that used more time than it may; nothing of the kind on Windows."""
_PDF, _HTML, _MARKDOWN, _PLAIN = "application/pdf", "text/html", "text/markdown", "text/plain"
_BY_ENDING = {".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": _HTML, ".htm": _HTML, ".xhtml": _HTML}
_CHARSET = re.compile(
    rb"charset\s*=\s*[\"']?(iso-8859-\d{1,2}|windows-125\d|shift_jis|euc-jp|gb2312|gbk|big5|koi8-r)", re.I
)
_HTML_STARTS = ("<!doctype html", "<html")


class DocumentFiles:
    """Fulfils `core.ports.DocumentReader`. `seconds` is how long a file may be parsed."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._files = AttachedFiles()

    async def read(self, path: Path) -> DocumentText:
        """The text of a file; its content tells a PDF, its content or name HTML. Raises DocumentUnusable."""
        name = clean_name(path.name)
        data = await asyncio.to_thread(self._bytes, path, name)
        try:
            media_type, text, pages = await self._text(path, data)
            text = await asyncio.to_thread(clean_text, text)
        except _Unusable as error:
            raise DocumentUnusable(error.details, file=name, why=error.why) from error
        if is_blank(text):
            raise DocumentUnusable(file=name, why="no_text" if media_type == _PDF else "empty")
        if len(text) > MOST_LETTERS:
            raise DocumentUnusable(file=name, why="long")
        return DocumentText(name, media_type, _place(path), len(data), text, pages)

    def _bytes(self, path: Path, name: str) -> bytes:
        try:
            data = self._files.read_whole(path, MOST_BYTES)
        except AttachmentUnusable as error:
            raise DocumentUnusable(error.details, file=name, why=error.params["why"]) from error
        if not data or len(data) > MOST_BYTES:
            raise DocumentUnusable(file=name, why="large" if data else "empty")
        return data

    async def _text(self, path: Path, data: bytes) -> tuple[str, str, int | None]:
        """Media type, text and number of pages."""
        if data[:1024].find(b"%PDF-") >= 0:
            return _PDF, *await self._parsed("pdf", data)
        media_type = _BY_ENDING.get(path.suffix.lower(), _PLAIN)
        text = await asyncio.to_thread(_decoded, data, media_type)
        if text is None:
            raise _Unusable("not_text")
        if media_type == _HTML or (media_type == _PLAIN and text[:500].lstrip().lower().startswith(_HTML_STARTS)):
            return _HTML, *await self._parsed("html", text.encode())
        return media_type, text.replace(PAGE_BREAK, "\n"), None

    async def _parsed(self, kind: str, data: bytes) -> tuple[str, int | None]:
        """What the process of its own makes of a file; when this is cancelled, that ends."""
        try:
            process = await asyncio.create_subprocess_exec(
                *own_command(COMMAND, kind), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise _Unusable("unreadable", str(error)) from error
        try:
            async with asyncio.timeout(self._seconds):
                said = await _asked(process, data)
        except TimeoutError as error:
            raise _Unusable("slow") from error
        finally:
            await _end(process)
        if process.returncode == _OUT_OF_TIME:
            raise _Unusable("slow")
        return await asyncio.to_thread(_answer, said)


def _place(path: Path) -> str:
    """Where a file is, as text: absolute, links not followed."""
    return unicodedata.normalize("NFC", well_formed(str(path.absolute())))


class _Unusable(Exception):
    def __init__(self, why: str, details: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.details = details


async def _asked(process: Process, data: bytes) -> bytes:
    """What it answers; its input stays open, for it takes the end of that for the end of this process."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it failed before it had read all; that is seen below
        process.stdin.write(len(data).to_bytes(SIZE_BYTES) + data)
        await process.stdin.drain()
    said = await process.stdout.read()
    await process.wait()
    return said


async def _end(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _answer(said: bytes) -> tuple[str, int | None]:
    try:
        answer = json.loads(said)
    except ValueError as error:
        # It ended without an answer: its parser failed hard, or wanted more memory than it may have.
        raise _Unusable("broken") from error
    if why := answer.get("why"):
        raise _Unusable(why)
    return answer["text"], answer.get("pages")


def _decoded(data: bytes, media_type: str) -> str | None:
    """The text of a file in UTF-8, UTF-16 or CP949, single NULs left out; None where it is none. That of a page of the
    web may be in what it says it is."""
    text = read_text(data)
    if text is None and 0 < data.count(0) <= len(data) // 100:
        text = read_text(data.replace(b"\0", b""))
    if text is None and media_type == _HTML and (declared := _CHARSET.search(data[:2048])):
        text = data.decode(declared[1].decode(), "replace")
    return text
