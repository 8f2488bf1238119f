"""What was expected of a request against what came: tokens by kind, the whole input and its price, and the drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from desktop_app.core.cache.forecast import CacheForecast
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.request_log import RequestRecord
from desktop_app.core.token_estimate import Calibration, TokenEstimator
from desktop_app.core.usage import Usage

LAST = 20
"""Requests the running summary looks back on."""


class FigureName(StrEnum):
    """What is compared; tokens but for the price, which is USD of the input."""

    READ = "read"
    WRITTEN = "written"
    UNCACHED = "uncached"
    INPUT = "input"
    USD = "usd"


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure as expected and as it came; None where unknown."""

    name: FigureName
    expected: Decimal | None
    got: Decimal | None

    @property
    def known(self) -> bool:
        """Whether there are two figures to compare."""
        return self.expected is not None and self.got is not None

    @property
    def off(self) -> Decimal | None:
        """What came less what was expected."""
        return self.got - self.expected if self.got is not None and self.expected is not None else None


@dataclass(frozen=True, slots=True)
class Reconciled:
    """A request with its figures. The drift of a kind is told as a share of the whole input, that of input and price
    as a share of what came: a small kind that is off by its own size is no news."""

    record: RequestRecord
    figures: tuple[Compared, ...]

    def figure(self, name: FigureName) -> Compared:
        """The figure of that name; an unknown one where there is none."""
        return next((one for one in self.figures if one.name is name), Compared(name, None, None))

    def drift(self, name: FigureName) -> float | None:
        """How far off a figure was, signed, 0 for as expected; None where unknown."""
        one = self.figure(name)
        whole = one.got if name is FigureName.USD else self.figure(FigureName.INPUT).got
        if one.off is None or not whole:
            return None
        return float(one.off / whole)


@dataclass(frozen=True, slots=True)
class DriftSummary:
    """Over the last `requests` of those that can be compared: the mean size of the drift and the largest, by figure."""

    requests: int
    mean: Mapping[FigureName, float]
    largest: Mapping[FigureName, float]


@dataclass(frozen=True, slots=True)
class LearnedFactor:
    """How many tokens the calibrated estimate gives for one of the first rule of thumb; `seen` exact totals made it."""

    factor: float
    seen: int


def reconcile(record: RequestRecord, prices: PriceList, *, simulated: bool = False) -> Reconciled:
    """Expected and measured figures of a request; what its endpoint did not report is unknown, never 0."""
    usage, predicted = record.usage, record.predicted
    told = usage is not None and (usage.read is not None or usage.written is not None)
    foreseen = predicted if predicted is not None and predicted.read is not None else None
    measured = usage if usage is not None and usage.input_total else None
    cached = measured if told else None
    whole = (foreseen.total if foreseen else None) or record.counted or record.estimated or None
    figures = [
        _compared(FigureName.READ, foreseen.read if foreseen else None, (cached.read or 0) if cached else None),
        _compared(FigureName.WRITTEN, _written(foreseen), (_written(cached) or 0) if cached else None),
        _compared(FigureName.UNCACHED, foreseen.uncached if foreseen else None, cached.uncached if cached else None),
        _compared(FigureName.INPUT, whole, measured.input_total if measured else None),
    ]
    if not simulated:
        figures.append(_price(record, prices, measured))
    return Reconciled(record, tuple(figures))


def _written(part: CacheForecast | Usage | None) -> int | None:
    return part.written if part is not None else None


def together(requests: Sequence[Reconciled]) -> Reconciled | None:
    """The requests of a turn as one; a figure that is unknown in one of them is unknown of all."""
    if not requests:
        return None
    names = [one.name for one in requests[-1].figures]
    pairs = [(name, [request.figure(name) for request in requests]) for name in names]
    figures = tuple(
        Compared(name, _sum([one.expected for one in found]), _sum([one.got for one in found])) for name, found in pairs
    )
    return Reconciled(requests[-1].record, figures)


def _sum(values: Sequence[Decimal | None]) -> Decimal | None:
    known = [value for value in values if value is not None]
    return sum(known, Decimal(0)) if len(known) == len(values) else None


def drift_summary(requests: Sequence[Reconciled], last: int = LAST) -> DriftSummary | None:
    """The running summary over the newest requests, given oldest first; None where none can be compared."""
    newest = [one for one in requests if any(figure.known for figure in one.figures)][-last:]
    sizes: dict[FigureName, list[float]] = {}
    for one in newest:
        for name in FigureName:
            drift = one.drift(name)
            if drift is not None:
                sizes.setdefault(name, []).append(abs(drift))
    if not sizes:
        return None
    mean = {name: sum(found) / len(found) for name, found in sizes.items()}
    return DriftSummary(len(newest), mean, {name: max(found) for name, found in sizes.items()})


def learned_factor(calibration: Calibration, features: Mapping[str, float]) -> LearnedFactor | None:
    """What was learned, for text with these features; None before anything was."""
    before = TokenEstimator().estimate(features).tokens
    if not calibration.seen or not before:
        return None
    return LearnedFactor(TokenEstimator(calibration).estimate(features).tokens / before, calibration.seen)


def _compared(name: FigureName, expected: int | None, got: int | None) -> Compared:
    return Compared(name, None if expected is None else Decimal(expected), None if got is None else Decimal(got))


def _price(record: RequestRecord, prices: PriceList, measured: Usage | None) -> Compared:
    """USD of the input, as it was foreseen and as it came, each at its own rates."""
    expected = _input_usd(record, prices, record.predicted.as_usage(), record.model) if record.predicted else None
    got = _input_usd(record, prices, measured, record.answered_by or record.model) if measured else None
    return Compared(FigureName.USD, expected, got)


def _input_usd(record: RequestRecord, prices: PriceList, usage: Usage, model: str) -> Decimal | None:
    """USD of the input of the answer; nothing else is foreseen, so nothing else is compared."""
    cost = prices.cost(model, replace(usage, output=0, sides=()), record.sent_at, host=record.host)
    return cost.input if cost else None
