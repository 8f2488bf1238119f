"""Messages as values: what is blank, what is a title, what JSON keeps."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.conversation import (
    Origin,
    clean_title,
    from_json,
    is_blank,
    new_id,
    now,
    text_block,
    text_of,
    title_from,
    to_json,
    tool_calls,
    well_formed,
    well_formed_block,
)
from tests.unit.message_samples import EPOCH, TOOLS, call, reply, thinking, user

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_comes_back_with_its_keys_in_order(value: object) -> None:
    text = to_json(value)
    assert from_json(text) == value
    assert to_json(from_json(text)) == text


def test_json_keeps_letters_and_adds_no_spaces() -> None:
    assert to_json({"z": "값 é", "a": [1, 2.5, None, True]}) == '{"z":"값 é","a":[1,2.5,null,true]}'


BLANK = (
    "",
    " ",
    "\n\t\r",
    "\u200b\u200d\ufeff",
    "\u3164\u3164",
    "\u115f\u1160",
    "\u2800",
    "\x00",
    "\u202e",
    "\u00a0\u3000",
)


@pytest.mark.parametrize("text", BLANK)
def test_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", ".", "값", " \u200b!", "👨‍👩‍👧‍👦", "\u0301", "ᄒ", "0"])
def test_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n \u200b\n  First  line\there \nsecond", "First line here"),
        ("", ""),
        (" \n\u3164", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("word " * 20, ("word " * 11).rstrip() + "…"),
        ("a " + "b" * 80, "a " + "b" * 57 + "…"),
        ("가" * 70, "가" * 59 + "…"),
    ],
)
def test_titles(text: str, title: str) -> None:
    assert title_from(text) == title
    assert len(title) <= 60


def test_text_of_a_message() -> None:
    message = reply(thinking("hidden"), "one", " \n", {"type": "text", "text": None}, call("x"), "two")
    assert message.text == "one\n\ntwo"
    assert text_of(message.blocks) == ["one", "two"]
    assert tool_calls(message.blocks) == [call("x")]


def test_turns_open_with_what_the_person_did() -> None:
    opening = {origin: user("a", origin=origin).opens_turn for origin in Origin}
    assert opening == {Origin.TYPED: True, Origin.CONTINUE: True, Origin.TOOL_RESULTS: False, Origin.REPLY: False}


def test_messages_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        user("a").blocks = ()  # type: ignore[misc]


def test_prefixes_are_the_same_byte_for_byte_or_not_at_all() -> None:
    assert EPOCH.same_prefix(replace(EPOCH, number=9))
    swapped = {name: TOOLS[0][name] for name in reversed(TOOLS[0])}
    assert swapped == TOOLS[0]
    for other in (
        replace(EPOCH, model="m"),
        replace(EPOCH, system=EPOCH.system + " "),
        replace(EPOCH, tools=TOOLS[::-1]),
        replace(EPOCH, tools=(swapped, *TOOLS[1:])),
        replace(EPOCH, result_limit=4_000),
    ):
        assert not EPOCH.same_prefix(other)


@pytest.mark.parametrize(
    ("text", "clean"),
    [("  two  \n lines\t", "two lines"), (" \u3164 ", ""), ("", ""), ("half \ud83d", "half \ufffd"), ("한글", "한글")],
)
def test_a_title_is_one_line(text: str, clean: str) -> None:
    assert clean_title(text) == clean


def test_halves_of_characters_are_joined_or_replaced() -> None:
    assert well_formed("\ud83d\ude00 \ud83d 값") == "😀 \ufffd 값"
    assert text_block("\udc00")["text"] == "\ufffd"
    whole = call("x", a="값", b=["😀", None])
    assert well_formed_block(whole) is whole
    broken = call("x", z=1, a=["\ud800", {"\ud800": 2.5}])
    assert well_formed_block(broken) == call("x", z=1, a=["\ufffd", {"\ufffd": 2.5}])
    assert list(well_formed_block(broken)["input"]) == ["z", "a"]
    assert broken["input"]["a"][0] == "\ud800"


@given(st.text(st.characters()))
def test_well_formed_text_can_always_be_written(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(text)


def test_ids_and_times() -> None:
    assert len({new_id() for _ in range(100)}) == 100
    assert now().utcoffset() == timedelta(0)
    assert text_block("a") == {"type": "text", "text": "a"}
