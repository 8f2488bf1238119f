"""Images and PDFs by what is in them: kind, pixels and pages, and the tokens these cost; never by their base64 text.

An image costs width × height ÷ 750 tokens. A larger one than 1 568 pixels on its long edge, or than 1.15 megapixels, is
counted as if scaled down to that, so none costs more than 1 533 tokens. That is the published rule of the older models;
the newest ones are reported to scale down later and to count patches of 28 × 28 pixels (a few per cent less for the
same picture), which is not imitated. A page of a PDF costs `PAGE_TOKENS`, its text and its picture together.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from functools import lru_cache

PAGE_TOKENS = 1_650
UNREADABLE_IMAGE = 1_334
LONGEST_EDGE = 1_568  # pixels
MOST_PIXELS = 1_150_000
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGE_COUNT = re.compile(rb"/Count\s+(\d{1,4})(?!\d)")
_BEGINNINGS = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "image/gif": b"GIF8",
    "image/webp": b"RIFF",
}
_HEAD = 65_536  # characters of base64 in which the size of an image stands


def decoded(data: str) -> bytes | None:
    """The bytes of base64 text; None where it is none."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


@lru_cache(maxsize=256)
def image_kind(data: str) -> str | None:
    """The media type the bytes themselves show, or None."""
    head = decoded(data[:64]) or b""
    return next((kind for kind, start in _BEGINNINGS.items() if head.startswith(start)), None)


@lru_cache(maxsize=1_024)
def image_size(data: str) -> tuple[int, int] | None:
    """Width and height in pixels, None where they cannot be read."""
    head = decoded(data[:_HEAD]) or b""
    for read in (_png_size, _jpeg_size, _gif_size, _webp_size):
        if (size := read(head)) is not None:
            return size
    return None


def image_tokens(data: str) -> int:
    """Tokens of one image."""
    size = image_size(data)
    if size is None:
        return UNREADABLE_IMAGE
    width, height = size
    shrink = min(1.0, LONGEST_EDGE / max(width, height, 1), math.sqrt(MOST_PIXELS / max(width * height, 1)))
    return max(1, round(width * shrink * height * shrink / 750))


def _png_size(raw: bytes) -> tuple[int, int] | None:
    if not raw.startswith(_BEGINNINGS["image/png"]) or len(raw) < 24:
        return None
    return int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")


def _jpeg_size(raw: bytes) -> tuple[int, int] | None:
    at = 2
    while raw[:2] == b"\xff\xd8" and at + 9 <= len(raw):
        marker, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(raw[at + 7 : at + 9], "big"), int.from_bytes(raw[at + 5 : at + 7], "big")
        at += 2 + length
    return None


def _gif_size(raw: bytes) -> tuple[int, int] | None:
    if not raw.startswith(_BEGINNINGS["image/gif"]) or len(raw) < 10:
        return None
    return int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little")


def _webp_size(raw: bytes) -> tuple[int, int] | None:
    """The three forms of a WebP: extended, lossless, lossy."""
    if raw[:4] != b"RIFF" or raw[8:12] != b"WEBP" or len(raw) < 30:
        return None
    kind = raw[12:16]
    if kind == b"VP8X":
        return int.from_bytes(raw[24:27], "little") + 1, int.from_bytes(raw[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        return int.from_bytes(raw[26:28], "little") & 0x3FFF, int.from_bytes(raw[28:30], "little") & 0x3FFF
    return None


def is_pdf(data: str) -> bool:
    """Whether the bytes begin like a PDF."""
    return (decoded(data[:64]) or b"").startswith(b"%PDF-")


@lru_cache(maxsize=256)
def pdf_pages(data: str) -> int:
    """Pages of a PDF, at least 1: its page objects, or what its page tree says where those are packed away."""
    raw = decoded(data) or b""
    pages = [len(_PAGE.findall(raw)), 1]
    pages += [int(number) for number in _PAGE_COUNT.findall(raw)]
    return max(pages)
