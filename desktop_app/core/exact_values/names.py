"""Finds names: constants and identifiers, proper names in Latin letters, Korean names with a title."""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.core.exact_values.kinds import Span, ValueKind
from desktop_app.core.lazy_pattern import lazy_pattern

_UNDERSCORED = lazy_pattern(r"_[A-Za-z0-9_]*")
_IDENTIFIER = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")

_CAPITAL = "A-ZÀ-ÖØ-Þ"
_LETTER = r"A-Za-zÀ-ÖØ-öø-ÿ"
_REST = rf"(?:[{_LETTER}]|['’](?=[{_CAPITAL}])|-(?=[{_CAPITAL}][a-zà-ÿ]))*+"
_END = r"(?![\w@(]|\.\w|-\d)"
_NO_NAME = rf"(?!(?:I|A|OK)(?![{_LETTER}-]))"
_LINK = "(?:of|de|van|von|der|den|la|del|di|da|do|dos|du|le|el|bin|al)"
_NAMES = lazy_pattern(
    rf"[{_CAPITAL}](?<![\w@#/\\.$&'’-].){_REST}{_END}"
    rf"(?: (?:{_LINK} ){{0,2}}{_NO_NAME}[{_CAPITAL}]{_REST}{_END})*+"
)
_FLAG = lazy_pattern(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?![\w-])")
_INNER_CAPITAL = lazy_pattern(r"[A-Z](?<=[a-z].)[A-Za-z0-9]*+(?:\(\))?(?![\w-])")
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_CAMEL = lazy_pattern(r"[a-zà-ÿ][A-Z]")
_COMMON_TEXT = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July "
    "August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed "
    "Thu Fri Sat Sun English Korean Japanese Chinese German French Spanish Mr Mrs Ms Dr Prof The This That "
    "These Those There It He She We You They My Your Our His Her Its Their An In On At For From To With By "
    "As If When While After Before Because Since So But And Or Not No Yes Yeah Yep Hey Hi Hello Wow Oh Ah "
    "Okay Thanks Thank Please Sorry Sure Well Also Then Now Here What Who Whom Whose Which Where Why How Is "
    "Are Was Were Do Does Did Can Could Will Would Should May Might Must Have Has Had Let Lets Just Only "
    "Even Every Each All Any Some Most Many Much More Both Either Neither Once Until Although Though However "
    "Therefore User Assistant Claude Summary Goal Goals Decisions Facts Next Step Steps None Note Notes TODO OK "
    "Done Today Tomorrow Yesterday Mom Dad God Internet Christmas True False Null Python That's It's A I OK I'm "
    "What's"
)
_COMMON = frozenset(_COMMON_TEXT.split())
_START_SIGNS = frozenset(".!?:;…。\n“\"‘'(`[{|>#*•-–—=~。」")
_SENTENCE_STARTS = frozenset((". ", "! ", "? ", ": ", ") ", "- ", "* "))
_TITLES_TEXT = (
    "선생 팀장 대리 과장 부장 차장 사원 이사 대표 교수 박사 원장 사장 회장 실장 본부장 매니저 간사 주임 작가 감독 "
    "기자 변호사 간호사 코치 소장 연구원 디자이너 개발자"
)
# Each alternative begins with its own letter: only so is a text searched for those letters first.
_TITLE = lazy_pattern("|".join(["씨", "님", *(f"{title}님?" for title in _TITLES_TEXT.split())]))
_BEFORE_TITLE = lazy_pattern(r"(?<![가-힣])[가-힣]{1,4} ?$")
_SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모"
)
_NO_NAMES_TEXT = (
    "고객 손 선생 사장 부모 원장 팀장 교수 대표 의사 장관 기사 주인 이용자 여러분 사용자 어머 아버 하느 형 "
    "누 도련 따 아드 스승 담당자 작가 회원 관리자 운영자 이사 김대리 우리 저희 해당 그 이 저 현 전 신임 담당 "
    "모든 각 한 두 최고 기술 총괄 공동"
)
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())


def constants(text: str) -> Iterator[Span]:
    """Names with an underscore: in capitals a constant, else an identifier of code."""
    done = 0
    for found in _UNDERSCORED.finditer(text):
        start = found.start()
        if start < done:
            continue
        while start > max(done, found.start() - 80) and _in_identifier(text[start - 1]):
            start -= 1
        done = found.end()
        name = text[start:done]
        bare = name.strip("_")
        if "_" in bare and bare[0].isalpha() and _IDENTIFIER.fullmatch(name):
            yield start, done, ValueKind.CONSTANT if name.isupper() else ValueKind.CODE


def flags_and_words_of_code(text: str) -> Iterator[Span]:
    """Long options such as `--dry-run`, words such as `getUserName`; one small letter first makes a brand: `iPhone`."""
    for pattern in (_FLAG, _INNER_CAPITAL) if "--" in text else (_INNER_CAPITAL,):
        for found in pattern.finditer(text):
            start = found.start()
            while pattern is _INNER_CAPITAL and start > 0 and start > found.start() - 40 and text[start - 1] in _SMALL:
                start -= 1
            if start and (text[start - 1].isalnum() or text[start - 1] in "_-/.\\@#&=?"):
                continue
            brand = pattern is _INNER_CAPITAL and found.start() - start == 1
            yield start, found.end(), ValueKind.NAME if brand else ValueKind.CODE


def _in_identifier(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def latin_names(text: str) -> Iterator[Span]:
    """Runs of capitalised words inside a sentence; at its start only what also stands inside one, or is no common word
    and goes on with another name; words like `PySide` anywhere."""
    at_start: list[tuple[int, int, str]] = []
    seen: set[str] = set()
    for found in _NAMES.finditer(text):
        start, end = found.span()
        before = text[start - 2 : start]
        titled = _TITLED.search(text, max(start - 6, 0), start) if before == ". " else None
        if titled:
            start = titled.start()
        elif start < 2 or before in _SENTENCE_STARTS or _begins_sentence(text, start):
            at_start.append((start, end, found[0]))
            continue
        for span in _named(text, start, end):
            seen.update(text[span[0] : span[1]].split())
            yield span
    for start, end, name in at_start:
        stop = name.find(" ")
        first = name if stop < 0 else name[:stop]
        if first in seen or (not first[1:].islower() and _CAMEL.search(first)):
            yield from _named(text, start, end)
        elif stop >= 0:
            known = first not in _COMMON and not first.isupper()
            yield from _named(text, start if known else start + stop + 1, end)


def _begins_sentence(text: str, start: int) -> bool:
    place = start - 1
    while place >= 0 and text[place] == " ":
        place -= 1
    return place < 0 or text[place] in _START_SIGNS


def _named(text: str, start: int, end: int) -> Iterator[Span]:
    """The run without common words at its ends; nothing where only those, or one short word in capitals, are left."""
    words = text[start:end].split(" ")
    while words and (words[0] in _COMMON or words[0].islower()) and words[0] not in _TITLES:
        start += len(words.pop(0)) + 1
    while words and (words[-1] in _COMMON or words[-1].islower()):
        end -= len(words.pop()) + 1
    if not words or all(word.isupper() and len(word) <= 5 for word in words) or end - start < 2:
        return
    yield start, end, ValueKind.NAME


_TITLES = frozenset(("Mr.", "Mrs.", "Ms.", "Dr.", "Prof."))
_TITLED = lazy_pattern(r"(?:Mrs?|Ms|Dr|Prof)\. $")


def korean_names(text: str) -> Iterator[Span]:
    """Names in front of 씨, 님 and titles such as 팀장: without the title where they are more than a surname."""
    for found in _TITLE.finditer(text):
        at = found.start()
        before = _BEFORE_TITLE.search(text, max(at - 6, 0), at)
        if before is None:
            continue
        name = before[0].rstrip()
        apart = len(name) < len(before[0])
        start = before.start()
        if name in _NO_NAMES or (len(name) == 4 and not apart):
            continue
        if len(name) == 1:
            if name in _SURNAMES and len(found[0]) > 1:
                yield start, found.end(), ValueKind.NAME
        elif (name[0] in _SURNAMES and len(name) == 3) or (apart and found[0] in ("씨", "님") and len(name) < 4):
            yield start, start + len(name), ValueKind.NAME
