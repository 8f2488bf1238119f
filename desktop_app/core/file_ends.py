"""Whether a picture or a PDF has its end, so that one whose copying broke off is told before it is sent."""

from __future__ import annotations

_PNG_END = b"IEND\xaeB`\x82"
_PDF_TAIL = 2_048
"""Bytes at the end of a PDF in which readers look for its end; a mark further up may be of an earlier version."""
_NO_LENGTH = (0x01, *range(0xD0, 0xD9))
"""Markers of a JPEG that stand alone."""
_SCAN = 0xDA


def is_whole_picture(raw: bytes) -> bool:
    """Whether a PNG, JPEG, GIF or WebP begins as it must and has its end; what stands behind that does not count."""
    if raw.startswith(b"\x89PNG"):
        return raw[12:16] == b"IHDR" and raw.find(_PNG_END, 33) >= 0
    if raw.startswith(b"\xff\xd8"):
        return _has_jpeg_end(raw)
    if raw.startswith(b"GIF8"):
        return raw.rstrip(b"\0\r\n").endswith(b";")
    told, first = (int.from_bytes(raw[place : place + 4], "little") for place in (4, 16))
    # Some writers leave out the last byte, which only fills up an odd length.
    return len(raw) >= 20 + first and len(raw) + 1 >= 8 + told


def is_whole_pdf(raw: bytes) -> bool:
    """Whether a PDF tells where its table of contents lies and where it ends."""
    tail = raw.rstrip(b"\0\r\n\t ")[-_PDF_TAIL:]
    return b"startxref" in tail and b"%%EOF" in tail


def _has_jpeg_end(raw: bytes) -> bool:
    """Whether the end comes behind the first scan: a small picture inside the head has an end of its own."""
    place = 2
    while place + 4 <= len(raw) and raw[place] == 0xFF:
        marker = raw[place + 1]
        if marker == _SCAN:
            return raw.find(b"\xff\xd9", place) >= 0
        if marker == 0xFF:  # a byte of filling
            place += 1
        else:
            place += 2 + (0 if marker in _NO_LENGTH else int.from_bytes(raw[place + 2 : place + 4], "big"))
    return False
