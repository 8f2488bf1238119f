"""`mnemoscope chat` against the simulator: answers, tools, retries, stops, and what the person sees of them."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.fakes.command_line import CommandLine, ending
from tests.fakes.simulator import RunningSimulator

KEY = "sk-ant-canary-0123456789abcdef"


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with RunningSimulator() as running:
        yield running


@pytest.fixture
def cli(simulator: RunningSimulator, tmp_path: Path) -> CommandLine:
    simulator.reset()
    return CommandLine(tmp_path / "data", simulator.url)


@pytest.mark.parametrize(
    ("language", "said", "answer", "conversation"),
    [
        ("en", "Hello", "Hello! I am the simulated assistant.", "Conversation "),
        ("ko", "안녕하세요", "안녕하세요! 저는 모의 어시스턴트입니다.", "대화 "),
    ],
)
def test_the_answer_is_standard_output_and_the_id_stands_beside_it(
    cli: CommandLine, language: str, said: str, answer: str, conversation: str
) -> None:
    done = cli.run("chat", said, "--lang", language)
    assert done.code == 0
    assert done.out.startswith(answer) and done.out.endswith("\n") and not done.out.endswith("\n\n")
    assert done.err.startswith(conversation) and done.err.count("\n") == 1
    assert [one["id"] for one in cli.run("conversations", "--json").json] == [done.conversation]


def test_a_conversation_goes_on_over_processes(cli: CommandLine) -> None:
    first = cli.process("chat", "My cat is called Mori.")
    assert first.code == 0, first
    second = cli.process("chat", "-", "--conversation", first.conversation[:6], given="What is my cat called?\n")
    assert second.code == 0 and "Mori" in second.out
    assert second.conversation == first.conversation
    other = cli.run("chat", "What is my cat called?")
    assert other.conversation != first.conversation
    assert "Mori" in other.out, "what was said in another conversation is recalled"


def test_tools_are_told_beside_the_answer(cli: CommandLine) -> None:
    done = cli.run("chat", "What is 1234 * 5678?")
    assert done.code == 0 and "7006652" in done.out.replace(",", "")
    assert done.err.splitlines()[:2] == ["Calling the tool calculator.", "calculator: 7006652"]


def test_json_tells_the_whole_turn(cli: CommandLine, simulator: RunningSimulator) -> None:
    plain = cli.run("chat", "What is 1234 * 5678?")
    told = cli.run("chat", "What is 1234 * 5678?", "--json").json
    assert set(told) == {
        *("conversation", "message", "text", "stop_reason", "refusal", "stopped", "model", "host"),
        *("simulated", "requests", "usage", "context"),
    }
    assert told["text"] + "\n" == plain.out
    assert (told["stop_reason"], told["stopped"], told["requests"]) == ("end_turn", False, 2)
    assert told["refusal"] is None
    assert told["host"] == f"127.0.0.1:{simulator.port}" and told["simulated"] is False
    sent = [row["usage"] for row in simulator.recorded("/v1/messages")][-2:]
    assert told["usage"]["output"] == sum(row["output_tokens"] for row in sent)
    assert told["usage"]["input_total"] == sum(
        row["input_tokens"] + row["cache_read_input_tokens"] + row["cache_creation_input_tokens"] for row in sent
    )
    context = told["context"]
    assert sum(row["tokens"] for row in context["rows"]) == context["total"]["tokens"]
    assert context["total"]["known"] == "measured" and context["window"] == 1_000_000
    assert context["free"] == context["window"] - context["total"]["tokens"] - context["reserve"]


def test_the_demo_profile_says_that_it_is_simulated_and_leaves_no_process(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path / "data")
    done = cli.process("chat", "안녕", "--profile", "demo", "--json")
    assert done.code == 0 and done.json["simulated"] is True
    state = str(cli.data_dir / "simulator.json")
    assert not [process for process in psutil.process_iter(["cmdline"]) if state in (process.info["cmdline"] or [])]
    assert "(simulated)" in cli.run("conversations", "--profile", "demo").out


def test_options_hold_before_and_after_the_command_and_the_later_one_wins(cli: CommandLine) -> None:
    before = cli.run("--json", "--model", "claude-opus-5-5", "chat", "Hello")
    after = cli.run("--model", "claude-haiku-5-5", "chat", "Hello", "--json", "--model", "claude-opus-5-5")
    assert before.json["model"] == after.json["model"] == "claude-opus-5-5"


def test_a_retry_is_seen_and_the_answer_comes(cli: CommandLine, simulator: RunningSimulator) -> None:
    simulator.control({"action": "status", "status": 529})
    done = cli.run("chat", "Hello", "--lang", "en")
    assert done.code == 0 and done.out.startswith("Hello!")
    assert done.err.splitlines()[0] == "The endpoint is overloaded; next try in 1 s (2 of 4)."


def test_an_answer_cut_at_a_limit_says_how_to_go_on(cli: CommandLine, simulator: RunningSimulator) -> None:
    simulator.control({"action": "max_tokens", "after": 4})
    done = cli.run("chat", "Hello")
    assert done.code == 0
    assert done.err.splitlines()[0].startswith("The answer was cut at a limit; send “continue”")


def test_why_the_model_declined_is_told(cli: CommandLine, simulator: RunningSimulator) -> None:
    details = {"category": "cyber", "explanation": "It asks for\n<b>malware</b>\x1b[2J."}
    for _ in range(2):
        simulator.control({"action": "refusal", **details})
    done = cli.run("chat", "Hello", "--lang", "en")
    assert done.code == 0 and done.out == ""
    said = "The model declined to answer. Category: cyber. Explanation: It asks for <b>malware</b>�[2J."
    assert done.err.splitlines()[0] == said
    told = cli.run("chat", "Hello", "--json").json
    assert (told["stop_reason"], told["refusal"]) == ("refusal", details)
    simulator.control({"action": "refusal"})
    assert cli.run("chat", "Hello", "--lang", "ko").err.splitlines()[0] == "모델이 답변을 거절했습니다."


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "blank"},
        {"action": "reply", "content": []},
        {"action": "reply", "content": [{"type": "thinking", "thinking": "Hm."}]},
        {"action": "reply", "content": [{"type": "hologram", "depth": 3}]},
    ],
)
def test_an_answer_that_shows_nothing_is_told(
    cli: CommandLine, simulator: RunningSimulator, answer: dict[str, Any]
) -> None:
    simulator.control(answer)
    done = cli.run("chat", "Hello", "--lang", "en")
    assert done.code == 0 and done.out.strip() == ""
    assert done.err.splitlines()[0] == "The assistant answered nothing that can be shown."


def test_thinking_is_shown_only_when_asked_for_and_beside_the_answer(cli: CommandLine) -> None:
    quiet = cli.run("chat", "Hello", "--model", "claude-opus-5-5")
    demo = CommandLine(cli.data_dir)
    shown = demo.run("--profile", "demo", "chat", "Hello", "--model", "claude-opus-5-5", "--thinking")
    assert "A short answer is enough" not in quiet.out + quiet.err
    assert shown.out == quiet.out
    assert "Thinking: The user writes “Hello”. A short answer is enough.\n" in shown.err


def test_control_characters_of_a_model_do_not_reach_standard_error(
    cli: CommandLine, simulator: RunningSimulator
) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "no\x1b[2Jtool", "input": {}}
    simulator.control({"action": "reply", "content": [call], "stop_reason": "tool_use"})
    assert "\x1b" not in cli.run("chat", "Hello").err


class TestInterrupted:
    """A turn that ends before its answer is whole."""

    @pytest.fixture
    def slow(self, tmp_path: Path) -> Iterator[CommandLine]:
        with RunningSimulator(speed=40.0) as running:
            yield CommandLine(tmp_path / "data", running.url)

    def test_ctrl_c_keeps_the_partial_answer(self, slow: CommandLine) -> None:
        process = slow.start("chat", "Write 400 words.")
        assert process.stdout is not None
        begun = process.stdout.read(40)
        process.send_signal(signal.SIGINT)
        seen = begun + process.stdout.read()
        done = ending(process)
        assert done.code == 130 and done.err == f"Conversation {done.conversation}\n"
        excerpt = slow.run("conversations", "--json").json[0]["excerpt"]
        assert " ".join(seen.split()).startswith(excerpt.rstrip("…")) and excerpt
        assert len(seen) < 2_000
        again = slow.run("chat", "Hello", "--conversation", done.conversation)
        assert again.code == 0 and again.out.startswith("Hello!")
        rows = slow.run("context", "--turn", "2", "--json").json
        assert sum(row["tokens"] for row in rows["rows"]) == rows["total"]["tokens"]

    def test_ctrl_c_with_json_tells_what_there_is(self, slow: CommandLine) -> None:
        demo = CommandLine(slow.data_dir)
        process = demo.start("chat", "Write 400 words.", "--json", "--thinking", "--profile", "demo")
        assert process.stderr is not None
        process.stderr.read(12)
        process.send_signal(signal.SIGINT)
        done = ending(process)
        assert done.code == 130
        assert done.json["stopped"] is True and done.json["stop_reason"] is None
        assert done.json["usage"]["output_estimated"] is True and done.json["usage"]["output"] > 0
        assert done.json["usage"]["input_total"] == done.json["context"]["total"]["tokens"]

    def test_a_reader_that_goes_ends_it_quietly_and_keeps_the_partial(self, slow: CommandLine) -> None:
        process = slow.start("chat", "Write 400 words.")
        assert process.stdout is not None and process.stderr is not None
        begun = process.stdout.read(20)
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(10) == 141 and err == ""
        process.stderr.close()
        assert process.stdin is not None
        process.stdin.close()
        assert slow.run("conversations", "--json").json[0]["excerpt"].startswith(begun[:10])


def test_output_of_another_encoding_loses_no_answer(cli: CommandLine) -> None:
    plain = cli.process("chat", "안녕하세요", encoding="ascii")
    assert plain.code == 0 and "?" in plain.out and "Traceback" not in plain.err
    told = cli.process("chat", "안녕하세요", "--json", encoding="ascii")
    assert told.json["text"].startswith("안녕하세요! 저는")


def test_an_argument_that_is_no_utf_8_is_sent_as_far_as_it_can_be_read(cli: CommandLine) -> None:
    done = cli.run("chat", "My cat is called Mori.\udcff")
    assert done.code == 0
    assert cli.run("request").json["messages"][0]["content"][0]["text"] == "My cat is called Mori.\ufffd"


def test_a_key_is_never_written_anywhere(cli: CommandLine, simulator: RunningSimulator) -> None:
    simulator.control({"action": "status", "status": 401})
    endings = [
        cli.process(*command, ANTHROPIC_API_KEY=KEY, ANTHROPIC_LOG="debug", MNEMOSCOPE_DEBUG="1")
        for command in (
            ("chat", "Hello", "--environment-key"),
            ("chat", "Hello", "--environment-key", "--json"),
            ("context", "--next", "Hello", "--environment-key"),
        )
    ]
    assert [one.code for one in endings] == [1, 0, 0]
    assert KEY not in "".join(one.out + one.err for one in endings)
    assert not [file for file in cli.data_dir.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert KEY not in json.dumps(simulator.recorded())


def test_commands_work_beside_each_other_on_one_data_folder(cli: CommandLine) -> None:
    running = [cli.start("chat", f"My number is {n}.") for n in range(2)]
    endings = [ending(process) for process in running]
    assert [one.code for one in endings] == [0, 0], endings
    listed = cli.run("conversations", "--json").json
    assert {one["id"] for one in listed} == {one.conversation for one in endings}
    assert {one["title"] for one in listed} == {f"My number is {n}." for n in range(2)}
