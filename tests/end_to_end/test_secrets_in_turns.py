"""A secret told in a conversation becomes no fact, and one of older days is told to no model, in real turns."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.core.conversation import to_json
from desktop_app.core.facts import FactState
from desktop_app.core.gate import Answer, Proposal, Verdict
from desktop_app.core.secrets.kinds import SecretKind
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.core.tool_call import ToolCall
from desktop_app.core.turn_events import MemoriesExtracted
from desktop_app.core.words import load_words
from desktop_app.mcp_server.answers import Answers
from desktop_app.services.archive_tools import SearchConversation
from tests.fakes.house import House, open_house
from tests.fakes.secret_search import SECRETS, raw_of, tables_with
from tests.fakes.simulator import RunningSimulator
from tests.unit.secret_samples import OF_LIBRARY

RAW = "hunter2-FAKE"


class Person:
    """Says yes, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[Proposal] = []

    async def ask(self, proposal: Proposal) -> Verdict:
        self.asked.append(proposal)
        return Verdict(Answer.ALLOWED, proposal.draft)


async def sent(house: House, talk: str) -> str:
    records = await house.services.store.requests(talk)
    return to_json([(await house.services.store.request(record.id))[1].body() for record in records])


def test_what_is_proposed_saved_and_answered_is_masked(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            person = house.services.gate.approver = Person()
            talk = await house.ask(f"Remember that my locker password is {RAW}.")
            (proposal,) = person.asked
            assert proposal.draft.value == "⟨password⟩"
            (fact,) = await house.services.memory.facts()
            assert fact.value == "⟨password⟩"
            assert "A secret in it was masked" in await sent(house, talk)

    asyncio.run(run())
    # What the person typed stands in the conversation and nowhere else: in no fact, history, word list or log.
    assert tables_with(tmp_path, RAW) == set()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith("mnemoscope.db")]
    assert files and [path.name for path in files if RAW.encode() in path.read_bytes()] == []


def test_a_fact_of_older_days_is_told_masked(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            change = await house.services.memory.add("locker", "a harmless one")
            with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
                connection.execute("UPDATE fact SET value = ?, checked_by = 0", (f"password={RAW}",))
            talk = await house.ask("Hello, what do you know of my locker?")
            body = await sent(house, talk)
            assert "password=⟨password⟩" in body and RAW not in body
            assert [fact.id for fact in await house.services.memory.suspected()] == [change.fact_id]

    asyncio.run(run())


def test_a_fact_the_person_kept_as_it_is_is_told_as_it_is(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            change = await house.services.memory.add("locker", f"password={RAW}", allow_secrets=True)
            assert change.masked == ()
            assert f"password={RAW}" in await sent(house, await house.ask("Hello"))
            edited = await house.services.memory.edit("locker", value=f"password={RAW}!")
            assert (edited.after.value, edited.masked) == ("password=⟨password⟩", (SecretKind.PASSWORD,))

    asyncio.run(run())


def test_a_prefix_of_older_days_is_not_sent_again_with_its_secret(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            await house.services.memory.add("locker", f"password={RAW}", allow_secrets=True)
            talk = await house.ask("Hello")
            before = await sent(house, talk)
        async with open_house(tmp_path, simulator.url) as house:
            with closing(sqlite3.connect(tmp_path / "mnemoscope.db")) as connection, connection:
                connection.execute("UPDATE fact SET keeps_secrets = 0")
            await house.ask("And now?", talk)
            after = (await sent(house, talk))[len(before) - 1 :]
            assert RAW in before and RAW not in after and "password=⟨password⟩" in after
            await house.ask("And again?", talk)
            assert len(await house.services.store.epochs(talk)) == 2  # begun anew once, then read from the cache

    asyncio.run(run())


def test_what_is_recalled_of_another_conversation_is_masked(tmp_path: Path, simulator: RunningSimulator) -> None:
    async def run() -> None:
        async with open_house(tmp_path, simulator.url) as house:
            await house.ask(f"The alarm panel of the boathouse hangs behind the blue shutter, password={RAW} for it.")
            body = await sent(house, await house.ask("Where does the alarm panel of the boathouse hang?"))
            assert "behind the blue shutter, password=⟨password⟩ for it." in body and RAW not in body

    asyncio.run(run())


def test_no_way_to_a_model_tells_a_secret_of_elsewhere(tmp_path: Path, simulator: RunningSimulator) -> None:
    """Recall in a turn, recall from outside, documents, and the search of the archive; keys of every kind."""
    keys = [f"password={RAW}", *OF_LIBRARY.values()]
    every = " and ".join(keys)
    written = tmp_path / "sauna.md"
    written.write_text(f"# Sauna\n\nThe caretaker lights the sauna heater of the cabin with {every} on Fridays.\n")
    questions = ["Which alarm panel does the boathouse have?", "Who lights the sauna heater of the cabin?"]

    async def run() -> None:
        async with open_house(tmp_path / "data", simulator.url) as house:
            services, profile = house.services, DEMO_PROFILE
            await services.documents.add([written])
            talk = await house.ask(
                f"The alarm panel of the boathouse hangs behind the blue shutter, {every} is for it."
            )
            bodies = [await sent(house, await house.ask(question)) for question in questions]
            answers = Answers(load_words("en"), profile, lambda *words: " ".join(words))
            outside = [answers.recalled(await services.outside.recall(profile, question)) for question in questions]
            for (in_turn, from_outside), quoted in zip(
                zip(bodies, outside, strict=True), ("hangs behind the blue shutter", "the cabin with"), strict=True
            ):
                assert quoted in in_turn and in_turn.count("⟨") >= len(keys)
                assert quoted in from_outside.text and from_outside.text.count("⟨") >= len(keys)
            searcher = SearchConversation(services.archive, services.store, services.settings.settings.offering)
            other = await services.store.create_conversation(profile, "", False)
            searched = [
                await searcher.run({"query": query}, ToolCall(profile, asked_in, "", "toolu_now"))
                for query in ("shutter", *keys)
                for asked_in in (talk, other.id)
            ]
            assert all("blue shutter" in text and text.count("⟨") >= 2 for text in searched[:2])
            for told in (*bodies, *map(str, outside), *searched):
                assert [key for key in (RAW, *keys) if key in told or key[-9:] in told] == []
            own = (await services.archive.search(profile, "shutter")).messages
            assert any(RAW in hit.excerpt for hit in own)  # the person's own search shows what stands there

    asyncio.run(run())


def test_what_is_found_in_a_message_waits_masked(tmp_path: Path, simulator: RunningSimulator) -> None:
    """A pasted .env and the like: the model that looks for facts names each secret, none gets into a fact."""
    texts = [secret for secret in SECRETS if "\n" not in secret]

    async def run() -> None:
        async with open_house(tmp_path, simulator.url, extract="on") as house:
            for number, secret in enumerate(texts):
                said = f"My note of drawer {number} is {secret}"
                row = {"key": f"drawer {number}", "value": f"note {secret}", "category": secret, "quote": said}
                answer = to_json({"facts": [row]})
                simulator.control({"action": "reply", "text": answer, "match": {"task": "extraction"}})
                await house.ask(f"{said}\n\nThank you for the help with these drawers.")
                await house.services.extraction.idle()
            waiting = [one.fact for one in await house.services.memory.pending()]
            assert len(waiting) >= 10, house.of(MemoriesExtracted)
            for fact in waiting:
                assert "⟨" in fact.value and (await house.services.memory.accept(fact.id)).after.value == fact.value
            told = await sent(house, await house.ask("Hello, what do you know of my drawers?"))
            assert [text for text in texts if raw_of(text) in told] == []
            assert sum(fact.value in told for fact in waiting) >= 10

    asyncio.run(run())
    assert {text: found for text in texts if (found := tables_with(tmp_path, raw_of(text)))} == {}


def test_an_imported_conversation_gives_no_secret_away(tmp_path: Path, simulator: RunningSimulator) -> None:
    """What the export says stays as it was; no fact comes of it, and what is quoted of it elsewhere is masked."""
    texts = [f"{secret} opens drawer {number} of the boathouse" for number, secret in enumerate(SECRETS)]
    talks = [
        {
            "uuid": f"c{number}",
            "name": f"drawer {number}",
            "created_at": "2026-07-01T00:00:00Z",
            "chat_messages": [{"uuid": f"m{number}", "sender": "human", "text": text}],
        }
        for number, text in enumerate(texts)
    ]
    export = tmp_path / "conversations.json"
    export.write_text(to_json(talks), "utf-8")
    folder = tmp_path / "data"

    async def run() -> None:
        async with open_house(folder, simulator.url, extract="on") as house:
            report = await house.services.importing.import_file(export, "demo")
            assert report.conversations_added == len(SECRETS)
            told = ""
            for number, _ in enumerate(SECRETS):
                told += await sent(house, await house.ask(f"What opens drawer {number} of the boathouse?"))
            await house.services.extraction.idle()
            assert await house.services.memory.facts(*FactState) == []
            assert sum(f"opens drawer {number} of the boathouse" in told for number, _ in enumerate(SECRETS)) >= 10
            assert [text for text in SECRETS if raw_of(text) in told or to_json(raw_of(text))[1:-1] in told] == []

    asyncio.run(run())
    assert {text: found for text in SECRETS if (found := tables_with(folder, raw_of(text)))} == {}
