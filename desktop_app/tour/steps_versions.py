"""Other versions of what was said, and another conversation beside it."""

from __future__ import annotations

from desktop_app.bridge.session_state import Phase
from desktop_app.tour.chapter import Chapter, hold, shown
from desktop_app.tour.driver import Driver, text_of


def edit(driver: Driver) -> None:
    """An earlier message is changed and sent again; the first version stays."""
    row, entry = next((row, entry) for row, entry in enumerate(driver.entries()) if "blue box" in text_of(entry))
    driver.window.conversation.reveal(entry.id)
    driver.live(0.2)
    view = driver.view(row)
    driver.click(shown(view.actions_row.tools).edit)
    editor = shown(view.editor)
    editor.edit.setPlainText("My spare key is with our neighbour Kim.")
    driver.click(editor.send)
    driver.answered()
    driver.wait(lambda: driver.entries()[row].branch == (2, 2), "there are two versions")
    driver.send("Where is my spare key?")
    hold("neighbour Kim" in text_of(driver.answered()), "the answer knows the changed text")


def regenerate(driver: Driver) -> None:
    """An answer is asked for again; both can be looked at."""
    row = driver.chat.messages.rowCount() - 1
    driver.click(shown(driver.view(row).actions_row.tools).again)
    driver.answered()
    driver.wait(lambda: driver.last().branch == (2, 2), "there are two answers")
    driver.view(driver.chat.messages.rowCount() - 1)


def second_conversation(driver: Driver) -> None:
    """Two conversations stream side by side."""
    driver.send("Please write 300 words about trams.")
    first = driver.chat
    driver.wait(lambda: first.state.phase is Phase.STREAMING, "the first streams")
    driver.click(driver.window.sidebar.new_chat)
    driver.send("Please write 90 words about bridges.")
    second = driver.chat
    driver.wait(lambda: second.state.phase is Phase.STREAMING and first.state.busy, "both stream")
    driver.live(0.8)
    hold(first is not second, "they are two")
    driver.wait(lambda: not first.state.busy and not second.state.busy, "both end")
    driver.live(0.4)


CHAPTER = Chapter((edit, regenerate, second_conversation))
