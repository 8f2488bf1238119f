"""Markdown that arrives in pieces: what is closed stays as it is, only the open end is parsed and written again.

A top-level block is closed when another one follows it, an item of a top-level list when the next item follows. In
an open code fence lines are only appended. A long end that cannot be divided (a huge table, one endless
paragraph) is parsed again ever more rarely and grows as plain text in between. Text beyond DISPLAY_LIMIT
characters is not shown; the message keeps it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from desktop_app.ui.chat.code_colours import COLOURED_LIMIT
from desktop_app.ui.chat.markdown_document import MarkdownWriter
from desktop_app.ui.chat.markdown_parser import Env, parse
from desktop_app.ui.chat.text_limits import DISPLAY_LIMIT
from desktop_app.ui.chat.writing_place import ListRun

_LONG = 3_000
"""Characters of an open end that could not be divided from which on parsing it again is put off."""
_DEAR = 0.020
"""Seconds of parsing it from which on it is put off for long."""

_LISTS = ("bullet_list_open", "ordered_list_open")
_LABEL = re.compile(r"\[([^\[\]]{1,1000})\]")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:", re.MULTILINE)


class StreamingMarkdown:
    """Feeds one text to a writer. `cut` is how many characters of it are not shown."""

    def __init__(self, writer: MarkdownWriter, clock: Callable[[], float] = time.perf_counter) -> None:
        self._writer, self._clock = writer, clock
        self._clear()

    def append(self, text: str) -> None:
        """Shows a further piece."""
        self._take(text)
        self._advance(final=False)

    def finish(self) -> None:
        """The text is whole: afterwards the document is what one rendering of all of it gives."""
        self._advance(final=True)
        if self._unresolved and self._unresolved & self._env.get("references", {}).keys():
            # A target defined further down changes what stands above it.
            self.render(self.source)

    def render(self, text: str) -> None:
        """Shows a whole text instead of what was there."""
        self.begin(text)
        self._take(text)
        self._advance(final=True)

    def begin(self, text: str = "") -> None:
        """Empties the document; link targets are taken from `text`, which will arrive by `append`."""
        self._writer.return_to(self._start)
        self._clear()
        if _DEFINITION.search(text):
            parse(text[:DISPLAY_LIMIT], self._env)
            self._targets_known = True

    def _clear(self) -> None:
        self._start = self._place = self._writer.place()
        self.source = ""
        self.cut = 0
        self._after_return = False
        self._env: Env = {}
        self._targets_known = False
        self._unresolved: set[str] = set()
        self._closed = 0
        self._list: ListRun | None = None
        self._fence = ""
        self._code_start = self._fence_shown = self._fence_checked = 0
        self._shown = 0
        self._due = 0.0

    def _take(self, text: str) -> None:
        if self._after_return and text.startswith("\n"):
            text = text[1:]
        self._after_return = text.endswith("\r") or (self._after_return and not text)
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        room = DISPLAY_LIMIT - len(self.source)
        self.cut += max(0, len(text) - room)
        self.source += text[: max(0, room)]

    def _advance(self, *, final: bool) -> None:
        while True:
            if self._fence:
                if not self._grow_fence(final=final):
                    return
            elif not self._grow_blocks(final=final):
                return

    # -- blocks

    def _grow_blocks(self, *, final: bool) -> bool:
        """Parses the open end; whether a fence was entered and there is more to do."""
        tail = self.source[self._closed :]
        began = self._clock()
        if not final and began < self._due:
            self._grow_plainly()
            return False
        self._writer.return_to(self._place)
        env = {"references": dict(self._env.get("references", {}))}
        tokens = parse(tail, env)
        entered = False
        if final:
            self._close(tokens, tail, len(tail), env)
        else:
            start = _start_of_open(tokens)
            line = (tokens[start].map or [0])[0] if tokens else 0
            if line:
                self._close(tokens[:start], tail, _offset(tail, line), env, line)
                tokens = _from(tokens, start)
            entered = self._enter_fence(tokens)
            if not entered:
                self._writer.write(tokens, self._list)
        self._shown = len(self.source)
        cost = self._clock() - began
        pause = 0.0 if self._shown - self._closed < _LONG else cost * (50 if cost > _DEAR else 4)
        self._due = began + pause
        return entered

    def _close(self, tokens: list[Token], tail: str, end: int, env: Env, line: int | None = None) -> None:
        """Writes blocks for good and moves the start of the open end behind them."""
        self._list = self._writer.write(tokens, self._list)
        self._place = self._writer.place()
        self._closed += end
        if self._targets_known:
            return
        known = self._env.get("references", {})
        found = env.get("references", {})
        self._env = {
            "references": {
                name: entry for name, entry in found.items() if name in known or line is None or entry["map"][1] <= line
            }
        }
        if "[" in tail[:end]:
            labels = {normalizeReference(label) for label in _LABEL.findall(tail[:end])}
            self._unresolved |= labels - self._env["references"].keys()

    def _grow_plainly(self) -> None:
        self._writer.extend(self.source[self._shown :])
        self._shown = len(self.source)

    # -- an open fence

    def _enter_fence(self, tokens: list[Token]) -> bool:
        """Goes over to appending lines where the open end is one unclosed fence at the left margin."""
        tail = self.source[self._closed :]
        if len(tokens) != 1 or tokens[0].type != "fence" or "\n" not in tail:
            return False
        code_start = tail.index("\n") + 1
        if not tail.startswith(tokens[0].markup) or _closing_line(tail, tokens[0].markup, code_start):
            return False
        self._fence = tokens[0].markup
        self._fence_shown = self._fence_checked = code_start
        self._code_start = code_start
        self._writer.open_code()
        return True

    def _grow_fence(self, *, final: bool) -> bool:
        """Appends lines; whether the fence ended and what follows is to be parsed."""
        tail = self.source[self._closed :]
        closing = _closing_line(tail, self._fence, self._fence_checked, final=final)
        if closing is None and not final:
            self._fence_checked = tail.rindex("\n") + 1
            self._append_code(tail, _certain_end(tail, self._fence[0]))
            return False
        code_end, end = closing or (len(tail), len(tail))
        if code_end - self._code_start > COLOURED_LIMIT:
            self._append_code(tail, code_end - 1 if tail[code_end - 1] == "\n" else code_end)
            self._list, self._place = None, self._writer.place()
            self._closed += end
        else:
            self._writer.return_to(self._place)
            self._close(parse(tail[:end]), tail, end, self._env)
        self._fence, self._due = "", 0.0
        return True

    def _append_code(self, tail: str, end: int) -> None:
        if end > self._fence_shown:
            self._writer.append_code(tail[self._fence_shown : end])
            self._fence_shown = end


def _closing_line(tail: str, markup: str, start: int, *, final: bool = False) -> tuple[int, int] | None:
    """Where the line that closes a fence begins and ends; a last line without a break only when nothing follows."""
    ending = r"(?:\n|\Z)" if final else r"\n"
    pattern = rf"^ {{0,3}}{re.escape(markup[0])}{{{len(markup)},}}[ \t]*{ending}"
    found = re.compile(pattern, re.MULTILINE).search(tail, start)
    return (found.start(), found.end()) if found else None


def _certain_end(tail: str, mark: str) -> int:
    """The end of what surely is code: a last line that may become the closing one is held back, with its break."""
    line = tail.rindex("\n")
    return line if not tail[line + 1 :].strip(" \t" + mark) else len(tail)


def _start_of_open(tokens: Sequence[Token]) -> int:
    """The place of the last block, or of the last item of a list that ends the text."""
    start = max((at for at, token in enumerate(tokens) if not token.level and token.nesting >= 0), default=0)
    if tokens and tokens[start].type in _LISTS:
        return max(at for at, token in enumerate(tokens) if token.type == "list_item_open" and token.level == 1)
    return start


def _from(tokens: Sequence[Token], start: int) -> list[Token]:
    """The tokens from a place on; an item of a list with the list around it."""
    rest = list(tokens[start:])
    if rest and rest[0].type == "list_item_open":
        rest.insert(0, next(token for token in reversed(tokens[:start]) if token.type in _LISTS and not token.level))
    return rest


def _offset(text: str, line: int) -> int:
    """Where line number `line` (from 0) begins."""
    at = 0
    for _ in range(line):
        at = text.index("\n", at) + 1
    return at
