"""A running turn on the terminal: the answer on standard output, tools and retries beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from desktop_app.cli.output import ReaderGone, note, note_piece, one_line, write
from desktop_app.core import turn_events as events
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Message, Role, shows_nothing
from desktop_app.core.errors import AppError
from desktop_app.core.refusal import Refusal
from desktop_app.core.usage import Usage
from desktop_app.core.words import Words

_TOOL_RESULT = 160
_EXPLANATION = 2_000


class TurnOutput:
    """Takes the events of one turn. `stop` is called when nobody reads the answer any more.

    Afterwards `text` is everything the answer said, `reply` its last message, `usages` those of its
    requests, `budget` that of the last request, `error` why it failed, `refusal` why the model declined.
    """

    def __init__(self, words: Words, stop: Callable[[], object], *, streaming: bool, show_thinking: bool) -> None:
        self._words = words
        self._stop = stop
        self._streaming = streaming
        self._show_thinking = show_thinking
        self._pieces: list[str] = []
        self._block: tuple[str, int] | None = None
        self._thinking = False
        self.reader_gone = False
        self.host = ""
        self.budget: Budget | None = None
        self.reply: Message | None = None
        self.refusal: Refusal | None = None
        self.usages: list[Usage | None] = []
        self.error: AppError | None = None
        self.stopped = False

    @property
    def text(self) -> str:
        """What the answer said, blocks apart by blank lines, as it was printed."""
        return "".join(self._pieces)

    def take(self, event: events.TurnEvent) -> None:
        """One event, in the order they come."""
        match event:
            case events.TextArrived(_, _, message_id, index, text):
                self._answer((message_id, index), text)
            case events.ThinkingArrived(_, _, _, _, text):
                self._think(text)
            case events.ContextPrepared(_, _, _, budget) | events.BudgetChanged(_, _, _, budget):
                self.budget = budget
            case events.Waiting(_, _, host):
                self.host = host
            case events.MessageSaved(_, _, message, usage, refusal) if message.role is Role.ASSISTANT:
                self.reply, self.refusal = message, refusal
                self.usages.append(usage)
            case events.TurnFailed(_, _, error):
                self.error = error
            case events.TurnStopped():
                self.stopped = True
            case _:
                self._beside(event)

    def end(self) -> None:
        """Ends the last line of what was streamed."""
        self._end_thinking()
        if self._streaming and self._pieces and not self._pieces[-1].endswith("\n"):
            write("\n")

    def _answer(self, block: tuple[str, int], text: str) -> None:
        if not text:
            return
        self._end_thinking()
        if self._block not in (None, block):
            text = "\n\n" + text
        self._block = block
        self._pieces.append(text)
        if self._streaming and not self.reader_gone:
            try:
                write(text)
            except ReaderGone:
                self.reader_gone = True
                self._stop()

    def _think(self, text: str) -> None:
        if not self._show_thinking:
            return
        if not self._thinking:
            self._thinking = True
            self._below_answer()
            note_piece(self._words.say("cli.chat.thinking") + " ")
        note_piece(text)

    def _end_thinking(self) -> None:
        if self._thinking:
            note_piece("\n")
            self._thinking = False

    def _beside(self, event: events.TurnEvent) -> None:
        """Tools, retries and limits as short lines on standard error."""
        line = self._line(event)
        if line:
            self._end_thinking()
            self._below_answer()
            note(line)

    def _line(self, event: events.TurnEvent) -> str:
        say = self._words.say
        match event:
            case events.ToolCallStarted(_, _, _, _, _, name):
                return say("cli.chat.tool_call", name=name)
            case events.ToolFinished(_, _, _, name, result, is_error):
                word = "tool_failed" if is_error else "tool_result"
                return say(f"cli.chat.{word}", name=name, result=one_line(result, _TOOL_RESULT))
            case events.RetryScheduled(_, _, seconds, attempt, most, error):
                cause = say(f"cli.cause.{error.word}")
                return say("cli.chat.retry", cause=cause, seconds=f"{seconds:g}", attempt=attempt, most=most)
            case events.TurnFinished(_, _, stop_reason, can_continue):
                if can_continue:
                    return say("cli.chat.rounds" if stop_reason == "tool_rounds" else "cli.chat.cut")
                if stop_reason == "refusal":
                    return self._refused()
                if self.reply is not None and shows_nothing(self.reply.blocks):
                    return say("cli.chat.shows_nothing")
        return ""

    def _refused(self) -> str:
        """That the model declined, and what the endpoint says of it."""
        say, refusal = self._words.say, self.refusal or Refusal()
        parts = [say("cli.chat.refusal")]
        if refusal.category:
            parts.append(say("cli.chat.refusal_category", category=one_line(refusal.category, 80)))
        if refusal.explanation:
            explanation = one_line(refusal.explanation, _EXPLANATION)
            parts.append(say("cli.chat.refusal_explanation", explanation=explanation))
        return " ".join(parts)

    def _below_answer(self) -> None:
        """On a terminal a line of its own must not run into the answer's last one."""
        mid_line = self._pieces and not self._pieces[-1].endswith("\n")
        if self._streaming and mid_line and sys.stdout.isatty():
            note_piece("\n")
