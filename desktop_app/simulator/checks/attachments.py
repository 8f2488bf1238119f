"""Images and PDFs over the whole request: does the model take them, are they what they say, how many and how large.

The limits are the published ones as far as they could be seen; those for PDFs, and that bytes are counted decoded, are
an assumption. All texts but the first two are the simulator's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..attachments import decoded, image_kind, image_size, is_pdf, pdf_pages
from ..conversation import Block, blocks_of
from ..errors import invalid
from ..models import IMAGES, PDFS, Model

MOST_IMAGE_BYTES = 5 * 1024 * 1024
LONGEST_EDGE = 8_000  # pixels
LONGEST_EDGE_OF_MANY = 2_000  # pixels, where there are more than MANY images
MANY = 20
LARGE_WINDOW = 500_000  # tokens; models with less take fewer pages and images
MOST, MOST_IN_SMALL_WINDOW = 600, 100  # images, and pages of PDFs, in one request


def check_attachments(body: dict[str, Any], model: Model) -> None:
    """Refuse what cannot be shown to the model. Raises ApiError 400."""
    images: list[tuple[str, Block]] = []
    pages = 0
    most = MOST if model.window >= LARGE_WINDOW else MOST_IN_SMALL_WINDOW
    for path, block in _attachments(body):
        if block["type"] == "image":
            images.append((path, block))
        else:
            pages += _check_pdf(path, block["source"]["data"], model)
    for path, block in images:
        _check_image(path, block["source"], model, many=len(images) > MANY)
    if pages > most:
        raise invalid(f"A maximum of {most} PDF pages may be provided.")
    if len(images) > most:
        raise invalid(f"messages: at most {most} images may be provided, found {len(images)}")


def _attachments(body: dict[str, Any]) -> Iterator[tuple[str, Block]]:
    """Images and base64 documents with their paths, those inside results and documents included."""
    for number, message in enumerate(body["messages"]):
        for index, block in enumerate(blocks_of(message["content"])):
            yield from _within(block, f"messages.{number}.content.{index}")


def _within(block: Block, path: str) -> Iterator[tuple[str, Block]]:
    kind, source = block.get("type"), block.get("source")
    if kind == "image" or (kind == "document" and isinstance(source, dict) and source["type"] == "base64"):
        yield path, block
        return
    inner = block.get("content") if kind == "tool_result" else None
    if kind == "document" and isinstance(source, dict):
        inner, path = source.get("content"), f"{path}.source"
    for index, entry in enumerate(inner if isinstance(inner, list) else []):
        yield from _within(entry, f"{path}.content.{index}")


def _check_image(path: str, source: dict[str, Any], model: Model, *, many: bool) -> None:
    if not model.offers(IMAGES):
        raise invalid(f"{path}: images are not supported on this model")
    data, told, found = source["data"], source["media_type"], image_kind(source["data"])
    if found is None:
        raise invalid("Could not process image")
    if found != told:
        raise invalid(
            f"{path}.image.source.base64: The image was specified using the {told} media type, but the image appears "
            f"to be a {found} image"
        )
    if (size := len(decoded(data) or b"")) > MOST_IMAGE_BYTES:
        raise invalid(
            f"{path}.image.source.base64: image exceeds 5 MB maximum: {size} bytes > {MOST_IMAGE_BYTES} bytes"
        )
    most = LONGEST_EDGE_OF_MANY if many else LONGEST_EDGE
    if max(image_size(data) or (0, 0)) > most:
        raise invalid(f"{path}.image.source.base64.data: At least one of the image dimensions exceeds {most} pixels")


def _check_pdf(path: str, data: str, model: Model) -> int:
    """The pages of a PDF."""
    if not model.offers(PDFS):
        raise invalid(f"{path}: PDF documents are not supported on this model")
    if not is_pdf(data):
        raise invalid("The PDF specified was not valid.")
    return pdf_pages(data)
