"""A folding inside a turn: it is shown as it happens, and the turn stays a turn."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.bridge.session_state import Phase
from desktop_app.core.compaction.compaction import CompactionCause
from tests.bridge.chat_acts import Open, ask, current
from tests.fakes.simulator import RunningSimulator

LONG = "The harbour lies below the old town and its quay is grey. "


def test_a_message_that_does_not_fit_folds_the_past_first_and_is_answered(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(model="claude-sim-small", fold_keep=40, fold_share=95)
    chat = current(session)
    ask(qtbot, chat, "From now on answer in English. " + LONG * 230)
    ask(qtbot, chat, "Thanks")
    simulator.control({"action": "slow", "tokens_per_second": 400, "match": {"memo": True}})
    phases: list[Phase] = []
    chat.stateChanged.connect(lambda state: phases.append(state.phase))
    chat.send("Is it grey? " + LONG * 230)
    qtbot.waitUntil(lambda: chat.state.phase is Phase.MAKING_ROOM, timeout=15_000)
    assert chat.state.answering  # what is written meanwhile waits for the answer
    assert chat.folding.running is not None
    assert chat.folding.running.cause is CompactionCause.AUTOMATIC
    chat.send("And the quay?")
    assert chat.state.queued == "And the quay?"
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=15_000)
    places = [phases.index(phase) for phase in (Phase.MAKING_ROOM, Phase.STREAMING)]
    assert places == sorted(places)
    assert chat.folding.folded is not None
    qtbot.waitUntil(lambda: chat.messages.rowCount() == 8, timeout=15_000)
    qtbot.waitUntil(lambda: not chat.state.busy, timeout=15_000)
