"""What the command line shows of the past and the next request, of the list and of imports."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes.command_line import CommandLine
from tests.fakes.simulator import RunningSimulator

EXPORT = [
    {
        "uuid": "c1",
        "name": "Cats",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "updated_at": "2025-03-01T10:00:00.000000Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "My cat is called Mori.",
                "content": [{"type": "text", "text": "My cat is called Mori."}],
                "created_at": "2025-03-01T10:00:00.000000Z",
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "A fine name.",
                "content": [{"type": "text", "text": "A fine name."}],
                "created_at": "2025-03-01T10:00:05.000000Z",
            },
        ],
    }
]


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("record")


@pytest.fixture(scope="module")
def simulator(records: Path) -> Iterator[RunningSimulator]:
    with RunningSimulator(record=records) as running:
        yield running


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    simulator.reset()
    return CommandLine(tmp_path / "data", simulator.url)


@pytest.fixture
def talk(cli: CommandLine) -> CommandLine:
    """Two turns, the second with a tool."""
    first = cli.run("chat", "My cat is called Mori.")
    cli.run("chat", "What is 1234 * 5678?", "--conversation", first.conversation)
    return cli


def last_body(records: Path) -> bytes:
    return sorted(records.glob("*-messages.json"))[-1].read_bytes()


@pytest.mark.parametrize("command", [("context",), ("context", "--next", "And my dog?"), ("context", "--turn", "2")])
def test_rows_sum_to_the_total_in_both_forms(talk: CommandLine, command: tuple[str, ...]) -> None:
    told = talk.run(*command, "--json").json
    assert sum(row["tokens"] for row in told["rows"]) == told["total"]["tokens"]
    assert told["free"] == told["window"] - told["reserve"] - told["total"]["tokens"]
    lines = talk.run(*command).out.splitlines()
    assert lines[1].split() == ["segment", "tokens", "share"]
    shown = {
        found[1]: (found[2], int(found[3].replace(",", "")))
        for line in lines[2:]
        if (found := re.match(r"(\D+?)  +([=≈]?) +([\d,]+)", line))
    }
    assert shown["total"][1] == told["total"]["tokens"] and shown["window"] == ("", 1_000_000)
    parts = [tokens for name, (_, tokens) in shown.items() if name in ("tools", "system", "messages", "your message")]
    assert sum(parts) == told["total"]["tokens"]
    assert shown["total"][0] == ("≈" if told["total"]["known"] == "estimated" else "=")


def test_a_past_turn_is_measured_and_the_draft_counts_in(talk: CommandLine) -> None:
    assert talk.run("context", "--turn", "1", "--json").json["total"]["known"] == "measured"
    without = talk.run("context", "--json").json["total"]["tokens"]
    with_draft = talk.run("context", "--json", "--next", "word " * 200).json
    assert with_draft["total"]["known"] == "estimated"
    assert with_draft["total"]["tokens"] > without + 100
    assert [row["segment"] for row in with_draft["rows"]][-1] == "current"


def test_korean_tables_line_up(talk: CommandLine) -> None:
    lines = talk.run("context", "--lang", "ko").out.splitlines()
    assert lines[0].startswith("다음 요청 · ")
    total = next(line for line in lines if line.startswith("합계"))
    tools = next(line for line in lines if line.startswith("도구"))
    assert total.index("≈") == tools.index("≈")


def test_the_request_is_byte_for_byte_what_arrived(talk: CommandLine, records: Path) -> None:
    sent = last_body(records)
    raw = talk.process("request", "--raw")
    assert raw.code == 0 and raw.out.encode() == sent
    assert json.dumps(json.loads(sent), ensure_ascii=False, indent=2) + "\n" == talk.run("request").out
    assert talk.run("request", "--json").json == json.loads(sent)
    assert talk.run("request", "--json").out.count("\n") == 1
    first = talk.run("request", "--turn", "1").json
    assert [message["content"][0]["text"] for message in first["messages"]] == ["My cat is called Mori."]


def test_another_conversation_is_named_by_the_beginning_of_its_id(talk: CommandLine) -> None:
    old = talk.run("conversations", "--json").json[0]["id"]
    talk.run("chat", "Hello")
    assert len(talk.run("request").json["messages"]) == 1
    assert len(talk.run("request", "--conversation", old[:8]).json["messages"]) > 1


def test_naming_deleting_and_restoring(talk: CommandLine) -> None:
    known = talk.run("conversations", "--json").json[0]["id"]
    assert talk.run("conversations").out.startswith(known[:8])
    assert "“Cats”" in talk.run("conversations", "rename", known[:8], "Cats").out
    assert talk.run("conversations", "--json").json[0]["title"] == "Cats"
    deleted = talk.run("conversations", "delete", known[:8])
    restore = f"mnemoscope --data-dir {talk.data_dir} --profile default conversations restore {known}"
    assert deleted.out == f"“Cats” was deleted. To bring it back: {restore}\n"
    assert talk.run("conversations").out == "There are no conversations yet.\n"
    assert talk.run("context", "--conversation", known).code == 1
    assert talk.run("--json", "conversations", "restore", known).json == {
        "conversation": known,
        "title": "Cats",
        "done": "restored",
    }
    assert talk.run("conversations", "--json").json[0]["id"] == known


def test_the_beginning_of_an_id_brings_a_deleted_conversation_back(talk: CommandLine) -> None:
    gone = talk.run("conversations", "--json").json[0]["id"]
    talk.run("chat", "Hello")
    talk.run("conversations", "delete", gone)
    assert talk.run("conversations", "restore", gone[:8]).out.startswith("“My cat is called Mori.” is back (")
    assert gone in [one["id"] for one in talk.run("conversations", "--json").json]
    assert talk.run("conversations", "restore", gone[:8]).code == 0
    assert talk.run("conversations", "restore", "").line.startswith("Not found: the conversation.")


def test_a_beginning_that_several_deleted_ones_share_brings_none_back(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([EXPORT[0] | {"uuid": f"c{n}"} for n in range(17)]), "utf-8")
    cli.run("import", str(file))
    ids = sorted(one["id"] for one in cli.run("conversations", "--json").json)
    # Of seventeen ids two begin with the same of sixteen digits.
    first, second = next(pair for pair in pairwise(ids) if pair[0][0] == pair[1][0])
    cli.run("conversations", "delete", first)
    assert first in cli.run("conversations", "restore", first[0]).out
    for one in (first, second):
        cli.run("conversations", "delete", one)
    refused = cli.run("conversations", "restore", first[0])
    assert refused.line.startswith(f"“{first[0]}” cannot be used: several begin with it;")


def test_a_time_an_export_does_not_tell_is_said_to_be_unknown(cli: CommandLine, tmp_path: Path) -> None:
    untold = {name: value for name, value in EXPORT[0].items() if name not in ("created_at", "updated_at")}
    untold["chat_messages"] = [{**message, "created_at": None} for message in EXPORT[0]["chat_messages"]]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([untold]), "utf-8")
    cli.run("import", str(file))
    (listed,) = cli.run("conversations", "--json").json
    assert (listed["created_at"], listed["updated_at"]) == (None, None)
    shown = cli.run("conversations", "--lang", "en").out
    assert "time unknown" in shown and "1970" not in shown


def test_an_import_is_told_and_its_conversation_can_be_continued(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(EXPORT), "utf-8")
    assert cli.run("import", str(file)).out == "1 conversation was added.\n2 messages were added.\n"
    again = cli.run("import", str(file), "--json").json
    assert again["unchanged"] == 1 and again["messages_added"] == 0 and again["warnings"] == []
    known = cli.run("conversations", "--json").json[0]
    assert known["title"] == "Cats" and known["imported"] is True
    assert "Mori" in cli.run("chat", "What is my cat called?", "--conversation", known["id"]).out


def test_version_and_help_load_nothing_heavy() -> None:
    script = (
        "import sys; from desktop_app.cli import main; code = main([sys.argv[1]]);"
        "heavy = {'anthropic', 'sqlmodel', 'sqlalchemy', 'PySide6.QtWidgets', 'rich', 'httpx2'} & set(sys.modules);"
        "sys.exit(code or (str(heavy) if heavy else 0))"
    )
    for command, shown in (("version", "SQLite"), ("--help", "conversations")):
        run = subprocess.run([sys.executable, "-c", script, command], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert shown in run.stdout


def test_help_lists_every_command_with_its_whole_sentence(cli: CommandLine) -> None:
    text = cli.run("--help").out
    for command in ("chat", "conversations", "context", "request", "import", "simulator", "version"):
        line = next(line for line in text.splitlines() if line.startswith(f"  {command} "))
        assert line.endswith("."), line
        assert not line.endswith("..."), line
    assert "--data-dir" in cli.run("chat", "--help").out


def test_the_simulator_can_be_started_behind_an_option(tmp_path: Path) -> None:
    done = CommandLine(tmp_path).run("simulator", "--help")
    assert done.code == 0 and "--scenario" in done.out


def test_a_title_cannot_turn_the_line_around(cli: CommandLine) -> None:
    talk = cli.run("chat", "Hello \u202etxt.exe", "--json").json["conversation"]
    listed = cli.run("conversations").out
    assert "⟨RLO⟩" in listed
    assert "\u202e" not in listed
    assert talk[:8] in listed
