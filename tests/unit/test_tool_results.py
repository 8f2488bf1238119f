"""Long tool results keep head and tail, whole characters, and tell how the whole can be read."""

from __future__ import annotations

import copy
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.conversation import Block, to_json
from desktop_app.core.text_cut import cut_ahead, cut_back, may_cut
from desktop_app.core.tool_results import USUAL_LIMIT, shortened, text_of_result

CALL: Block = {"type": "tool_use", "id": "toolu_7", "name": "read_file", "input": {"path": "/etc/백업.conf", "from": 1}}
IMAGE: Block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA" * 3000}}


def result(content: object, **more: object) -> Block:
    return {"type": "tool_result", "tool_use_id": "toolu_7", "content": content, **more}


def text_part(text: str) -> Block:
    return {"type": "text", "text": text}


def test_a_long_result_becomes_head_and_tail_with_a_line_between() -> None:
    whole = "".join(f"line {number:05}\n" for number in range(1000))
    cut = shortened(result(whole, is_error=True), USUAL_LIMIT, CALL)
    head, line, tail = cut["content"][:1500], cut["content"][1500:-1500], cut["content"][-1500:]
    assert (head, tail) == (whole[:1500], whole[-1500:])
    assert line == (
        "\n[8,000 of 11,000 characters left out here. Whole result of read_file "
        '{"path":"/etc/백업.conf","from":1}: call read_tool_result with tool_use_id "toolu_7"]\n'
    )
    assert (cut["is_error"], cut["tool_use_id"], list(cut)) == (True, "toolu_7", list(result("", is_error=True)))
    assert shortened(cut, USUAL_LIMIT, CALL) is cut, "it is short enough now"


@pytest.mark.parametrize(
    ("block", "limit"),
    [
        (result("x" * 4000), 4000),
        (result("x" * 90_000), 0),
        (result([text_part("x" * 2000), IMAGE, text_part("y" * 2000)]), 4000),
        (result("x" * 30), 10),  # the line alone would be longer
        (result(None), 4000),
        (result([]), 4000),
        ({"type": "tool_result", "tool_use_id": "t"}, 4000),
        (text_part("x" * 9000), 4000),
    ],
)
def test_what_is_short_or_no_result_is_the_same_object(block: Block, limit: int) -> None:
    before = copy.deepcopy(block)
    assert shortened(block, limit, CALL) is block
    assert block == before


def test_texts_of_a_list_count_together_and_images_stay() -> None:
    texts = ["a" * 1000, "b" * 1000, "c" * 3000, "d" * 1000, "e" * 1000]
    content: list[Block] = [text_part(text) for text in texts]
    content.insert(3, IMAGE)
    content[0] = {**content[0], "citations": None}
    before = copy.deepcopy(content)
    cut = shortened(result(content), 4000, CALL)["content"]
    assert content == before, "what is stored is not touched"
    assert cut[0] is content[0]
    assert cut[1]["text"].startswith("b" * 500 + "\n[4,000 of 7,000 characters left out here.")
    assert cut[2] is IMAGE, "the block of c is gone, the image is not"
    assert [part["text"] for part in cut[3:]] == ["d" * 500, "e" * 1000]


def test_a_list_cut_inside_one_text_keeps_both_ends_in_it() -> None:
    cut = shortened(result([text_part("a" * 9000)]), 4000, None)["content"]
    assert len(cut) == 1
    assert cut[0]["text"].startswith("a" * 1500 + "\n[6,000 of 9,000")
    assert cut[0]["text"].endswith("\n" + "a" * 1500)
    assert "Whole result of a tool: call" in cut[0]["text"]


def test_other_limits_keep_three_eighths_on_each_side() -> None:
    content = shortened(result("h" * 800 + "m" * 4000 + "t" * 800), 2000, CALL)["content"]
    assert content.startswith("h" * 750 + "\n[") and content.endswith("]\n" + "t" * 750)
    assert len(content) <= 2000


def test_long_arguments_are_clipped() -> None:
    call = {**CALL, "input": {"text": "가" * 9000}}
    content = shortened(result("x" * 9000), 4000, call)["content"]
    assert len(content) < 4000
    assert "가…: call read_tool_result" in content


FAMILY = "👩\u200d👩\u200d👧"
WHOLE = [FAMILY, "🇰🇷", "👍🏽", "e\u0301", unicodedata.normalize("NFD", "각"), "\r\n", "❤\ufe0f", "\ud83d\ude00", "नि"]


@pytest.mark.parametrize("unit", WHOLE, ids=range(len(WHOLE)))
def test_no_cut_goes_through_a_character(unit: str) -> None:
    text = unit * 20
    places = {place for place in range(len(text) + 1) if may_cut(text, place)}
    assert places == set(range(0, len(text) + 1, len(unit)))
    for place in range(len(text) + 1):
        assert cut_back(text, place) == place - place % len(unit)
        assert cut_ahead(text, place) == -(-place // len(unit)) * len(unit)


def test_endless_marks_are_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 1000
    assert (cut_back(text, 500), cut_ahead(text, 500)) == (500, 500)
    assert (cut_back(text, 30), cut_ahead(text, 990)) == (0, len(text))


@given(st.lists(st.sampled_from([*WHOLE, "a", "가", " ", "\n"]), max_size=600), st.integers(1, 900))
def test_any_text_keeps_whole_characters_and_its_ends(units: list[str], limit: int) -> None:
    text = "".join(units)
    block = result(text)
    cut = shortened(block, limit, CALL)
    assert to_json(cut) == to_json(shortened(block, limit, CALL))
    if cut is block:
        return
    shown = cut["content"]
    assert len(shown) < len(text) and len(text) > limit
    head, _, rest = shown.partition("\n[")
    tail = rest.rpartition("]\n")[2]
    if "\n[" not in text and "]\n" not in text:
        assert text.startswith(head) and text.endswith(tail)
        assert may_cut(text, len(head)) and may_cut(text, len(text) - len(tail))


def test_the_whole_text_of_a_result() -> None:
    assert text_of_result(result("one\ntwo")) == "one\ntwo"
    assert text_of_result(result([text_part("one"), IMAGE, text_part("two")])) == "one\n[image]\ntwo"
    assert text_of_result({"type": "tool_result", "tool_use_id": "t"}) == ""
