"""What a client sends for a summary: prompts in every form and language, a talk of turns, a talk as quoted data."""

from __future__ import annotations

import json
from typing import Any

from tests.fakes.refused_requests import assistant, call, result, text, user, valid_body
from tests.fakes.simulator import RunningSimulator

HEADINGS = {
    "en": ("Goal", "Decisions, constraints, preferences", "Work in progress", "Facts", "Dead ends", "Next steps"),
    "ko": ("목표", "결정, 제약, 선호", "진행 중인 일", "사실", "막다른 길", "다음 단계"),
}
LEADS = {"en": "Write nothing else, in the language of the person.", "ko": "사용자의 언어로 이것만 쓰세요."}
TAGS = {"memo": "handover_memo_request", "running": "running_summary_request", "episodes": "episode_summaries_request"}
EARLY = (
    "We decided to keep 35 days of backups in /home/ann/backup.",
    "The invoice INV-2025-00417 over 1,240 EUR is due on 2025-11-03 at 14:30.",
    "The host is 192.0.2.55:8443, the mail goes to han@example.org.",
    "The ticket is TCK-88213, the part P-7716 lies in rack 14.",
)
LATE = "Later: the door code is DC-99021."
VALUES = ("35 days", "/home/ann/backup", "INV-2025-00417", "1,240 EUR", "2025-11-03", "14:30", "192.0.2.55:8443",
          "han@example.org", "TCK-88213", "P-7716", "rack 14")  # fmt: skip


def prompt(form: str = "memo", language: str = "en", *, turns: int | None = None, missing: tuple[str, ...] = (),
           episodes: tuple[tuple[int, int, int], ...] = (), join: bool = False) -> str:  # fmt: skip
    """The prompt of a request for a summary."""
    tag = f'join_request kind="{form}"' if join else TAGS[form]
    lines = [f"<{tag}>" if turns is None else f'<{tag} turns="{turns}">', LEADS[language]]
    if form == "memo":
        lines += [f"## {name}" for name in HEADINGS[language]]
    word, unit = ("Episode", "messages") if language == "en" else ("에피소드", "메시지")
    lines += [f"## {word} {number} ({unit} {first}-{last})" for number, first, last in episodes]
    if missing:
        lines += ["<missing_values>", "These have to be in it:", *(f"- {value}" for value in missing)]
        lines += ["</missing_values>", "Write all of it anew."]
    return "\n".join(lines)


def talk(*lines: str) -> list[dict[str, Any]]:
    """Turns of the person, each answered."""
    return [message for line in lines for message in (user(line), assistant("I see."))]


def quoted(*entries: str, earlier: str = "") -> str:
    """The talk as quoted data."""
    before = [f"<earlier_summary>{earlier}</earlier_summary>"] if earlier else []
    return "\n".join(["<conversation_to_summarise>", *before, *entries, "</conversation_to_summarise>"])


def entry(number: int, words: str, by: str = "person", **more: str) -> str:
    """One quoted message."""
    given = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<message number="{number}" from="{by}"{given}>{words}</message>'


TALK = quoted(*(entry(number, line) for number, line in enumerate(EARLY, 1)))


def ask(simulator: RunningSimulator, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The answer to a request."""
    body = valid_body(**({"messages": messages, "max_tokens": 4_000} | more))
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def summary(simulator: RunningSimulator, asked: str, data: str = TALK) -> str:
    """The summary of quoted data."""
    found = ask(simulator, [user(text(data), text(asked))])
    assert found["stop_reason"] == "end_turn"
    return str(found["content"][-1]["text"])


def streamed(simulator: RunningSimulator, messages: list[dict[str, Any]], **more: Any) -> tuple[str, str]:
    """The text of a streamed answer and its stop reason."""
    body = valid_body(**({"messages": messages, "max_tokens": 4_000, "stream": True} | more))
    answer = simulator.http.post("/v1/messages", json=body, headers=simulator.headers())
    rows = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    deltas = [row["delta"] for row in rows if row["type"] == "content_block_delta"]
    said = "".join(delta["text"] for delta in deltas if delta["type"] == "text_delta")
    return said, next(row["delta"]["stop_reason"] for row in rows if row["type"] == "message_delta")


def absent(written: str, values: tuple[str, ...] = VALUES) -> list[str]:
    """The values that do not stand in a summary."""
    return [value for value in values if value not in written]


def with_tool(words: str) -> list[dict[str, Any]]:
    """A turn in which a tool is called and answers."""
    return [user("Look"), assistant(call("toolu_1")), user(result("toolu_1", words)), assistant("Done.")]
