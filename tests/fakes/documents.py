"""Documents made on the spot: PDFs with text in Latin letters and, in a font that is not embedded, Korean."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

_FONTS = {
    3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    4: b"<< /Type /Font /Subtype /Type0 /BaseFont /HYSMyeongJo-Medium /Encoding /UniKS-UCS2-H "
    b"/DescendantFonts [5 0 R] >>",
    5: b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYSMyeongJo-Medium "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> /FontDescriptor 6 0 R >>",
    6: b"<< /Type /FontDescriptor /FontName /HYSMyeongJo-Medium /Flags 6 /FontBBox [0 -148 1001 880] /ItalicAngle 0 "
    b"/Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>",
}
_LOCKED = b"<< /Filter /Standard /V 1 /R 2 /O <" + b"41" * 32 + b"> /U <" + b"42" * 32 + b"> /P -4 >>"


def text_pdf(*pages: Sequence[str], locked: bool = False) -> bytes:
    """A PDF file with these lines on its pages; a `locked` one asks for a password nobody has."""
    objects = dict(_FONTS)
    kids = []
    for number, lines in enumerate(pages):
        page = 8 + 2 * number
        content = zlib.compress(b"BT 14 TL 50 780 Td\n" + b"".join(map(_line, lines)) + b"ET")
        objects[page] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
            b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>" % (page + 1)
        )
        head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(content)
        objects[page + 1] = head + content + b"\nendstream"
        kids.append(b"%d 0 R" % page)
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    objects[7] = _LOCKED
    return _file(objects, b" /Encrypt 7 0 R /ID [<00><00>]" if locked else b"")


def _line(line: str) -> bytes:
    if line.isascii():
        return b"/F1 12 Tf (" + line.encode() + b") Tj T*\n"
    return b"/F2 12 Tf <" + line.encode("utf-16-be").hex().encode() + b"> Tj T*\n"


def _file(objects: dict[int, bytes], more: bytes) -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number in range(1, len(objects) + 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    return out + b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (size, more, out.rfind(b"xref"))
