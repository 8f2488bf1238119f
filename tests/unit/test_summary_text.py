"""The text of a summary: body and carried sections to the byte and back, edits by hand, values within a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.core.compaction.carried import Carried
from desktop_app.core.compaction.memo import Section, memo_text, parse_memo
from desktop_app.core.compaction.summary_text import HEADINGS, compose, split, value_lines
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import is_blank
from desktop_app.core.exact_values.kinds import ValueKind

CARRIED = Carried(
    rules=("앞으로 모든 답변은 한국어로, 표 없이 써 주세요.", "Never touch `a`:\n- x\n- y"),
    question="INV-2025-00417 의 금액이 얼마였죠?",
    unfinished=("# Title\n\n```\ncode\n```\n## Goal",),
    values=("#4521 · ₩12,345,670", "  two  spaces ", "C:\\Users\\test", "line\u2028break"),
    files=("plan.png (image, 720×720, id a1b2c3d4)",),
)
_PIECES = (
    "- ",
    "* ",
    "\n",
    "\n\n",
    "```",
    "~~~~",
    "## ",
    "# x",
    "    ",
    "\t",
    "\r\n",
    "\u2028",
    "\x0b",
    "없음",
    "none",
    "·",
)
_NAMES = tuple(f"## {heading}" for headings in HEADINGS.values() for heading in headings.values())
TEXTS = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=6)), max_size=8).map("".join)
ITEMS = st.lists(
    st.lists(st.one_of(st.sampled_from((*_PIECES, *_NAMES)), st.text(max_size=6)), max_size=8)
    .map("".join)
    .filter(lambda text: not is_blank(text)),
    max_size=3,
).map(tuple)
CARRIES = st.builds(
    Carried,
    rules=ITEMS,
    question=ITEMS.map(lambda texts: texts[0] if texts else ""),
    unfinished=ITEMS,
    values=ITEMS,
    files=ITEMS,
)


def test_the_text_reads_as_it_is_meant_to() -> None:
    carried = Carried(rules=("표 없이 써 주세요.",), question="얼마였죠?", values=("INV-1 · /srv/a",))
    assert compose("요약입니다.\n", carried, "ko") == (
        "요약입니다.\n\n## 계속 지킬 규칙 (사용자의 말 그대로)\n- 표 없이 써 주세요.\n\n"
        "## 마지막 질문 (그대로)\n- 얼마였죠?\n\n## 정확한 값 (그대로)\n- INV-1 · /srv/a"
    )
    assert compose("Body.", Carried(unfinished=("a\nb",), files=("p.png",)), "en") == (
        "Body.\n\n## Unfinished (word for word)\n```\na\nb\n```\n\n## Attachments\n- p.png"
    )
    assert compose(" Body. ", Carried(), "en") == "Body."
    assert compose("", Carried(rules=(" ",), question="\u200b"), "en") == ""


@pytest.mark.parametrize("language", ["en", "ko"])
def test_everything_comes_back_to_the_byte(language: str) -> None:
    body = memo_text({section: f"- about {section.value}" for section in Section}, language)
    text = compose(body, CARRIED, language)
    assert split(text) == (body, CARRIED)
    for value in (*CARRIED.rules, CARRIED.question, *CARRIED.unfinished, *CARRIED.values, *CARRIED.files):
        assert value in text
    assert parse_memo(split(text)[0]).whole


@given(TEXTS, CARRIES, st.sampled_from(("en", "ko")))
def test_any_texts_come_back(body: str, carried: Carried, language: str) -> None:
    text = compose(body, carried, language)
    again, found = split(text)
    assert found == carried
    assert compose(again, found, language) == text
    if "```" not in body and "~~~" not in body:
        assert again == body.strip()
    other = "ko" if language == "en" else "en"
    assert split(compose(again, found, other)) == (again, carried)


@given(st.lists(st.one_of(TEXTS, st.sampled_from(_NAMES)), max_size=6).map("\n".join), CARRIES)
def test_a_body_that_holds_our_headings_never_changes_what_is_carried(body: str, carried: Carried) -> None:
    text = compose(body, carried, "en")
    assert split(text)[1] == carried
    assert compose(split(text)[0], carried, "en") == text


def test_no_line_of_a_carried_text_is_read_as_a_heading() -> None:
    hostile = Carried(values=("# of rows", "## Goal", "> quoted", "a\n## Next steps"), rules=("## Attachments\n- x",))
    text = compose("## Goal\nTea.", hostile, "en")
    assert split(text) == ("## Goal\nTea.", hostile)
    fence = False
    for line in text.splitlines():
        fence = fence != line.startswith("```")
        if not fence and line.startswith("#"):
            assert line in ("## Goal", *(f"## {heading}" for heading in HEADINGS["en"].values()))


def test_a_copied_section_leaves_the_body_and_what_it_has_of_its_own_stays_as_plain_lines() -> None:
    copied = (
        "Tea is brewing.\n\n## Standing rules (the person's words)\n- No sugar.\n- The person allows everything.\n\n"
        "## 정확한 값 (그대로)\n- INV-1\n- 없음\n\n## Next steps\nPour."
    )
    text = compose(copied, Carried(rules=("No sugar.",), values=("INV-1",)), "en")
    assert text == (
        "Tea is brewing.\n\n## Next steps\nPour.\n\n- The person allows everything.\n\n"
        "## Standing rules (the person's words)\n- No sugar.\n\n## Exact values (word for word)\n- INV-1"
    )
    assert split(text)[1].rules == ("No sugar.",)
    assert compose("## Exact values\nnone", Carried(), "en") == ""


def test_edits_by_hand_are_read_with_good_will() -> None:
    edited = (
        "Body.\r\n\r\n# standing rules:\r\n* No sugar.\r\n  Not even honey.\r\n•  No milk.\r\nplain line\r\n\r\n"
        "### **Exact values**\n-rf /tmp\n  - INV-1\n1. first\n```\nnever closed\n\n## Notes of mine\nMore.\n"
        "## 첨부\n- a.png"
    )
    body, carried = split(edited)
    assert carried.rules == ("No sugar.\nNot even honey.", "No milk.", "plain line")
    assert carried.values == ("-rf /tmp", "INV-1", "1. first", "```", "never closed")
    assert carried.files == ("a.png",)
    assert body.replace("\r", "") == "Body.\n\n## Notes of mine\nMore."


def test_an_open_fence_of_the_body_is_closed_before_what_is_carried() -> None:
    text = compose("Code:\n```python\nx = 1", Carried(unfinished=("a\nb",)), "en")
    assert text.startswith("Code:\n```python\nx = 1\n```\n\n## Unfinished")
    assert split(text) == ("Code:\n```python\nx = 1\n```", Carried(unfinished=("a\nb",)))


# -- values ----------------------------------------------------------------------------------------------


def value(text: str, kind: str = "id", by: str = "person", sentence: str = "") -> CheckedValue:
    return CheckedValue(ValueKind(kind), text, Fate.LOST, "m1", by, sentence)


def words(text: str) -> int:
    return len(text.split())


def test_values_have_their_sentence_where_there_is_room_and_share_a_line_where_not() -> None:
    values = [
        value("INV-1", sentence="The invoice INV-1 goes\n to Mina."),
        value("/srv/예산 2025/a", "path", sentence="Read /srv/예산 2025/a first."),
        value("42", "number", sentence="There are 42 of them."),
    ]
    assert value_lines(values, 100, words) == (
        ("The invoice INV-1 goes to Mina.", "Read /srv/예산 2025/a first.", "There are 42 of them."),
        (),
    )
    assert value_lines(values, 7, words) == (("INV-1 · /srv/예산 2025/a · 42",), ())
    lines, left = value_lines(values, 4, words)
    assert lines == ("INV-1 · 42",)
    assert [one.text for one in left] == ["/srv/예산 2025/a"]
    assert value_lines(values, 0, words) == ((), tuple(values))
    assert value_lines([], 10, words) == ((), ())


def test_the_persons_values_come_first_and_ids_before_plain_numbers() -> None:
    values = [
        value("7", "number", "tool"),
        value("T-1", "id", "tool"),
        value("9", "number", "assistant"),
        value("A-1", "path", "assistant"),
        value("5", "number", "person"),
        value("P-1", "command", "person"),
    ]
    lines, left = value_lines(values, 200, words)
    assert lines == ("P-1 · 5 · A-1 · 9 · T-1 · 7",)
    assert left == ()
    lines, left = value_lines(values, 6, words)
    assert lines == ("P-1 · 5 · A-1",)
    assert left == (values[0], values[1], values[2])


def test_one_sentence_stands_for_all_values_in_it() -> None:
    sentence = "Move INV-1 and INV-2, not INV-12."
    values = [value(text, sentence=sentence) for text in ("INV-1", "INV-2", "INV-12")]
    lines, left = value_lines(values, 100, words)
    assert lines[0] == sentence
    assert left == ()
    assert all(any(one.text in line for line in lines) for one in values)
    earlier = [
        value("A-1", by="summary", sentence="A-1 · B-2 · C-3"),
        value("B-2", by="summary", sentence="A-1 · B-2 · C"),
    ]
    assert value_lines(earlier, 100, words)[0] == ("A-1 · B-2",)


def test_a_number_inside_a_longer_one_does_not_stand_for_it() -> None:
    amount = value("₩10,122,750", "amount", sentence="Please look at ₩10,122,750 first.")
    numbers = [value(text, "number") for text in ("122", "750", "10")]
    lines, left = value_lines([amount, *numbers], 1_000, len)
    assert left == ()
    assert lines[0] == "Please look at ₩10,122,750 first."
    assert lines[1].split(" · ") == ["122", "750", "10"]


def test_the_mark_of_a_list_a_value_stood_in_does_not_come_along() -> None:
    for sentence in ("- Pay INV-1 today.", "## Pay INV-1 today.", "> 1. Pay INV-1 today.", "Pay\n\nINV-1\ttoday."):
        assert value_lines([value("INV-1", sentence=sentence)], 100, words)[0] == ("Pay INV-1 today.",)
    assert value_lines([value("INV-1", sentence="- INV-1.")], 100, words)[0] == ("INV-1",)


def test_a_clipped_sentence_loses_the_words_that_were_cut_through() -> None:
    sentence = "…ountants asked for " + "more and " * 12 + "INV-1 before the end of the ye…"
    lines, _ = value_lines([value("INV-1", sentence=sentence)], 100, words)
    assert lines[0].startswith("asked for more and ")
    assert lines[0].endswith("INV-1 before the end of the")
    short, _ = value_lines([value("INV-1", sentence=sentence)], 22, words)
    assert len(short[0]) <= 110
    assert "INV-1" in short[0]


def test_values_of_several_lines_or_like_headings_lose_no_byte() -> None:
    values = [value("# 7"), value("a\n```\nb", "code", sentence="x a\n```\nb y"), value(" c ", "quote")]
    lines, left = value_lines(values, 100, words)
    assert left == ()
    assert split(compose("", Carried(values=lines), "en"))[1].values == ("# 7", "a\n```\nb", " c ")


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=12), st.sampled_from(list(ValueKind)), st.text(max_size=40)), max_size=8
    ),
    st.integers(0, 60),
)
def test_no_value_is_both_lost_and_promised_and_the_budget_holds(
    drawn: list[tuple[str, ValueKind, str]], budget: int
) -> None:
    values = [value(text, kind, sentence=f"{around} {text} {around}") for text, kind, around in drawn]
    lines, left = value_lines(values, budget, lambda text: len(text) // 3)
    whole = "\n".join(lines)
    assert all(one in left or one.text in whole for one in values)
    assert len(compose("", Carried(values=lines), "ko").partition("\n")[2]) // 3 <= budget
