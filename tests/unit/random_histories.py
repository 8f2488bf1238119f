"""Random message histories of every awkward kind, for property tests of the plan and the request."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from desktop_app.core.conversation import Block, Epoch, Message, MessageState, Origin, Role, text_block
from tests.unit.message_samples import MODEL, PICTURE, TOOLS, call, path_of, result

BLANKS = ("", " ", "\n\n", "\u200b", "\u3164\u3164", "\t\u00a0\ufeff", "\u115f")
_WORDS = ("hello", "값이 얼마예요?", "漢字", "x = 1;", "👍🏽", "pass\u200bword", "1,234.5", "end \n")
_MARK = {"type": "ephemeral", "ttl": "1h"}
_STOPS = ("end_turn", "end_turn", "tool_use", "max_tokens", "model_context_window_exceeded", "refusal", "pause_turn")


@dataclass(frozen=True)
class History:
    """A path that ends in a user message, the prefix it is sent under, and its signed thinking by signature."""

    path: list[Message]
    epoch: Epoch
    issued: dict[str, Block]


@st.composite
def histories(draw: st.DrawFn, most: int = 14) -> History:
    """Roles in any order, calls and results in any relation, blocks blank, marked, unsigned or from older epochs."""
    writer = _Writer(draw)
    size = draw(st.integers(0, most))
    messages = [writer.reply() if draw(st.booleans()) else writer.user() for _ in range(size)]
    path = path_of(*messages, writer.user())
    tools = TOOLS if draw(st.booleans()) else ()
    system = draw(st.sampled_from(("", " \n", "Be brief. 짧게.")))
    return History(path, Epoch(writer.epoch, MODEL, system, tools), writer.issued)


class _Writer:
    """Writes one message after the other; each visible text is unique."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.epoch = 1
        self.issued: dict[str, Block] = {}
        self._made = 0
        self._open: list[str] = []

    def reply(self) -> Message:
        draw = self.draw
        self.epoch += draw(st.sampled_from((0, 0, 0, 0, 0, 1)))
        makers = (self._text, self._text, self._blank, self._signed, self._unsigned, self._redacted, self._call)
        blocks = [make() for make in draw(st.lists(st.sampled_from(makers), max_size=5))]
        self._open = [block["id"] for block in blocks if block["type"] == "tool_use"]
        state = draw(st.sampled_from((MessageState.COMPLETE,) * 4 + tuple(MessageState)))
        whole = state is MessageState.COMPLETE
        stop = draw(st.sampled_from(_STOPS)) if whole else None
        return Message(
            "m", "c", None, Role.ASSISTANT, tuple(blocks), Origin.REPLY, state, epoch=self.epoch, stop_reason=stop
        )

    def user(self) -> Message:
        draw = self.draw
        origin = draw(st.sampled_from((Origin.TYPED, Origin.TYPED, Origin.CONTINUE, Origin.TOOL_RESULTS)))
        blocks = []
        if origin is Origin.TOOL_RESULTS:
            answered = draw(st.lists(st.sampled_from([*self._open, "toolu_orphan"]), max_size=5))
            blocks = [result(identity, self._content()) for identity in answered]
        if origin is not Origin.TOOL_RESULTS or draw(st.booleans()):
            makers = (self._text, self._text, self._blank, self._picture)
            blocks += [make() for make in draw(st.lists(st.sampled_from(makers), max_size=3))]
        draw(st.randoms(use_true_random=False)).shuffle(blocks)
        return Message("m", "c", None, Role.USER, tuple(self._marked(block) for block in blocks), origin)

    def _number(self) -> int:
        self._made += 1
        return self._made

    def _text(self) -> Block:
        return self._marked(text_block(f"t{self._number()} {self.draw(st.sampled_from(_WORDS))}"))

    def _blank(self) -> Block:
        return self._marked(text_block(self.draw(st.sampled_from(BLANKS))))

    def _picture(self) -> Block:
        return dict(PICTURE)

    def _signed(self) -> Block:
        signature = f"sig{self._number()}"
        text = self.draw(st.sampled_from(("", "think 생각 \n")))
        self.issued[signature] = {"type": "thinking", "thinking": text, "signature": signature}
        return dict(self.issued[signature])

    def _unsigned(self) -> Block:
        return {"type": "thinking", "thinking": "half a thou"}

    def _redacted(self) -> Block:
        return {"type": "redacted_thinking", "data": f"secret{self._number()}"}

    def _call(self) -> Block:
        return self._marked(call(f"toolu_{self._number()}", zebra=1, apple="값"))

    def _content(self) -> object:
        inner = [text_block("one"), text_block(""), self._marked(text_block("two")), dict(PICTURE)]
        return self.draw(st.sampled_from(("4", "", " \n", [], inner, inner[1:2], None)))

    def _marked(self, block: Block) -> Block:
        return {**block, "cache_control": _MARK} if self.draw(st.integers(0, 5)) == 0 else block
