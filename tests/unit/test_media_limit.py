"""What is too much for one request leaves out the oldest, named; what a model cannot read is told by its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from desktop_app.core.attachment_kinds import recognised
from desktop_app.core.attachments import AttachedFile, attachment_blocks, message_blocks
from desktop_app.core.context import ContextPlan, plan_context
from desktop_app.core.conversation import Block, Epoch, Message, Origin, Role, text_block
from desktop_app.core.media_limit import over_body_limit, taken_media
from tests.fakes.attached import noise_png, pdf

EPOCH = Epoch(1, "m", "Be brief.", ({"name": "read_attachment"},))
SMALL = recognised("p.png", noise_png(30, 20))


def file(number: int, letters: int = 1_000_000) -> AttachedFile:
    """A picture of so many letters of base64."""
    return AttachedFile(replace(SMALL.attachment, id=f"{number:08x}", name=f"{number}.png"), "A" * letters)


def talk(*files: list[AttachedFile]) -> list[Message]:
    """A turn for each list of attachments, every answer with its thinking."""
    path: list[Message] = []
    for number, attached in enumerate(files):
        path.append(Message(f"u{number}", "c", None, Role.USER, message_blocks(f"q{number}", attached), Origin.TYPED))
        thought: Block = {"type": "thinking", "thinking": "hm", "signature": "s"}
        path.append(
            Message(f"a{number}", "c", None, Role.ASSISTANT, (thought, text_block("ok")), Origin.REPLY, epoch=1)
        )
    return path[:-1]


def texts(plan: ContextPlan, number: int) -> list[str]:
    return [str(planned.block.get("text")) for planned in plan.messages[number].blocks]


def kinds(plan: ContextPlan) -> list[list[Any]]:
    return [[planned.block["type"] for planned in message.blocks] for message in plan.messages]


def test_a_plan_within_the_limits_is_the_same_object() -> None:
    for path in (talk([]), talk([SMALL], []), talk([file(1, 9_000_000)], [file(2, 9_000_000)])):
        plan = plan_context(path, EPOCH)
        assert over_body_limit(plan) == (plan, ())
        assert over_body_limit(plan)[0] is plan


def test_the_oldest_leave_and_are_named() -> None:
    plan, left = over_body_limit(plan_context(talk([file(1)], [file(2), file(3)], [file(4)]), EPOCH), 3_500_000)
    assert [one.name for one in left] == ["1.png", "2.png"]
    assert texts(plan, 0) == [
        "[attachment 00000001: 1.png, image/png, 30×20]",
        "[image: 1.png, 30×20] (left out of this request for its size; "
        "call read_attachment with id 00000001 to see it)",
        "q0",
    ]
    assert kinds(plan)[2] == ["text", "text", "text", "image", "text"]


def test_thinking_behind_what_left_goes_with_it_and_thinking_before_stays() -> None:
    plan, _ = over_body_limit(plan_context(talk([], [file(1)], [file(2)], [file(3)]), EPOCH), 2_500_000)
    assert [part[0] for part in kinds(plan)] == ["text", "thinking", "text", "text", "text", "text", "text"]


def test_the_newest_turn_with_media_keeps_them_even_over_the_limit() -> None:
    plan, left = over_body_limit(plan_context(talk([file(1)], [file(2), file(3)], []), EPOCH), 500_000)
    assert [one.name for one in left] == ["1.png"]
    assert kinds(plan)[2] == ["text", "image", "text", "image", "text"]


def test_media_of_an_open_turn_belong_to_it() -> None:
    path = talk([file(1)], [file(2)])
    call = {"type": "tool_use", "id": "t", "name": "read_attachment", "input": {"id": "00000001"}}
    path.append(Message("r", "c", None, Role.ASSISTANT, (call,), Origin.REPLY, epoch=1))
    result = {"type": "tool_result", "tool_use_id": "t", "content": list(attachment_blocks(file(1)))}
    path.append(Message("t", "c", None, Role.USER, (result,), Origin.TOOL_RESULTS))
    plan, left = over_body_limit(plan_context(path, EPOCH), 1_500_000)
    assert [one.name for one in left] == ["1.png"]
    assert kinds(plan)[2] == ["text", "image", "text"]
    assert [part["type"] for part in plan.messages[4].blocks[0].block["content"]] == ["text", "image"]
    # A turn later the result of the tool is old, too.
    path.append(Message("e", "c", None, Role.ASSISTANT, (text_block("ok"),), Origin.REPLY, epoch=1))
    later = [*path, *talk([file(3)])]
    plan, left = over_body_limit(plan_context(later, EPOCH), 1_500_000)
    assert [one.name for one in left] == ["1.png", "2.png"]
    assert plan.messages[4].blocks[0].block["content"][1]["text"].startswith("[image: 1.png, 30×20] (left out")


def test_with_every_picture_more_the_beginning_stays_the_same_for_long() -> None:
    every = [[file(number)] for number in range(35)]
    beginnings = {
        len(over_body_limit(plan_context(talk(*every[:count]), EPOCH), 15_000_000)[1]) for count in range(1, 35)
    }
    assert beginnings == {0, 5, 10, 15, 20}


def test_thirty_screenshots_fit_into_a_body() -> None:
    plan = plan_context(talk(*([file(number, 2_000_000)] for number in range(30))), EPOCH)
    kept, left = over_body_limit(plan)
    assert len(left) == 20
    assert sum(len(str(block.block)) for message in kept.messages for block in message.blocks) < 30_000_000
    assert over_body_limit(kept)[1] == ()


def test_more_pages_than_a_model_takes_leave() -> None:
    reports = [[recognised(f"{n}.pdf", pdf(60 + n))] for n in range(4)]
    plan = plan_context(talk(*reports), EPOCH)
    assert over_body_limit(plan)[1] == ()
    assert [one.name for one in over_body_limit(plan, window=200_000)[1]] == ["0.pdf", "1.pdf", "2.pdf"]


def test_more_than_twenty_pictures_must_be_small() -> None:
    def pictures(side: int) -> ContextPlan:
        one = replace(SMALL.attachment, width=side)
        return plan_context(
            talk(*([replace(file(n, 9), attachment=replace(one, name=str(n)))] for n in range(22))), EPOCH
        )

    assert over_body_limit(pictures(2_000))[1] == ()
    plan, _ = over_body_limit(pictures(2_001))
    assert sum(kind == "image" for part in kinds(plan) for kind in part) == 12


def test_what_a_model_cannot_read_is_named_and_a_text_stays_a_text() -> None:
    notes = recognised("notes.md", b"12 boats")
    plan = plan_context(talk([SMALL, recognised("r.pdf", pdf(2)), notes]), EPOCH)
    assert taken_media(plan) is plan
    assert kinds(taken_media(plan, pdfs=False)) == [["text", "image", "text", "text", "text", "text", "text"]]
    told = texts(taken_media(plan, images=False, pdfs=False), 0)
    assert told[1] == "[image: p.png, 30×20] (this model cannot read it)"
    assert told[3] == "[PDF: r.pdf, 2 pages] (this model cannot read it)"
    assert told[5] == "<document>\n12 boats\n</document>"
