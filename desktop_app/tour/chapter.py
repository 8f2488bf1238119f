"""A chapter of the tour: steps that belong together, and the words in which a step says what it expects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from desktop_app.tour.driver import Driver

W = TypeVar("W", bound=QWidget)
Step = Callable[["Driver"], None]
"""Uses the window and leaves it as its picture shall show it; its name becomes that of the picture."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """`steps` in order; `scenario` has the rules by which the simulated assistant answers them."""

    steps: tuple[Step, ...]
    scenario: tuple[dict[str, Any], ...] = ()


class StepFailed(AssertionError):
    """A step did not show what it should."""


def hold(condition: bool, what: str) -> None:
    """Fails the step unless the condition holds."""
    if not condition:
        raise StepFailed(f"does not hold: {what}")


def shown(widget: W | None) -> W:
    """A widget that is only built where it is needed; fails the step when it is not there."""
    if widget is None:
        raise StepFailed("a part of the message is not shown")
    return widget
