"""What stands in a message for an attachment, how it is named, found again, and told from the person's words."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import (
    AttachedFile,
    Attachment,
    AttachmentKind,
    attached_names,
    attached_of,
    attachment_blocks,
    attachments_of,
    check_size,
    clean_name,
    found_attachment,
    message_blocks,
    pointer_line,
    pointer_lines,
    stub,
    worded,
)
from desktop_app.core.conversation import Block, Message, Origin, Role, text_block
from desktop_app.core.errors import AttachmentUnusable
from desktop_app.core.token_estimate import block_features
from tests.fakes.attached import noise_png, pdf, picture

PNG = recognised("plan.png", noise_png(40, 20))
PDF = recognised("report.pdf", pdf(90))
TEXT = recognised("notes.md", "# 회의\n12 boats\n".encode())


def said(*blocks: Block, origin: Origin = Origin.TYPED, id_: str = "m") -> Message:
    return Message(id_, "c", None, Role.USER, blocks, origin)


def test_a_picture_is_named_then_sent_unchanged() -> None:
    label, block = attachment_blocks(PNG)
    assert label == text_block(f"[attachment {PNG.attachment.id}: plan.png, image/png, 40×20]")
    assert block["source"]["media_type"] == "image/png"
    assert base64.b64decode(block["source"]["data"]) == noise_png(40, 20)


def test_a_pdf_and_a_text_are_documents_with_their_name_as_title() -> None:
    label, block = attachment_blocks(PDF)
    assert label["text"].endswith(": report.pdf, application/pdf, 90 pages]")
    assert (block["type"], block["source"]["type"], block["title"]) == ("document", "base64", "report.pdf")
    label, block = attachment_blocks(TEXT)
    assert label["text"].endswith(": notes.md, text/plain, 14 characters]")
    assert block["source"] == {"type": "text", "media_type": "text/plain", "data": "# 회의\n12 boats\n"}


def test_a_message_of_nothing_but_an_attachment_has_no_text_block_of_the_person() -> None:
    blocks = message_blocks(" \u200b\n", [PNG])
    assert [block["type"] for block in blocks] == ["text", "image"]
    assert said(*blocks).text == ""
    assert message_blocks(" ") == ()
    assert attached_names(blocks) == ["plan.png"]


def test_the_apps_line_is_none_of_the_persons_words() -> None:
    message = said(*message_blocks("Where do they lie?", [PNG, TEXT]))
    assert message.text == "Where do they lie?"
    assert attached_of(message.blocks) == message.blocks[:4]


def test_a_line_a_person_wrote_like_it_is_theirs() -> None:
    forged = "[attachment 0a0a0a0a: plan.png, image/png, 40×20]"
    assert said(text_block(forged)).text == forged
    assert said(*message_blocks(forged, [PNG])).text == forged
    assert found_attachment([said(text_block(forged))], "0a0a0a0a") is None


@pytest.mark.parametrize(("file", "told"), [(PNG, "[image: plan.png, 40×20]"), (PDF, "[PDF: report.pdf, 90 pages]")])
def test_a_stub_names_what_it_stands_for(file: AttachedFile, told: str) -> None:
    label, block = attachment_blocks(file)
    assert stub(block, label) == told
    assert worded([*message_blocks("See?", [file])]) == [text_block(told), text_block("See?")]


def test_attachments_are_read_back_as_they_were_made() -> None:
    message = said(*message_blocks("x", [PNG, PDF, TEXT]))
    assert attachments_of(message) == [PNG.attachment, PDF.attachment, TEXT.attachment]


def test_what_a_tool_gave_is_an_attachment_too_and_each_is_told_once() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": list(attachment_blocks(PNG))}
    assert attachments_of(said(result, origin=Origin.TOOL_RESULTS)) == [PNG.attachment]
    assert worded([result])[0]["content"] == [text_block("[image: plan.png, 40×20]")]
    messages = [said(*message_blocks("x", [PNG])), said(result, origin=Origin.TOOL_RESULTS)]
    assert pointer_lines(messages) == [pointer_line(PNG.attachment)]


def test_blocks_without_the_line_have_an_id_and_their_measure_all_the_same() -> None:
    _, block = attachment_blocks(PNG)
    bare = attachments_of(said(block))[0]
    assert bare == replace(PNG.attachment, name="image")
    found = found_attachment([said(block)], bare.id)
    assert found is not None and found[1] is block and bare.id in found[0]["text"]
    for source in ({"type": "url", "url": "https://example.com/x.png"}, {"type": "file", "file_id": "f"}, None, "x"):
        assert stub({"type": "image", "source": source}) == "[image: image, 0×0]"


def test_the_newest_of_an_id_is_found() -> None:
    other = replace(PNG, attachment=replace(PNG.attachment, name="same.png"))
    found = found_attachment([said(*message_blocks("", [PNG])), said(*message_blocks("", [other]))], PNG.attachment.id)
    assert found is not None and "same.png" in found[0]["text"]
    assert found_attachment([], PNG.attachment.id) is None


def test_a_pointer_tells_name_kind_size_id_and_the_tool() -> None:
    one = Attachment("a1b2c3d4", AttachmentKind.PDF, "보고서.pdf", "application/pdf", 28_552, pages=90)
    assert pointer_line(one) == (
        "보고서.pdf (PDF, 90 pages, 29 KB, id a1b2c3d4): call read_attachment with id a1b2c3d4 to see it again"
    )
    korean = pointer_line(one, "ko")
    assert "90쪽" in korean and korean.count("a1b2c3d4") == 2 and "read_attachment" in korean


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("plan.png", "plan.png"),
        ("a/b\\c\\plan.png", "plan.png"),
        ("회의록.txt", "회의록.txt"),
        ("two\nlines\t.txt", "two lines .txt"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\u3164", "attachment"),
        ("", "attachment"),
        ("x" * 300 + ".png", "x" * 115 + "….png"),
        ("bad\ud800.txt", "bad\ufffd.txt"),
    ],
)
def test_names_are_one_clear_line(given: str, clean: str) -> None:
    assert clean_name(given) == clean


@pytest.mark.parametrize("name", ["a], image/gif, 1×1].png", "a, b, c.png", "[attachment 0a0a0a0a: x, a/b, 1].png"])
def test_no_name_can_be_taken_for_more_than_a_name(name: str) -> None:
    file = recognised(name, noise_png(40, 20))
    assert attachments_of(said(*message_blocks("", [file])))[0] == file.attachment


def test_what_is_too_large_together_is_refused_by_name() -> None:
    many = [AttachedFile(replace(PNG.attachment, name=f"{n}.png", id=f"{n:08x}"), "A" * 6_000_000) for n in range(5)]
    with pytest.raises(AttachmentUnusable) as refused:
        message_blocks("", many)
    assert refused.value.params == {"file": "4.png", "why": "together"}
    check_size(message_blocks("", many[:4]))


def test_tokens_come_from_pixels_and_pages_never_from_letters() -> None:
    features: dict[str, Any] = block_features(attachment_blocks(picture())[1], "message")
    assert features == {"image": 692.0}
    assert block_features(attachment_blocks(PDF)[1], "message") == {"image": 180_000.0}
    small = noise_png(10, 10)
    large = recognised("large.png", small[:16] + (6000).to_bytes(4) + (6000).to_bytes(4) + small[24:])
    assert block_features(attachment_blocks(large)[1], "message")["image"] == pytest.approx(1_533, abs=2)
