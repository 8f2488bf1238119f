"""Every error of the command line is one line in the chosen language, an exit code, and never a traceback."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desktop_app.core import errors
from desktop_app.services.chat import ChatService
from tests.fakes.command_line import CommandLine
from tests.fakes.simulator import RunningSimulator


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    simulator.reset()
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return CommandLine(tmp_path / "data", simulator.url)


USAGE = [
    (["bogus"], "There is no command “bogus”; mnemoscope --help lists them."),
    (["conversations", "bogus"], "There is no command “bogus”; mnemoscope conversations --help lists them."),
    (["chat"], "TEXT is missing; see mnemoscope chat --help."),
    (["mcp"], "--profile is missing; see mnemoscope mcp --help."),
    (
        ["chat", "Hello", "there"],
        "Too many words (there): put a text of several words in quotes; see mnemoscope chat --help.",
    ),
    (["chat", "Hello", "--bogus"], "There is no option --bogus; mnemoscope chat --help lists them."),
    (
        ["version", "--lang", "fr"],
        "--lang cannot be used like this ('fr' is not one of 'en', 'ko'); see mnemoscope version --help.",
    ),
    (["chat", "Hello", "--model"], "The option --model has a value too few or too many; see mnemoscope --help."),
    (["--demo", "version"], "--demo and version do not go together; see mnemoscope --help."),
    (
        ["context", "--next", "x", "--turn", "1"],
        "--next and --turn do not go together; see mnemoscope context --help.",
    ),
]


@pytest.mark.parametrize(("arguments", "line"), USAGE)
def test_a_command_line_that_cannot_be_understood(cli: CommandLine, arguments: list[str], line: str) -> None:
    done = cli.run(*arguments)
    assert done.code == 2
    assert done.line == line


REASONS = [
    (["context", "--turn", "0"], "--turn 값은 이렇게 쓸 수 없습니다(1 이상의 정수여야 합니다)."),
    (["request", "--turn", "x"], "--turn 값은 이렇게 쓸 수 없습니다(정수여야 합니다)."),
    (["cost", "--by", "x"], "--by 값은 이렇게 쓸 수 없습니다('x': 'day', 'conversation', 'model', 'profile', 'turn'"),
    (["import", "a\0b"], "FILE 값은 이렇게 쓸 수 없습니다(여기에 쓸 수 없는 값입니다)."),
]


@pytest.mark.parametrize(("arguments", "line"), REASONS)
def test_why_a_value_cannot_be_used_is_said_in_korean(cli: CommandLine, arguments: list[str], line: str) -> None:
    done = cli.run("--lang", "ko", *arguments)
    assert done.code == 2 and done.line.startswith(line), done
    assert "Input" not in done.line and "not" not in done.line


def test_a_turn_that_is_no_number_is_said_in_english(cli: CommandLine) -> None:
    for given, why in (("0", "this is a whole number from 1 on"), ("x", "this is a whole number")):
        done = cli.run("context", "--turn", given)
        assert done.line == f"--turn cannot be used like this ({why}); see mnemoscope context --help."


ERRORS = [
    (["chat", " \u200b\n"], "The message is blank", "메시지가 비어"),
    (["chat", "Hi", "--conversation", "nope"], "Not found: the conversation.", "찾을 수 없습니다: 대화."),
    (["chat", "Hi", "--base-url", "https://api.anthropic.com"], "There is no API key", "쓸 API 키가 없어"),
    (["chat", "Hi", "--base-url", "ftp://x"], "“ftp://x” cannot be used: it is no base URL", "기본 URL이 아닙니다."),
    (["chat", "Hi", "--base-url", "http://example.com"], "use https.", "https를 쓰세요."),
    (["chat", "Hi", "--model", "claude-none"], "does not know this model", "모델이나 주소를 알지 못합니다"),
    (["import", "/nowhere/export.json"], "export.json was not imported: the file does not", "가져오지 못했습니다."),
    (["request"], "Not found: the request.", "찾을 수 없습니다: 요청."),
    (["context"], "Not found: the request.", "찾을 수 없습니다: 요청."),
    (["conversations", "restore", "0" * 32], "Not found: the conversation.", "찾을 수 없습니다: 대화."),
    (["conversations", "rename", "x", "\u200b"], "a title needs something", "제목에는 보이는"),
]


@pytest.mark.parametrize(("arguments", "english", "korean"), ERRORS)
def test_what_the_person_can_act_on(cli: CommandLine, arguments: list[str], english: str, korean: str) -> None:
    for language, sentence in (("en", english), ("ko", korean)):
        done = cli.run("--lang", language, *arguments)
        assert done.code == 1
        # A turn that failed keeps the message, so it also names the conversation that holds it.
        assert sentence in done.err.splitlines()[-1], done
        assert done.out == "" and "Traceback" not in done.err


def test_a_wait_too_long_to_sit_out_is_told(cli: CommandLine, simulator: RunningSimulator) -> None:
    for language, wait in (
        ("en", "The endpoint asks to wait 6 min 40 s."),
        ("ko", "서버가 6분 40초 기다려 달라고 합니다."),
    ):
        simulator.control({"action": "status", "status": 429, "retry_after": 400})
        done = cli.run("chat", "Hi", "--lang", language)
        assert done.code == 1 and done.err.splitlines()[-1].endswith(wait)


def test_an_error_before_the_turn_leaves_no_conversation(cli: CommandLine) -> None:
    cli.run("chat", "Hi", "--base-url", "https://api.anthropic.com")
    cli.run("chat", " ")
    assert cli.run("conversations", "--json").json == []


def test_a_corrupt_export_is_refused_whole(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('[{"uuid": "c1", "name": "half', "utf-8")
    done = cli.run("import", str(file))
    assert done.code == 1 and done.line.startswith("broken.json was not imported: ")


def test_a_turn_that_is_not_there_is_named(cli: CommandLine) -> None:
    cli.run("chat", "Hello")
    assert cli.run("context", "--turn", "7").line.startswith("Not found: turn 7.")
    assert cli.run("request", "--turn", "7", "--lang", "ko").line.startswith("찾을 수 없습니다: 7번째 턴.")


def test_an_id_that_several_begin_with(cli: CommandLine, tmp_path: Path) -> None:
    message = {"uuid": "m", "sender": "human", "text": "Hi", "content": [{"type": "text", "text": "Hi"}]}
    export = [{"uuid": f"c{n}", "name": f"Chat {n}", "chat_messages": [message]} for n in range(17)]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(export), "utf-8")
    assert cli.run("import", str(file)).code == 0
    # Of seventeen ids two begin with the same of sixteen digits.
    first = Counter(one["id"][0] for one in cli.run("conversations", "--json").json).most_common(1)[0][0]
    line = cli.run("conversations", "delete", first).line
    assert line.startswith(f"“{first}” cannot be used: several begin with it;")
    assert len(cli.run("conversations", "--json").json) == 17


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"status": 400, "message": "no\nway"}, "The endpoint refused the request (no way)."),
        ({"status": 401}, "The API key was refused"),
        ({"status": 402}, "The account of this API key has no credit."),
        ({"status": 413}, "The request is larger than the window"),
        ({"status": 429, "retry_after": 900}, "The endpoint takes no more requests"),
    ],
)
def test_what_an_endpoint_answers(
    cli: CommandLine, simulator: RunningSimulator, step: dict[str, Any], sentence: str
) -> None:
    simulator.control({"action": "status", **step})
    done = cli.run("chat", "Hello")
    assert done.code == 1 and done.out == ""
    conversation, line = done.err.splitlines()
    assert line.startswith(sentence) and conversation.startswith("Conversation ")
    assert "What you wrote is kept." in line
    again = cli.run("chat", "Hello", "--conversation", conversation.split()[-1])
    assert again.code == 0


def test_a_connection_that_breaks_keeps_what_had_arrived(cli: CommandLine, simulator: RunningSimulator) -> None:
    simulator.control({"action": "cut", "after": 6})
    done = cli.run("chat", "Write 100 words.")
    assert done.code == 1 and done.out.startswith("# Sample")
    assert done.err.splitlines()[-1].startswith("The answer broke off before its end.")
    assert cli.run("conversations", "--json").json[0]["excerpt"].startswith("# Sample")


def test_a_host_that_is_not_there(cli: CommandLine) -> None:
    done = cli.run("chat", "Hello", "--base-url", "http://127.0.0.1:9")
    assert done.code == 1
    assert done.err.count("The endpoint cannot be reached; next try in ") == 3
    assert done.err.splitlines()[-1].startswith("127.0.0.1:9 cannot be reached.")


def test_a_data_folder_that_cannot_be(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    done = cli.run("--data-dir", str(file), "conversations")
    assert done.code == 1 and done.line.startswith(f"{file} is a file, not a folder.")


def test_the_language_comes_from_settings_then_from_the_locale(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    assert cli.run("chat", " ").line.startswith("메시지가 비어")
    assert cli.run("bogus").line.startswith("‘bogus’ 명령은 없습니다.")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert cli.run("chat", " ").line.startswith("The message is blank")
    cli.data_dir.mkdir()
    (cli.data_dir / "settings.json").write_text('{"language": "ko"}', "utf-8")
    assert cli.run("chat", " ").line.startswith("메시지가 비어")
    assert cli.run("chat", " ", "--lang", "en").line.startswith("The message is blank")


def test_a_fault_of_the_program_is_one_line_and_a_trace_only_on_demand(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr(ChatService, "new_conversation", break_down)
    done = cli.run("chat", "Hello")
    assert done.code == 1
    assert done.line.startswith("A fault in Mnemoscope") and done.line.endswith("MNEMOSCOPE_DEBUG=1 shows the details.")
    monkeypatch.setenv("MNEMOSCOPE_DEBUG", "1")
    assert "ZeroDivisionError: planted" in cli.run("chat", "Hello").err


def test_a_second_answer_in_one_conversation_waits(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def busy(*_: object, **__: object) -> None:
        raise errors.Busy()

    monkeypatch.setattr(ChatService, "send", busy)
    assert cli.run("chat", "Hello").line.startswith("An answer is still arriving in this conversation")


@pytest.mark.parametrize(
    ("options", "beginning"),
    [
        (("--profile", "dmeo"), "“dmeo” cannot be used: there is no such profile"),
        (("--profile", "demo", "--base-url", "http://127.0.0.1:1"), "“http://127.0.0.1:1” cannot be used: the Demo"),
    ],
)
def test_a_profile_that_cannot_be_meant(cli: CommandLine, options: tuple[str, ...], beginning: str) -> None:
    done = cli.run(*options, "chat", "Hello")
    assert done.code == 1
    assert done.line.startswith(beginning)


def test_a_file_that_is_no_database_is_named_as_damaged_and_left(cli: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "mnemoscope.db").write_bytes(bytes(range(256)) * 40)
    done = cli.run("--data-dir", str(folder), "conversations")
    assert done.code == 1
    assert "is damaged or no database" in done.line
    assert (folder / "mnemoscope.db").read_bytes() == bytes(range(256)) * 40
