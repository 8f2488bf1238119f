"""The past is compacted under one's eyes: arrival, review, edit, put back, commit, the archive, and taking it back."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from desktop_app.bridge.session_state import Phase
from desktop_app.core.segment import Segment
from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver
from desktop_app.ui.compaction.compaction_panel import CompactionPanel

_PUT_AWAY = "/srv/harbour/tides.csv"
"""A value the edit takes out of the summary and the next click puts back."""


def folding_arrives(driver: Driver) -> None:
    """What would fold is marked in the chat with both prices, then the summary arrives in the panel."""
    driver.session.open_conversation(driver.conversation_about("harbour"))
    driver.wait(lambda: driver.chat.loaded, "the conversation is loaded")
    driver.session.update_profile(fold_tokens=4_000, fold_keep=30, fold_automatically=False)
    for text in (f"The tide table is in {_PUT_AWAY}, version v2.4.1. From now on never round the times.", "Thanks."):
        driver.send(text)
        driver.wait(lambda: not driver.chat.state.busy, "the answer is whole")
    driver.window.show_panel("compaction")
    form = _panel(driver).form
    driver.wait(form.open.isEnabled, "something can be folded")
    driver.click(form.open)
    form.focus.setText("where things are kept")
    form.review.setChecked(True)
    driver.live(0.3)
    driver.click(form.fold)
    driver.wait(lambda: driver.chat.state.phase is Phase.FOLDING, "the folding runs")
    memo = _panel(driver).running.card.memo
    driver.wait(lambda: len(memo.toPlainText()) > 60, "the summary arrives")


def folding_proposed(driver: Driver) -> None:
    """Nothing is sent differently yet: bars, values by their fate, the text, and four buttons."""
    driver.wait(lambda: not driver.chat.state.busy, "the folding ends")
    driver.wait(lambda: driver.chat.proposal.check is not None, "the values are looked for")
    check = driver.chat.proposal.check
    hold(check is not None and bool(check.kept) and not check.lost, "every exact value is kept")
    hold(driver.chat.folded is None and not _holds_memo(driver), "nothing is folded before the person says so")
    driver.live(0.6)


def folding_edited(driver: Driver) -> None:
    """An edit that takes a value away is noticed at once."""
    panel = _panel(driver)
    driver.click(panel.acts.edit)
    editor = panel.proposal.card.editor
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    while editor.find(_PUT_AWAY):
        editor.textCursor().insertText("the usual place")
    driver.wait(lambda: _PUT_AWAY in _lost(driver), "the value is told to be lost")
    driver.live(0.4)
    driver.click(panel.acts.keep)
    driver.wait(lambda: not driver.chat.proposal.editing and _PUT_AWAY in _lost(driver), "the edit is kept")
    driver.live(0.4)


def folding_put_back(driver: Driver) -> None:
    """One click puts it back, word for word."""
    driver.click(_panel(driver).proposal.values.all_back)
    driver.wait(lambda: driver.chat.proposal.check is not None and not _lost(driver), "nothing is lost any more")
    driver.live(0.4)


def folded(driver: Driver) -> None:
    """Committed: the summary stands in place of what it folded, in the panel, in the chat and in the next request."""
    driver.click(_panel(driver).acts.commit)
    driver.wait(lambda: driver.chat.folded is not None, "the summary is in use")
    driver.wait(lambda: _holds_memo(driver), "the next request holds the summary")
    driver.live(0.6)


def archive(driver: Driver) -> None:
    """What was folded is found word for word."""
    archive = _panel(driver).archive
    archive.field.setText("tide table")
    driver.wait(lambda: archive.model.rowCount() > 0, "the original is found")
    driver.window.search_originals()
    driver.live(0.5)


def folding_undone(driver: Driver) -> None:
    """One click, and the earlier context is back exactly."""
    _panel(driver).archive.field.clear()
    driver.click(_panel(driver).summary.undo)
    driver.wait(lambda: driver.chat.folded is None, "the summary is out of use")
    driver.wait(lambda: not _holds_memo(driver), "the next request is as before")
    driver.live(0.6)


def cache(driver: Driver) -> None:
    """What the prompt cache gave back, turn by turn."""
    driver.window.show_panel("cache")
    driver.wait(lambda: driver.chat.cache.report is not None, "the requests are read")
    report = driver.chat.cache.report
    hold(report is not None and len(report.turns) > 2, "each turn has its figures")
    driver.live(0.4)


def _panel(driver: Driver) -> CompactionPanel:
    return driver.window.inspector.compaction


def _lost(driver: Driver) -> list[str]:
    check = driver.chat.proposal.check
    return [value.text for value in check.lost] if check is not None else []


def _holds_memo(driver: Driver) -> bool:
    preview = driver.chat.preview
    return preview is not None and preview.row(Segment.SUMMARY) is not None


CHAPTER = Chapter(
    (
        folding_arrives,
        folding_proposed,
        folding_edited,
        folding_put_back,
        folded,
        archive,
        folding_undone,
        cache,
    )
)
