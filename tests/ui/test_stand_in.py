"""A stand-in follows its real class: what the real one lacks cannot be called, set or connected on it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from tests.ui.stand_in import stand_in


class Lamp(QObject):
    """What is stood in for."""

    switched = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.place = "desk"

    @property
    def lit(self) -> bool:
        """Whether it burns."""
        raise RuntimeError("there is no current")

    def switch(self, on: bool, *, dimmed: bool = False) -> None:
        """Asks for light."""
        raise RuntimeError("there is no current")

    def clean(self) -> None:
        """Takes it apart."""
        raise RuntimeError("there are no hands")


@stand_in
class StageLamp(Lamp):
    calls: list[tuple[Any, ...]]

    def __init__(self) -> None:
        QObject.__init__(self)
        self.calls = []

    def switch(self, on: bool, *, dimmed: bool = False) -> None:
        self.lit = on
        self.switched.emit(on)


def test_calls_are_noted_and_the_signals_are_the_real_ones(qtbot: QtBot) -> None:
    lamp = StageLamp()
    with qtbot.waitSignal(lamp.switched) as switched:
        lamp.switch(on=True, dimmed=True)
    lamp.clean()
    assert switched.args == [True]
    assert lamp.lit is True
    assert lamp.calls == [("switch", True, {"dimmed": True}), ("clean",)]


def test_what_the_real_class_lacks_is_refused(qapp: QObject) -> None:
    lamp = StageLamp()
    lamp.place = "shelf"
    for name in ("colour", "clear", "burnt"):
        with pytest.raises(AttributeError, match=name):
            getattr(lamp, name)
        with pytest.raises(AttributeError, match=f"Lamp has no {name}"):
            setattr(lamp, name, None)
    with pytest.raises(AttributeError, match="lit was not given"):
        _ = lamp.lit
    with pytest.raises(TypeError, match="too many positional"):
        lamp.clean("twice")
    with pytest.raises(TypeError, match="unexpected keyword"):
        lamp.switch(True, faint=True)
    assert lamp.calls == []


def test_a_method_of_its_own_is_refused(qapp: QObject) -> None:
    with pytest.raises(TypeError, match="Lamp has no wipe"):

        @stand_in
        class Wiped(Lamp):
            def wipe(self) -> None: ...
