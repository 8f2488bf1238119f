"""Korean particles: what stands behind a word or a value and is no part of it."""

from __future__ import annotations

from desktop_app.core.lazy_pattern import lazy_pattern

_AFTER_CLOSED = (
    "은",
    "이",
    "을",
    "과",
    "으로",
    "이나",
    "이라고",
    "이라는",
    "이랑",
    "이며",
    "이고",
    "이에요",
    "이죠",
    "아",
)
_AFTER_OPEN = ("는", "가", "를", "와", "로", "나", "라고", "라는", "랑", "며", "고", "예요", "죠", "야")
_ANYWHERE_TEXT = (
    "에 에서 에게 에게서 한테 께 의 도 만 까지 부터 하고 처럼 보다 마다 조차 밖에 대로 뿐 만큼 쯤 씩 정도 "
    "입니다 입니까 이다 이었다 이었습니다 였습니다 였다 인데 인지 인가요 이야 이지만 이라서 라서 이므로 이면 "
    "라면 짜리 으로써 로써 으로서 로서 에요"
)
_ANYWHERE = _ANYWHERE_TEXT.split()
_ALL = sorted({*_AFTER_CLOSED, *_AFTER_OPEN, *_ANYWHERE}, key=len, reverse=True)
_ONE = "|".join(_ALL)
_SECOND = "은|는|도|만|의|이|가|을|를|나|요|과|와"
_CHAIN = lazy_pattern(rf"(?:{_ONE})(?:{_SECOND})?요?")
_AT_END = lazy_pattern(rf"(?:{_ONE})(?:{_SECOND})?$")
_HANGUL_TAIL = lazy_pattern(r"[가-힣]{1,20}$")
_RIEUL = 8


def is_particle(run: str) -> bool:
    """Whether a run of Hangul is nothing but particles."""
    return _CHAIN.fullmatch(run) is not None


def without_particle(word: str) -> str:
    """The word without the particles at its end.

    A run of Hangul right behind another script goes only if it is nothing but particles. Of a Korean word at least
    two syllables stay, and a particle goes only where it fits the syllable before it (평가 keeps its 가).
    """
    tail = _HANGUL_TAIL.search(word)
    if tail is None:
        return word
    run, head = tail[0], word[: tail.start()]
    if head and head[-1].isalnum():
        return head if is_particle(run) else word
    for cut in range(2, len(run)):
        if _AT_END.fullmatch(run, cut) and _fits(run[cut - 1], run[cut:]):
            return head + run[:cut]
    return word


def _fits(before: str, particle: str) -> bool:
    """Whether the particle may follow this syllable."""
    final = (ord(before) - ord("가")) % 28
    first = next(one for one in _ALL if particle.startswith(one))
    if first == "로":
        return final in (0, _RIEUL)
    if first in _AFTER_CLOSED:
        return final != 0
    return final == 0 if first in _AFTER_OPEN else True
