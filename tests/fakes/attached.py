"""Files to attach, made on the spot: pictures of noise that do not compress, PDFs of so many pages."""

from __future__ import annotations

import random
import struct
import zlib

from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import AttachedFile


def noise_png(width: int = 720, height: int = 720, seed: int = 1) -> bytes:
    """A PNG file of about 3 bytes a pixel."""
    letters = random.Random(seed)
    rows = b"".join(b"\0" + letters.randbytes(3 * width) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, data) for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    )


def pdf(pages: int, *, packed: bool = False, more: bytes = b"") -> bytes:
    """A PDF file as far as its pages go; `packed` puts them into an object stream, as newer programs do."""
    objects = b"".join(b"<</Type /Page /Parent 1 0 R>>\n" for _ in range(pages))
    if packed:
        stream = zlib.compress(b"<</Type /Pages /Count %d>>\n" % pages + objects)
        objects = b"5 0 obj <</Type /ObjStm /Filter /FlateDecode /Length %d>>\nstream\n" % len(stream) + stream
        objects += b"\nendstream\nendobj\n"
    return b"%PDF-1.7\n" + objects + more + b"\nstartxref\n9\n%%EOF"


def picture(name: str = "plan.png", side: int = 720, seed: int = 1) -> AttachedFile:
    """A picture of noise, attached."""
    return recognised(name, noise_png(side, side, seed))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
