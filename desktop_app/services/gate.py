"""The one door through which the assistant's writes into memory pass: asked, allowed by rule, or left pending."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from desktop_app.core.facts import FactDraft
from desktop_app.core.gate import DENIED, PENDING, Answer, GateMode, Proposal, Verdict, is_own_words
from desktop_app.core.ports import Approver, SecretDetector
from desktop_app.core.secrets.fact_text import masked_fact
from desktop_app.services.settings import SettingsService


class Gate:
    """`approver` is set by the front end that can ask the person.

    Whoever writes holds `passing` from reading what is there until it is written: so one question is open at a
    time, and each shows what the one before it left.
    """

    def __init__(self, settings: SettingsService, secrets: SecretDetector) -> None:
        self._settings = settings
        self._secrets = secrets
        self.passing = asyncio.Lock()
        self.approver: Approver | None = None
        self.allow_all = False
        """For a run in which the person allowed beforehand what is saved; of deleting and renaming nothing was said."""
        self.allow_deleting = False
        """For a run in which the person allowed beforehand that facts are deleted; pinned ones are not meant."""

    def is_shut(self, profile: str) -> bool:
        """Whether nothing is written in a profile whatever is proposed: its memory is paused, or saving is off."""
        settings = self._settings.settings.of(profile)
        return not settings.memory or GateMode(settings.gate) is GateMode.OFF

    def masked(self, draft: FactDraft) -> FactDraft:
        """A draft with its secrets masked, for so it would be kept."""
        return masked_fact(draft, self._secrets.find)

    async def decide(self, proposal: Proposal) -> Verdict:
        """The verdict for exactly this proposal, asked for under `passing`; anything but an explicit yes writes
        nothing. What is shown, and what is allowed, has its secrets masked, for so it would be kept."""
        proposal = replace(proposal, draft=self.masked(proposal.draft))
        if self.is_shut(proposal.call.profile):
            return DENIED
        mode = GateMode(self._settings.settings.of(proposal.call.profile).gate)
        allowed = (self.allow_all and proposal.writes) or self._may_delete(proposal)
        if allowed or (mode is GateMode.AUTO and is_own_words(proposal)):
            return Verdict(Answer.ALLOWED, proposal.draft)
        if self.approver is None:
            return PENDING
        verdict = await self.approver.ask(proposal)
        # The settings may have changed while the question was open.
        if self.is_shut(proposal.call.profile):
            return DENIED
        return replace(verdict, draft=verdict.draft and self.masked(verdict.draft))

    def _may_delete(self, proposal: Proposal) -> bool:
        deletes = proposal.deletes
        return self.allow_deleting and bool(deletes) and not any(fact.pinned for fact in deletes)
