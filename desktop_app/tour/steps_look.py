"""The window itself: its settings, a restart, both palettes, both languages, every act by its name."""

from __future__ import annotations

from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver, text_of


def settings(driver: Driver) -> None:
    """Everything one can choose, on one page."""
    driver.click(driver.window.top_bar.settings)
    driver.live(0.4)
    hold(driver.window.settings_page.isVisible(), "the settings are open")


def restart(driver: Driver) -> None:
    """Closed and opened again, everything is there and the talk goes on."""
    conversation = driver.conversation_about("harbour")
    letters = _all_letters(driver, conversation)
    listed = driver.session.conversations.rowCount()
    driver.restart()
    driver.wait(lambda: driver.session.conversations.rowCount() == listed, "all conversations are listed")
    driver.session.open_conversation(conversation)
    driver.wait(lambda: driver.chat.loaded and driver.chat.messages.rowCount() > 4, "the conversation is loaded")
    hold(_all_letters(driver, conversation) == letters, "every letter is there")
    driver.send("And where is my spare key?")
    hold("neighbour Kim" in text_of(driver.answered()), "the talk goes on")


def dark_in_english(driver: Driver) -> None:
    """The dark palette: the chat beside the context of its next request."""
    driver.session.update_settings(theme="dark")
    driver.wait(lambda: driver.chat.preview is not None, "the next request is computed")
    driver.live(0.5)
    hold(driver.window.context.isVisible(), "the Context panel is shown")


def korean(driver: Driver) -> None:
    """The other language, switched while the window is open."""
    driver.session.update_settings(language="ko", theme="light")
    driver.live(0.3)
    driver.send("고양이 사료는 창고 둘째 칸에 있어요.")
    driver.answered()
    driver.send("고양이 사료는 어디에 있어요?")
    hold("둘째 칸" in text_of(driver.answered()), "the answer is read from the request")


def dark_in_korean(driver: Driver) -> None:
    """The dark palette in the other language."""
    driver.session.update_settings(theme="dark")
    driver.live(0.5)


def dark_cache(driver: Driver) -> None:
    """What broke the cache, in the dark and in Korean."""
    driver.session.open_conversation(driver.conversation_about("skis"))
    driver.window.show_panel("cache")
    driver.wait(lambda: bool(driver.chat.truth.misses), "the miss is found")
    driver.live(0.5)


def dark_spending(driver: Driver) -> None:
    """What was spent, in the dark and in Korean."""
    driver.window.open_money()
    driver.live(0.5)


def dark_settings(driver: Driver) -> None:
    """The settings, dark and in Korean."""
    driver.window.close_settings()
    driver.click(driver.window.top_bar.settings)
    driver.live(0.4)


def palette(driver: Driver) -> None:
    """Every act by its name."""
    driver.click(driver.window.top_bar.settings)
    driver.window.open_palette()
    driver.live(0.4)


def _all_letters(driver: Driver, conversation: str) -> str:
    driver.session.open_conversation(conversation)
    driver.wait(lambda: driver.chat.loaded, "the conversation is loaded")
    return "".join(text_of(entry) for entry in driver.entries())


CHAPTER = Chapter(
    (settings, restart, dark_in_english, korean, dark_in_korean, dark_cache, dark_spending, dark_settings, palette)
)
