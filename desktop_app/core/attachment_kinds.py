"""Tells by its content what a file is and whether the API takes it: a picture, a PDF, a text, or none of these."""

from __future__ import annotations

import base64
import re

from desktop_app.core.attachments import AttachedFile, Attachment, AttachmentKind, clean_name, content_id
from desktop_app.core.conversation import is_blank
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.core.file_ends import is_whole_pdf, is_whole_picture
from desktop_app.core.media_size import image_size, pdf_locked, pdf_pages

IMAGE_LIMIT = 5_242_880
"""Bytes of a picture in base64. The API's reference says 5 MB; whether of the file or of its base64 is not certain,
so the stricter reading holds."""
MOST_PIXELS = 8_000
"""Pixels of the longer side of a picture; not certain for every model."""
PDF_LIMIT = 20_900_000
"""Bytes of a PDF. The API takes requests of 32 MB, a PDF in base64 included, and a third is added by base64."""
MOST_PAGES = 600
"""Pages of a PDF; models with a small window take fewer, which the count of tokens tells."""
TEXT_LIMIT = 400_000
"""Characters of a text."""
READ_LIMIT = 32_000_000
"""Bytes of a file that are read at all."""

_OTHER_PICTURES = (b"BM", b"II*\0", b"MM\0*", b"\0\0\1\0", b"8BPS", b"\0\0\0\x0cjP  ")
_HEIF = re.compile(rb".{4}ftyp(heic|heix|hevc|mif1|msf1|avif|avis)", re.DOTALL)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"))
_BOMS_16 = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_CONTROLS = re.compile("[\0-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_WIDE = re.compile("[\uac00-\ud7a3\u3131-\u318e\u3000-\u303f\u2010-\u2312\u25a0-\u266f\u4e00-\u9fff\uff00-\uffef·]")


def recognised(name: str, data: bytes) -> AttachedFile:
    """The attachment a file makes; its name says nothing about its kind. Raises AttachmentUnusable with the reason."""
    name = clean_name(name)
    if not data:
        raise AttachmentUnusable(file=name, why="empty")
    media_type = _picture_type(data)
    if media_type:
        return _picture(name, data, media_type)
    if data[:1024].find(b"%PDF-") >= 0:
        return _pdf(name, data)
    if _HEIF.match(data) or (data.startswith(_OTHER_PICTURES) and b"\0" in data[:64]):
        raise AttachmentUnusable(file=name, why="image_kind")
    if len(data) > READ_LIMIT:
        raise AttachmentUnusable(file=name, why="large")
    return _text(name, data)


def read_text(data: bytes) -> str | None:
    """The text of a file in UTF-8, UTF-16 or CP949; None where it is none."""
    for mark, coding in (*_BOMS, *_BOMS_16):
        if data.startswith(mark):
            return _strict(data[len(mark) :] if coding == "utf-8" else data, coding)
    if b"\0" in data:
        return _plausible(_strict(data, _wide_coding(data)))
    text = _strict(data, "utf-8")
    if text is not None:
        return _plausible(text)
    text = _strict(data, "cp949")
    foreign = [char for char in text or "" if char > "\x7f"]
    korean = sum(1 for char in foreign if _WIDE.match(char))
    return _plausible(text) if foreign and korean > 0.8 * len(foreign) else None


def _picture_type(data: bytes) -> str:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data[:3] == b"\xff\xd8\xff":
        return "image/jpeg"
    if data[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def _picture(name: str, data: bytes, media_type: str) -> AttachedFile:
    width, height = image_size(data) or (0, 0)
    if not width or not height or not is_whole_picture(data):
        raise AttachmentUnusable(file=name, why="broken")
    if max(width, height) > MOST_PIXELS:
        raise AttachmentUnusable(file=name, why="image_pixels")
    if len(data) > IMAGE_LIMIT * 3 // 4:
        raise AttachmentUnusable(file=name, why="image_large")
    coded = base64.b64encode(data).decode()
    about = Attachment(content_id(coded), AttachmentKind.IMAGE, name, media_type, len(data), width, height)
    return AttachedFile(about, coded)


def _pdf(name: str, data: bytes) -> AttachedFile:
    if len(data) > PDF_LIMIT:
        raise AttachmentUnusable(file=name, why="pdf_large")
    if not is_whole_pdf(data):
        raise AttachmentUnusable(file=name, why="broken")
    if pdf_locked(data):
        raise AttachmentUnusable(file=name, why="pdf_locked")
    pages = pdf_pages(data) or 0
    if pages > MOST_PAGES:
        raise AttachmentUnusable(file=name, why="pdf_pages")
    coded = base64.b64encode(data).decode()
    about = Attachment(content_id(coded), AttachmentKind.PDF, name, "application/pdf", len(data), pages=pages)
    return AttachedFile(about, coded)


def _text(name: str, data: bytes) -> AttachedFile:
    text = read_text(data)
    if text is None:
        raise AttachmentUnusable(file=name, why="not_text")
    if is_blank(text):
        raise AttachmentUnusable(file=name, why="empty")
    if len(text) > TEXT_LIMIT:
        raise AttachmentUnusable(file=name, why="text_long")
    size = len(text.encode())
    about = Attachment(content_id(text), AttachmentKind.TEXT, name, "text/plain", size, characters=len(text))
    return AttachedFile(about, text)


def _strict(data: bytes, coding: str) -> str | None:
    try:
        return data.decode(coding).removeprefix("\ufeff") if coding else None
    except UnicodeDecodeError:
        return None


def _wide_coding(data: bytes) -> str:
    """UTF-16 without a mark: in a text with Latin letters every other byte is nought; empty where it is none."""
    if len(data) % 2:
        return ""
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) < len(data) // 2 * 0.05 or min(even, odd) > 0:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _plausible(text: str | None) -> str | None:
    """The text, unless it holds control characters no writer makes."""
    return text if text is not None and len(_CONTROLS.findall(text)) <= len(text) / 1000 else None
