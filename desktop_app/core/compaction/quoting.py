"""A conversation as quoted data for a summariser: nothing in it can end the quotation or pass for the app's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop_app.core.attachment_label import MEDIA, label_places
from desktop_app.core.attachments import AttachmentKind, attachment_of, stub
from desktop_app.core.context import CUT_REASONS, refused_messages
from desktop_app.core.context_editing import MEMORY_TOOLS
from desktop_app.core.conversation import Block, Message, MessageState, Role, is_blank, to_json
from desktop_app.core.own_tools import SEARCHER
from desktop_app.core.rule_case import THINKING

OPENING, CLOSING = "<conversation_to_summarise>", "</conversation_to_summarise>"
_TAGS = re.compile(
    r"<(?=/?(?:conversation_to_summarise|earlier_summary|message|part|handover_memo|long_term_facts|memory_notes|"
    r"missing_values|exchange_to_read|facts_to_compare|\w{1,40}_request)\b)",
    re.IGNORECASE,
)
_REFUSED = "(left out: the answer to this turn was refused)"
_NOTHING = "(nothing was said)"
_BROKEN_OFF = "[the answer breaks off here]"
_LEFT_OUT = {
    **dict.fromkeys(MEMORY_TOOLS, "(long-term memory: left out, it is told again by itself)"),
    SEARCHER: "(earlier messages: left out, they are kept and can be found again)",
}


def quoted_messages(messages: Sequence[Message], first_number: int = 1) -> list[str]:
    """One string for each message, numbered from `first_number` on: what was said, called and returned in it.

    Thinking and recalled memories are left out, pictures and PDFs are named, refused turns have their place only.
    """
    names: dict[str, str] = {}
    # Sent nowhere, they would only be refused again.
    refused = refused_messages(messages, open_end=False)
    quoted = []
    for number, message in enumerate(messages, first_number):
        speaker = "person" if message.role is Role.USER else "assistant"
        if message.id in refused:
            quoted.append(_element(number, speaker, _REFUSED))
            continue
        elements = list(_elements(message, number, speaker, names))
        quoted.append("\n".join(elements) or _element(number, speaker, _NOTHING))
    return quoted


def quoted_part(number: int, text: str) -> str:
    """The summary of one part of the conversation, for a request that joins several."""
    return f'<part number="{number}">\n{as_data(text)}\n</part>'


def quoted_conversation(parts: Sequence[str], earlier_summary: str = "") -> str:
    """The block that holds everything to be summarised. `parts` are quoted already, the earlier summary is not."""
    earlier = (
        [] if is_blank(earlier_summary) else [f"<earlier_summary>\n{as_data(earlier_summary)}\n</earlier_summary>"]
    )
    return "\n".join([OPENING, *earlier, *parts, CLOSING])


def as_data(text: str) -> str:
    """The text with every tag in it harmless that means something in the quotation or in a prompt of the app."""
    return _TAGS.sub("&lt;", text) if "<" in text else text


def _elements(message: Message, number: int, speaker: str, names: dict[str, str]) -> Iterator[str]:
    said: list[str] = []
    whole = message.state is MessageState.COMPLETE and message.stop_reason not in CUT_REASONS
    for text, block in _told(message, whole=whole):
        if block is None:
            said.append(text)
            continue
        if said:
            yield _element(number, speaker, "\n\n".join(said))
            said = []
        if block.get("type") in ("tool_use", "server_tool_use"):
            names[str(block.get("id"))] = str(block.get("name"))
            yield _element(number, speaker, to_json(block.get("input", {})), calls=str(block.get("name")))
        else:
            name = names.get(str(block.get("tool_use_id")), "unknown")
            yield _element(number, "tool", _LEFT_OUT.get(name, text), tool=name)
    if said and message.role is Role.ASSISTANT and not whole:
        said[-1] = f"{said[-1]} {_BROKEN_OFF}"
    if said:
        yield _element(number, speaker, "\n\n".join(said))


def _told(message: Message, *, whole: bool) -> Iterator[tuple[str, Block | None]]:
    """What of a message is quoted, in order: texts, and calls and results as their blocks (a result with its text)."""
    labels = label_places(message.blocks)
    for place, block in enumerate(message.blocks):
        kind = str(block.get("type"))
        if kind in THINKING or place in labels:
            continue
        if kind in ("tool_use", "server_tool_use"):
            if whole or place < len(message.blocks) - 1:
                yield "", block
        elif kind.endswith("_result") and "tool_use_id" in block:
            failed = "[error] " if block.get("is_error") else ""
            yield failed + _content(block.get("content")), block
        else:
            text = _text(block, message.blocks[place - 1] if place - 1 in labels else None)
            if not is_blank(text):
                yield text, None


def _text(block: Block, label: Block | None = None) -> str:
    """The text of a block; a name for what is none."""
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "compaction":
        return str(block.get("content") or "")
    if kind not in MEDIA:
        shown = [str(block[name]) for name in ("title", "url", "text") if isinstance(block.get(name), str)]
        return "\n".join([*shown, *([_content(block["content"])] if "content" in block else [])]) or f"[{kind}]"
    named, one = stub(block, label), attachment_of(block, label)
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    readable = one is not None and one.kind is AttachmentKind.TEXT and isinstance(data, str)
    return f"{named}\n{data}" if readable else named


def _content(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text(dict(content))
    parts = content if isinstance(content, list) else []
    return "\n".join(_text(part) for part in parts if isinstance(part, dict) and part.get("type") not in THINKING)


def _element(number: int, speaker: str, text: str, **more: str) -> str:
    attributes = "".join(f' {name}="{_attribute(value)}"' for name, value in more.items())
    return f'<message number="{number}" from="{speaker}"{attributes}>{as_data(text)}</message>'


def _attribute(value: str) -> str:
    value = " ".join(value.split())
    return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
