"""Summaries in every form over HTTP: what they are made of, how far they go, and what shape they have."""

from __future__ import annotations

import re
import time

import pytest

from tests.end_to_end.summary_talk import (
    EARLY,
    HEADINGS,
    LATE,
    TALK,
    VALUES,
    absent,
    ask,
    entry,
    prompt,
    quoted,
    summary,
    talk,
    with_tool,
)
from tests.fakes.refused_requests import CALCULATOR, assistant, result, text, user
from tests.fakes.simulator import RunningSimulator

EPISODES = ((3, 1, 2), (4, 3, 4))


def said(simulator: RunningSimulator, messages: list[dict[str, object]], **more: object) -> str:
    return str(ask(simulator, messages, **more)["content"][-1]["text"])


@pytest.mark.parametrize("form", ["memo", "running"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_fork_tells_what_stands_up_to_the_named_turn(simulator: RunningSimulator, form: str, language: str) -> None:
    asked = user(prompt(form, language, turns=4))
    written = said(simulator, [*talk(*EARLY, LATE), *with_tool("The log is /var/log/late.log."), asked],
                   tools=[CALCULATOR])  # fmt: skip
    assert absent(written) == []
    assert "DC-99021" not in written
    assert "late.log" not in written
    assert written.startswith(f"## {HEADINGS[language][0]}\n" if form == "memo" else "We decided")


def test_the_whole_turn_counts_with_its_tools_and_no_results_as_turns(simulator: RunningSimulator) -> None:
    summary_block = text("<handover_memo>\nAn introduction.\n\n## Facts\n- The key is K-4410.\n</handover_memo>")
    notes = text('<memory_notes>\n- "door": "code 4711"\n</memory_notes>')
    opening = user(summary_block, text("Start with P-1001."), notes)
    messages = [opening, assistant("Yes."), *with_tool("It lies at /srv/two.txt."), user(text("<b>P-3003</b>"))]
    for turns, there, not_there in (
        (1, "K-4410 P-1001", "two.txt P-3003"),
        (2, "two.txt", "P-3003"),
        (3, "P-3003", ""),
    ):
        written = said(simulator, [*messages, user(prompt(turns=turns))], tools=[CALCULATOR])
        assert absent(written, tuple(there.split())) == []
        assert absent(written, tuple(not_there.split())) == not_there.split()
        assert "4711" not in written


def test_words_beside_results_begin_the_next_turn(simulator: RunningSimulator) -> None:
    messages = with_tool("It lies at /srv/one.txt.")[:2]
    messages += [user(result("toolu_1", "It lies at /srv/one.txt."), text("Now take P-2002.")), assistant("Yes.")]
    written = said(simulator, [*messages, user(prompt(turns=1))], tools=[CALCULATOR])
    assert "/srv/one.txt" in written
    assert "P-2002" not in written


def test_only_the_quoted_talk_is_the_source_where_there_is_one(simulator: RunningSimulator) -> None:
    data = quoted(
        entry(1, "The path is /srv/프로젝트/예산 2025/최종.xlsx, see &lt;message> and &lt;handover_memo_request>."),
        entry(2, '{"command": "rsync -a /srv/in nas:/out"}', "assistant", calls="shell"),
        entry(3, "exit code 23 in /var/log/rsync.log", "tool", tool="shell"),
        entry(4, "The rest is a port: 8443 of ", part="1 of 2"),
        entry(4, "PORT_OF_NAS.", part="2 of 2"),
        entry(5, '{"facts": "code 4711"}', "tool", tool="search_memory"),
        earlier="They move the backups. Never touch rack 14.\n\n"
        "## Standing rules (the person's words)\n- Answer briefly.\n\n"
        "## Exact values (word for word)\n- the key is K-4410",
    )
    messages = [*talk("Another conversation with P-9999."), user(text(data), text(prompt()))]
    written = said(simulator, messages)
    there = ("/srv/프로젝트/예산 2025/최종.xlsx", "<message>", "rsync -a /srv/in nas:/out", "exit code 23", "8443")
    assert absent(written, (*there, "/var/log/rsync.log", "PORT_OF_NAS")) == []
    assert absent(written, ("rack 14", "Answer briefly.", "K-4410", "- They move the backups.")) == []
    assert "P-9999" not in written
    assert "4711" not in written


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_running_summary_is_short_apart_from_its_values(simulator: RunningSimulator, language: str) -> None:
    filler = [
        entry(n, f"We talked about boats and the sea for a while in part {'abcdef'[n % 6]}.") for n in range(9, 80)
    ]
    data = quoted(*(entry(n, line) for n, line in enumerate(EARLY, 1)), *filler)
    written = summary(simulator, prompt("running", language), data)
    assert absent(written) == []
    assert "## " not in written
    assert len(written.split("\n\n")[0].split()) < 200
    again = summary(simulator, prompt("running", language), quoted(entry(1, LATE), earlier=written))
    assert absent(again, (*VALUES, "DC-99021")) == []
    assert again.startswith("We decided to keep 35 days")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_each_episode_gets_its_heading_and_at_most_three_sentences(simulator: RunningSimulator, language: str) -> None:
    asked = prompt("episodes", language, episodes=EPISODES)
    blocks = summary(simulator, asked).split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        line for line in asked.splitlines() if line.startswith("## ")
    ]
    for block, values in zip(blocks, (VALUES[:6], VALUES[6:]), strict=True):
        told = " ".join(block.splitlines()[1:])
        assert absent(told, values) == []
        assert len(re.split(r"(?<=[.!?])\s+", told)) <= 3


@pytest.mark.parametrize(("form", "language"), [("memo", "en"), ("memo", "ko"), ("running", "en")])
def test_summaries_of_parts_are_joined_in_the_same_form(simulator: RunningSimulator, form: str, language: str) -> None:
    halves = [quoted(*(entry(n, line) for n, line in enumerate(lines))) for lines in (EARLY[:2], EARLY[2:])]
    parts = [summary(simulator, prompt(form, language), half) for half in halves]
    data = quoted(*(f'<part number="{n}">{part}</part>' for n, part in enumerate(parts, 1)))
    written = summary(simulator, prompt(form, language, join=True), data)
    assert absent(written) == []
    headings = [line[3:] for line in written.splitlines() if line.startswith("## ")]
    assert headings == (list(HEADINGS[language]) if form == "memo" else [])


def test_steps_can_be_meant_for_one_form(simulator: RunningSimulator) -> None:
    simulator.control(
        {"action": "memo", "mode": "worst", "match": {"form": "running"}},
        {"action": "reply", "text": "Joined.", "match": {"form": "join"}},
    )
    assert absent(summary(simulator, prompt())) == []
    assert summary(simulator, prompt("memo", join=True)) == "Joined."
    assert absent(summary(simulator, prompt("running"))) == list(VALUES)
    with pytest.raises(ValueError, match=r"match\.form must be one of memo, running, episodes, join"):
        simulator.control({"action": "blank", "match": {"form": "poem"}})


def test_words_that_only_mention_a_request_are_answered(simulator: RunningSimulator) -> None:
    answer = said(simulator, [*talk(*EARLY), user("What is the ticket?\n<handover_memo_request>\nAnd so on.")])
    assert "## Goal" not in answer
    assert "Goal" in summary(simulator, prompt(), TALK)


@pytest.mark.timed
@pytest.mark.parametrize("form", ["memo", "running", "episodes"])
def test_two_hundred_thousand_tokens_take_no_time_to_speak_of(simulator: RunningSimulator, form: str) -> None:
    words = "system 대화 파일 요약 value memory token budget cache 문서 " * 9
    lines = [entry(n, f"Message {n}: {words}/srv/data/x{n % 400}.csv {n}") for n in range(1, 1_600)]
    episodes = tuple((k + 1, k * 20 + 1, k * 20 + 20) for k in range(80)) if form == "episodes" else ()
    started = time.perf_counter()
    found = ask(simulator, [user(text(quoted(*lines)), text(prompt(form, episodes=episodes)))], max_tokens=8_000)
    assert time.perf_counter() - started < 6.0
    assert found["usage"]["input_tokens"] > 200_000
    assert found["stop_reason"] == "end_turn"
