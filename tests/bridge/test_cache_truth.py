"""What stands behind the cache's figures over real services: misses, drift, clocks, heat, findings, advice."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge import cache_truth
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Agreement
from desktop_app.core.cache.heat import Heat, HeatMap
from desktop_app.core.cache.lint import LintKind, Remedy
from desktop_app.core.cache.mark_clock import MarkHolds
from desktop_app.core.cache.reconciliation import FigureName
from desktop_app.core.segment import Segment
from tests.bridge.chat_acts import Open, ask, current

LONG = "Answer in short sentences. " + "The nightly backups are kept on the NAS under /srv/backup for 35 days. " * 120


def settled(qtbot: QtBot, chat: ChatSession, count: int) -> None:
    """So many turns are known, and the request after them."""
    qtbot.waitUntil(lambda: len(chat.truth.reconciled) == count, timeout=10_000)
    qtbot.waitUntil(lambda: chat.truth.heat is not None, timeout=10_000)


@pytest.fixture
def session(open_session: Open) -> AppSession:
    """Behind a prefix long enough to be cached."""
    return open_session(instructions=LONG)


@pytest.fixture
def chat(qtbot: QtBot, session: AppSession) -> ChatSession:
    """Two turns."""
    chat = current(session)
    ask(qtbot, chat, "Where are the backups?")
    settled(qtbot, chat, 1)
    ask(qtbot, chat, "And how long are they kept?")
    settled(qtbot, chat, 2)
    return chat


def test_what_was_expected_is_what_came(chat: ChatSession) -> None:
    truth, report = chat.truth, chat.cache.report
    assert report is not None
    last = report.last
    assert last is not None
    told = truth.reconciled[last.id]
    assert told.figure(FigureName.READ).got == last.figures.read
    assert told.figure(FigureName.READ).got
    assert told.drift(FigureName.READ) == pytest.approx(0, abs=0.01)
    assert told.figure(FigureName.USD).got is None  # simulated
    assert truth.drift is not None
    assert truth.drift.requests == len(chat.cache.reading.records) == 3  # the second turn used a tool
    assert truth.misses == {}


def test_the_marks_have_clocks_and_the_next_request_is_warm(qtbot: QtBot, chat: ChatSession) -> None:
    clocks = chat.truth.clocks
    assert clocks[-1].holds is MarkHolds.ALL
    assert clocks[0].holds in (MarkHolds.FIXED, MarkHolds.HEAD)
    assert clocks[-1].until is not None
    assert clocks[-1].measured
    chat.preview_text("one more")
    last = chat.cache.reading.last
    assert last is not None
    qtbot.waitUntil(lambda: chat.truth.warm_until == last.record.sent_at + timedelta(minutes=5))


def test_blocks_are_hot_down_to_where_the_last_request_ended(qtbot: QtBot, chat: ChatSession) -> None:
    chat.preview_text("one more")
    truth = chat.truth
    qtbot.waitUntil(lambda: truth.heat is not None and Segment.CURRENT in truth.heat.rows)
    qtbot.waitUntil(lambda: chat.preview is not None and truth.heat_of(None, chat.preview) is not None)
    heat = truth.heat_of(None, chat.preview)
    assert heat is not None
    assert heat.heat(Segment.SYSTEM) is Heat.HOT
    assert heat.heat(Segment.CURRENT) is Heat.NEW
    assert heat.heat(Segment.MESSAGES) is Heat.PART  # the last answer was never sent
    assert heat.rows[Segment.SYSTEM][0].streak == 2  # by all requests but the first
    qtbot.waitUntil(lambda: chat.measured is not None and truth.heat_of(None, chat.measured) is not None)


def test_a_past_request_has_the_heat_it_had(qtbot: QtBot, chat: ChatSession) -> None:
    shown: list[ShownRequest] = []
    chat.requestShown.connect(shown.append)
    for place, heat in ((0, Heat.NEW), (1, Heat.HOT)):
        with qtbot.waitSignal(chat.requestShown):
            chat.show_request(chat.history[place].id)
        found = chat.truth.heat_of(shown[-1], shown[-1].budget)
        assert found is not None
        assert found.fits(shown[-1].budget)
        assert found.heat(Segment.SYSTEM) is heat


def test_the_last_request_has_its_heat_soon_after_it_is_asked_for(qtbot: QtBot, chat: ChatSession) -> None:
    qtbot.waitUntil(lambda: chat.measured is not None and chat.preview is not None, timeout=5_000)
    with qtbot.waitSignal(chat.truth.heatChanged):
        assert chat.truth.heat_of(None, chat.measured) is None
    heat = chat.truth.heat_of(None, chat.measured)
    assert heat is not None
    assert heat.heat(Segment.SYSTEM) is Heat.HOT


def test_the_heat_of_a_past_request_is_at_hand_when_it_is_shown(
    qtbot: QtBot, chat: ChatSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    real = cache_truth.block_heat

    def noting(*arguments: Any, **named: Any) -> HeatMap | None:
        threads.append(threading.get_ident())
        return real(*arguments, **named)

    monkeypatch.setattr(cache_truth, "block_heat", noting)
    found: list[HeatMap | None] = []
    chat.requestShown.connect(lambda shown: found.append(chat.truth.heat_of(shown, shown.budget)))
    with qtbot.waitSignal(chat.requestShown):
        chat.show_request(chat.history[1].id)
    assert found[0] is not None
    assert threads and threading.get_ident() not in threads


def test_the_present_is_shown_even_while_a_past_request_is_worked_out(qtbot: QtBot, chat: ChatSession) -> None:
    shown: list[ShownRequest | None] = []
    chat.requestShown.connect(shown.append)
    with qtbot.waitSignal(chat._past.shown):
        chat.show_request(chat.history[0].id)
    chat.show_request(None)
    qtbot.wait(50)
    assert shown == [None]


def test_what_is_found_out_in_one_go_is_told_once(qtbot: QtBot, chat: ChatSession) -> None:
    qtbot.waitUntil(lambda: not chat.truth._telling.isActive())
    told: list[None] = []
    chat.truth.changed.connect(lambda: told.append(None))
    chat.cache.reportChanged.emit(chat.cache.report)
    assert told == []  # whoever told of the report waits for nobody who draws
    qtbot.waitUntil(lambda: bool(told))
    assert len(told) <= 2
    chat.truth._telling.start()
    chat.close()
    assert not chat.truth._telling.isActive()


def test_a_miss_is_found_with_its_reason(qtbot: QtBot, chat: ChatSession, session: AppSession) -> None:
    session.update_profile(instructions="Be brief. " + LONG)
    qtbot.waitUntil(lambda: bool(chat.truth.findings), timeout=10_000)
    finding = chat.truth.findings[0]
    assert (finding.kind, finding.remedy) == (LintKind.INSTRUCTIONS, Remedy.EDIT_INSTRUCTIONS)
    ask(qtbot, chat, "And the keys?")
    settled(qtbot, chat, 3)
    qtbot.waitUntil(lambda: bool(chat.truth.misses), timeout=10_000)
    (miss,) = chat.truth.misses.values()
    assert miss.after.turn == 3
    assert miss.culprit.cause is Cause.INSTRUCTIONS
    assert miss.culprit.lost_tokens
    assert miss.agreement is Agreement.AGREES
    qtbot.waitUntil(lambda: not chat.truth.findings, timeout=10_000)


def test_calibration_is_told_once_something_was_learned(qtbot: QtBot, chat: ChatSession) -> None:
    qtbot.waitUntil(lambda: chat.truth.learned is not None, timeout=10_000)
    assert chat.truth.learned is not None
    assert chat.truth.learned.seen >= 1
    assert 0.3 < chat.truth.learned.factor < 3


def test_a_simulated_past_gives_no_advice(chat: ChatSession) -> None:
    assert chat.truth.compared is None
