"""HTML as text: what a reader sees without styles and scripts, in lines and paragraphs. Nothing is run or fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NOT_SHOWN = (
    "area audio base canvas datalist embed head iframe link map math meta noembed noframes noscript object param "
    "script select source style svg template textarea track video"
)
_APART = (
    "address article aside blockquote details dialog div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr "
    "main nav ol p pre section table ul"
)
_ON_LINES = "br caption dd dt figcaption legend li option summary tr"
_UNSEEN, _PARAGRAPHS, _LINES = (frozenset(tags.split()) for tags in (_NOT_SHOWN, _APART, _ON_LINES))
_CELLS = frozenset(("td", "th"))
_HIDING = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?![.\d])|opacity:0(?:\.0+)?(?![.\d])", re.IGNORECASE
)
_BLANKS = re.compile(r"[^\S\u00a0]+")
_LINE, _PARAGRAPH, _CELL = "\n", "\n\n", "\t"


def html_text(html: str) -> str:
    """The title and all visible text; entities decoded, what is hidden by its own markup left out."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    title = tree.css_first("head > title")
    parts = [" ".join(title.text().split()), _PARAGRAPH] if title is not None else []
    if tree.body is not None:
        parts += _parts(tree.body)
    return _joined(parts)


def _parts(body: LexborNode) -> Iterator[str]:
    """Texts and breaks in order. Goes from node to node, so that no depth is too deep."""
    node: LexborNode | None = body
    depth = kept = 0
    while node is not None:
        if node.is_text_node:
            text = node.text_content or ""
            yield text if kept else _BLANKS.sub(" ", text)
        elif not _is_unseen(node):
            yield _break(node)
            if node.child is not None:
                kept += node.tag == "pre"
                node, depth = node.child, depth + 1
                continue
        while depth and node.next is None and (above := node.parent) is not None:
            node, depth = above, depth - 1
            kept -= node.tag == "pre"
            yield _break(node)
        node = node.next if depth else None


def _is_unseen(node: LexborNode) -> bool:
    if not node.is_element_node or node.tag in _UNSEEN:
        return True
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDING.search("".join((attributes.get("style") or "").split())))


def _break(node: LexborNode) -> str:
    tag = node.tag
    return _PARAGRAPH if tag in _PARAGRAPHS else _LINE if tag in _LINES else _CELL if tag in _CELLS else ""


def _joined(parts: list[str]) -> str:
    """The texts with the widest of the breaks between them."""
    text: list[str] = []
    gap = ""
    for part in parts:
        if part in (_LINE, _PARAGRAPH, _CELL):
            gap = max(gap, part, key=lambda one: (_CELL, _LINE, _PARAGRAPH).index(one) if one else -1)
        elif part and (part.strip() or not gap):
            text += [gap, part.lstrip(" ") if gap else part] if text else [part.lstrip(" ")]
            gap = ""
    return "".join(text)
