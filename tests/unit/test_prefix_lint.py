"""What the lint finds in the prefix of the next request, what it leaves alone, and the remedy it names."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.cache.lint import LintFinding, LintKind, Remedy, lint
from desktop_app.core.conversation import Epoch
from desktop_app.core.fact_block import make_block
from desktop_app.core.prompt import Choices
from desktop_app.core.segment import Segment
from tests.unit.fact_samples import fact
from tests.unit.message_samples import EPOCH, TOOLS, path_of, user
from tests.unit.sent_samples import NOON, sent

PATH = path_of(user("Hello"))


def found(epoch: Epoch, before: SentRequest | None = None, **more: Any) -> tuple[LintFinding, ...]:
    """What is found in the request of an epoch."""
    coming = sent(PATH, epoch, choices=more.pop("choices", None))
    return lint(coming.request, coming.record.spans, before, **more)


def said(text: str) -> list[tuple[LintKind, str]]:
    """What is found in instructions."""
    findings = found(replace(EPOCH, system=text))
    assert all(one.segment is Segment.SYSTEM and one.remedy is Remedy.EDIT_INSTRUCTIONS for one in findings)
    return [(one.kind, one.quote) for one in findings]


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("Today is 2026-11-30.", [(LintKind.DATE, "2026-11-30")]),
        ("Now: 2026-11-30T14:02:33Z", [(LintKind.DATE, "2026-11-30"), (LintKind.TIME, "14:02:33Z")]),
        (
            "오늘은 2026년 11월 30일 월요일, 지금은 오후 2시 2분입니다.",
            [(LintKind.DATE, "2026년 11월 30일"), (LintKind.DATE, "월요일"), (LintKind.TIME, "오후 2시 2분")],
        ),
        ("The time is 14:02.", [(LintKind.TIME, "14:02")]),
        ("Timestamp 1796047353.", [(LintKind.TIME, "1796047353")]),
        ("Nov 30, 2026", [(LintKind.DATE, "Nov 30, 2026")]),
        (
            "Chat 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            [(LintKind.UUID, "3f2504e0-4f89-11d3-9a0c-0305e82c3301")],
        ),
        ("session_id: a8f3k2", [(LintKind.IDENTIFIER, "session_id: a8f3k2")]),
        ("You serve req_01J9ZK3QX.", [(LintKind.IDENTIFIER, "req_01J9ZK3QX")]),
        ('Settings: {"b": 1, "a": 2}', [(LintKind.UNSORTED_JSON, '{"b": 1, "a": 2}')]),
        ('Nested: {"a": [{"d": 1, "c": 2}]}', [(LintKind.UNSORTED_JSON, '{"a": [{"d": 1, "c": 2}]}')]),
    ],
)
def test_what_changes_by_itself_in_the_instructions(text: str, findings: list[tuple[LintKind, str]]) -> None:
    assert said(text) == findings


@pytest.mark.parametrize(
    "text",
    [
        "Be brief. You are a careful assistant.",
        "Lunch is at 12:30, and the cat is fed on Mondays.",
        "Use Python 3.11.2 on 192.168.0.1:8080; pictures are 16:9.",
        "Model claude-haiku-4-5-20251001.",
        'Answer as {"a": 1, "b": {"c": 2}} or {not json}.',
        "정확하게 답해 주세요. 회의는 매주 세 번입니다.",
        "I may be late 5 times.",
        "",
    ],
)
def test_what_stays_is_left_alone(text: str) -> None:
    assert said(text) == []


def test_facts_are_suspected_only_where_they_speak_of_now() -> None:
    facts = [
        fact(1, "birthday", "1987-03-02"),
        fact(2, "current_date", "2026-11-30"),
        fact(3, "오늘", "11월 30일"),
        fact(4, "trip", "leaves on 2026-12-24 at 08:15"),
    ]
    findings = found(replace(EPOCH, facts=make_block(facts, 4_000, len).text))
    assert [(one.kind, one.quote, one.name, one.segment, one.remedy) for one in findings] == [
        (LintKind.DATE, "2026-11-30", "current_date", Segment.FACTS, Remedy.SHOW_FACT),
        (LintKind.DATE, "11월 30일", "오늘", Segment.FACTS, Remedy.SHOW_FACT),
    ]


def test_a_date_that_stood_there_a_day_ago_is_a_fixed_one() -> None:
    epoch = replace(EPOCH, system="Born on 1987-03-02.")
    before = sent(PATH, epoch)
    assert [one.kind for one in found(epoch, before, moment=NOON + timedelta(hours=1))] == [LintKind.DATE]
    assert found(epoch, before, moment=NOON + timedelta(days=1)) == ()


def test_tools_without_an_order() -> None:
    (finding,) = found(replace(EPOCH, tools=TOOLS[::-1]))
    assert (finding.kind, finding.quote, finding.segment) == (
        LintKind.TOOL_ORDER,
        "read_file, calculator",
        Segment.TOOLS,
    )
    assert finding.remedy is Remedy.NONE
    (again,) = found(replace(EPOCH, tools=TOOLS[::-1]), sent(PATH))
    assert (again.kind, again.was) == (LintKind.TOOL_ORDER, "calculator, read_file")


def test_settings_that_are_not_those_of_the_last_request() -> None:
    other = replace(EPOCH, model="claude-opus-5-5", system="Be kind.", tools=TOOLS[:1])
    findings = found(other, sent(PATH), choices=Choices(16_000, "low"))
    assert [(one.kind, one.was, one.is_now, one.remedy) for one in findings] == [
        (LintKind.MODEL, "claude-sonnet-5-5", "claude-opus-5-5", Remedy.BACK_MODEL),
        (LintKind.TOOLS, "calculator, read_file", "calculator", Remedy.BACK_TOOLS),
        (LintKind.INSTRUCTIONS, "You are 정확한 도우미.", "Be kind.", Remedy.EDIT_INSTRUCTIONS),
        (LintKind.EFFORT, "high", "low", Remedy.BACK_EFFORT),
    ]
    assert findings[1].name == "read_file"


def test_the_usual_effort_written_out_is_no_finding() -> None:
    for was, is_now in ((None, "high"), ("high", None)):
        assert found(EPOCH, sent(PATH, choices=Choices(16_000, was)), choices=Choices(16_000, is_now)) == ()
    (finding,) = found(EPOCH, sent(PATH, choices=Choices(16_000)), choices=Choices(16_000, "medium"))
    assert (finding.was, finding.is_now, finding.remedy) == ("", "medium", Remedy.BACK_EFFORT)
    unknown = replace(EPOCH, model="model-of-a-friend")
    (finding,) = found(unknown, sent(PATH, unknown, choices=Choices(16_000)), choices=Choices(16_000, "high"))
    assert finding.kind is LintKind.EFFORT


def test_thinking_switched_off_can_be_switched_on_again() -> None:
    coming = sent(PATH)
    request = replace(coming.request, params={**coming.request.params, "thinking": {"type": "disabled"}})
    (finding,) = lint(request, coming.record.spans, sent(PATH))
    assert (finding.kind, finding.was, finding.is_now) == (LintKind.THINKING, "adaptive", "disabled")
    assert finding.remedy is Remedy.BACK_THINKING


def test_a_date_that_changed_is_told_once_with_both_lines() -> None:
    old, new = (replace(EPOCH, system=f"Today is 2026-11-{day}.") for day in (29, 30))
    findings = found(new, sent(PATH, old))
    assert (findings[0].kind, findings[0].was, findings[0].is_now) == (
        LintKind.DATE,
        "Today is 2026-11-29.",
        "Today is 2026-11-30.",
    )
    assert len(findings) == 1


def test_the_same_tool_with_its_keys_in_another_order() -> None:
    turned = dict(reversed(TOOLS[1].items()))
    (finding,) = found(replace(EPOCH, tools=(TOOLS[0], turned)), sent(PATH))
    assert (finding.kind, finding.name, finding.segment) == (LintKind.UNSORTED_JSON, "read_file", Segment.TOOLS)


def test_nothing_is_found_in_a_request_that_goes_on() -> None:
    assert found(EPOCH, sent(PATH)) == ()
