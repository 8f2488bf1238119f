"""Markdown to tokens: CommonMark with tables and strikethrough, no HTML, emphasis that works beside Hangul.

CommonMark lets `**` open or close beside punctuation only where white space or punctuation stands on its other
side. Korean, Chinese and Japanese put no space there (`**메모(Memo)**를`), so a CJK character counts as well. The
rule follows the proposed amendment to CommonMark, https://github.com/tats-u/markdown-cjk-friendly.
"""

from __future__ import annotations

import unicodedata
from collections.abc import MutableMapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

INLINE_LIMIT = 30_000
"""Longest paragraph, in characters, that is searched for marks; a longer one is shown as it is."""

Env = MutableMapping[str, Any]


def parse(text: str, env: Env | None = None) -> list[Token]:
    """The tokens of a text; `env` carries link definitions from one part of a message to the next."""
    return _parser().parse(text, {} if env is None else env)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # Targets are judged where they are shown: an unsafe one is written out instead of vanishing.
    parser.validateLink = _keep_target  # type: ignore[method-assign]
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.at("strikethrough", _strikethrough)
    parser.core.ruler.at("inline", _inline)
    return parser


def _keep_target(url: str) -> bool:
    return isinstance(url, str)


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if len(token.content) > INLINE_LIMIT:
            token.children.append(Token("text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _emphasis(state: StateInline, silent: bool) -> bool:
    marker = state.src[state.pos]
    if silent or marker not in "_*":
        return False
    opens, closes, length = _scan(state, marker == "*")
    for _ in range(length):
        token = state.push("text", "", 0)
        token.content = marker
        state.delimiters.append(Delimiter(ord(marker), length, len(state.tokens) - 1, -1, opens, closes))
    state.pos += length
    return True


def _strikethrough(state: StateInline, silent: bool) -> bool:
    marker = state.src[state.pos]
    if silent or marker != "~":
        return False
    opens, closes, length = _scan(state, True)
    token = state.push("text", "", 0)
    token.content = marker * length
    if length == 2:
        state.delimiters.append(Delimiter(ord(marker), 0, len(state.tokens) - 1, -1, opens, closes))
    state.pos += length
    return True


def _scan(state: StateInline, inside_words: bool) -> tuple[bool, bool, int]:
    """Whether the run of marks at the position can open and close, and its length."""
    scanned = state.scanDelims(state.pos, inside_words)
    opens, closes, length = scanned.can_open, scanned.can_close, scanned.length
    if not inside_words or (opens and closes):
        return opens, closes, length
    end = state.pos + length
    before = state.src[state.pos - 1] if state.pos > 0 else " "
    after = state.src[end] if end < state.posMax else " "
    if not isWhiteSpace(ord(after)) and _is_punctuation(after):
        opens = opens or is_cjk(before) or is_cjk(after)
    if not isWhiteSpace(ord(before)) and _is_punctuation(before):
        closes = closes or is_cjk(after) or is_cjk(before)
    return opens, closes, length


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def is_cjk(char: str) -> bool:
    """Whether a character is Chinese, Japanese or Korean, full-width punctuation included, emoji not."""
    code = ord(char)
    if 0x1100 <= code <= 0x11FF or 0x3130 <= code <= 0x318F or 0xFFA0 <= code <= 0xFFDC:
        return True
    if unicodedata.east_asian_width(char) not in "WFH":
        return False
    is_emoji = unicodedata.category(char) == "So" and (code >= 0x1F000 or 0x2300 <= code <= 0x2BFF)
    return not is_emoji
