"""Requests: one of the past as it was sent, and one that the endpoint refuses for a moment."""

from __future__ import annotations

from desktop_app.bridge.session_state import Phase
from desktop_app.tour.chapter import Chapter
from desktop_app.tour.driver import Driver

_REFUSED = "Are you still there?"


def past_request(driver: Driver) -> None:
    """A request of the past, exactly as it was sent."""
    driver.session.open_conversation(driver.conversation_about("harbour"))
    driver.wait(lambda: len(driver.chat.history) > 3, "the history is loaded")
    driver.chat.show_request(driver.chat.history[0].id)
    driver.live(0.5)
    driver.window.context.open_raw()
    driver.live(0.5)


def waiting_for_the_next_try(driver: Driver) -> None:
    """The endpoint is busy; the countdown to the next try is in the open."""
    driver.close_dialogs()
    driver.send(_REFUSED)
    driver.wait(lambda: driver.chat.state.phase is Phase.RETRYING, "the countdown runs")
    driver.live(0.5)


def try_now(driver: Driver) -> None:
    """One need not wait."""
    driver.click(driver.window.composer.state_line.retry)
    driver.answered()


CHAPTER = Chapter(
    (past_request, waiting_for_the_next_try, try_now),
    # One answer is refused for six seconds, so that the countdown can be seen.
    ({"action": "status", "status": 429, "retry_after": 6, "count": 1, "match": {"text": _REFUSED}},),
)
