"""Images and PDFs at the simulated server: counted by pixels and pages, allowed in results, refused where broken."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest

from tests.fakes.refused_requests import CALCULATOR, call
from tests.fakes.simulator import RunningSimulator

MODEL = "claude-haiku-5-5"
Body = dict[str, Any]


def png(width: int, height: int) -> bytes:
    """A grey picture."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0" * 20


def webp(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + sizes + b"\0" * 8


def pdf(pages: int) -> bytes:
    return b"%PDF-1.7\n" + b"<< /Type /Pages /Kids [] /Count %d >>\n" % pages + b"\0" * 4_000


def block(kind: str, data: bytes, media: str) -> Body:
    source = {"type": "base64", "media_type": media, "data": base64.b64encode(data).decode()}
    return {"type": kind, "source": source}


def image(data: bytes, media: str = "image/png") -> Body:
    return block("image", data, media)


def document(data: bytes) -> Body:
    return block("document", data, "application/pdf")


def asked(*blocks: Body) -> list[Body]:
    return [{"role": "user", "content": [*blocks, {"type": "text", "text": "What is it?"}]}]


@pytest.fixture
def client(simulator: RunningSimulator) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=simulator.key, base_url=simulator.url, max_retries=0) as made:
        yield made


def count(client: anthropic.Anthropic, messages: list[Body], **more: Any) -> int:
    given: Body = {"model": MODEL, "messages": messages} | more
    return client.beta.messages.count_tokens(**given).input_tokens


def refused(client: anthropic.Anthropic, messages: list[Body], **more: Any) -> str:
    given: Body = {"model": MODEL, "messages": messages, "max_tokens": 50} | more
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.beta.messages.create(**given)
    return str(caught.value.api_message)


def test_pixels_count_and_bytes_do_not(client: anthropic.Anthropic) -> None:
    def tokens(picture: Body) -> int:
        return count(client, asked(picture)) - bare

    bare = count(client, asked(image(png(75, 10)))) - 1
    assert tokens(image(png(750, 400))) == 400
    assert tokens(image(png(750, 400) + b"\0" * 100_000)) == 400
    assert tokens(image(gif(750, 400), "image/gif")) == tokens(image(webp(750, 400), "image/webp")) == 400
    # Scaled down to 1568 pixels on the long edge, and to 1.15 megapixels.
    assert tokens(image(png(3_136, 300))) == round(1_568 * 150 / 750)
    assert tokens(image(png(4_000, 4_000))) == round(1_150_000 / 750)


def test_pages_count_and_bytes_do_not(client: anthropic.Anthropic) -> None:
    one, three, ninety = (count(client, asked(document(pdf(pages)))) for pages in (1, 3, 90))
    assert (three - one, ninety - one) == (2 * 1_650, 89 * 1_650)


def test_pictures_may_stand_in_a_result(client: anthropic.Anthropic) -> None:
    found = {"type": "tool_result", "tool_use_id": "toolu_a", "content": [image(png(750, 400)), document(pdf(2))]}
    loop = [
        {"role": "user", "content": "1+1?"},
        {"role": "assistant", "content": [call("toolu_a")]},
        {"role": "user", "content": [found]},
    ]
    given: Body = {"model": MODEL, "messages": loop, "tools": [CALCULATOR]}
    answer = client.beta.messages.create(**given, max_tokens=200)
    assert 400 + 2 * 1_650 < answer.usage.input_tokens == count(client, loop, tools=[CALCULATOR]) < 5_000


JPEG = b"\xff\xd8\xff\xe0" + b"\0" * 40
BASE64 = "messages.0.content.0.image.source.base64"
REFUSED = {
    "no picture": (image(b"hello"), "Could not process image"),
    "another kind of picture": (
        image(JPEG),
        f"{BASE64}: The image was specified using the image/png media type, but the image appears to be a image/jpeg "
        "image",
    ),
    "unknown kind": (
        image(b"<svg/>", "image/svg+xml"),
        f"{BASE64}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ),
    "broken base64": (
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo*"}},
        f"{BASE64}.data: Invalid base64 data",
    ),
    "too many pixels": (
        image(png(8_001, 1)), f"{BASE64}.data: At least one of the image dimensions exceeds 8000 pixels",
    ),
    "too many bytes": (
        image(png(8, 8) + b"\0" * (5 * 1024 * 1024)),
        f"{BASE64}: image exceeds 5 MB maximum: {5 * 1024 * 1024 + len(png(8, 8))} bytes > 5242880 bytes",
    ),
    "no PDF": (document(b"hello"), "The PDF specified was not valid."),
    "a PDF of another kind": (
        block("document", pdf(1), "application/msword"),
        "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    ),
    "too many pages": (document(pdf(601)), "A maximum of 600 PDF pages may be provided."),
}  # fmt: skip


@pytest.mark.parametrize(("given", "text"), REFUSED.values(), ids=REFUSED)
def test_refused(client: anthropic.Anthropic, given: Body, text: str) -> None:
    assert refused(client, asked(given)) == text


def test_limits_over_the_request(client: anthropic.Anthropic, simulator: RunningSimulator) -> None:
    assert refused(client, asked(document(pdf(400)), document(pdf(201)))).startswith("A maximum of 600 PDF pages")
    older: Body = {"model": "claude-haiku-4-5"}
    assert refused(client, asked(document(pdf(101))), **older) == "A maximum of 100 PDF pages may be provided."
    wide = image(png(2_001, 1))
    assert count(client, asked(*[wide] * 20)) > 0
    assert refused(client, asked(*[wide] * 21)).endswith("exceeds 2000 pixels")
    simulator.features("image_input", "pdf_input")
    assert refused(client, asked(wide)) == "messages.0.content.0: images are not supported on this model"
    assert refused(client, asked(document(pdf(1)))) == (
        "messages.0.content.0: PDF documents are not supported on this model"
    )


def test_body_over_32_megabytes(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.APIStatusError) as caught:
        client.messages.create(
            model=MODEL, max_tokens=50, messages=[{"role": "user", "content": "a" * (32 * 1024 * 1024)}]
        )
    assert (caught.value.status_code, caught.value.type) == (413, "request_too_large")
