"""Makes a stand-in of a real class: it has the real signals, and no name or parameter that the real class lacks."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from PySide6.QtCore import QObject

Q = TypeVar("Q", bound=QObject)


class _Given:
    """In place of a property: what was set on the object; until then it cannot be read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, one: object, kind: type) -> Any:
        if one is None:
            return self
        raise AttributeError(f"{kind.__name__}.{self._name} was not given")


def stand_in(kind: type[Q]) -> type[Q]:
    """Makes a subclass of a real QObject class, whose own `__init__` is not run, into a stand-in.

    A public method, written in the subclass or not, takes what the real one takes and notes the call in
    `calls`: its name, its positional arguments, and a dict of its keyword arguments if there are any.
    A public property is an attribute that can be set. To be set, a public name must be one of the real
    class or annotated in the subclass.
    """
    real = kind.__bases__[0]
    for name, member in _public(vars(real)):
        if inspect.isfunction(member):
            setattr(kind, name, _noting(member, vars(kind).get(name)))
        elif isinstance(member, property):
            setattr(kind, name, _Given(name))
    known = {name for name, _ in _public(vars(real))} | _set_by(real.__init__)
    surplus = {name for name, member in _public(vars(kind)) if inspect.isfunction(member)} - known
    if surplus:
        raise TypeError(f"{real.__name__} has no {', '.join(sorted(surplus))}")
    known |= set(inspect.get_annotations(kind))

    def set_known(self: Q, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in known:
            raise AttributeError(f"{real.__name__} has no {name}")
        QObject.__setattr__(self, name, value)

    kind.__setattr__ = set_known  # type: ignore[method-assign, assignment]
    return kind


def _public(names: Any) -> list[tuple[str, Any]]:
    return [(name, member) for name, member in names.items() if not name.startswith("_")]


def _set_by(function: Callable[..., Any]) -> set[str]:
    """The attributes a function sets: those of an object are nowhere else to be read."""
    return {step.argval for step in dis.get_instructions(function) if step.opname == "STORE_ATTR"}


def _noting(real: Callable[..., Any], own: Callable[..., Any] | None) -> Callable[..., Any]:
    signature = inspect.signature(real)

    @wraps(real)
    def noted(self: Any, *arguments: Any, **named: Any) -> Any:
        bound = signature.bind(self, *arguments, **named)
        self.calls.append((real.__name__, *bound.args[1:], *([bound.kwargs] if bound.kwargs else [])))
        return own(*bound.args, **bound.kwargs) if own is not None else None

    return noted
