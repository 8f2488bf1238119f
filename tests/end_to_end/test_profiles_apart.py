"""Every profile sees only its own: a walk through stores, services, tools and commands with names that are easily
taken for each other."""

from __future__ import annotations

import asyncio
import inspect
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from sqlalchemy.exc import SQLAlchemyError
from typer.main import get_command

from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.adapters.settings_file import SettingsFile
from desktop_app.adapters.store import Store
from desktop_app.cli.commands import app
from desktop_app.core import ports
from desktop_app.core.errors import AppError, BadInput
from desktop_app.core.fact_notes import PassageNote
from desktop_app.core.facts import Fact, FactActor, FactDraft, FactOrigin, FactState
from desktop_app.core.memory_files.outcomes import Move
from desktop_app.core.passages import PassageKind
from desktop_app.core.search_words import query_words
from desktop_app.core.settings import ProfileSettings, Settings
from desktop_app.core.words import load_words
from desktop_app.mcp_server.answers import Answers
from desktop_app.mcp_server.server import MemoryServer
from desktop_app.mcp_server.tools import TOOLS
from desktop_app.services.settings import SettingsService
from tests.fakes.command_line import CommandLine
from tests.fakes.house import House, make_services
from tests.fakes.simulator import RunningSimulator

TWINS = (unicodedata.normalize("NFC", "카페"), unicodedata.normalize("NFD", "카페"))
CANARIES = {"test": "canaryzero", "test1": "canaryone", TWINS[0]: "canarytwo", TWINS[1]: "canarythree"}
PAIRS = [("test", "test1"), TWINS]
"""Whose eyes, and whose things must not be seen."""
ASKED = "Where does the boat hook hang, behind the blue shutter?"

PORTS = (ports.FactStore, ports.VectorStore, ports.SaidStore, ports.DocumentStore, ports.FactSearch)
OF_ALL = {
    *("FactStore.last_change", "FactStore.mark_used", "FactStore.mark_told"),
    *("VectorStore.cut_messages", "VectorStore.lacking", "VectorStore.put", "VectorStore.set_aside"),
    *("VectorStore.debts", "VectorStore.settle"),
}
"""What works for all profiles on purpose: counting, and paying what vectors and their index are owed."""


@dataclass(frozen=True)
class Things:
    """What a profile holds."""

    fact: str
    talk: str
    message: str
    document: str
    passages: tuple[str, ...]


def methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    return ((name, one) for name, one in vars(owner).items() if inspect.iscoroutinefunction(one) and name[0] != "_")


def test_no_method_of_a_store_takes_a_profile_for_granted(tmp_path: Path) -> None:
    free = set()
    for port in PORTS:
        for name, method in methods(port):
            profile = inspect.signature(method).parameters.get("profile")
            if profile is None or profile.default is not profile.empty:
                free.add(f"{port.__name__}.{name}")
    assert free == OF_ALL
    store = Store.open(tmp_path)
    try:
        for part, port in zip((store.facts, store.vectors, store.said, store.documents), PORTS, strict=False):
            for name, _ in methods(port):
                if f"{port.__name__}.{name}" not in OF_ALL:
                    with pytest.raises(TypeError, match="'profile'"):
                        getattr(part, name)()
    finally:
        asyncio.run(store.close())


def test_a_profile_whose_name_looks_like_another_is_not_made(tmp_path: Path) -> None:
    settings = SettingsService(SettingsFile(tmp_path))
    settings.add_profile(TWINS[0])
    for name in (TWINS[1], "Default"):
        with pytest.raises(BadInput):
            settings.add_profile(name)


def test_no_path_leads_from_one_profile_to_another(tmp_path: Path, simulator: RunningSimulator) -> None:
    folder = tmp_path / "data"
    profiles = {name: ProfileSettings(base_url=simulator.url, extract="off") for name in CANARIES}
    file = SettingsFile(folder)
    file.save(Settings(profile="test", profiles=profiles, welcomed=True, language="en"))

    async def walk() -> dict[str, Things]:
        settings = SettingsService(file)
        house = House(make_services(folder, simulator.url, settings))
        try:
            things = {name: await filled(house, name, tmp_path) for name in CANARIES}
            await indexed(house)
            for own, other in PAIRS:
                settings.use_profile(own)
                before = await everything(house, other)
                seen = [one async for one in walked(house, own, things[other])]
                assert_apart(own, seen)
                assert await everything(house, other) == before
            before = [await everything(house, name) for name in CANARIES]
            assert_silent([one async for one in without_profile(house, things["test"])])
            assert [await everything(house, name) for name in CANARIES] == before
            return things
        finally:
            await house.services.close()

    things = asyncio.run(walk())
    cli = CommandLine(folder, simulator.url)
    seen = [(" ".join(command), str(cli.run("--profile", "test", *command))) for command in commands(things["test1"])]
    assert_apart("test", seen)
    kept = cli.run("--profile", "test1", "facts", "list", "--json").json
    assert [fact["id"] for fact in kept] == [things["test1"].fact]


def assert_apart(own: str, seen: list[tuple[str, str]]) -> None:
    """Its own canary was seen by many paths, no other by any."""
    others = [canary for name, canary in CANARIES.items() if name != own]
    assert [what for what, told in seen if any(canary in told for canary in others)] == []
    assert sum(CANARIES[own] in told for _, told in seen) >= 5, [what for what, _ in seen]


def assert_silent(seen: list[tuple[str, str]]) -> None:
    """Nobody's canary was told to someone who named no profile."""
    assert len(seen) > 20
    assert [what for what, told in seen if any(canary in told for canary in CANARIES.values())] == []


async def filled(house: House, name: str, folder: Path) -> Things:
    """A profile with a fact, one that waits, a deleted one, a conversation and a document, each with its canary."""
    services, canary = house.services, CANARIES[name]
    services.settings.use_profile(name)
    talk = await house.ask(f"The boat hook of {canary} hangs behind the blue shutter.")
    gone = await services.memory.add("oars", f"{canary} lends the oars")
    await services.memory.delete(gone.fact_id)
    kept = await services.memory.add("boat hook", f"{canary} hangs the boat hook behind the blue shutter")
    await services.outside.remember(name, "hammock", f"{canary} likes the hammock")
    file = folder / f"{canary}.md"
    file.write_text(f"# Boats\n\nThe boat hook of {canary} hangs behind the blue shutter.\n", "utf-8")
    await services.documents.add([file])
    (document,) = await services.documents.documents()
    passages = await parts(house)["documents"].word_matches(name, query_words("boat hook"))
    message = (await house.path(talk))[0].id
    return Things(kept.fact_id, talk, message, document.id, tuple(passages.scores))


async def indexed(house: House) -> None:
    """The index is this process's, and in step."""
    house.services.indexing.rest = 0.01
    house.services.indexing.start()
    vectors = parts(house)["vectors"]
    async with asyncio.timeout(60):
        while await vectors.lacking(SentenceEncoder().name, 1) or await vectors.debts(1):
            await asyncio.sleep(0.02)


def parts(house: House) -> dict[str, Any]:
    """The stores behind the services."""
    store = cast(Store, house.services.store)
    return {"facts": store.facts, "vectors": store.vectors, "said": store.said, "documents": store.documents}


async def everything(house: House, name: str) -> list[Any]:
    """All that a profile holds, but for when a fact was last told."""
    store, talks = parts(house), await house.services.store.conversations(name)
    facts = await store["facts"].facts(name, *FactState)
    documents = await store["documents"].documents(name)
    messages = [await house.path(talk.id) for talk in talks]
    return [[(fact.id, fact.value, fact.state, fact.revision) for fact in facts], documents, talks, messages]


async def walked(house: House, own: str, other: Things) -> AsyncIterator[tuple[str, str]]:
    """What every reading path of stores, services and tools tells in one profile, asked for another's things."""
    services = house.services
    reached: list[tuple[str, Any]] = [
        *(
            (f"{port.__name__}.{name}", getattr(part, name))
            for part, port in zip(parts(house).values(), PORTS, strict=False)
            for name, _ in methods(port)
        ),
        *(
            (f"{type(one).__name__}.{name}", getattr(one, name))
            for one in (services.memory, services.outside, services.documents)
            for name, _ in methods(type(one))
        ),
        ("ArchiveService.search", services.archive.search),
    ]
    for what, method in reached:
        if what not in OF_ALL and what not in NOT_WALKED:
            yield what, await told(method, own, other)
    answers = Answers(load_words("en"), own, lambda *words: " ".join(words))
    async with Client(MemoryServer(services.outside, own, load_words("en"), answers).protocol()) as client:
        for tool in TOOLS.values():
            for given in TOOL_CALLS[tool.name]:
                arguments = {name: other.fact if value is ... else value for name, value in given.items()}
                yield tool.name, str(await client.call_tool(tool.name, arguments))
    pool = await parts(house)["vectors"].pool(own, SentenceEncoder().name)
    assert pool.ids and other.fact not in pool.ids
    talk = await house.ask(ASKED)
    yield "a turn", str([await services.store.request(one.id) for one in await services.store.requests(talk)])
    yield "its answer", str(await house.path(talk))


async def without_profile(house: House, other: Things) -> AsyncIterator[tuple[str, str]]:
    """What the stores tell someone who names no profile: how it failed, or that there is nothing."""
    for port, part in zip(PORTS, parts(house).values(), strict=False):
        for name, _ in methods(port):
            if f"{port.__name__}.{name}" not in OF_ALL | NOT_WALKED:
                try:
                    yield name, await told(getattr(part, name), None, other)
                except SQLAlchemyError as error:
                    yield name, str(error)


NOT_WALKED = {
    "VectorStore.pool",  # ids and numbers; compared by themselves
    "DocumentStore.add",  # `DocumentService.add` tells no text
    "MemoryService.still_stands",  # is given a fact that was read already
    "MemoryService.undo",  # takes back what the profile itself did
}
TOOL_CALLS: dict[str, list[dict[str, Any]]] = {
    "remember": [{"key": "boat hook", "value": "on the other hook"}],
    "recall": [{"query": ASKED}],
    "list": [{}, {"limit": 200}],
    "forget": [{"key": "boat hook"}, {"id": ...}],
}


async def told(method: Any, own: str | None, other: Things) -> str:
    """What a method told, or how it failed, as text."""
    values, positional = given(own, other), []
    keywords = {}
    for one in inspect.signature(method).parameters.values():
        if one.kind is one.VAR_POSITIONAL:
            positional = list(FactState)
        elif one.default is one.empty or one.name in ("conversation_id", "message_id"):
            assert one.name in values, f"say in `given` what {method.__qualname__} is to be given as {one.name}"
            keywords[one.name] = values[one.name]
    try:
        if positional:
            return repr(await method(*([own] if "profile" in keywords else []), *positional))
        return repr(await method(**keywords))
    except AppError as error:
        return f"{error!r} {error.params}"


def given(own: str | None, other: Things) -> dict[str, Any]:
    """By name of a parameter: the profile that asks, and the other one's things."""
    one = dict.fromkeys(("name", "fact_id", "key", "old", "old_id", "new", "by_id", "kept", "kept_id"), other.fact)
    several = {name: [other.fact] for name in ("fact_ids", "gone", "gone_ids")}
    moment = datetime.now(UTC)
    seen = Fact(other.fact, own, "boat hook", "x", FactState.ACTIVE, FactOrigin.YOU, 1, moment, moment)
    return {
        **one,
        **several,
        "profile": own,
        "message_id": other.message,
        "conversation_id": other.talk,
        "document_id": other.document,
        "message_ids": [other.message],
        "passage_ids": list(other.passages),
        "told": [PassageNote(PassageKind.TURN, other.message, one, "") for one in other.passages],
        "facts": [seen],
        "moves": [Move(seen, "boat hook", "", "")],
        "query": ASKED,
        "text": ASKED,
        "words": query_words(ASKED),
        "letters": ["h"],
        "value": "x",
        "draft": FactDraft("boat hook", "elsewhere"),
        "by": FactActor.YOU,
        "revision": 1,
        "relations": [],
        "since": moment,
        "at": None,
        "pinned": True,
        "limit": 50,
        "most": 50,
        "paths": [],
        "without": [],
    }


WALKED = ("facts", "documents", "recall", "conversations", "context")


def commands(other: Things) -> Iterator[list[str]]:
    """Every command that reads memory, given another profile's things wherever it takes one."""
    values = {
        "conversation": other.talk,
        "query": ASKED,
        "value": "x",
        "until": "never",
        "title": "x",
        "files": "nothing",
    }

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[list[str]]:
        for name, one in getattr(command, "commands", {}).items():
            yield from walk(one, (*path, name))
        if not hasattr(command, "commands"):
            arguments = [one.name for one in command.params if one.param_type_name == "argument"]
            named = other.document if path[0] == "documents" else other.fact
            yield [*path, *(values.get(name, named) for name in arguments)]

    tops = get_command(app).commands  # type: ignore[attr-defined]
    for top in WALKED:
        yield from walk(tops[top], (top,))
    yield from (["facts", "list", "--deleted"], ["facts", "list", "--search", ASKED])
