"""Why a request did not read what the one before it left in the cache: the first difference and what is behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from desktop_app.core.cache.block_findings import Finding
from desktop_app.core.cache.causes import Cause, Difference, SentRequest
from desktop_app.core.cache.diagnosis import CacheDiagnosis, DiagnosisKind
from desktop_app.core.cache.difference import cache_differences
from desktop_app.core.cache.left import answer_began, could_be_read, expired, input_of, read_by, why_unread
from desktop_app.core.fact_lines import ToldChange
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request_log import RequestPurpose, RequestRecord


@dataclass(frozen=True, slots=True)
class Culprit:
    """The first thing behind a miss and all others (`also`, in the order of the prefix).

    `name` is the keys of up to three facts, the tool's name, or the number of the message (from 1); `was` and `is_now`
    the two values of a setting or of the first fact; `facts` all that differ in a renewed block. `lost_tokens` could
    have been read and were not, `lost_usd` is what that cost more; both None where unknown.
    """

    cause: Cause
    name: str = ""
    was: str = ""
    is_now: str = ""
    difference: Difference | None = None
    lost_tokens: int | None = None
    lost_usd: Decimal | None = None
    also: tuple[Cause, ...] = ()
    facts: tuple[ToldChange, ...] = ()


class Agreement(StrEnum):
    """How the API's diagnosis stands to our finding."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    SILENT = "silent"
    """It was not asked, or says nothing that could be compared (pending, unavailable, not found)."""


@dataclass(frozen=True, slots=True)
class MissReport:
    """Both answers for one request: ours and the API's (None where it was not asked)."""

    before: RequestRecord | None
    after: RequestRecord
    culprit: Culprit
    diagnosis: CacheDiagnosis | None
    agreement: Agreement


_NOISE_TOKENS = 50
_NOISE_SHARE = 0.01
_MILLION = Decimal(1_000_000)
# What the API says of a cause; those left out spoil the cache without a difference it can name.
_SAID_AS = {
    Cause.MODEL: DiagnosisKind.MODEL_CHANGED,
    Cause.SPEED: DiagnosisKind.MODEL_CHANGED,
    Cause.TOOL_ADDED: DiagnosisKind.TOOLS_CHANGED,
    Cause.TOOL_REMOVED: DiagnosisKind.TOOLS_CHANGED,
    Cause.TOOL_ORDER: DiagnosisKind.TOOLS_CHANGED,
    Cause.TOOL_CHANGED: DiagnosisKind.TOOLS_CHANGED,
    Cause.INSTRUCTIONS: DiagnosisKind.SYSTEM_CHANGED,
    Cause.DATE: DiagnosisKind.SYSTEM_CHANGED,
    Cause.FACT: DiagnosisKind.SYSTEM_CHANGED,
    Cause.NOTE: DiagnosisKind.MESSAGES_CHANGED,
    Cause.FOLDED: DiagnosisKind.MESSAGES_CHANGED,
    Cause.MESSAGE: DiagnosisKind.MESSAGES_CHANGED,
    Cause.THINKING_LEFT: DiagnosisKind.MESSAGES_CHANGED,
}
_CHANGED = frozenset(_SAID_AS.values())
# Settings: blocks are the same, and the cache is lost all the same.
_SWITCHES = frozenset((Cause.CITATIONS, Cause.TOOL_CHOICE, Cause.THINKING, Cause.EFFORT, Cause.IMAGES, Cause.ENDPOINT))


def find_culprit(
    before: SentRequest | None,
    after: SentRequest,
    prices: PriceList,
    *,
    between: Sequence[RequestRecord] = (),
    simulated: bool = False,
) -> Culprit:
    """Why `after` did not read, or would not if it is not sent yet, what `before` had left in the cache.

    `before` is the request sent just before it on the same path whose answer began, `between` are other requests sent
    since: attempts that never began to be answered, and those that kept the same prefix alive. Where a difference
    lost nothing worth naming the cause is NONE, and `also` names it. A `simulated` assistant is the same one whatever
    its address, and nothing it does costs money.
    """
    if before is None:
        began = all(answer_began(record) for record in between)
        return Culprit(Cause.FIRST if began else Cause.NOT_STARTED, lost_tokens=0)
    found = _counting(cache_differences(before, after), after.record, simulated=simulated)
    left = could_be_read(before, after)
    lost = _lost(left, before, after, found, between)
    causes = tuple(finding.cause for finding in found)
    first = found[0] if found else None
    if lost is not None and left and is_noise(lost, left):
        return Culprit(Cause.NONE, difference=first.difference if first else None, lost_tokens=0, also=causes)
    usd = None if simulated else _lost_usd(lost, after.record, prices)
    if first is not None:
        late = (Cause.EXPIRED,) if expired(before.record, after.record.sent_at, between) else ()
        also = (*causes[1:], *late)
        values = first.cause, first.name, first.was, first.is_now, first.difference
        return Culprit(*values, lost, usd, also, first.facts)
    if left is None or lost is None:
        return Culprit(Cause.UNREPORTED)
    if after.record.purpose is not RequestPurpose.CHAT and not left:
        return Culprit(Cause.NONE, lost_tokens=lost)
    cause, was, is_now = why_unread(before, after, between)
    return Culprit(cause, "", was, is_now, lost_tokens=lost, lost_usd=usd)


def is_noise(lost: int, left: int) -> bool:
    """Whether so few tokens of those left were not read that it is no miss."""
    return lost < _NOISE_TOKENS or lost < left * _NOISE_SHARE


def miss_report(
    before: SentRequest | None,
    after: SentRequest,
    prices: PriceList,
    *,
    between: Sequence[RequestRecord] = (),
    simulated: bool = False,
) -> MissReport:
    """Our finding with the API's own beside it."""
    culprit = find_culprit(before, after, prices, between=between, simulated=simulated)
    said = after.record.diagnosis
    stands = agreement(culprit, said) if _compared_alike(before, after) else Agreement.SILENT
    return MissReport(before.record if before else None, after.record, culprit, said, stands)


def _compared_alike(before: SentRequest | None, after: SentRequest) -> bool:
    """Whether the API was asked about the same two requests: of another pair, or of one alone, it may say otherwise."""
    asked = after.request.params.get("diagnostics")
    if not isinstance(asked, Mapping):
        return True
    other, known = asked.get("previous_message_id"), before.record.remote_id if before else None
    return other is not None and known in (None, other)


def agreement(culprit: Culprit, diagnosis: CacheDiagnosis | None) -> Agreement:
    """How the API's word stands to our finding: it names the first difference it sees, whatever that cost."""
    if diagnosis is None or diagnosis.kind not in (*_CHANGED, DiagnosisKind.NONE):
        return Agreement.SILENT
    if culprit.cause is Cause.UNREPORTED:
        return Agreement.SILENT
    causes = (culprit.cause, *culprit.also)
    told = next((kind for cause in causes if (kind := _kind(cause, culprit)) is not None), None)
    if told is None and diagnosis.kind in _CHANGED and Cause.IMAGES in causes:
        told = DiagnosisKind.MESSAGES_CHANGED
    if told is None and _SWITCHES.intersection(causes):
        return Agreement.DISAGREES if diagnosis.kind in _CHANGED else Agreement.SILENT
    return Agreement.AGREES if (told or DiagnosisKind.NONE) is diagnosis.kind else Agreement.DISAGREES


def _kind(cause: Cause, culprit: Culprit) -> DiagnosisKind | None:
    """The word the API has for a cause; words of the program may stand in any part."""
    if cause is not Cause.APP_VERSION:
        return _SAID_AS.get(cause)
    part = culprit.difference.part if culprit.difference else "system"
    named = {"tools": DiagnosisKind.TOOLS_CHANGED, "system": DiagnosisKind.SYSTEM_CHANGED}
    return named.get(str(part), DiagnosisKind.MESSAGES_CHANGED)


def _counting(found: tuple[Finding, ...], after: RequestRecord, *, simulated: bool) -> tuple[Finding, ...]:
    """The differences that count: a memo is asked for behind an earlier message, and leaves the conversation there;
    a simulated assistant has another port at each start."""
    passed = {Cause.MESSAGE} if after.purpose is not RequestPurpose.CHAT else set()
    if simulated:
        passed.add(Cause.ENDPOINT)
    return tuple(finding for finding in found if finding.cause not in passed)


def _lost(
    left: int | None,
    before: SentRequest,
    after: SentRequest,
    found: Sequence[Finding],
    between: Sequence[RequestRecord],
) -> int | None:
    """Tokens that could have been read and were not, or will not be as far as can be foreseen."""
    read = read_by(after.record)
    if read is None and after.record.usage is None and after.record.predicted is None:
        spoilt = found or expired(before.record, after.record.sent_at, between)
        read = _readable(before, found) if spoilt else left
    return None if left is None or read is None else max(0, left - read)


def _readable(before: SentRequest, found: Sequence[Finding]) -> int:
    """Tokens down to the last mark ahead of the first difference."""
    part = found[0].difference.part if found else "params"
    places = (point.tokens for point in before.record.points if isinstance(part, int) and point.place <= part)
    return max(places, default=0)


def _lost_usd(lost: int | None, after: RequestRecord, prices: PriceList) -> Decimal | None:
    """What the tokens cost as they were sent, less what reading them would have cost."""
    if lost is None:
        return None
    model = after.answered_by or after.model
    rates = prices.rates(model, input_of(after), after.sent_at, host=after.host)
    if rates is None:
        return None
    counts = after.usage or after.predicted
    rest, paid = lost, Decimal(0)
    # What was not read is written in the order of the prefix, the longer lifetime first.
    for tokens, rate in ((counts and counts.write_1h, rates.write_1h), (counts and counts.write_5m, rates.write_5m)):
        part = min(rest, tokens or 0)
        paid, rest = paid + part * (rate - rates.read), rest - part
    return (paid + rest * (rates.input - rates.read)) / _MILLION
