"""The messages of a conversation from its root to the end in use, shown as entries while a turn adds to them.

Signals:
    textArrived(str, int, str), thinkingArrived(str, int, str): message id, block index, what came since.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.arriving_text import ArrivingText
from desktop_app.bridge.entries import Folds, entries_of
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.turn_state import TurnState
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import refused_messages
from desktop_app.core.conversation import Message, MessageState, Origin, Role
from desktop_app.core.fact_notes import MessageNotes
from desktop_app.core.refusal import Refusal


class ShownPath(QObject):
    """`model` always shows `messages`; `branches`, `output_tokens` and `refusals` are what is known of them.

    `compaction` is the one in use on them, `folding` are the ids of those that are being folded, `planned` of those
    that would be.
    """

    textArrived = Signal(str, int, str)
    thinkingArrived = Signal(str, int, str)

    def __init__(self, state: TurnState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.model = MessageListModel(self)
        self.messages: list[Message] = []
        self.branches: Mapping[str, tuple[int, int]] = {}
        self.output_tokens: Mapping[str, int] = {}
        self.refusals: Mapping[str, Refusal] = {}
        self.simulated = False
        self.compaction: Compaction | None = None
        self.folding: frozenset[str] = frozenset()
        self.planned: frozenset[str] = frozenset()
        self._arriving = ArrivingText(self.model, self)
        self._arriving.textArrived.connect(self.textArrived)
        self._arriving.thinkingArrived.connect(self.thinkingArrived)

    def show(self) -> None:
        """Brings the entries up to date."""
        busy = self._state.value.answering
        entries = entries_of(
            self.messages,
            simulated=self.simulated,
            left_out=frozenset(refused_messages(self.messages)),
            branches=self.branches,
            output_tokens=self.output_tokens,
            refusals=self.refusals,
            busy=busy,
            folds=self._folds(),
        )
        if entries and entries[-1].state is MessageState.STREAMING and busy:
            entries[-1] = replace(entries[-1], parts=self._arriving.parts)
        self.model.show(entries)

    def open_turn(self, question: Message) -> None:
        """The path ends in this question now, whatever followed its parent before."""
        ids = [known.id for known in self.messages]
        if question.id in ids:
            self.messages = self.messages[: ids.index(question.id) + 1]
        else:
            keep = ids.index(question.parent_id) + 1 if question.parent_id in ids else 0
            self.messages = [*self.messages[:keep], question]
        self.show()

    def mark_folding(self, message_ids: frozenset[str]) -> None:
        """These are being folded now, or none any more."""
        if message_ids != self.folding:
            self.folding = message_ids
            self.show()

    def mark_planned(self, message_ids: frozenset[str]) -> None:
        """These would fold, or a proposal waits that folds them; or none any more."""
        if message_ids != self.planned:
            self.planned = message_ids
            self.show()

    def fold(self, compaction: Compaction) -> None:
        """A summary stands in place of the beginning from now on."""
        self.compaction, self.folding, self.planned = compaction, frozenset(), frozenset()
        self.show()

    def tell(self, message_id: str, notes: MessageNotes) -> None:
        """Facts are told beside a message of the person."""
        for place, known in enumerate(self.messages):
            if known.id == message_id:
                self.messages[place] = replace(known, notes=notes)
                self.show()
                return

    def _folds(self) -> Folds | None:
        if self.compaction is None and not self.folding and not self.planned:
            return None
        until, count = (self.compaction.until_message_id, self.compaction.folded) if self.compaction else (None, 0)
        return Folds(until, count, self.folding, self.planned)

    def start_reply(self, conversation_id: str, message_id: str, model: str) -> None:
        """A reply begins to arrive at the end."""
        self._arriving.begin()
        self.put(
            Message(
                message_id,
                conversation_id,
                self.messages[-1].id if self.messages else None,
                Role.ASSISTANT,
                (),
                Origin.REPLY,
                MessageState.STREAMING,
                model=model,
            )
        )

    def arrive(self, message_id: str, index: int, text: str, *, thinking: bool) -> None:
        """A piece of the reply."""
        self._arriving.put(message_id, index, text, thinking=thinking)

    def put(self, message: Message, refusal: Refusal | None = None) -> None:
        """A message in place of its earlier form, or at the end; `refusal` says why the model declined."""
        if refusal is not None and message.request_id is not None:
            self.refusals = {**self.refusals, message.request_id: refusal}
        for place, known in enumerate(self.messages):
            if known.id == message.id:
                self.messages[place] = replace(message, created_at=message.created_at or known.created_at)
                break
        else:
            self.messages.append(message)
        self.show()

    def finish_arriving(self) -> None:
        """The reply is whole: what waits for its frame is passed on."""
        self._arriving.finish()

    def stop(self) -> None:
        """Passes nothing on any more."""
        self._arriving.stop()
