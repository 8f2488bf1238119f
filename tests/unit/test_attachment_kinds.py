"""A file is what its content says: taken as a picture, PDF or text, or refused with the reason."""

from __future__ import annotations

import struct
import zlib

import pytest

from desktop_app.core.attachment_kinds import IMAGE_LIMIT, PDF_LIMIT, TEXT_LIMIT, read_text, recognised
from desktop_app.core.attachments import AttachmentKind
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.core.media_size import image_size, pdf_pages
from desktop_app.core.words import load_words
from tests.fakes.attached import noise_png, pdf

KOREAN = "회의록\n배는 12척입니다.\n"


def webp(form: bytes, body: bytes) -> bytes:
    chunk = form + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


WEBPS = [
    webp(b"VP8X", bytes(4) + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")),
    webp(b"VP8L", b"\x2f" + (639 | 479 << 14).to_bytes(4, "little") + bytes(8)),
    webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 640, 480) + bytes(4)),
]


def jpeg_part(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


THUMBNAIL = b"\xff\xd8" + jpeg_part(0xDA, bytes(6)) + b"small\xff\xd9"
SIZE = jpeg_part(0xC0, b"\x08" + struct.pack(">HH", 20, 30) + b"\x01\x01\x11\0")
JPEG = b"\xff\xd8" + jpeg_part(0xE1, THUMBNAIL) + SIZE + jpeg_part(0xDA, bytes(6)) + b"grey\xff\0\xff\xd9"
"""With a small picture in its head that has an end of its own."""
GIF = b"GIF89a" + struct.pack("<HH", 30, 20) + bytes(9) + b";"


@pytest.mark.parametrize("raw", [JPEG, GIF, noise_png(30, 20)])
def test_what_stands_behind_the_end_of_a_picture_does_not_make_it_broken(raw: bytes) -> None:
    for data in (raw, raw + bytes(3)):
        one = recognised("x", data).attachment
        assert (one.width, one.height) == (30, 20)


@pytest.mark.parametrize("name", ["plan.png", "plan.txt", "plan"])
def test_a_picture_is_one_whatever_its_name(name: str) -> None:
    one = recognised(name, noise_png(30, 20)).attachment
    assert (one.kind, one.media_type, one.width, one.height) == (AttachmentKind.IMAGE, "image/png", 30, 20)


@pytest.mark.parametrize("raw", WEBPS)
def test_all_forms_of_webp_tell_their_size(raw: bytes) -> None:
    assert image_size(raw) == (640, 480)
    assert recognised("x.webp", raw).attachment.media_type == "image/webp"
    assert image_size(raw[:24]) is None


@pytest.mark.parametrize("packed", [False, True])
def test_pages_are_counted_in_the_open_and_in_object_streams(packed: bool) -> None:
    assert recognised("x.pdf", pdf(17, packed=packed)).attachment.pages == 17


def test_the_page_tree_tells_where_pages_cannot_be_found() -> None:
    assert pdf_pages(b"%PDF-1.4\n1 0 obj <</Type /Pages /Kids [2 0 R] /Count 42>> endobj") == 42
    assert pdf_pages(b"%PDF-1.4\n1 0 obj <</Type /Outlines /Count 900>> endobj") is None


def test_a_bomb_in_an_object_stream_is_not_unpacked() -> None:
    stream = zlib.compress(bytes(200_000_000), 9)
    raw = b"%PDF-1.7\n5 0 obj <</Type /ObjStm>>\nstream\n" + stream + b"\nendstream\nstartxref\n9\n%%EOF\n"
    assert recognised("bomb.pdf", raw).attachment.measure == "unknown pages"


@pytest.mark.parametrize(
    "data",
    [
        KOREAN.encode(),
        KOREAN.encode("utf-8-sig"),
        KOREAN.encode("utf-16"),
        "\ufeff".encode("utf-16-be") + KOREAN.encode("utf-16-be"),
        KOREAN.encode("utf-16-le"),
        KOREAN.encode("utf-16-be"),
        KOREAN.encode("cp949"),
    ],
)
def test_korean_texts_are_read_in_each_of_their_codings(data: bytes) -> None:
    file = recognised("회의록.txt", data)
    assert (file.data, file.attachment.kind) == (KOREAN, AttachmentKind.TEXT)
    assert file.attachment.characters == len(KOREAN)


def test_code_and_logs_are_texts_byte_for_byte() -> None:
    code = "def f() -> None:\r\n\treturn  # \x1b[31mred\x1b[0m é 日本\r\n"
    assert recognised("f.py", code.encode()).data == code


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (" \n\u200b".encode(), "empty"),
        (b"PK\x03\x04" + bytes(range(256)) * 8, "not_text"),
        (bytes(range(256)), "not_text"),
        (b"\x7fELF" + bytes(400), "not_text"),
        ("Crème brûlée déjà vu".encode("latin-1"), "not_text"),
        (b"BM" + bytes(60), "image_kind"),
        (b"\0\0\0\x18ftypheic" + bytes(60), "image_kind"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(200, 256)) * 9, "broken"),
        (noise_png(8, 8)[:-12], "broken"),
        (noise_png(8, 8)[:16] + struct.pack(">II", 0, 8) + noise_png(8, 8)[24:], "broken"),
        (b"\xff\xd8\xff\xe0", "broken"),
        (JPEG[:-2], "broken"),
        (GIF[:-1], "broken"),
        (WEBPS[0][:-1], "broken"),
        (pdf(3)[:-16], "broken"),
        (pdf(3)[:-5], "broken"),
        (noise_png(8, 8)[:16] + struct.pack(">II", 8001, 8) + noise_png(8, 8)[24:], "image_pixels"),
        (noise_png(8, 8) + bytes(IMAGE_LIMIT * 3 // 4), "image_large"),
        (pdf(3, more=b"trailer <</Encrypt 9 0 R>>"), "pdf_locked"),
        (pdf(601), "pdf_pages"),
        (pdf(1) + bytes(PDF_LIMIT), "pdf_large"),
        (b"x" * (TEXT_LIMIT + 1), "text_long"),
        (b"x" * 32_000_001, "large"),
    ],
)
def test_what_cannot_be_attached_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(AttachmentUnusable) as refused:
        recognised("file.bin", data)
    assert refused.value.params == {"file": "file.bin", "why": why}
    for language in ("en", "ko"):
        words = load_words(language)
        assert words.say(f"errors.attachment_why.{why}") in words.explain(refused.value)


def test_the_largest_that_can_be_attached_is() -> None:
    room = IMAGE_LIMIT * 3 // 4 - len(noise_png(8, 8))
    assert len(recognised("x.png", noise_png(8, 8) + bytes(room)).data) <= IMAGE_LIMIT
    assert recognised("x.txt", b"x" * TEXT_LIMIT).attachment.characters == TEXT_LIMIT
    assert read_text("가나다".encode("cp949")) == "가나다"
