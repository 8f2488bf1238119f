"""Vectors from a server over real HTTP: what it is asked, what is made of its answers, and what it may not do."""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from desktop_app.adapters.embedding import embedding_server
from desktop_app.adapters.embedding.opening import EmbedderOpener
from desktop_app.core import errors
from desktop_app.core.embedder_trial import FACTS, QUESTIONS
from desktop_app.core.embedders import EmbedderChoice, EmbedderKind, KnownEmbedder, embedder_choice
from desktop_app.core.ports import Embedder
from desktop_app.core.recall.values import Spread
from tests.fakes.embedding_server import VectorsServer, packed, toy_vector, vectors_server

KEY = "pa-canary0123456789abcdef"
SERVERS = ("ollama", "openai", "voyage")


@pytest.fixture
def server() -> Iterator[VectorsServer]:
    with vectors_server() as served:
        yield served


async def no_key(_name: str) -> str | None:
    return None


def known(choice: EmbedderChoice, dimension: int = 24) -> KnownEmbedder:
    return KnownEmbedder("test", dimension, choice, Spread(0, 0.0, 1.0), True)


def of(server: VectorsServer, kind: str = "openai", model: str = "") -> EmbedderChoice:
    return embedder_choice(kind, server.url, model)


def with_embedder(
    choice: EmbedderChoice, work: Callable[[Embedder], Awaitable[Any]], key_of: Any = no_key, dimension: int = 24
) -> Any:
    async def run() -> Any:
        embedder = EmbedderOpener(key_of).open(known(choice, dimension))
        try:
            return await work(embedder)
        finally:
            await embedder.close()

    return asyncio.run(run())


def embed(choice: EmbedderChoice, *texts: str, asked: bool = False) -> list[bytes]:
    return with_embedder(choice, lambda embedder: embedder.embed(texts, asked=asked))


@pytest.mark.parametrize("kind", SERVERS)
def test_vectors_come_in_order_and_with_length_one(server: VectorsServer, kind: str) -> None:
    texts = [f"사실 {number}" for number in range(70)]
    found = embed(of(server, kind), *texts)
    assert [len(request.texts) for request in server.asked] == [32, 32, 6]
    for text, vector in zip(texts, found, strict=True):
        assert struct.unpack("<24f", vector) == pytest.approx(toy_vector(text, 24), abs=1e-5)


def test_each_kind_is_asked_in_its_own_form(server: VectorsServer) -> None:
    embed(of(server, "ollama"), "a")
    embed(of(server, "openai"), "a")
    embed(of(server, "voyage"), "a")
    embed(of(server, "voyage"), "a", asked=True)
    assert [(one.path, one.body) for one in server.asked] == [
        ("/api/embed", {"model": "bge-m3", "input": ["a"], "truncate": True}),
        ("/v1/embeddings", {"model": "text-embedding-3-small", "input": ["a"], "encoding_format": "float"}),
        *(
            ("/v1/embeddings", {"model": "voyage-3.5", "input": ["a"], "input_type": kind, "truncation": True})
            for kind in ("document", "query")
        ),
    ]


def test_models_that_tell_questions_from_answers_by_a_prefix_get_it(server: VectorsServer) -> None:
    for asked in (True, False):
        embed(of(server, "openai", "nomic-embed-text-v1.5"), "a", asked=asked)
        embed(of(server, "openai", "intfloat/multilingual-e5-large"), "a", asked=asked)
        embed(of(server, "openai", "multilingual-e5-large-instruct"), "a", asked=asked)
    assert [one.texts for one in server.asked] == [
        *(["search_query: a"], ["query: a"], ["a"]),
        *(["search_document: a"], ["passage: a"], ["a"]),
    ]


def test_no_secret_is_sent(server: VectorsServer) -> None:
    embed(of(server), "the wifi password is hunter2-FAKE", "우리 집 커피")
    assert [request.texts for request in server.asked] == [["the wifi password is ⟨password⟩", "우리 집 커피"]]


def test_texts_are_sent_as_a_server_can_read_them(server: VectorsServer) -> None:
    embed(of(server), "a\0b\ud800", "x" * 9_000, "y" * 39_000)
    assert [[len(text) for text in one.texts] for one in server.asked] == [[4, 8_000, 8_000]]
    assert server.asked[0].texts[0].startswith("a b")
    with pytest.raises(ValueError, match="blank"):
        embed(of(server), "a", " ")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("fault", "kind", "params"),
    [
        ((401, '{"error": {"message": "no key"}}'), errors.EmbedderKeyRefused, {"host"}),
        ((404, '{"error": "model not found"}'), errors.EmbedderModelUnknown, {"host", "model"}),
        ((429, '{"detail": "too many"}'), errors.EmbedderBusy, {"host", "reason"}),
        ((500, "<html>oh"), errors.EmbedderBusy, {"host", "reason"}),
        ((400, '{"error": "too long"}'), errors.EmbedderRefused, {"host", "reason"}),
        ((302, "http://127.0.0.1:9/elsewhere"), errors.EmbedderRefused, {"host", "reason"}),
        ((200, "not JSON"), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, "[" * 100_000), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, '{"data": [{"index": 0}]}'), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, '{"data": [{"index": 0, "embedding": [0, 0]}]}'), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, '{"data": [{"index": 0, "embedding": [1e999, 1]}]}'), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, '{"data": []}'), errors.EmbedderUnfit, {"host", "reason"}),
        ((200, '{"data": [{"index": 0, "embedding": [1.0, 1.0]}]}'), errors.EmbedderUnfit, {"host", "reason"}),
    ],
)
def test_what_a_server_refuses_is_told_by_its_kind(
    server: VectorsServer, fault: tuple[int, str], kind: type[errors.EmbedderUnavailable], params: set[str]
) -> None:
    server.fault = fault
    with pytest.raises(kind) as caught:
        embed(of(server), "a")
    assert type(caught.value) is kind and set(caught.value.params) == params
    assert caught.value.params["host"] == f"127.0.0.1:{server.port}"
    assert len(server.asked) == 1, "a redirect is not followed"


def test_nobody_there_and_somebody_who_hangs(server: VectorsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.EmbedderUnreachable):
        embed(embedder_choice("ollama", "http://127.0.0.1:9"), "a")
    monkeypatch.setattr(embedding_server, "QUESTION_SECONDS", 0.1)
    server.hold = threading.Event()
    with pytest.raises(errors.EmbedderUnreachable):
        embed(of(server), "a", asked=True)


@pytest.mark.parametrize("silent", [30.0, 0.0])
def test_a_server_that_could_not_be_reached_is_left_alone_for_a_while(
    server: VectorsServer, monkeypatch: pytest.MonkeyPatch, silent: float
) -> None:
    monkeypatch.setattr(embedding_server, "QUESTION_SECONDS", 0.1)
    monkeypatch.setattr(embedding_server, "SILENT_SECONDS", silent)
    server.hold = threading.Event()

    async def work(embedder: Embedder) -> None:
        assert server.hold is not None
        with pytest.raises(errors.EmbedderUnreachable):
            await embedder.embed(["a"], asked=True)
        server.hold.set()
        if silent:
            with pytest.raises(errors.EmbedderUnreachable):
                await embedder.embed(["again"])
        else:
            assert len(await embedder.embed(["again"])) == 1
        assert any("again" in one.texts for one in server.asked) is not bool(silent)

    with_embedder(of(server), work)


def test_whoever_gives_up_on_a_server_has_found_it_silent(
    server: VectorsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_server, "LEAST_WAITED", 1.0)
    server.hold = threading.Event()

    async def work(embedder: Embedder) -> None:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await embedder.embed(["stopped by the person"])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.2):
                await embedder.embed(["waited for in vain"])
        with pytest.raises(errors.EmbedderUnreachable):
            await embedder.embed(["again"], asked=True)
        assert not any("again" in one.texts for one in server.asked)

    with_embedder(of(server), work)


def test_a_server_is_left_alone_twice_as_long_each_time_up_to_some_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(embedder: Embedder) -> list[float]:
        loop, pauses, shift = asyncio.get_running_loop(), [], 0.0
        real = loop.time
        monkeypatch.setattr(loop, "time", lambda: real() + shift)
        for _ in range(6):
            with pytest.raises(errors.EmbedderUnreachable):
                await embedder.embed(["a"], asked=True)
            pauses.append(embedder._requests._silent_until - loop.time())  # type: ignore[attr-defined]
            shift += pauses[-1] + 1
        return pauses

    pauses = with_embedder(embedder_choice("ollama", "http://127.0.0.1:9"), work)
    assert pauses == pytest.approx([30, 60, 120, 240, 480, 480], abs=2)


def test_a_trial_of_a_silent_server_ends_soon(server: VectorsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_server, "TRIAL_SECONDS", 0.2)
    server.hold = threading.Event()
    with pytest.raises(errors.EmbedderUnreachable):
        asyncio.run(EmbedderOpener(no_key).identify(of(server)))


def test_an_answer_without_end_is_given_up(server: VectorsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_server, "_LARGEST_ANSWER", 1_000)
    server.fault = (200, "1" * 5_000)
    with pytest.raises(errors.EmbedderUnfit):
        embed(of(server), "a")


def test_a_key_goes_to_a_server_elsewhere_and_to_none_on_this_machine(
    server: VectorsServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    names: list[str] = []

    async def key_of(name: str) -> str | None:
        names.append(name)
        return KEY

    with_embedder(of(server), lambda embedder: embedder.embed(["a"]), key_of)
    assert server.asked[0].key == "" and names == []
    monkeypatch.setattr("desktop_app.core.embedders.is_loopback", lambda _host: False)
    with_embedder(of(server), lambda embedder: embedder.embed(["a"]), key_of)
    assert server.asked[1].key == f"Bearer {KEY}"
    assert names == [f"embedder {server.url}"]
    server.wants_key = "another"
    with pytest.raises(errors.EmbedderKeyRefused):
        with_embedder(of(server), lambda embedder: embedder.embed(["a"]), key_of)
    said = capfd.readouterr()
    assert KEY not in said.out + said.err


def identify(choice: EmbedderChoice, before: KnownEmbedder | None = None) -> KnownEmbedder:
    return asyncio.run(EmbedderOpener(no_key).identify(choice, before))


def test_a_trial_finds_name_size_and_habits_once(server: VectorsServer) -> None:
    found = identify(of(server, "ollama"))
    assert found.name == f"ollama@127.0.0.1:{server.port}/bge-m3/0a1b2c3d4e5f/24"
    assert found.dimension == 24 and found.choice == of(server, "ollama")
    assert 0 < found.unrelated.mean < 1 and found.unrelated.deviation > 0
    assert not found.korean, "letters three by three know no meaning"
    assert [text for one in server.asked for text in one.texts] == [*QUESTIONS, *FACTS]
    server.asked.clear()
    assert identify(of(server, "ollama"), found) is found
    assert [one.path for one in server.asked] == ["/api/tags"]
    server.models["bge-m3:latest"] = "sha256:ffffffffffff0000"
    assert identify(of(server, "ollama"), found).name.endswith("/bge-m3/ffffffffffff/24")


def test_a_server_that_only_speaks_like_ollama_is_used_too(server: VectorsServer) -> None:
    server.models.clear()
    with pytest.raises(errors.EmbedderModelUnknown):
        identify(of(server, "ollama", "unknown"))
    assert identify(of(server, "openai")).name == f"openai@127.0.0.1:{server.port}/text-embedding-3-small/-/24"


def test_two_models_of_one_size_have_two_names(server: VectorsServer) -> None:
    first, second = identify(of(server, "openai", "one")), identify(of(server, "openai", "two"))
    assert first.dimension == second.dimension and first.name != second.name


def test_a_vector_of_another_size_than_known_is_never_kept(server: VectorsServer) -> None:
    with pytest.raises(errors.EmbedderUnfit):
        with_embedder(of(server), lambda embedder: embedder.embed(["a"]), dimension=16)
    (vector,) = embed(of(server), "a")
    assert vector == pytest.approx(packed(toy_vector("a", 24))) or len(vector) == 96


def test_whoever_wants_no_embedder_gets_none() -> None:
    choice = embedder_choice(EmbedderKind.NONE)
    found = identify(choice)
    assert (found.name, found.dimension) == ("none", 0)
    embedder = EmbedderOpener(no_key).open(found)
    assert asyncio.run(embedder.embed([])) == []
    with pytest.raises(errors.EmbedderUnavailable):
        asyncio.run(embedder.embed(["a"]))
