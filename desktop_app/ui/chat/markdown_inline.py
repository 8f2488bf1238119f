"""Writes the inside of a paragraph: emphasis, code, links that may be opened, pictures as words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from markdown_it.token import Token
from PySide6.QtGui import QTextCharFormat

from desktop_app.ui.chat.link_targets import BARE, host_of, may_open
from desktop_app.ui.chat.markdown_formats import Formats, Inline

Say = Callable[..., str]
Piece = tuple[str, QTextCharFormat]

_SWITCHES = ("strong", "em", "s")


def inline_pieces(children: Sequence[Token], formats: Formats, say: Say, heading: int = 0) -> Iterator[Piece]:
    """Text with its format, in order; a line break is `\\n`."""
    look, refused = Inline(), ""
    for token in children:
        name, _, side = token.type.rpartition("_")
        if name in _SWITCHES:
            look = _switched(look, name, side == "open")
            continue
        match token.type:
            case "text":
                yield from _text(token.content, look, formats, heading, inside_link=bool(refused))
            case "code_inline":
                yield token.content, formats.mono(look)
            case "softbreak":
                yield " ", formats.text(look, heading=heading)
            case "hardbreak":
                yield "\n", formats.text(look, heading=heading)
            case "link_open":
                target = str(token.attrGet("href") or "")
                if may_open(target):
                    look = replace(look, target=target)
                else:
                    refused = target or "#"
            case "link_close":
                if refused:
                    yield f" ({refused})", formats.muted()
                look, refused = replace(look, target=""), ""
            case "image":
                yield _image(token, look, formats, say)
            case _:
                yield token.content, formats.text(look, heading=heading)


def _switched(look: Inline, name: str, on: bool) -> Inline:
    match name:
        case "strong":
            return replace(look, strong=on)
        case "em":
            return replace(look, emphasis=on)
        case _:
            return replace(look, struck=on)


def _text(text: str, look: Inline, formats: Formats, heading: int, *, inside_link: bool) -> Iterator[Piece]:
    """Running text, its bare web addresses as links."""
    plain = formats.text(look, heading=heading)
    at = 0
    if not look.target and not inside_link and "://" in text:
        for found in BARE.finditer(text):
            if may_open(found.group()):
                yield text[at : found.start()], plain
                yield found.group(), formats.text(replace(look, target=found.group()), heading=heading)
                at = found.end()
    yield text[at:], plain


def _image(token: Token, look: Inline, formats: Formats, say: Say) -> Piece:
    """A picture is never loaded: its words and its host stand for it."""
    target = str(token.attrGet("src") or "")
    shown = say("markdown.image", alt=token.content or say("markdown.no_alt"), host=host_of(target))
    opens = may_open(target)
    return shown, formats.text(replace(look, target=target)) if opens else formats.muted()
