"""Asks the person at the terminal whether the assistant may save a fact."""

from __future__ import annotations

import asyncio
import sys
import threading

from desktop_app.cli.output import note, one_line
from desktop_app.core.errors import BadInput
from desktop_app.core.facts import as_typed_over, clean_value
from desktop_app.core.gate import DENIED, Answer, Proposal, Verdict
from desktop_app.core.words import Words


class TerminalApprover:
    """Fulfils `core.ports.Approver`. Anything but an explicit yes denies."""

    def __init__(self, words: Words) -> None:
        self._words = words

    @staticmethod
    def can_ask() -> bool:
        """Whether somebody sits at a terminal."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    async def ask(self, proposal: Proposal) -> Verdict:
        """Shows exactly what would be written and waits for the answer."""
        if not proposal.writes:
            return await self._ask_plainly(proposal)
        say, draft = self._words.say, proposal.draft
        note(say("cli.gate.title", key=one_line(draft.key)))
        for line in (proposal.text_before or "").split("\n") if proposal.replaces else ():
            note(say("cli.gate.before", value=one_line(line)))
        note(say("cli.gate.value", value=one_line(draft.value)))
        if draft.source is not None and draft.source.quote:
            note(say("cli.gate.source", quote=one_line(draft.source.quote)))
        answer = (await _line(say("cli.gate.question") + " ")).strip().lower()
        if answer in say("cli.gate.yes").split():
            return Verdict(Answer.ALLOWED, draft)
        if answer in say("cli.gate.edit").split():
            try:
                value = clean_value(await _line(say("cli.gate.new_value") + " "))
            except BadInput:
                return DENIED
            return Verdict(Answer.ALLOWED, as_typed_over(draft, value))
        return DENIED

    async def _ask_plainly(self, proposal: Proposal) -> Verdict:
        """What would be deleted or renamed: there is nothing to edit."""
        say, draft = self._words.say, proposal.draft
        note(say(f"cli.gate.title_{'delete' if proposal.deletes else 'rename'}", key=one_line(draft.key)))
        shown = [("goes" if proposal.deletes else "name_before", proposal.text_before)]
        shown += [] if proposal.deletes else [("name_after", proposal.text_after)]
        for word, text in shown:
            for line in (text or "").split("\n"):
                note(say(f"cli.gate.{word}", value=one_line(line)))
        answer = (await _line(say("cli.gate.question_plain") + " ")).strip().lower()
        return Verdict(Answer.ALLOWED, draft) if answer in say("cli.gate.yes").split() else DENIED


async def _line(prompt: str) -> str:
    """A line the person types; empty at the end of input. A stop does not wait for the line."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def settle(text: str) -> None:
        if not typed.done():
            typed.set_result(text)

    def read() -> None:
        print(prompt, end="", file=sys.stderr, flush=True)
        text = sys.stdin.readline()
        try:
            loop.call_soon_threadsafe(settle, text)
        except RuntimeError:
            return  # the command has ended meanwhile

    threading.Thread(target=read, name="asking", daemon=True).start()
    return await typed
