"""The handover memo over HTTP: sections as asked for, values kept or lost on purpose, never a tool call."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.fakes.refused_requests import CALCULATOR, assistant, call, result, text, user, valid_body
from tests.fakes.simulator import RunningSimulator

HEADINGS = ("## Goal", "## Decisions, constraints, preferences", "## Work in progress", "## Facts", "## Dead ends",
            "## Next steps")  # fmt: skip
KOREAN = ("## 목표", "## 결정, 제약, 선호", "## 진행 중인 작업", "## 사실", "## 막다른 길", "## 다음 단계")
TOLD = (
    "Hello!",
    "I want to move the nightly backups to the new NAS. The old one is at /mnt/old/backup.",
    "My bicycle is locked at the station, rack 14.",
    "We decided to keep 35 days of backups. I prefer rsync over tar.",
    "The first run failed with exit code 23 on 2026-11-30.",
    "The invoice INV-2025-00417 over 1,240.50 EUR is due on 3 December; the contact is Mr. Han, han@example.org.",
    'The gate says "no entry after 22:00". The manual is at https://example.org/manual?v=2.',
    "Next I will update the router from 7.3.1 to 7.4.0. The token is `NAS_TOKEN`.",
    "My dog's name is Biscuit.",
)
VALUES = ("/mnt/old/backup", "rack 14", "35 days", "exit code 23", "2026-11-30", "INV-2025-00417", "1,240.50 EUR",
          "3 December", "han@example.org", '"no entry after 22:00"', "https://example.org/manual?v=2", "7.3.1", "7.4.0",
          "`NAS_TOKEN`")  # fmt: skip


def prompt(headings: tuple[str, ...] = HEADINGS, lead: str = "Write a handover memo under these headings.") -> str:
    return "\n".join(["<handover_memo_request>", lead, *headings, "</handover_memo_request>"])


def told(*lines: str) -> list[dict[str, Any]]:
    return [message for line in lines for message in (user(line), assistant(f'Noted for this conversation: "{line}"'))]


def reply(simulator: RunningSimulator, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = valid_body(**({"messages": messages, "max_tokens": 4_000} | more))
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert {block["type"] for block in found["content"]} <= {"text", "thinking"}
    return found


def memo(simulator: RunningSimulator, messages: list[dict[str, Any]], **more: Any) -> str:
    answer = reply(simulator, messages, **more)
    assert answer["stop_reason"] == "end_turn"
    return str(answer["content"][-1]["text"])


def sections(written: str) -> dict[str, list[str]]:
    parts = [part.strip().splitlines() for part in re.split(r"^(?=## )", written, flags=re.MULTILINE) if part.strip()]
    return {rows[0]: rows[1:] for rows in parts}


def as_block(written: str) -> str:
    return f"<handover_memo>\nWritten by the assistant in place of the earlier messages.\n\n{written}\n</handover_memo>"


def test_the_sections_are_those_of_the_prompt_filled_from_the_conversation(simulator: RunningSimulator) -> None:
    found = sections(memo(simulator, [*told(*TOLD), user(prompt())]))
    assert tuple(found) == HEADINGS
    assert found["## Goal"] == [
        "- I want to move the nightly backups to the new NAS.",
        "- The old one is at /mnt/old/backup.",
    ]
    assert found["## Decisions, constraints, preferences"] == [
        "- We decided to keep 35 days of backups.",
        "- I prefer rsync over tar.",
    ]
    assert found["## Dead ends"] == ["- The first run failed with exit code 23 on 2026-11-30."]
    assert found["## Next steps"] == ["- Next I will update the router from 7.3.1 to 7.4.0."]
    assert found["## Work in progress"][-2] == "- The user: My dog's name is Biscuit."
    assert "- My bicycle is locked at the station, rack 14." in found["## Facts"]
    assert "- My dog's name is Biscuit." in found["## Facts"]


def test_other_headings_keep_their_order(simulator: RunningSimulator) -> None:
    wanted = ("## Facts and values", "## What failed", "## Colours", "## The goal")
    found = sections(memo(simulator, [*told(*TOLD), user(prompt(wanted))]))
    assert tuple(found) == wanted
    assert found["## Colours"] == ["none"]
    assert found["## What failed"] == ["- The first run failed with exit code 23 on 2026-11-30."]
    assert (
        tuple(sections(memo(simulator, [*told("The lamp is red."), user("<handover_memo_request>\nNow.")]))) == HEADINGS
    )


def test_in_korean(simulator: RunningSimulator) -> None:
    talk = told(
        "우리 집 백업을 새 NAS로 옮기려고 해. 경로는 /srv/backup/nas-7 이야.",
        "앞으로 백업은 35일만 보관하기로 했어.",
        "첫 시도는 오류 23번으로 실패했어.",
        "회의는 12월 3일 오후 2시, 장소는 3층 회의실이야.",
    )
    found = sections(memo(simulator, [*talk, user(prompt(KOREAN, "아래 제목으로 메모를 쓰세요."))]))
    assert tuple(found) == KOREAN
    assert found["## 결정, 제약, 선호"] == ["- 앞으로 백업은 35일만 보관하기로 했어."]
    assert found["## 사실"] == ["- 회의는 12월 3일 오후 2시, 장소는 3층 회의실이야."]
    assert found["## 막다른 길"] == ["- 첫 시도는 오류 23번으로 실패했어."]
    assert found["## 다음 단계"] == ["없음"]
    assert found["## 진행 중인 작업"][0] == "- 사용자: 첫 시도는 오류 23번으로 실패했어."


def test_a_faithful_memo_keeps_every_value_and_so_does_the_next(simulator: RunningSimulator) -> None:
    written = memo(simulator, [*told(*TOLD), user(prompt())])
    assert [value for value in VALUES if value not in written] == []
    later = [user(text(as_block(written)), text("The lamp is at shelf B-12.")), assistant("I see.")]
    again = memo(simulator, [*later, *told("Where is my bicycle?"), user(prompt())])
    assert [value for value in (*VALUES, "shelf B-12") if value not in again] == []
    assert sections(again)["## Goal"] == sections(written)["## Goal"]
    assert len(again) < 1.5 * len(written)


def test_values_of_tools_are_kept_and_failures_are_dead_ends(simulator: RunningSimulator) -> None:
    broken = {**result("toolu_2", "Disk /dev/sdb1 is gone."), "is_error": True}
    talk = [user("Look"), assistant(call("toolu_1")), user(result("toolu_1", "The log is /var/log/backup.log.")),
            assistant(call("toolu_2")), user(broken), assistant("It failed.")]  # fmt: skip
    found = sections(memo(simulator, [*talk, user(prompt())], tools=[CALCULATOR]))
    assert "- calculator: The log is /var/log/backup.log." in found["## Facts"]
    assert found["## Dead ends"] == ["- calculator: Disk /dev/sdb1 is gone."]


def test_what_the_client_keeps_itself_stays_out(simulator: RunningSimulator) -> None:
    search = {"type": "tool_use", "id": "toolu_1", "name": "search_memory", "input": {"query": "door"}}
    notes = text('<memory_notes>\n- "door": "code 4711"\n</memory_notes>')
    talk = [user(text("What is the door?"), notes), assistant(search), user(result("toolu_1", '{"door": "code 4712"}'))]
    tools = [{"name": "search_memory", "input_schema": {"type": "object"}}]
    written = memo(simulator, [*talk, assistant("I see."), user(prompt())], tools=tools)
    assert "4711" not in written
    assert "4712" not in written


def test_it_never_calls_a_tool_for_a_memo(simulator: RunningSimulator) -> None:
    save = {"name": "save_memory", "input_schema": {"type": "object", "properties": {"key": {}, "value": {}}}}
    talk = told("Remember that my coffee is a flat white.", "use the calculator for 12*7")
    found = sections(memo(simulator, [*talk, user(prompt())], tools=[save, CALCULATOR]))
    assert tuple(found) == HEADINGS


@pytest.mark.parametrize("room", [220, 400, 800])
def test_it_keeps_within_max_tokens(simulator: RunningSimulator, room: int) -> None:
    talk = told(
        *TOLD, *(f"The box number {number} holds the part P-{number:04d} of the machine." for number in range(80))
    )
    answer = reply(simulator, [*talk, user(prompt())], max_tokens=room)
    assert answer["stop_reason"] == "end_turn"
    assert answer["usage"]["output_tokens"] <= room
    assert tuple(sections(answer["content"][-1]["text"])) == HEADINGS


@pytest.mark.timed
def test_a_long_conversation_becomes_much_shorter_and_keeps_its_values(simulator: RunningSimulator) -> None:
    filler = " ".join(
        f"We talked about the weather and about boats for a while in part {'abcdefgh'[n % 8]}." for n in range(40)
    )
    talk = [message for number in range(60) for message in (
        user(f"{filler} The crate {number} has the label CR-{number:03d}."), assistant("I see."))]  # fmt: skip
    started = time.perf_counter()
    answer = reply(simulator, [*talk, user(prompt())], max_tokens=8_000)
    assert time.perf_counter() - started < 4.0
    written = answer["content"][-1]["text"]
    assert [number for number in range(60) if f"CR-{number:03d}" not in written] == []
    assert answer["usage"]["output_tokens"] < 0.25 * answer["usage"]["input_tokens"]


def lost(written: str) -> list[str]:
    return [value for value in VALUES if value not in written]


def test_a_lossy_memo_drops_a_third_and_changes_a_number(simulator: RunningSimulator) -> None:
    talk = [*told(*TOLD), user(prompt())]
    simulator.control({"action": "memo", "mode": "lossy"})
    assert reply(simulator, [user("Hello")])["content"][-1]["text"].startswith("Hello!")
    written = memo(simulator, talk)
    assert lost(written) == ["rack 14", "35 days", "INV-2025-00417", "1,240.50 EUR", "3 December", "han@example.org",
                             "7.3.1", "7.4.0"]  # fmt: skip
    assert "We decided to keep 36 days of backups." in written
    assert tuple(sections(written)) == HEADINGS
    assert lost(memo(simulator, talk)) == []
    simulator.control({"action": "memo", "mode": "lossy", "count": 0})
    assert [memo(simulator, talk), memo(simulator, talk)] == [written, written]


def test_the_command_line_sets_the_mode() -> None:
    talk = [*told(*TOLD), user(prompt())]
    with RunningSimulator("--memo", "lossy") as simulator:
        assert lost(memo(simulator, talk))
        simulator.control({"action": "memo", "mode": "faithful"})
        assert lost(memo(simulator, talk)) == []


def test_steps_can_be_meant_for_memos_or_for_anything_else(simulator: RunningSimulator) -> None:
    simulator.control(
        {"action": "reply", "text": "No sections.", "match": {"memo": True}},
        {"action": "reply", "text": "A chat.", "match": {"memo": False}},
        {"action": "reply", "text": "By its text.", "match": {"text": "<handover_memo_request>"}},
    )
    assert reply(simulator, [user("Hello")])["content"][-1]["text"] == "A chat."
    assert memo(simulator, [user(prompt())]) == "No sections."
    assert memo(simulator, [user(prompt())]) == "By its text."
    assert [row["scenario"] for row in simulator.recorded()] == ["reply"] * 3


def test_an_answer_without_sections_may_be_asked_for_again(simulator: RunningSimulator) -> None:
    talk = [*told(*TOLD), user(prompt()), assistant("Sorry: the code is X-99."), user(prompt())]
    written = memo(simulator, talk)
    assert written == memo(simulator, [*told(*TOLD), user(prompt())])


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ({"action": "memo"}, "memo needs mode"),
        ({"action": "memo", "mode": "short"}, "mode must be one of faithful, lossy"),
        ({"action": "blank", "match": {"memo": "yes"}}, "match.memo must be true or false"),
    ],
)
def test_broken_steps_are_refused(simulator: RunningSimulator, step: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        simulator.control(step)
