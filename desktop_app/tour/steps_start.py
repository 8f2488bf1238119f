"""The beginning: a fresh machine, and one click to an assistant without a key."""

from __future__ import annotations

from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver

_INSTRUCTIONS = "Answer briefly and name the place where you read something. The backups go to the NAS every night."


def first_run(driver: Driver) -> None:
    """The page a new person sees."""
    driver.wait(lambda: driver.session.is_ready, "the data is open")
    driver.live(0.5)
    hold(driver.window.first_run.isVisible(), "the first page is shown")


def try_without_a_key(driver: Driver) -> None:
    """One click leads to the simulated assistant."""
    driver.click(driver.window.first_run.demo.main)
    driver.wait(lambda: driver.session.endpoint is not None and bool(driver.session.endpoint.models), "it runs")
    driver.live(0.5)
    hold(driver.window.conversation.empty.isVisible(), "the empty chat explains itself")
    driver.session.update_profile(instructions=_INSTRUCTIONS)


CHAPTER = Chapter((first_run, try_without_a_key))
