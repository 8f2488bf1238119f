"""One request as it leaves: its parts, its cache marks and its bytes; written only by `core.prompt`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from desktop_app.core.conversation import Block, to_json
from desktop_app.core.models import usual_effort

# The order in which the SDK writes the top-level fields; a test compares our bytes with those on the wire.
FIELD_ORDER = (
    "max_tokens",
    "messages",
    "model",
    "compaction",
    "output_config",
    "context_management",
    "diagnostics",
    "stop_sequences",
    "system",
    "thinking",
    "tools",
    "tool_choice",
    "stream",
)
# Fields the token count depends on besides tools, system and messages.
COUNTED_FIELDS = ("model", "output_config", "thinking", "tool_choice")
# Those it depends on only where they are given: without them a prefix is named as it always was.
_COUNTED_WHERE_GIVEN = ("context_management",)


class RequestMessage(NamedTuple):
    """One entry of `messages`."""

    role: str
    blocks: tuple[Block, ...]

    def as_json(self) -> dict[str, Any]:
        """The entry as the API takes it."""
        return {"role": self.role, "content": list(self.blocks)}


@dataclass(frozen=True, slots=True)
class Mark:
    """A cache breakpoint on block `block` of the part (`tools`, `system`, or the number of a message)."""

    part: Literal["tools", "system"] | int
    block: int
    ttl: Literal["5m", "1h"] = "5m"


@dataclass(frozen=True, slots=True)
class Request:
    """All of one request. `params` are the fields besides tools, system, messages (model, max_tokens, …)."""

    params: Mapping[str, Any]
    tools: tuple[Block, ...]
    system: tuple[Block, ...]
    messages: tuple[RequestMessage, ...]
    marks: tuple[Mark, ...] = ()
    betas: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.params["model"])

    @property
    def max_tokens(self) -> int:
        """The output reserve in tokens."""
        return int(self.params["max_tokens"])

    def body(self) -> dict[str, Any]:
        """The JSON body, marks in place, fields in the order of the wire."""
        marked = {mark.part for mark in self.marks}
        fields: dict[str, Any] = {
            **self.params,
            "messages": [
                {
                    "role": message.role,
                    "content": self._marked(number, message.blocks) if number in marked else list(message.blocks),
                }
                for number, message in enumerate(self.messages)
            ],
        }
        if self.tools:
            fields["tools"] = self._marked("tools", self.tools)
        if self.system:
            fields["system"] = self._marked("system", self.system)
        rank = {name: place for place, name in enumerate(FIELD_ORDER)}
        return dict(sorted(fields.items(), key=lambda item: rank.get(item[0], len(rank))))

    def body_bytes(self) -> bytes:
        """The body exactly as it stands on the wire."""
        return to_json(self.body()).encode()

    def prefix_digests(self, endpoint: str = "") -> list[str]:
        """A digest for the request as it would be if it ended after each message; cache marks do not count.

        `endpoint` is the identity of the server that counts: another one counts otherwise.
        """
        head = [["endpoint", endpoint], *([name, self._counted(name)] for name in COUNTED_FIELDS)]
        head += [[name, value] for name in _COUNTED_WHERE_GIVEN if (value := self._counted(name)) is not None]
        running = hashlib.sha256(to_json([head, list(self.tools), list(self.system)]).encode())
        digests = []
        for message in self.messages:
            running.update(to_json(message.as_json()).encode())
            digests.append(running.hexdigest())
        return digests

    def _counted(self, name: str) -> Any:
        """A field as far as it bears on what is counted and cached.

        How thinking is shown does not, nor whether the model's usual effort is written out, nor that the API would
        compact: a count leaves that aside.
        """
        value = self.params.get(name)
        if name == "output_config" and isinstance(value, Mapping) and value.get("effort") == usual_effort(self.model):
            return {part: inside for part, inside in value.items() if part != "effort"} or None
        if name == "thinking" and isinstance(value, Mapping):
            return {part: inside for part, inside in value.items() if part != "display"}
        if name == "context_management" and isinstance(value, Mapping):
            edits = [edit for edit in value.get("edits", ()) if not str(edit.get("type")).startswith("compact_")]
            return edits or None
        return value

    def head_digest(self, endpoint: str = "", system: int | None = None) -> str:
        """What names the prefix before the messages, down to so many blocks of the system prompt (all by default)."""
        head = [endpoint, self.model, self.params.get("speed"), list(self.tools), list(self.system[:system])]
        return hashlib.sha256(to_json(head).encode()).hexdigest()[:16]

    def opening_digest(self, endpoint: str = "") -> str:
        """What names the prefix down to the first block of the first message."""
        opening = replace(self, messages=(self.messages[0]._replace(blocks=self.messages[0].blocks[:1]),), marks=())
        return hashlib.sha256(f"opening {opening.prefix_digests(endpoint)[0]}".encode()).hexdigest()[:16]

    def blocks(self) -> Iterator[tuple[Literal["tools", "system"] | int, Block]]:
        """Every block with the part it stands in, in the order of the prefix: tools, system, messages."""
        yield from (("tools", block) for block in self.tools)
        yield from (("system", block) for block in self.system)
        for number, message in enumerate(self.messages):
            yield from ((number, block) for block in message.blocks)

    def _marked(self, part: Literal["tools", "system"] | int, blocks: tuple[Block, ...]) -> list[Block]:
        marks = {mark.block: mark.ttl for mark in self.marks if mark.part == part}
        return [
            {**block, "cache_control": {"type": "ephemeral", "ttl": marks[place]}} if place in marks else block
            for place, block in enumerate(blocks)
        ]
