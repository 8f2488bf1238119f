"""Where an epoch has no tools no text of ours promises one: it says that the whole is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop_app.core.attachments import AttachedFile, Attachment, AttachmentKind, attachment_blocks, pointer_lines
from desktop_app.core.compaction.window_note import window_note
from desktop_app.core.context import plan_context
from desktop_app.core.conversation import text_block, to_json
from desktop_app.core.media_limit import over_body_limit
from desktop_app.core.own_tools import REPEATING_TOOLS
from desktop_app.core.tool_results import shortened
from tests.unit.message_samples import EPOCH, PICTURE, call, path_of, reply, result, results, user

FILES = [
    Attachment("0000000a", AttachmentKind.IMAGE, "plan.png", "image/png", 70, 720, 720),
    Attachment("0000000b", AttachmentKind.PDF, "report.pdf", "application/pdf", 70, pages=9),
    Attachment("0000000c", AttachmentKind.TEXT, "REMEMBER.txt", "text/plain", 70, characters=7),
]


def names_a_tool(text: str) -> bool:
    return any(name in text for name in REPEATING_TOOLS)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_note_of_a_window(language: str) -> None:
    with_tools, without = window_note(language, 12), window_note(language, 12, tools=False)
    assert names_a_tool(with_tools) and not names_a_tool(without)
    assert "12" in without and "{" not in without
    assert ("kept word for word" if language == "en" else "그대로 보관") in without


@pytest.mark.parametrize("language", ["en", "ko", "de"])
def test_lines_that_point_to_attachments(language: str) -> None:
    asked = user(*(block for one in FILES for block in attachment_blocks(AttachedFile(one, PICTURE["source"]["data"]))))
    lines = zip(pointer_lines([asked], language), pointer_lines([asked], language, tools=False), strict=True)
    for one, (with_tools, without) in zip(FILES, lines, strict=True):
        assert names_a_tool(with_tools) and not names_a_tool(without)
        assert one.name in without and one.id in without
        assert with_tools.partition("): ")[0] == without.partition("): ")[0]
        assert ("보관" if language == "ko" else "kept whole") in without


@pytest.mark.parametrize("parts", [False, True])
def test_the_line_in_a_shortened_result(parts: bool) -> None:
    block = result("t", [text_block("x" * 9_000)] if parts else "x" * 9_000)
    with_tools = to_json(shortened(block, 4_000, call("t", expression="1")))
    without = to_json(shortened(block, 4_000, call("t", expression="1"), tools=False))
    assert names_a_tool(with_tools) and not names_a_tool(without)
    assert "6,000 of 9,000 characters left out here. Whole result of calculator" in without
    assert "kept in this conversation]" in without


def test_a_request_promises_only_tools_of_its_epoch() -> None:
    path = path_of(user("Go"), reply(call("t")), results(result("t", "x" * 9_000)), reply("Ok."), user("On"))
    for tools in (EPOCH.tools, ()):
        plan = plan_context(path, replace(EPOCH, tools=tools, result_limit=4_000))
        sent = to_json([planned.block for message in plan.messages for planned in message.blocks])
        assert "characters left out" in sent
        assert names_a_tool(sent) == bool(tools)
        assert plan == plan_context(path, replace(EPOCH, tools=tools, result_limit=4_000))


def test_media_left_out_for_their_size() -> None:
    old, new = (attachment_blocks(AttachedFile(one, "A" * 4_000)) for one in FILES[:2])
    path = path_of(user(*old, "Look."), reply("Yes."), user(*new, "And this."))
    for tools in (EPOCH.tools, ()):
        plan, left = over_body_limit(plan_context(path, replace(EPOCH, tools=tools)), limit=5_000)
        sent = to_json([planned.block for message in plan.messages for planned in message.blocks])
        assert [one.name for one in left] == ["plan.png"]
        assert names_a_tool(sent) == bool(tools)
        assert tools or "it is kept whole in this conversation" in sent
