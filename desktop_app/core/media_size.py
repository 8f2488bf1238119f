"""How large a picture is and how many pages a PDF has, read from the file's own bytes without decoding it."""

from __future__ import annotations

import re
import struct
import zlib

_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PAGE_TREE = re.compile(rb"/Type\s*/Pages(?![A-Za-z])")
_COUNT = re.compile(rb"/Count\s+(\d{1,6})(?!\d)")
_PACKED = re.compile(rb"/Type\s*/ObjStm(?![A-Za-z])")
_STREAM = re.compile(rb"stream\r?\n")
_LOCKED = re.compile(rb"/Encrypt\s*(?:<<|\d+\s+\d+\s+R)")
_MOST_UNPACKED = 64_000_000
_AROUND = 400
"""Bytes around a mark in which the rest of its dictionary is looked for."""


def image_size(raw: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG or WebP file from its beginning; None when they are not there."""
    if raw.startswith(b"\x89PNG\r\n\x1a\n") and len(raw) >= 24:
        return struct.unpack(">II", raw[16:24])
    if raw[:6] in (b"GIF87a", b"GIF89a") and len(raw) >= 10:
        return struct.unpack("<HH", raw[6:10])
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return _webp_size(raw)
    return _jpeg_size(raw) if raw.startswith(b"\xff\xd8") else None


def _jpeg_size(raw: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(raw) and raw[place] == 0xFF:
        marker = raw[place + 1]
        if marker == 0xFF:  # a byte of filling
            place += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", raw[place + 5 : place + 9])
            return width, height
        place += 2 + int.from_bytes(raw[place + 2 : place + 4], "big")
    return None


def _webp_size(raw: bytes) -> tuple[int, int] | None:
    """Of the three forms of WebP: extended, lossless, lossy (RFC 9649, sections 2.5 to 2.7)."""
    form, body = raw[12:16], raw[20:30]
    if len(body) < 10:
        return None
    if form == b"VP8X":
        return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
    if form == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", body[6:10])
    return (width & 0x3FFF, height & 0x3FFF) if form == b"VP8 " else None


def pdf_pages(raw: bytes) -> int | None:
    """The number of pages of a PDF; None when it cannot be read without the means of a PDF reader.

    Pages are counted where they stand in the open, and in the object streams newer files pack them into. Where a
    page tree tells a larger number, that holds: of a changed file only some pages may be found.
    """
    parts = [raw, *_unpacked(raw)]
    found = sum(len(_PAGE.findall(part)) for part in parts)
    told = max((count for part in parts for count in _tree_counts(part)), default=0)
    return max(found, told) or None


def pdf_locked(raw: bytes) -> bool:
    """Whether a PDF is encrypted: no server reads it without its password."""
    return _LOCKED.search(raw) is not None


def _tree_counts(part: bytes) -> list[int]:
    counts = []
    for mark in _PAGE_TREE.finditer(part):
        start, end = part.rfind(b"obj", 0, mark.start()), part.find(b"endobj", mark.end())
        start = max(start, mark.start() - _AROUND)
        end = mark.end() + _AROUND if end < 0 else min(end, mark.end() + _AROUND)
        counts += [int(count) for count in _COUNT.findall(part[start:end])]
    return counts


def _unpacked(raw: bytes) -> list[bytes]:
    """What the object streams hold, at most so much in all that a bomb does no harm."""
    parts, room = [], _MOST_UNPACKED
    for mark in _PACKED.finditer(raw):
        begin = _STREAM.search(raw, mark.end(), mark.end() + _AROUND)
        if begin is None or room <= 0:
            continue
        try:
            part = zlib.decompressobj().decompress(raw[begin.end() :], room)
        except zlib.error:
            continue  # packed in another way than nearly all are
        parts.append(part)
        room -= len(part)
    return parts
