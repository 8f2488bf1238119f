"""What was said and documents, searched with the real store, model and index: nothing hides the one answer there is."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from desktop_app.adapters.embedding.words_only import WordsOnly
from desktop_app.adapters.secret_detector import SecretDetector
from desktop_app.adapters.store import Store
from desktop_app.core.documents import DocumentText
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.passage_hits import PassageHit
from desktop_app.core.recall.values import Part
from desktop_app.services.passage_search import PassageSearch
from desktop_app.services.question_vectors import QuestionVectors
from tests.adapters.recall_parts import Memory, P, SharedEncoder, remembering, shared_encoder
from tests.adapters.store_parts import add_chain, user, with_store

ANSWER = "By the way, the key of the boathouse hangs behind the blue shutter."
ASKED = "Where does the key of the boathouse hang?"
NUMBERS = [(first, second) for first in range(10, 25) for second in range(10, 20)]


@pytest.fixture(scope="module")
def encoder() -> Iterator[SharedEncoder]:
    with shared_encoder() as made:
        yield made


@pytest.fixture(params=["words", "meaning"])
def embedder(request: pytest.FixtureRequest, encoder: SharedEncoder) -> Any:
    return WordsOnly() if request.param == "words" else encoder


def run(folder: Path, embedder: Any, work: Any) -> None:
    async def whole() -> None:
        async with remembering(folder, embedder) as memory:
            await work(memory)

    asyncio.run(whole())


async def chat(memory: Memory, texts: Sequence[str]) -> list[str]:
    conversation = await memory.store.create_conversation(P, "chat", simulated=False)
    return [message.id for message in await add_chain(memory.store, conversation.id, texts)]


async def turns(memory: Memory, query: str, without: Collection[str] = ()) -> list[PassageHit]:
    await settle(memory)
    hidden = await memory.store.said.passage_ids(P, without)
    return await search_of(memory).turns(P, query, 12, without, hidden=hidden)


async def settle(memory: Memory) -> None:
    """Cuts and embeds everything, however much it is."""
    while await memory.store.vectors.cut_messages(500):
        pass
    if not isinstance(memory.encoder, WordsOnly):
        while await memory.store.vectors.lacking(memory.encoder.name, 1):
            await memory.indexing.catch_up(P)


def search_of(memory: Memory) -> PassageSearch:
    store, vectors = memory.store, QuestionVectors(memory.encoder, memory.indexing)
    return PassageSearch(store.said, store.documents, memory.encoder, memory.index, vectors, SecretDetector())


@pytest.mark.parametrize("edited", [40, 150])
def test_what_was_edited_away_hides_nothing(tmp_path: Path, embedder: Any, edited: int) -> None:
    async def work(memory: Memory) -> None:
        conversation = await memory.store.create_conversation(P, "edited", simulated=False)
        first = await memory.store.add_message(user(conversation.id, None, "Let us talk of the house."))
        parent = first
        for number in range(edited):
            text = f"The key of the boathouse, where does it hang? Key number {number} of the boathouse."
            parent = await memory.store.add_message(user(conversation.id, parent, text))
        await memory.store.move_head(conversation.id, first.id)
        (answer,) = await chat(memory, [ANSWER])
        hits = await turns(memory, ASKED)
        assert hits[0].source_id == answer and hits[0].bears
        assert {hit.source_id for hit in hits} <= {answer, first.id}

    run(tmp_path, embedder, work)


def test_what_stands_in_the_context_hides_nothing(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        (answer,) = await chat(memory, ["Last week i sorted the museum photos by year, into the grey box."])
        present = await chat(memory, [f"museum photos i sorted, box {number}" for number in range(150)])
        hits = await turns(memory, "Which museum photos i sorted by year?", present)
        assert [hit.source_id for hit in hits] == [answer] and hits[0].bears

    run(tmp_path, embedder, work)


def test_an_id_in_a_document_comes_first(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        sections = [f"ERR-{a}-{b}\n\n" + f"When it comes up, turn screw {a + b} and wait. " * 9 for a, b in NUMBERS]
        await memory.store.documents.add(P, DocumentText("errors.txt", "text/plain", "", 1, "\n\n".join(sections)))
        await settle(memory)
        for a, b in NUMBERS[::29]:
            hits = await search_of(memory).documents(P, f"What should I do about ERR-{a}-{b}?", 12)
            assert f"ERR-{a}-{b}\n" in f"{hits[0].text}\n" and hits[0].parts[Part.EXACT] > 0
            assert hits[0].score == pytest.approx(sum(hits[0].parts.values()))
            assert hits[0].kind is PassageKind.DOCUMENT

    run(tmp_path, embedder, work)


def test_an_id_in_what_was_said_comes_first(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        said = {(a, b): f"For ERR-{a}-{b}: turn screw {b} of case {a} and wait." for a, b in NUMBERS[:100]}
        ids = dict(zip(said, await chat(memory, list(said.values())), strict=True))
        await chat(memory, ["What should I do about ERR-12-17?"])
        for a, b in [*NUMBERS[:100:19], (12, 17)]:
            hits = await turns(memory, f"What should I do about ERR-{a}-{b}?")
            assert hits[0].source_id == ids[a, b] and hits[0].bears and hits[0].parts[Part.EXACT] > 0

    run(tmp_path, embedder, work)


def test_the_passage_that_holds_the_id_is_told(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        rows = [
            f"Ticket A10{number} of the archive waits for its ticket number in the archive." for number in range(60)
        ]
        await chat(memory, ["\n".join(rows)])
        (hit,) = await turns(memory, "티켓A1042는 archive ticket 번호가 뭐였지")
        assert "A1042" in hit.text and hit.bears

    run(tmp_path, embedder, work)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("책은 둘째 칸에 꽂았어", "책 어디?"),
        ("돈은 서랍에 뒀어", "돈 어디에 뒀더라"),
        ("우리 개는 보리야", "개 이름 뭐야"),
    ],
)
def test_a_word_of_one_syllable_is_found_below_its_particle(tmp_path: Path, said: str, asked: str) -> None:
    async def work(memory: Memory) -> None:
        await chat(memory, [f"오늘은 날씨가 맑았고 버스도 {number}번 탔지." for number in range(10)])
        (answer,) = await chat(memory, [said])
        hits = await turns(memory, asked)
        assert hits[0].source_id == answer and hits[0].bears and hits[0].parts[Part.WORDS] > 0

    run(tmp_path, WordsOnly(), work)


def test_where_nothing_fits_what_stands_beside_the_best_is_no_match_either(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        await chat(memory, ["Hello there, good morning to you.", "Good morning!", "Lovely weather.", "Indeed."])
        assert not any(hit.bears for hit in await turns(memory, ASKED))

    run(tmp_path, embedder, work)


TEA = (
    "The deposit of the flat is 5,000,000 won and is paid back in March.",
    "Coal is delivered on Mondays, like milk.",
)


@pytest.mark.parametrize("more", [0, 60])
def test_a_document_that_has_nothing_to_do_with_it_does_not_bear_on_a_question(
    tmp_path: Path, embedder: Any, more: int
) -> None:
    async def work(memory: Memory) -> None:
        filler = [f"House rule {number}: the stairs are swept in week {number}. " * 12 for number in range(more)]
        text = "\n\n".join([*(one + " " + "It is so written. " * 60 for one in TEA), *filler])
        await memory.store.documents.add(P, DocumentText("lease.txt", "text/plain", "", 1, text))
        await settle(memory)
        for query in ("Which planets look like Saturn?", "How do I sort a list in Python, like fast?"):
            assert not any(hit.bears for hit in await search_of(memory).documents(P, query, 12)), query
        best = (await search_of(memory).documents(P, "How much is the deposit of the flat?", 12))[0]
        assert best.bears and "5,000,000" in best.text

    run(tmp_path, embedder, work)


def test_an_answer_that_knows_nothing_does_not_bear_on_its_question(tmp_path: Path, embedder: Any) -> None:
    async def work(memory: Memory) -> None:
        _, unknowing = await chat(memory, [ASKED, "I do not know where the key of the boathouse hangs."])
        (told,) = await chat(memory, [ANSWER])
        bearing = {hit.source_id for hit in await turns(memory, ASKED) if hit.bears}
        assert told in bearing and unknowing not in bearing

    run(tmp_path, embedder, work)


@pytest.mark.parametrize("more", [0, 60])
@pytest.mark.parametrize("asked", ["🐶", "👨‍👩‍👧", "돈"])
def test_a_document_is_found_by_a_sign_or_a_word_of_one_syllable(tmp_path: Path, asked: str, more: int) -> None:
    async def work(memory: Memory) -> None:
        told = "초코🐶는 산책을 좋아한다. 가족 👨‍👩‍👧 사진과 돈은 서랍에 있다."
        filler = [f"House rule {number}: the stairs are swept in week {number}. " * 12 for number in range(more)]
        text = "\n\n".join([*filler, told, "A last rule. " * 80])
        await memory.store.documents.add(P, DocumentText("notes.txt", "text/plain", "", 1, text))
        await memory.store.documents.add("demo", DocumentText("other.txt", "text/plain", "", 1, told))
        best = (await search_of(memory).documents(P, asked, 12))[0]
        assert best.bears and "초코🐶" in best.text and best.title == "notes.txt"

    run(tmp_path, WordsOnly(), work)


@pytest.mark.usefixtures("database")
def test_letters_and_signs_are_found_in_documents_of_either_database(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.documents.add(P, DocumentText("a.txt", "text/plain", "", 1, "초코🐶와 돈은 서랍에"))
        found = await store.documents.holding(P, ["🐶", "돈", "🐱"])
        assert {one: len(ids) for one, ids in found.items()} == {"🐶": 1, "돈": 1, "🐱": 0}
        (document,) = await store.documents.documents(P)
        await store.documents.remove(P, document.id)
        assert not any((await store.documents.holding(P, ["🐶", "돈"])).values())

    with_store(tmp_path, work)
