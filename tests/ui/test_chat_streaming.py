"""A text that arrives in pieces ends as one rendering of all of it, and no piece stalls the window."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from PySide6.QtGui import QTextDocument

from desktop_app.ui.chat.markdown_document import MarkdownWriter
from desktop_app.ui.chat.markdown_formats import CODE, Formats
from desktop_app.ui.chat.markdown_parser import parse
from desktop_app.ui.chat.safe_document import SafeDocument
from desktop_app.ui.chat.streaming_markdown import StreamingMarkdown
from desktop_app.ui.chat.text_limits import DISPLAY_LIMIT, LINE_LIMIT
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

MIXED = """# Title
Para *a* **b** [x][1] and `c` ~~gone~~

1. one
2. two
   - nested
     more
   - n2

     para in nested
3. three

   ```python
   def f(): return 1
   ```
4. four

- a
- b
* c

> quote
> - in quote
>
> more

```python
x = 1

print("hi")
```
| a | b |
|---|--:|
| 1 | **2** |

after the table
***
~~~
unclosed
``
text
[1]: http://x.org
"""

TEXTS = {
    "mixed": MIXED,
    "targets": "text [see][1]\n\n[1]: http://early.org\n\n[see][1] and [later][2]\n\n[2]: http://later.org",
    "odd lists": "- - a\n- \n- b\n\n***\n\n    indented\n    code\n\nSetext\n===\n",
    "fences": "````\n```\nin\n```\n````\nend\n\n```js\na\n\n\n",
    "empty fences": "```\n```\n\n```\n\n```\nx",
    "returns": "a\r\nb\r\n\r\n```\r\nc\r\n```\r\n",
    "table alone": "| a |\n|---|\n| b |",
    "numbers": "".join(f"{number}. item\n" for number in range(5, 120)),
    "loose": "- item\n\n  more\n" * 90,
    "long fence": "```\n" + "line of code\n" * 900 + "```\nafter\n",
    "endless": "x" * (2 * LINE_LIMIT + 900) + "\n\n```\n" + "y" * (2 * LINE_LIMIT + 1) + "\n```",
    "nothing": "",
}


@pytest.fixture
def writer(theme: Theme, language: Language) -> MarkdownWriter:
    return _writer(theme, language)


@pytest.mark.parametrize("name", TEXTS)
def test_pieces_end_as_the_whole(name: str, theme: Theme, language: Language) -> None:
    text = TEXTS[name]
    whole = _writer(theme, language)
    whole.write(parse(text))
    for seed, most in enumerate((1, 7, 60, 5_000)):
        streamed = _writer(theme, language)
        stream = StreamingMarkdown(streamed)
        for piece in _pieces(text, random.Random(seed), most if len(text) < 5_000 else 50 * most):
            stream.append(piece)
        stream.finish()
        assert _look(streamed.document) == _look(whole.document), f"pieces of up to {most}"
        assert streamed.codes == whole.codes


def test_a_put_off_end_is_still_exact(theme: Theme, language: Language) -> None:
    """An open end that is dear to parse grows as plain text meanwhile."""
    text = "1. a\n" + "   - nested **item** text\n" * 400
    ticks = iter(range(0, 10_000_000, 1))
    streamed, whole = _writer(theme, language), _writer(theme, language)
    stream = StreamingMarkdown(streamed, clock=lambda: next(ticks) / 10)
    for start in range(0, len(text), 90):
        stream.append(text[start : start + 90])
    assert "**item**" in streamed.document.toPlainText()
    stream.finish()
    whole.write(parse(text))
    assert _look(streamed.document) == _look(whole.document)
    assert "**" not in streamed.document.toPlainText()


def test_closed_blocks_are_not_written_again(writer: MarkdownWriter) -> None:
    stream = StreamingMarkdown(writer)
    stream.append("first paragraph\n\nsecond **paragraph** begins")
    writer.document.size()  # a document tells of changes once it is laid out
    touched: list[int] = []
    writer.document.contentsChange.connect(lambda position, removed, added: touched.append(position))
    for _ in range(50):
        stream.append(" and goes on")
    assert min(touched) >= len("first paragraph")
    assert "begins and goes on and" in writer.document.toPlainText()


def test_an_open_fence_shows_its_lines_as_they_come(writer: MarkdownWriter) -> None:
    stream = StreamingMarkdown(writer)
    stream.append("```python\nx = 1\nprint(")
    assert writer.document.toPlainText() == "x = 1\nprint("
    stream.append("x)\n``")
    assert writer.document.toPlainText() == "x = 1\nprint(x)"
    stream.append("`\nthen")
    assert writer.document.toPlainText() == "x = 1\nprint(x)\nthen"
    assert writer.codes == ["x = 1\nprint(x)"]
    assert not writer.document.lastBlock().blockFormat().hasProperty(CODE)


def test_text_beyond_the_limit_is_counted_not_shown(writer: MarkdownWriter) -> None:
    stream = StreamingMarkdown(writer)
    for _ in range(4):
        stream.append("word " * (DISPLAY_LIMIT // 15))
    assert stream.cut == 4 * 5 * (DISPLAY_LIMIT // 15) - DISPLAY_LIMIT
    assert len(stream.source) == DISPLAY_LIMIT


@pytest.mark.timed
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("unclosed fence of 20,000", "```\n" + "a line of some code here\n" * 800),
        ("endless line", "word " * 60_000),
        ("list of 40,000", "- item with **bold** text and `code`\n" * 1_080),
        ("answer of 80,000", MIXED.replace("[1]: http://x.org", "~~~\n\n") * 170),
    ],
)
def test_no_piece_stalls(name: str, text: str, writer: MarkdownWriter) -> None:
    """At 4,000 characters a second in pieces of 33 ms, 99 of 100 pieces take far less than a frame of 50 ms."""
    writer.document.setTextWidth(640)
    stream = StreamingMarkdown(writer)
    taken = []
    for start in range(0, len(text), 400):
        began = time.perf_counter()
        stream.append(text[start : start + 400])
        writer.document.size()
        taken.append(time.perf_counter() - began)
    stream.finish()
    assert sorted(taken)[int(len(taken) * 0.97)] < 0.05


def _writer(theme: Theme, language: Language) -> MarkdownWriter:
    return MarkdownWriter(SafeDocument(), Formats(theme), language.say)


def _pieces(text: str, chance: random.Random, most: int) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        size = chance.randint(1, most)
        pieces.append(text[at : at + size])
        at += size
    return pieces


def _look(document: QTextDocument) -> list[Any]:
    """Every block with its text, its place and the formats inside it."""
    found = []
    block = document.begin()
    while block.isValid():
        form, group = block.blockFormat(), block.textList()
        runs: list[tuple[str, Any]] = []
        at = block.begin()
        while not at.atEnd():
            fragment = at.fragment()
            letters = fragment.charFormat()
            look = (
                letters.fontWeight(),
                letters.fontItalic(),
                letters.fontStrikeOut(),
                letters.anchorHref(),
                letters.foreground().color().name(),
                letters.fontFixedPitch(),
            )
            if runs and runs[-1][1] == look:
                runs[-1] = (runs[-1][0] + fragment.text(), look)
            else:
                runs.append((fragment.text(), look))
            at += 1
        mark = (group.itemText(block), group.format().indent()) if group else None
        found.append((runs, form.topMargin(), form.leftMargin(), form.indent(), form.property(CODE), mark))
        block = block.next()
    return found
