"""Estimates by script sharpen with every exact total; pictures count by their size, not by their bytes."""

from __future__ import annotations

import base64
import random
import re
import struct
import time
from pathlib import Path

import pytest

from desktop_app.core.conversation import text_block
from desktop_app.core.token_estimate import (
    FEATURES,
    Calibration,
    TokenEstimator,
    add_features,
    block_features,
    image_size,
    text_features,
    uncalibrated,
)
from tests.unit.message_samples import TOOLS, call, result, thinking

DATA = Path(__file__).parent / "data"
WORDS = ("Claude", "remembers", "the", "budget", "context", "기억을", "정리하고", "예산은", "2025", "128000", "v2.1",
         "값:", "{ok}", "설명해", "주세요.", "windows,", "漢字")  # fmt: skip


def counted(text: str) -> int:
    """A tokeniser of other rates than the priors: joins runs, and charges a repeated word once only half."""
    total, before = 6.0, ""
    for run in re.findall(r"[A-Za-z]+|\d+|[가-힣]+|[一-龥]+|[^\w\s]+|\n", text):
        short = len(run) / 2.5 if run.isdigit() else 1 + len(run) // 4
        cost = short if run[0].isascii() else 1.35 * len(run)
        total += cost / 2 if run == before else cost
        before = run
    return round(total)


def texts(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(5, 120))) for _ in range(count)]


def features(text: str) -> dict[str, float]:
    return block_features(text_block(text), "message", first=True)


def miss(estimator: TokenEstimator, fresh: list[str]) -> float:
    """Mean relative error."""
    return sum(abs(estimator.estimate(features(one)).tokens / counted(one) - 1) for one in fresh) / len(fresh)


def test_calibration_converges_on_another_tokeniser() -> None:
    estimator, fresh = TokenEstimator(), texts(2, 30)
    untaught = miss(estimator, fresh)
    for seen, text in enumerate(texts(1, 40), 1):
        estimator.learn(features(text), counted(text))
        assert estimator.calibration.seen == seen
    assert untaught > 0.2
    assert miss(estimator, fresh) < 0.05


def test_doubt_shrinks_with_every_total() -> None:
    estimator, probe = TokenEstimator(), features(texts(3, 1)[0])
    doubts = [estimator.estimate(probe).variance]
    for text in texts(1, 20):
        estimator.learn(features(text), counted(text))
        doubts.append(estimator.estimate(probe).variance)
    assert doubts[-1] < doubts[0] / 5
    assert doubts[1] < doubts[0]


def test_weights_stay_sound_under_absurd_totals() -> None:
    estimator, chance = TokenEstimator(), random.Random(5)
    for _ in range(300):
        vector = {name: chance.choice((0.0, 1.0, 500.0)) for name in chance.sample(FEATURES, 4)}
        estimator.learn(vector, chance.choice((0, 1, 100_000)))
        assert all(weight >= 0 for weight in estimator.calibration.weights)
        estimate = estimator.estimate(vector)
        assert estimate.tokens >= 0
        assert estimate.variance > 0
    diagonal = [row[place] for place, row in enumerate(estimator.calibration.covariance)]
    assert min(diagonal) >= -1e-9


def test_a_calibration_carries_over_to_another_run() -> None:
    taught = TokenEstimator()
    for text in texts(1, 10):
        taught.learn(features(text), counted(text))
    state = taught.calibration
    again = TokenEstimator(Calibration(state.weights, state.covariance, state.seen))
    probe = features("값은 128000 tokens")
    assert again.estimate(probe) == taught.estimate(probe)
    assert TokenEstimator().calibration == uncalibrated()
    assert len(state.weights) == len(state.covariance) == len(FEATURES)


def test_features_of_mixed_text() -> None:
    assert text_features("Hello, 세상 漢字!\n\n42 é ק") == {
        "latin": 6.0, "words": 2.0, "signs": 2.0, "hangul": 2.0, "han": 2.0, "breaks": 2.0, "digits": 2.0, "other": 1.0,
    }  # fmt: skip
    assert text_features("") == {}
    text_features("shared")["latin"] = 99.0
    assert text_features("shared") == {"latin": 6.0, "words": 1.0}


def test_features_of_blocks() -> None:
    assert block_features(thinking("t" * 40), "message") == {"thinking": 40.0}
    assert block_features(text_block("ab"), "system", first=True) == {"latin": 2.0, "words": 1.0, "system": 1.0}
    tool = block_features(TOOLS[0], "tool", first=True)
    assert (tool["tool"], tool["tools"]) == (1.0, 1.0)
    assert "tools" not in block_features(TOOLS[0], "tool")
    assert block_features(call("x", a="b"), "message")["call"] == 1.0
    listed = block_features(result("x", [text_block("ab"), text_block("cd")]), "message")
    assert listed == {"latin": 4.0, "words": 2.0, "call": 1.0}
    assert add_features([{"latin": 1.0}, {"latin": 2.0, "han": 1.0}]) == {"latin": 3.0, "han": 1.0}


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x02\x00\x00\x00"


def jpeg(width: int, height: int) -> bytes:
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\x00" + bytes(9)
    tables = b"\xff\xc4" + struct.pack(">H", 5) + bytes(3)
    return b"\xff\xd8" + app + tables + b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + bytes(20)


@pytest.mark.parametrize(
    ("raw", "size"),
    [
        (png(720, 720), (720, 720)),
        (png(3, 4_000), (3, 4_000)),
        (b"GIF89a" + struct.pack("<HH", 640, 480) + bytes(9), (640, 480)),
        (jpeg(1_920, 1_080), (1_920, 1_080)),
        (jpeg(8, 8)[:25], None),
        (b"\x89PNG", None),
        (b"RIFF....WEBP", None),
        (b"", None),
    ],
)
def test_size_of_a_picture(raw: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(base64.b64encode(raw).decode()) == size


def picture(data: object) -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def test_pictures_count_by_their_pixels() -> None:
    data = base64.b64encode(png(720, 720) + bytes(1_500_000)).decode()
    assert block_features(picture(data), "message") == {"image": 692.0}
    tokens = TokenEstimator().estimate(block_features(picture(data), "message")).tokens
    assert tokens == pytest.approx(691, rel=0.01)


@pytest.mark.parametrize("data", ["A", "not base64 at all!", "값", None, 5])
def test_unreadable_pictures_and_files_still_have_an_estimate(data: object) -> None:
    assert block_features(picture(data), "message")["image"] == 1_399.0
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}
    assert block_features(document, "message") == {"image": 2_000.0}


def test_documents_count_by_their_pages() -> None:
    data = base64.b64encode((DATA / "ninety_pages.pdf").read_bytes()).decode()
    document = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}
    assert block_features(document, "message") == {"image": 90 * 2_000.0}
    plain = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "ab"}}
    assert block_features(plain, "message") == {"latin": 2.0, "words": 1.0}


@pytest.mark.timed
def test_a_megabyte_of_text_costs_a_few_passes_over_it() -> None:
    chance = random.Random(9)
    text = " ".join(chance.choices((*WORDS, "foo_bar();", "\n", "😀"), k=250_000))[:1_000_000]

    def one_pass() -> float:
        began = time.perf_counter()
        sum(1 for char in text if char.isalpha())
        return time.perf_counter() - began

    def counting(number: int) -> float:
        began = time.perf_counter()
        text_features(f"{text}{number}")
        return time.perf_counter() - began

    # Half a second where one pass of the interpreter over the text takes 0.05.
    assert min(counting(number) for number in range(3)) < 10 * min(one_pass() for _ in range(3))


def test_a_compaction_counts_by_what_can_be_read_of_it() -> None:
    block = {
        "type": "compaction",
        "content": "They met 3 times.",
        "signature": "s" * 500,
        "encrypted_content": "x" * 9_000,
    }
    assert block_features(block, "message") == text_features("They met 3 times.")
    assert block_features({"type": "compaction", "content": None}, "message") == {}
