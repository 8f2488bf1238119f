"""Long Markdown answers: sample text of about a wanted number of words, the same for the same request."""

from __future__ import annotations

import random
import re
import zlib

_STOCK_EN = (
    "This is sample text of the simulated assistant.",
    "It is written to show how a long answer streams, wraps and scrolls.",
    "Nothing in it is a claim about the world.",
    "A **short** sentence follows a longer one, so that the rhythm of the lines changes from time to time.",
    "Every paragraph is put together from a fixed stock and from the words of the request.",
    "The word *{word}* stands in the request, and therefore it stands here too.",
    "When the window is narrow, this line should break between words and never inside a `code span`.",
    "Reading on, one meets {word} once more, next to plain numbers such as 128 or 4,096.",
)
_STOCK_KO = (
    "이 글은 모의 어시스턴트가 쓴 예시 글입니다.",
    "긴 답변이 어떻게 흐르고 줄이 바뀌는지 보여 주기 위해 작성되었습니다.",
    "여기에 적힌 내용은 사실에 대한 주장이 아닙니다.",
    "문장은 **정해진 문장 모음**과 요청에 있는 낱말로 만들어집니다.",
    "요청에 있던 *{word}* 라는 말이 여기에도 나옵니다.",
    "창이 좁으면 이 줄은 낱말 사이에서 바뀌어야 하며 `코드` 안에서 끊기면 안 됩니다.",
    "128이나 4,096 같은 숫자와 함께 {word} 이야기가 한 번 더 이어집니다.",
)
_HEADINGS_EN = ("Overview", "Details", "A closer look", "Numbers", "Example", "Summary")
_HEADINGS_KO = ("개요", "자세한 내용", "조금 더 자세히", "숫자", "예시", "요약")
_CODE = '''```python
def fibonacci(n: int) -> list[int]:
    """The first n numbers of the sequence."""
    row = [0, 1]
    while len(row) < n:
        row.append(row[-1] + row[-2])
    return row[:n]


print(fibonacci(10))
```'''


def compose(request: str, words: int, korean: bool) -> str:
    """About `words` words of Markdown with headings, lists, a table, code and emphasis."""
    rng = random.Random(zlib.crc32(request.encode("utf-8", "surrogatepass")))
    own = re.findall(r"[가-힣]{2,}" if korean else r"[A-Za-z]{4,}", request) or ["예시" if korean else "sample"]
    blocks = [f"# {'예시 글' if korean else 'Sample text'}", _paragraph(rng, own, korean)]
    size = _words(blocks)
    section = 0
    while size < words:
        fresh = _section(rng, own, korean, number=section, left=words - size)
        blocks += fresh
        size += _words(fresh)
        section += 1
    return "\n\n".join(blocks)


def code_answer(korean: bool) -> str:
    """A short answer with one fenced block."""
    lead = "예시 코드입니다. 요청에 있는 내용이 아니라 정해진 예시입니다." if korean else (
        "Here is sample code. It is a fixed example, not taken from the request."
    )  # fmt: skip
    return f"{lead}\n\n{_CODE}"


def _section(rng: random.Random, own: list[str], korean: bool, *, number: int, left: int) -> list[str]:
    heads = _HEADINGS_KO if korean else _HEADINGS_EN
    blocks = [f"## {number + 1}. {heads[number % len(heads)]}", _paragraph(rng, own, korean)]
    if left < 40:
        return [_paragraph(rng, own, korean)]
    kind = number % 4
    if kind == 0:
        blocks.append("\n".join(f"- {line}" for line in _different(rng, own, korean, 3)))
    elif kind == 1:
        blocks.append(_table(rng, korean))
    elif kind == 2:
        blocks.append(_CODE)
    else:
        blocks.append("\n".join(f"{n}. {line}" for n, line in enumerate(_different(rng, own, korean, 3), 1)))
    return blocks


def _filled(sentence: str, rng: random.Random, own: list[str]) -> str:
    return sentence.format(word=rng.choice(own))


def _different(rng: random.Random, own: list[str], korean: bool, number: int) -> list[str]:
    """Some sentences of the stock, each at most once."""
    return [_filled(sentence, rng, own) for sentence in rng.sample((_STOCK_KO if korean else _STOCK_EN)[1:], number)]


def _paragraph(rng: random.Random, own: list[str], korean: bool) -> str:
    first = (_STOCK_KO if korean else _STOCK_EN)[0]
    return " ".join([first, *_different(rng, own, korean, 3)])


def _table(rng: random.Random, korean: bool) -> str:
    head = "| 항목 | 값 | 비고 |" if korean else "| Item | Value | Note |"
    note = "예시" if korean else "sample"
    rows = [f"| {name} | {rng.randrange(10, 9_999):,} | {note} |" for name in "ABC"]
    return "\n".join([head, "|---|--:|---|", *rows])


def _words(blocks: list[str]) -> int:
    return sum(len(block.split()) for block in blocks)


def is_sample(text: str) -> bool:
    """Whether a text is, or begins as, one made here."""
    beginning = text.lstrip()
    return beginning.startswith(("# 예시 글", "# Sample text", code_answer(True)[:20], code_answer(False)[:20]))
