"""The whole window over the real services and the simulated assistant, from a fresh machine to a restart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.composition import Options, end_connections, start_connections
from desktop_app.core.segment import Segment
from desktop_app.core.usage import Known
from desktop_app.gui import Gui
from desktop_app.ui.context.compare_view import CompareView

WAIT = 15_000


class Opened:
    """A running window and its session."""

    def __init__(self, gui: Gui) -> None:
        assert gui.window is not None
        assert gui.session is not None
        self.window, self.session = gui.window, gui.session

    @property
    def chat(self) -> ChatSession:
        """The conversation in front."""
        assert self.session.current is not None
        return self.session.current


@contextmanager
def opened(qapp: QApplication, qtbot: QtBot, folder: Path) -> Iterator[Opened]:
    connections = start_connections()
    gui = Gui(qapp, Options(folder, language="en"), connections)
    gui.frame.resize(1440, 900)  # the screen of the tests is smaller, and a remembered place is kept inside it
    gui.show()
    try:
        qtbot.waitUntil(lambda: gui.session is not None and gui.session.is_ready, timeout=WAIT)
        yield Opened(gui)
    finally:
        gui.close()
        end_connections(connections)
        gui.frame.deleteLater()


def test_inspector_and_sidebar_come_back_as_wide_as_they_were(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    settings = '{"welcomed": true, "profiles": {"default": {"base_url": "http://127.0.0.1:9"}}}'
    (tmp_path / "settings.json").write_text(settings)
    with opened(qapp, qtbot, tmp_path) as gui:
        window = gui.window
        first = (window.context_dock.width(), window.sidebar.width())
        window.resizeDocks([window.context_dock], [first[0] + 77], Qt.Orientation.Horizontal)
        window.splitter.setSizes([first[1] + 31, 700])
        chosen = (first[0] + 77, first[1] + 31)
        qtbot.waitUntil(lambda: (window.context_dock.width(), window.sidebar.width()) == chosen)
        qtbot.waitUntil(lambda: window.status.reach.text() == "offline", timeout=WAIT)
    with opened(qapp, qtbot, tmp_path) as gui:
        window = gui.window
        assert (window.context_dock.width(), window.sidebar.width()) == chosen
        assert window.width() == 1440
        qtbot.waitUntil(lambda: window.status.reach.text() == "offline", timeout=WAIT)
    assert first == (420, 232)


def ask(qtbot: QtBot, gui: Opened, text: str) -> None:
    turns = len(gui.chat.history)
    gui.window.composer.edit.setFocus()
    qtbot.keyClicks(gui.window.composer.edit, text)
    qtbot.keyClick(gui.window.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(
        lambda: len(gui.chat.history) > turns and not gui.chat.state.busy and gui.chat.preview is not None,
        timeout=WAIT,
    )


def branch_and_undo(qtbot: QtBot, gui: Opened) -> None:
    """With the first turn on show: goes on from its end, compares, and takes it back from the notice."""
    window, machine = gui.window, gui.window.context.history.machine
    machine.compare.click()
    view = window.window().findChild(CompareView)
    assert view is not None
    view.compare(gui.chat.requests[0].id, gui.chat.requests[1].id)
    qtbot.waitUntil(lambda: "added" in view.summary.text(), timeout=WAIT)
    view.close()
    machine.branch.click()
    qtbot.waitUntil(lambda: len(gui.chat.history) == 1 and bool(window.notices.rows), timeout=WAIT)
    assert window.notices.rows[-1].text.text() == (
        "The conversation continues after turn 1. 2 later messages are kept as another version."
    )
    assert machine.resume.isVisible() and not machine.branch.isEnabled()
    window.notices.rows[-1].undo.click()
    qtbot.waitUntil(lambda: len(gui.chat.history) == 2, timeout=WAIT)
    assert not machine.resume.isVisible()


def test_from_a_fresh_machine_to_an_answer_and_back(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> None:
    with opened(qapp, qtbot, tmp_path) as gui:
        window = gui.window
        assert window.pages.currentWidget() is window.first_run
        window.first_run.demo.main.click()
        qtbot.waitUntil(lambda: bool(gui.session.endpoint and gui.session.endpoint.models), timeout=WAIT)
        assert window.pages.currentWidget() is window.conversation
        assert window.top_bar.simulated.isVisible()
        assert window.top_bar.model.text().startswith("Claude")
        ask(qtbot, gui, "The backups go to /srv/backup.")
        ask(qtbot, gui, "Where do the backups go?")
        panel = window.context
        rows = [panel.rows_model.row(place) for place in range(panel.rows_model.rowCount())]
        preview = gui.chat.preview
        assert preview is not None
        assert sum(row.tokens for row in rows if row.row) == preview.total.tokens
        panel.view.take("last")
        qtbot.waitUntil(lambda: panel.total.tag.text() == "measured", timeout=WAIT)
        first = gui.chat.history[0]
        panel.history.chart.chosen.emit(first.id)
        qtbot.waitUntil(panel.history.machine.to_live.isVisible, timeout=WAIT)
        assert panel.budget is not None
        assert panel.budget.total.known is Known.MEASURED
        assert panel.budget.row(Segment.MESSAGES) is None
        branch_and_undo(qtbot, gui)
        title = window.top_bar.title.label.whole()
        assert title == "The backups go to /srv/backup."
        gui.session.delete(gui.chat.conversation_id or "")
        qtbot.waitUntil(window.notices.isVisible, timeout=WAIT)
        qtbot.waitUntil(lambda: gui.session.conversations.rowCount() == 0, timeout=WAIT)
        window.actions_by_name["undo_delete"].trigger()
        qtbot.waitUntil(lambda: gui.session.conversations.rowCount() == 1, timeout=WAIT)
    with opened(qapp, qtbot, tmp_path) as gui:
        assert gui.window.pages.currentWidget() is gui.window.conversation
        qtbot.waitUntil(lambda: gui.session.conversations.rowCount() == 1, timeout=WAIT)
        sidebar = gui.window.sidebar
        sidebar.list.openAsked.emit(sidebar.rows.index(0, 0))
        qtbot.waitUntil(lambda: len(gui.chat.history) == 2, timeout=WAIT)
        qtbot.waitUntil(lambda: gui.chat.messages.rowCount() == 4, timeout=WAIT)
        assert gui.window.top_bar.title.label.whole() == title
        assert [record.turn for record in gui.window.context.history_model.records] == [1, 2]
