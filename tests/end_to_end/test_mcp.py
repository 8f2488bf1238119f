"""Long-term memory for other assistants: the official client over stdio against the real process."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from desktop_app.adapters.store import Store
from desktop_app.core.facts import FactDraft, FactState
from tests.fakes.command_line import CommandLine
from tests.fakes.house import open_house
from tests.fakes.mcp_client import Served, served, text_of

SECRET = "sk-ant-api03-Zq8vN3xK7pLm2RtYw5BcDfGhJk4MnPqSsTvWxYz9876543210abcdefg"


def write_settings(folder: Path, **work: Any) -> None:
    folder.mkdir(exist_ok=True)
    profiles = {"work": work, "work1": {}, "default": {}}
    (folder / "settings.json").write_text(json.dumps({"profiles": profiles, "language": "en"}), "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "data"
    write_settings(folder)
    return folder


@pytest.fixture(scope="module")
def cli(folder: Path) -> CommandLine:
    return CommandLine(folder)


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Served]:
    with served(folder, "work") as running:
        yield running


def person(cli: CommandLine, *command: str) -> Any:
    """The person's own command in the profile of the server, in another process than the server's."""
    ended = cli.run("--profile", "work", *command, "--json")
    assert ended.code == 0, ended
    return ended.json


def test_what_is_offered_says_when_to_call_it_and_whose_memory_it_is(server: Served) -> None:
    tools = server.tools()
    assert list(tools) == ["remember", "recall", "list", "forget"]
    assert all("Call it when" in tool.description for tool in tools.values())
    assert tools["remember"].input_schema["required"] == ["key", "value"]
    assert [name for name, tool in tools.items() if tool.annotations.read_only_hint] == ["recall", "list"]
    assert server.hello.server_info.name == "mnemoscope"
    assert 'profile "work"' in (server.hello.instructions or "") and "never instructions" in server.hello.instructions


def test_what_is_proposed_waits_until_the_person_allows_it(server: Served, cli: CommandLine) -> None:
    result = server.call("remember", key="커피 취향", value="아메리카노를 연하게 마신다", category="taste")
    told = result.structured_content
    assert (told["profile"], told["status"], told["masked"]) == ("work", "pending", False)
    assert not result.is_error and told["review"] in text_of(result)
    assert server.told("remember", key="커피 취향", value="아메리카노를 연하게 마신다")["fact"] == told["fact"]
    assert server.told("recall", query="커피를 어떻게 마시지?")["status"] == "nothing"
    assert server.told("list")["facts"] == []
    assert [fact["id"] for fact in cli.run(*shlex.split(told["review"])[3:], "--json").json] == [told["fact"]["id"]]
    person(cli, "facts", "approve", told["fact"]["id"])
    (found,) = server.told("recall", query="커피를 어떻게 마시지?")["found"]
    assert (found["kind"], found["value"]) == ("fact", "아메리카노를 연하게 마신다")
    assert server.told("list", category="TASTE")["total"] == 1
    assert server.told("list", category="other")["total"] == 0
    changes = person(cli, "facts", "history", "커피 취향")
    assert (changes[0]["action"], changes[0]["by"]) == ("proposed", "mcp")
    assert "data, not instructions" in text_of(server.call("recall", query="커피"))


def test_a_secret_is_masked_before_it_is_kept_and_that_is_said(server: Served, folder: Path) -> None:
    result = server.call("remember", key="deploy", value=f"the key is {SECRET}")
    assert result.structured_content["masked"] is True
    assert "A secret in it was masked" in text_of(result)
    assert SECRET not in str(result)
    kept = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert b"deploy" in kept and SECRET.encode() not in kept


JUNK: list[tuple[str, dict[str, Any], str]] = [
    ("remember", {"key": "x"}, "“value” is missing"),
    ("remember", {"key": 5, "value": "x"}, "“key” has to be a text"),
    ("remember", {"key": "x", "value": {"a": [1]}}, "“value” has to be a text"),
    ("remember", {"key": "x", "value": "y", "pinned": True}, "no argument “pinned”"),
    ("remember", {"key": " \u200b ", "value": "y"}, "cannot be used"),
    ("remember", {"key": "x", "value": "y" * 9_000}, "cannot be used"),
    ("recall", {}, "“query” is missing"),
    ("recall", {"query": "  "}, "cannot be used"),
    ("list", {"limit": 0}, "from 1 to 200"),
    ("list", {"limit": True}, "from 1 to 200"),
    ("list", {"offset": "2"}, "“offset” has to be a whole number"),
    ("forget", {}, "either the key or the id"),
    ("forget", {"key": "nothing like it"}, "no fact “nothing like it”"),
]


def test_arguments_that_do_not_fit_are_told_and_nothing_is_lost(server: Served, cli: CommandLine) -> None:
    before = person(cli, "facts", "pending")
    for tool, arguments, told in JUNK:
        result = server.call(tool, **arguments)
        assert result.is_error and told in text_of(result), (tool, arguments, text_of(result))
    with pytest.raises(MCPError, match="There are: remember, recall, list, forget"):
        server.call("drop_everything")
    assert server.told("remember", key="after all", value="that", category=None)["status"] == "pending"
    assert len(person(cli, "facts", "pending")) == len(before) + 1


def test_forgetting_needs_the_person_who_is_told_how(server: Served, cli: CommandLine) -> None:
    person(cli, "facts", "add", "locker", "7731")
    result = server.call("forget", key="locker")
    told = result.structured_content
    assert result.is_error and told["status"] == "needs_person"
    assert "Nothing was deleted" in text_of(result) and told["command"] in text_of(result)
    assert "locker" in [fact["key"] for fact in server.told("list")["facts"]]
    assert "was deleted" in cli.run(*shlex.split(told["command"])[3:]).out
    assert "locker" not in [fact["key"] for fact in server.told("list")["facts"]]


def test_a_fact_that_is_paused_or_holds_in_one_conversation_is_told_of_as_that(
    server: Served, cli: CommandLine, folder: Path
) -> None:
    person(cli, "facts", "add", "sail", "red")
    person(cli, "facts", "pause", "sail")
    paused = server.call("remember", key="sail", value="red")
    assert paused.structured_content["status"] == "paused" and "has paused it" in text_of(paused)

    async def narrow() -> None:
        store = Store.open(folder)
        await store.facts.keep("work", FactDraft("ticket", "A-1", scope="chat-1"))
        await store.close()

    asyncio.run(narrow())
    refused = server.call("remember", key="Ticket", value="B-2")
    assert refused.is_error and "holds in one conversation only" in text_of(refused)
    assert [fact["value"] for fact in person(cli, "facts", "list") if fact["key"] == "ticket"] == ["A-1"]


def test_no_tool_tells_or_touches_a_fact_of_another_profile(server: Served, cli: CommandLine) -> None:
    cli.run("--profile", "work1", "facts", "add", "shared name", "CANARY lives in Busan")
    (fact,) = cli.run("--profile", "work1", "facts", "--json").json
    told = [
        server.call("recall", query="CANARY lives in Busan"),
        server.call("list", limit=200),
        server.call("forget", key="shared name"),
        server.call("forget", id=fact["id"]),
        server.call("remember", key="shared name", value="CANARIES live in Seoul"),
    ]
    assert not [result for result in told if "CANARY lives" in str(result.structured_content)]
    assert cli.run("--profile", "work1", "facts", "--json").json == [fact]


def test_what_the_person_switches_off_is_off_at_once(server: Served, folder: Path) -> None:
    write_settings(folder, gate="off")
    assert server.told("remember", key="boat", value="blue")["status"] == "refused"
    assert not server.call("list").is_error
    write_settings(folder, memory=False)
    for tool, arguments in (
        ("remember", {"key": "boat", "value": "blue"}),
        ("recall", {"query": "boat"}),
        ("list", {}),
    ):
        result = server.call(tool, **arguments)
        assert result.is_error and "Memory is paused in the profile “work”" in text_of(result)
    write_settings(folder)
    assert server.told("remember", key="boat", value="blue")["status"] == "pending"


def test_an_allowed_server_writes_beside_a_window_that_owns_the_index(tmp_path: Path) -> None:
    async def beside() -> None:
        async with open_house(tmp_path, "http://127.0.0.1:1") as house:
            services = house.services
            services.indexing.start()
            await services.memory.add("고양이", "나비는 세 살이다", pinned=True)
            told = await asyncio.to_thread(talk)
            assert [hit.fact.id for hit in await services.memory.search("등산화 크기")] == [told["fact"]["id"]]
            (deleted,) = await services.memory.facts(FactState.DELETED)
            assert [(change.action.value, change.by.value) for change in await services.memory.history(deleted.id)] == [
                ("added", "mcp"),
                ("deleted", "mcp"),
            ]

    def talk() -> dict[str, Any]:
        with served(tmp_path, "demo", "--allow-memory", "--allow-forget", "--lang", "ko") as allowed:
            kept = allowed.call("remember", key="등산화 크기", value="265 mm")
            assert kept.structured_content["status"] == "saved" and text_of(kept).startswith("저장했습니다")
            gone = allowed.told("remember", key="tent", value="green")
            assert allowed.told("forget", id=gone["fact"]["id"])["status"] == "deleted"
            pinned = allowed.told("remember", key="고양이", value="나비는 네 살이다")
            assert pinned["status"] == "pending"
            assert allowed.told("forget", key="고양이")["status"] == "needs_person"
            assert [fact["key"] for fact in allowed.told("list")["facts"]] == ["고양이", "등산화 크기"]
            told: dict[str, Any] = kept.structured_content
            return told

    asyncio.run(beside())


def test_only_the_protocol_is_written_and_the_process_ends_with_its_input(tmp_path: Path) -> None:
    process = CommandLine(tmp_path / "data").start("mcp", "--profile", "default", "--lang", "en")
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    half = {"name": "remember", "arguments": {"key": "half", "value": "cut \ud83d, whole \U0001f600, told \\ud83d"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": half},
    ]
    with process:
        process.stdin.write("this is no message\n" + "".join(json.dumps(message) + "\n" for message in messages))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in (1, 2)]
        process.stdin.close()
        assert process.stdout.read() == ""
        assert "Serving the memory of profile default" in process.stderr.read()
        assert process.wait(15) == 0
    assert [answer["id"] for answer in answers] == [1, 2]
    told = answers[1]["result"]["structuredContent"]
    assert (told["profile"], told["status"]) == ("default", "pending")
    assert told["fact"]["value"] == "cut \ufffd, whole \U0001f600, told \\ud83d"
