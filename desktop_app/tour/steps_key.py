"""The key of one's own endpoint, on a system without a safe store of keys."""

from __future__ import annotations

from desktop_app.core.settings import DEFAULT_PROFILE, DEMO_PROFILE
from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver


def key_without_a_store(driver: Driver) -> None:
    """Without a safe store the page says so, and what can be done."""
    driver.session.use_profile(DEFAULT_PROFILE)
    driver.wait(lambda: driver.session.endpoint is not None and not driver.session.endpoint.store, "nobody keeps keys")
    driver.window.open_settings()
    driver.window.settings_page.show_key_field()
    driver.live(0.6)
    hold(driver.window.settings_page.endpoint.key_store.isVisible(), "the choices are shown")


def back_to_the_demo(driver: Driver) -> None:
    """Each profile has its own conversations, facts and endpoint."""
    driver.window.close_settings()
    hold(driver.session.conversations.rowCount() == 0, "the other profile has no conversation of the Demo")
    driver.session.use_profile(DEMO_PROFILE)
    driver.wait(lambda: driver.session.conversations.rowCount() > 1, "the conversations of the Demo are listed")
    driver.window.show_panel("context")
    driver.live(0.4)


CHAPTER = Chapter((key_without_a_store, back_to_the_demo))
