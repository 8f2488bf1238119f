"""The past folds into a memo, comes back by one click, and the cache tells what it gave back."""

from __future__ import annotations

from desktop_app.bridge.session_state import Phase
from desktop_app.core.segment import Segment
from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver


def folding_arrives(driver: Driver) -> None:
    """The messages that fold are marked in the chat, the memo arrives in the panel."""
    driver.session.open_conversation(driver.conversation_about("harbour"))
    driver.wait(lambda: driver.chat.loaded, "the conversation is loaded")
    driver.session.update_profile(fold_tokens=3_000, fold_keep=300, fold_automatically=False)
    driver.window.show_panel("compaction")
    form = driver.window.inspector.compaction.form
    driver.wait(form.open.isEnabled, "something can be folded")
    driver.click(form.open)
    form.focus.setText("where things are kept")
    driver.live(0.3)
    driver.click(form.fold)
    driver.wait(lambda: driver.chat.state.phase is Phase.FOLDING, "the folding runs")
    memo = driver.window.inspector.compaction.running.card.memo
    driver.wait(lambda: len(memo.toPlainText()) > 60, "the memo arrives")


def folded(driver: Driver) -> None:
    """The memo stands in place of what it folded, in the panel, in the chat and in the next request."""
    driver.wait(lambda: not driver.chat.state.busy, "the folding ends")
    driver.wait(lambda: driver.chat.folded is not None, "the memo is in use")
    driver.wait(lambda: _holds_memo(driver), "the next request holds the memo")
    driver.live(0.6)


def folding_undone(driver: Driver) -> None:
    """One click, and the earlier context is back exactly."""
    driver.click(driver.window.inspector.compaction.summary.undo)
    driver.wait(lambda: driver.chat.folded is None, "the memo is out of use")
    driver.wait(lambda: not _holds_memo(driver), "the next request is as before")
    driver.live(0.6)


def cache(driver: Driver) -> None:
    """What the prompt cache gave back, turn by turn."""
    driver.window.show_panel("cache")
    driver.wait(lambda: driver.chat.cache.report is not None, "the requests are read")
    report = driver.chat.cache.report
    hold(report is not None and len(report.turns) > 2, "each turn has its figures")
    driver.live(0.4)


def _holds_memo(driver: Driver) -> bool:
    preview = driver.chat.preview
    return preview is not None and preview.row(Segment.SUMMARY) is not None


CHAPTER = Chapter((folding_arrives, folded, folding_undone, cache))
