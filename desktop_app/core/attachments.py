"""Pictures, PDFs and texts attached to a message: their blocks, and what stands for them where they are not sent."""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop_app.core.attachment_label import MEDIA, label_places, label_text, read_label
from desktop_app.core.conversation import Block, Message, is_blank, text_block, to_json, well_formed
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.core.media_size import image_size, pdf_pages
from desktop_app.core.visible import FILLERS, JOINING

MESSAGE_LIMIT = 28_000_000
"""Bytes of all attachments of one message as they are sent: the newest are never left out, and a request body has
30,000,000."""
_LONGEST_NAME = 120
_HEAD = 262_144
"""Letters of base64 in which the size of a picture is looked for."""


class AttachmentKind(StrEnum):
    """What an attachment is to the API."""

    IMAGE = "image"
    PDF = "pdf"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Attachment:
    """What is known of an attachment without its content. `size` in bytes of the file (a text's in UTF-8).

    `id` is made of the content, so it stays the same when the message is edited or sent again. Of the measures only
    that of its kind is told: pixels, pages (0: unknown), characters.
    """

    id: str
    kind: AttachmentKind
    name: str
    media_type: str
    size: int
    width: int = 0
    height: int = 0
    pages: int = 0
    characters: int = 0

    @property
    def measure(self) -> str:
        """How large it is to the model: `720×720`, `90 pages`, `12400 characters`."""
        if self.kind is AttachmentKind.IMAGE:
            return f"{self.width}×{self.height}"
        if self.kind is AttachmentKind.PDF:
            return f"{self.pages or 'unknown'} page{'s' if self.pages != 1 else ''}"
        return f"{self.characters} characters"


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """An attachment with its content as it is sent: base64 of a picture or PDF, the text of a text."""

    attachment: Attachment
    data: str = field(repr=False)


def content_id(data: str) -> str:
    """The id of a content: eight hexadecimal digits."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def clean_name(name: str) -> str:
    """A file's name on one line, composed, nothing hidden in it, of at most 120 characters; never empty."""
    last = well_formed(name).replace("\\", "/").rstrip("/").rpartition("/")[2]
    line = " ".join(unicodedata.normalize("NFC", last).split())
    shown = "".join(char for char in line if char in JOINING or not _hidden(char))
    if len(shown) > _LONGEST_NAME:
        stem, dot, ending = shown.rpartition(".")
        ending = f"{dot}{ending}" if stem and len(ending) <= 10 else ""
        shown = shown[: _LONGEST_NAME - 1 - len(ending)] + "…" + ending
    return "attachment" if is_blank(shown) else shown


def attachment_blocks(file: AttachedFile) -> tuple[Block, Block]:
    """The blocks of an attachment in a message: the line that names it, and itself."""
    one = file.attachment
    label = text_block(label_text(one.id, one.name, one.media_type, one.measure))
    if one.kind is AttachmentKind.IMAGE:
        return label, {"type": "image", "source": _source("base64", one.media_type, file.data)}
    form = "base64" if one.kind is AttachmentKind.PDF else "text"
    return label, {"type": "document", "source": _source(form, one.media_type, file.data), "title": one.name}


def message_blocks(text: str, files: Sequence[AttachedFile] = ()) -> tuple[Block, ...]:
    """The blocks of a message of the person: what is attached, then the words; a blank text is no block.

    Raises AttachmentUnusable where all of it together is too large for one request.
    """
    attached = tuple(block for file in files for block in attachment_blocks(file))
    check_size(attached)
    return (*attached, text_block(text)) if not is_blank(text) else attached


def check_size(blocks: Sequence[Block]) -> None:
    """Raises AttachmentUnusable, naming the first that does not fit, where a message cannot hold all of these."""
    whole = 0
    for one, _, block in _attached(blocks):
        whole += len(to_json(block))
        if whole > MESSAGE_LIMIT:
            raise AttachmentUnusable(file=one.name, why="together")


def attached_of(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """What of a message is attached: all but the words of the person."""
    labels = label_places(blocks)
    return tuple(block for place, block in enumerate(blocks) if place in labels or block.get("type") != "text")


def attachments_of(message: Message) -> list[Attachment]:
    """The attachments of a message in order, those a tool gave included, each once."""
    return list({one.id: one for one, _, _ in _attached(message.blocks)}.values())


def found_attachment(messages: Iterable[Message], id_: str) -> tuple[Block, Block] | None:
    """The blocks of the newest attachment of this id, as in a message; None where there is none."""
    for message in reversed(list(messages)):
        for one, label, block in _attached(message.blocks):
            if one.id == id_:
                named = label or text_block(label_text(one.id, one.name, one.media_type, one.measure))
                return named, block
    return None


def attachment_of(block: Block, label: Block | None = None) -> Attachment | None:
    """What a block attaches, named by the line before it where there is one; None for a block of another kind."""
    if block.get("type") not in MEDIA:
        return None
    source, told = block.get("source"), read_label(label) if label is not None else None
    source = source if isinstance(source, Mapping) else {}
    data = source.get("data")
    kind = _kind(block, source)
    if not isinstance(data, str):
        data = to_json(source)  # a form this version does not write: an address, a file kept by the server, parts
    id_, name, media_type, measure = told or (content_id(data), *_unlabelled(block, source, kind), "")
    size = _bytes_of(data, kind)
    if kind is AttachmentKind.TEXT:
        return Attachment(id_, kind, name, media_type, size, characters=len(data))
    if kind is AttachmentKind.PDF:
        pages = int(first) if (first := measure.split(" ")[0]).isdecimal() else 0 if told else _pages(data)
        return Attachment(id_, kind, name, media_type, size, pages=pages)
    width, _, height = measure.partition("×")
    pixels = (int(width), int(height)) if width.isdecimal() and height.isdecimal() else _pixels(data)
    return Attachment(id_, kind, name, media_type, size, *pixels)


def stub(block: Block, label: Block | None = None) -> str:
    """A picture, PDF or text that is named only: `[image: plan.png, 720×720]`, `[PDF: report.pdf, 90 pages]`."""
    one = attachment_of(block, label)
    if one is None:
        return f"[{block.get('type')}]"
    kinds = {AttachmentKind.IMAGE: "image", AttachmentKind.PDF: "PDF", AttachmentKind.TEXT: "text"}
    return f"[{kinds[one.kind]}: {one.name}, {one.measure}]"


def worded(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with text in place of everything attached, inside results of tools too; the app's lines go."""
    labels = label_places(blocks)
    result: list[Block] = []
    for place, block in enumerate(blocks):
        if place in labels:
            continue
        if block.get("type") in MEDIA:
            result.append(text_block(stub(block, blocks[place - 1] if place - 1 in labels else None)))
        elif block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            result.append({**block, "content": worded(block["content"])})
        else:
            result.append(block)
    return result


def attached_names(blocks: Sequence[Block]) -> list[str]:
    """The names of what is attached to a message: what one without words is called by."""
    labels = label_places(blocks)
    found = (
        attachment_of(block, blocks[place - 1] if place - 1 in labels else None) for place, block in enumerate(blocks)
    )
    return [one.name for one in found if one is not None]


_POINTERS = {
    "en": "{name} ({kind}, {measure}, id {id}): call read_attachment with id {id} to see it again",
    "ko": "{name} ({kind}, {measure}, id {id}): 다시 보려면 id {id}(으)로 read_attachment를 호출",
}
_KEPT = {
    "en": "{name} ({kind}, {measure}, id {id}): kept whole in this conversation",
    "ko": "{name} ({kind}, {measure}, id {id}): 이 대화에 원본 그대로 보관되어 있음",
}
_KOREAN = {AttachmentKind.IMAGE: "그림", AttachmentKind.PDF: "PDF", AttachmentKind.TEXT: "텍스트"}
_ENGLISH = {AttachmentKind.IMAGE: "image", AttachmentKind.PDF: "PDF", AttachmentKind.TEXT: "text"}


def pointer_line(one: Attachment, language: str = "en", tools: bool = True) -> str:
    """One line of a summary that keeps an attachment within reach: name, kind, measure, size, id and the tool; without
    `tools` only that it is kept."""
    kinds = _KOREAN if language == "ko" else _ENGLISH
    measure = f"{_measure(one, language)}, {size_text(one.size)}"
    lines = _POINTERS if tools else _KEPT
    return lines.get(language, lines["en"]).format(name=one.name, kind=kinds[one.kind], measure=measure, id=one.id)


def pointer_lines(messages: Iterable[Message], language: str = "en", tools: bool = True) -> list[str]:
    """A line for each attachment of these messages (`pointer_line`), oldest first, each attachment once."""
    found = {one.id: one for message in messages for one in attachments_of(message)}
    return [pointer_line(one, language, tools) for one in found.values()]


def size_text(size: int) -> str:
    """A number of bytes as people say it: `820 B`, `12 KB`, `1.6 MB`."""
    if size < 1000:
        return f"{size} B"
    return f"{round(size / 1000)} KB" if size < 999_500 else f"{size / 1_000_000:.1f} MB"


def _measure(one: Attachment, language: str) -> str:
    if language != "ko" or one.kind is AttachmentKind.IMAGE:
        return one.measure
    return f"{one.pages or '?'}쪽" if one.kind is AttachmentKind.PDF else f"{one.characters}자"


def _source(form: str, media_type: str, data: str) -> Block:
    return {"type": form, "media_type": media_type, "data": data}


def _hidden(char: str) -> bool:
    return char in FILLERS or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _attached(blocks: Sequence[Block]) -> Iterator[tuple[Attachment, Block | None, Block]]:
    labels = label_places(blocks)
    for place, block in enumerate(blocks):
        if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
            yield from _attached(block["content"])
        label = blocks[place - 1] if place - 1 in labels else None
        one = attachment_of(block, label)
        if one is not None:
            yield one, label, block


def _kind(block: Block, source: Mapping[str, Any]) -> AttachmentKind:
    if block.get("type") == "image":
        return AttachmentKind.IMAGE
    return AttachmentKind.TEXT if source.get("type") in ("text", "content") else AttachmentKind.PDF


_USUAL = {
    AttachmentKind.IMAGE: "image/png",
    AttachmentKind.PDF: "application/pdf",
    AttachmentKind.TEXT: "text/plain",
}


def _unlabelled(block: Block, source: Mapping[str, Any], kind: AttachmentKind) -> tuple[str, str]:
    title = block.get("title")
    name = clean_name(title) if isinstance(title, str) and title else str(block.get("type"))
    return name, str(source.get("media_type") or _USUAL[kind])


def _bytes_of(data: str, kind: AttachmentKind) -> int:
    if kind is AttachmentKind.TEXT:
        return len(data.encode("utf-8", "surrogatepass"))
    return len(data) * 3 // 4 - data[-2:].count("=")


def _pixels(data: str) -> tuple[int, int]:
    return image_size(decoded(data[:_HEAD])) or (0, 0)


def _pages(data: str) -> int:
    return pdf_pages(decoded(data)) or 0


def decoded(data: str) -> bytes:
    """The bytes of base64 text; none where it is no such text."""
    try:
        return base64.b64decode(data)
    except ValueError:
        return b""
