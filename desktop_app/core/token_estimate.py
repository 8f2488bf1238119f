"""Estimates of tokens by script, calibrated per model with every exact total that comes in.

A block is described by features (letters by script, digits, signs, overheads); its tokens are a
weighted sum. The weights start from public rules of thumb with wide doubts and are corrected by
recursive least squares (a Kalman filter with constant state; Simon, Optimal State Estimation, ch. 3),
so each exact difference between two requests sharpens them, and each estimate carries a variance.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from types import MappingProxyType
from typing import Any

from desktop_app.core.conversation import Block, to_json
from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.media_size import image_size as size_in_pixels
from desktop_app.core.media_size import pdf_pages

FEATURES = (
    "latin",
    "words",
    "digits",
    "signs",
    "breaks",
    "hangul",
    "han",
    "other",
    "thinking",
    "image",
    "message",
    "call",
    "tool",
    "tools",
    "system",
)
"""Letters and counts of a text; then thinking characters, image tokens by area, and fixed overheads."""

# Mean and doubt (standard deviation) of each weight before anything was counted.
_PRIOR = {
    "latin": (0.17, 0.05),
    "words": (0.35, 0.2),
    "digits": (0.5, 0.2),
    "signs": (0.7, 0.25),
    "breaks": (0.5, 0.3),
    "hangul": (0.8, 0.25),
    "han": (1.0, 0.3),
    "other": (1.3, 0.6),
    "thinking": (0.25, 0.15),
    "image": (1.0, 0.1),
    "message": (4.0, 2.0),
    "call": (12.0, 8.0),
    "tool": (25.0, 25.0),
    "tools": (320.0, 160.0),
    "system": (4.0, 4.0),
}
_PIXELS_A_TOKEN = 750
_LONGEST_SIDE, _MOST_AREA = 1_568, 1_150_000
# By the public advice on picture sizes; newer models may see more, which the first exact count corrects.
_UNREAD_IMAGE = 1_399
_PAGE_TOKENS = 2000
_PLACE = {name: place for place, name in enumerate(FEATURES)}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens and the variance of the guess (tokens squared)."""

    tokens: float
    variance: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The state of an estimator: weights and their covariance, in the order of FEATURES."""

    weights: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    seen: int = 0


def uncalibrated() -> Calibration:
    """The state before any exact total was seen."""
    size = len(FEATURES)
    doubts = [_PRIOR[name][1] ** 2 for name in FEATURES]
    return Calibration(
        tuple(_PRIOR[name][0] for name in FEATURES),
        tuple(tuple(doubts[row] if row == col else 0.0 for col in range(size)) for row in range(size)),
    )


class TokenEstimator:
    """Estimates blocks of one model and learns from exact totals."""

    def __init__(self, calibration: Calibration | None = None) -> None:
        self.calibration = calibration or uncalibrated()

    def estimate(self, features: Mapping[str, float]) -> Estimate:
        """Tokens of something with these features, and how doubtful that is."""
        state = self.calibration
        vector = [(_PLACE[name], value) for name, value in features.items() if value]
        tokens = variance = 0.0
        # Plain loops: every block of a conversation comes through here, and generators take twice as long.
        for row, left in vector:
            tokens += state.weights[row] * left
            shared = state.covariance[row]
            for col, right in vector:
                variance += left * shared[col] * right
        return Estimate(max(0.0, tokens), max(variance, 0.0) + 0.0004 * tokens * tokens + 0.25)

    def learn(self, features: Mapping[str, float], tokens: int) -> None:
        """Corrects the weights with an exact total for the sum of these features."""
        state, size = self.calibration, len(FEATURES)
        vector = [features.get(name, 0.0) for name in FEATURES]
        spread = [sum(state.covariance[row][col] * vector[col] for col in range(size)) for row in range(size)]
        # A tokeniser is not linear: about 2 % of a span and a couple of tokens stay noise. And how its words fall is
        # chance, as of any count, whose variance grows with it: short spans teach little.
        noise = (0.02 * tokens) ** 2 + tokens / 3 + 4.0
        scale = sum(value * part for value, part in zip(vector, spread, strict=True)) + noise
        miss = tokens - sum(weight * value for weight, value in zip(state.weights, vector, strict=True))
        self.calibration = Calibration(
            tuple(max(0.0, weight + part * miss / scale) for weight, part in zip(state.weights, spread, strict=True)),
            tuple(
                tuple(state.covariance[row][col] - spread[row] * spread[col] / scale for col in range(size))
                for row in range(size)
            ),
            state.seen + 1,
        )


def add_features(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The sum of several feature vectors."""
    total: dict[str, float] = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0.0) + value
    return total


_RUNS = lazy_pattern(
    r"(?P<latin>[A-Za-z\u00c0-\u024f]+)|(?P<digits>\d+)|(?P<breaks>\n+)|(?P<space>[^\S\n]+)"
    r"|(?P<hangul>[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]+)"
    r"|(?P<han>[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003134f]+)"
    r"|(?P<signs>[!-/:-@\[-`{-~]+)|(?P<other>.)",
    re.DOTALL,
)


_LATIN = lazy_pattern(r"[A-Za-z\u00c0-\u024f]+")
_NOT_ASCII = lazy_pattern(r"[^\x00-\x7f]+")


def _class_of(char: str) -> str:
    """One sign for each kind of ASCII characters: those of a text are counted by it at the speed of copying."""
    if char.isalpha():
        return "a"
    if char.isspace():
        return "\n" if char == "\n" else " "
    return "0" if char.isdigit() else "!" if "!" <= char <= "~" else "?"


_CLASSES = "".join(_class_of(chr(code)) if code < 128 else "?" for code in range(256)).encode()
_COUNTED = (("latin", b"a"), ("digits", b"0"), ("breaks", b"\n"), ("signs", b"!"), ("other", b"?"))
_WORDS = bytes(ord("a") if code == ord("a") else ord(" ") for code in range(256))


@lru_cache(maxsize=20_000)
def _text_counts(text: str) -> Mapping[str, float]:
    classes = text.encode("ascii", "replace").translate(_CLASSES)
    counts = {kind: float(count) for kind, sign in _COUNTED if (count := classes.count(sign))}
    words = (b" " + classes.translate(_WORDS)).count(b" a")
    if not text.isascii():
        rest = "".join(_NOT_ASCII.findall(text))
        counts["signs"] -= len(rest)  # each stood there as a question mark
        for run in _RUNS.finditer(rest):
            kind = run.lastgroup or "other"
            counts[kind] = counts.get(kind, 0.0) + run.end() - run.start()
            if kind == "latin":
                words = -1
        counts.pop("space", None)
    counts["words"] = float(len(_LATIN.findall(text)) if words < 0 else words)
    return MappingProxyType({kind: count for kind, count in counts.items() if count})


def text_features(text: str) -> dict[str, float]:
    """Letters by script, words, digits, signs and line breaks of a text."""
    return dict(_text_counts(text))


def text_tokens(estimator: TokenEstimator | None = None) -> Callable[[str], int]:
    """Estimates the tokens of texts, without an estimator as one that has learnt nothing does."""
    known = estimator or TokenEstimator()

    def tokens(text: str) -> int:
        return round(known.estimate(block_features({"type": "text", "text": text}, "system")).tokens)

    return tokens


def block_features(block: Block, place: str, *, first: bool = False) -> dict[str, float]:
    """Features of a block. `place` is `tool`, `system` or `message`; `first` adds the frame it opens."""
    if place == "tool":
        features = text_features(to_json(block))
        features["tool"] = 1.0
        if first:
            features["tools"] = 1.0
        return features
    features = _content_features(block)
    if first:
        features["system" if place == "system" else "message"] = 1.0
    return features


def _content_features(block: Mapping[str, Any]) -> dict[str, float]:
    kind = block.get("type")
    if kind == "text":
        return text_features(str(block.get("text", "")))
    if kind == "thinking":
        return {"thinking": float(len(str(block.get("thinking", ""))))}
    if kind == "tool_use":
        features = text_features(str(block.get("name", "")) + to_json(block.get("input", {})))
        return add_features([features, {"call": 1.0}])
    if kind == "tool_result":
        content = block.get("content")
        inner = (
            [text_features(content)]
            if isinstance(content, str)
            else [_content_features(part) for part in content or []]
        )
        return add_features([*inner, {"call": 1.0}])
    if kind == "compaction":
        # What is encrypted in it is the API's own note, and read by nobody.
        return text_features(str(block.get("content") or ""))
    if kind in ("image", "document"):
        return _media_features(kind, block.get("source") or {})
    return text_features(to_json(dict(block)))


def _media_features(kind: str, source: Mapping[str, Any]) -> dict[str, float]:
    data = source.get("data")
    if kind == "image":
        return {"image": float(_image_tokens(data) if isinstance(data, str) else _UNREAD_IMAGE)}
    if source.get("type") == "text" and isinstance(data, str):
        return text_features(data)
    if isinstance(source.get("content"), list):
        return add_features([_content_features(part) for part in source["content"]])
    pages = _pages(data) if isinstance(data, str) else 1
    return {"image": float(pages * _PAGE_TOKENS)}


def _image_tokens(data: str) -> int:
    """By the area in pixels, after the API has made a large picture smaller."""
    size = image_size(data)
    if size is None:
        return _UNREAD_IMAGE
    width, height = size
    scale = min(1.0, _LONGEST_SIDE / max(width, height, 1), sqrt(_MOST_AREA / max(width * height, 1)))
    return max(1, ceil(width * scale * height * scale / _PIXELS_A_TOKEN))


_known_pages: dict[tuple[int, str, str], int] = {}


def _pages(data: str) -> int:
    """Pages of a PDF in base64. Its text is megabytes long and asked for with every keystroke, so what was counted is
    kept by its length and ends, without holding on to the text."""
    middle = len(data) // 2
    key = (len(data), data[middle : middle + 512], data[-512:])
    if key not in _known_pages:
        if len(_known_pages) >= 500:
            _known_pages.clear()
        _known_pages[key] = pdf_pages(_decoded(data)) or 1
    return _known_pages[key]


def _decoded(data: str) -> bytes:
    """The bytes of base64 text; none where it is no such text."""
    try:
        return base64.b64decode(data)
    except ValueError:
        return b""


@lru_cache(maxsize=500)
def _size_of_beginning(beginning: str) -> tuple[int, int] | None:
    return size_in_pixels(_decoded(beginning))


def image_size(data: str) -> tuple[int, int] | None:
    """Width and height in pixels from base64 PNG, GIF, JPEG or WebP data; None when they cannot be read."""
    return _size_of_beginning(data[:64]) or _size_of_beginning(data[:200_000])
