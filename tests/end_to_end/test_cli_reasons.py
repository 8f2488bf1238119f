"""`cache why` and `request diff`: the culprit of a real turn, two requests side by side, and what is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop_app.core.words import load_words
from tests.fakes.command_line import CommandLine
from tests.fakes.house import make_settings
from tests.fakes.simulator import RunningSimulator

LONG = "Answer in short plain sentences, and never guess what you do not know.\n" * 200

ANSWER = (
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5-5",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 3_200, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Noted."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 3},
    },
    {"type": "message_stop"},
)
"""What a server says that knows nothing of a cache."""


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    """The simulated assistant, with instructions long enough to be kept."""
    folder = tmp_path / "data"
    folder.mkdir()
    make_settings(folder, simulator.url, simulated=False, plain_endpoint=False, instructions=LONG)
    return CommandLine(folder)


def other_instructions(cli: CommandLine, simulator: RunningSimulator) -> None:
    """The person edits the instructions."""
    make_settings(cli.data_dir, simulator.url, simulated=False, plain_endpoint=False, instructions=f"Be kind.\n{LONG}")


def test_with_nothing_sent_there_is_nothing_to_explain(cli: CommandLine) -> None:
    assert "request" in cli.run("cache", "why").line
    assert "request" in cli.run("request", "diff", "1", "2").line


def test_why_names_the_culprit_of_a_turn(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    cli.run("chat", "She likes the window seat.", "-c", talk)
    other_instructions(cli, simulator)
    cli.run("chat", "Where does she sit?", "-c", talk)
    fine = cli.run("cache", "why", "--turn", "2", "--json").json
    assert (fine["cause"], fine["lost_tokens"], fine["turn"]) == ("none", 0, 2)
    told = cli.run("cache", "-c", talk[:8], "why", "--json").json
    assert (told["turn"], told["cause"], told["conversation"]) == (3, "instructions", talk)
    assert told["difference"]["segment"] == "system"
    assert told["difference"]["before"] == LONG.splitlines()[0]
    assert told["difference"]["after"] == "Be kind."
    assert told["lost_tokens"] > 2_000
    assert told["lost_usd"] is None
    lines = cli.run("cache", "why").out.splitlines()
    assert lines[0] == "Turn 3, request 1"
    assert lines[1] == "The instructions changed."
    assert f"- {LONG.splitlines()[0]}" in lines
    assert "+ Be kind." in lines
    assert f"Lost: {told['lost_tokens']:,} tokens." in lines
    assert "지침" in cli.run("cache", "why", "--lang", "ko").out
    assert "turn 9" in cli.run("cache", "why", "--turn", "9").line.lower()


def test_the_first_turn_had_nothing_to_miss(cli: CommandLine) -> None:
    cli.run("chat", "My cat is called Mori.")
    told = cli.run("cache", "why", "--json").json
    assert (told["cause"], told["before"], told["agreement"]) == ("first", None, "silent")
    assert "Nothing was lost." in cli.run("cache", "why").out.splitlines()


def test_where_the_endpoint_reports_nothing_of_a_cache_nothing_is_known(
    cli: CommandLine, simulator: RunningSimulator, tmp_path: Path
) -> None:
    answer = tmp_path / "answer.sse"
    answer.write_text("".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in ANSWER), "utf-8")
    simulator.control({"action": "replay", "file": str(answer), "count": 2})
    talk = cli.run("chat", "My cat is called Mori.").conversation
    cli.run("chat", "Where does she sit?", "-c", talk)
    told = cli.run("cache", "why", "--json").json
    assert (told["cause"], told["lost_tokens"], told["agreement"]) == ("unreported", None, "silent")
    lines = cli.run("cache", "why").out.splitlines()
    assert lines[1] == "The endpoint reported nothing of a cache, so whether anything was read is unknown."
    assert not [line for line in lines if "lost" in line.lower()]
    figures = cli.run("cache", "--json").json["total"]
    assert (figures["read"], figures["hit_rate"], figures["saved_usd"]) == (None, None, None)


def test_plain_requests_say_which_setting_sends_cache_marks(simulator: RunningSimulator, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    make_settings(folder, simulator.url, simulated=False, instructions=LONG)
    cli = CommandLine(folder)
    talk = cli.run("chat", "My cat is called Mori.").conversation
    cli.run("chat", "Where does she sit?", "-c", talk)
    for language in ("en", "ko"):
        setting = load_words(language).say("settings.plain")
        assert setting in cli.run("cache", "why", "--lang", language).out
        assert setting in cli.run("cache", "--lang", language).out
    told = cli.run("cache", "--json").json
    assert [turn["hit_rate"] for turn in told["turns"]] == [None, None]
    total = told["total"]
    assert (total["hit_rate"], total["read"], total["unmarked"]) == (None, 0, total["requests"])
    assert total["input_total"] > 0
    assert cli.run("cache").out.splitlines()[2].split()[5] == "–"


def test_turns_of_another_version_are_marked_and_not_explained(cli: CommandLine) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    cli.run("chat", "Where does she sit?", "-c", talk)
    cli.run("conversations", "branch", talk, "--turn", "1")
    cli.run("chat", "And how old is she?", "-c", talk)
    turns = cli.run("cache", "--json").json["turns"]
    assert [(turn["turn"], turn["other_version"]) for turn in turns] == [(1, False), (2, True), (2, False)]
    rows = cli.run("cache").out.splitlines()[2:5]
    assert [row.partition("  ")[0] for row in rows] == ["1", "2 (other version)", "2"]
    told = cli.run("cache", "why", "--turn", "2", "--json").json
    assert told["request"] == cli.run("cache", "why", "--json").json["request"]
    assert told["request"] not in (None, told["before"])


def test_two_requests_side_by_side(cli: CommandLine, simulator: RunningSimulator) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    other_instructions(cli, simulator)
    cli.run("chat", "Where does she sit?", "-c", talk, "--model", "claude-opus-5")
    told = cli.run("request", "diff", "1", "2", "--json").json
    assert [one["name"] for one in told["params"]] == ["model"]
    changed = [block for block in told["blocks"] if block["change"] == "changed"]
    assert [(block["part"], block["segment"]) for block in changed] == [("system", "system")]
    assert changed[0]["after"]["text"].startswith("Be kind.\n")
    assert [block["role"] for block in told["blocks"] if block["change"] == "added"][-1] == "user"
    same = [block for block in told["blocks"] if block["change"] == "same"]
    assert all("before" not in block for block in same)
    by_id = cli.run("request", "diff", told["before"]["request"], told["after"]["request"][:10], "--json").json
    assert by_id == told
    lines = cli.run("request", "diff", "1", "2").out.splitlines()
    assert lines[0].startswith("− ") and lines[0].endswith("turn 1 · claude-sonnet-5-5")
    assert lines[1].endswith("turn 2 · claude-opus-5")
    assert '~ model: "claude-sonnet-5-5" → "claude-opus-5"' in lines
    assert "    + Be kind." in lines
    assert cli.run("request", "diff", "1", "1").out.splitlines()[-1] == "The requests are the same."


def test_words_that_do_not_belong_together_and_ids_that_are_not_there(cli: CommandLine) -> None:
    talk = cli.run("chat", "My cat is called Mori.").conversation
    assert cli.run("request", "--turn", "1", "diff", "1", "1").code == 2
    assert cli.run("request", "diff", "1", "ffff", "-c", talk).code == 1
    # The plain commands go on as they were.
    assert cli.run("request", "--json").json["messages"][-1]["role"] == "user"
    assert cli.run("cache", "--json").json["conversation"] == talk
