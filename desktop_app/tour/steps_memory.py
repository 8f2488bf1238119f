"""Memory: facts kept by hand and through the gate, changed, deleted, unknown afterwards; what was said, recalled."""

from __future__ import annotations

from PySide6.QtCore import Qt

from desktop_app.bridge.memory_session import MemorySession
from desktop_app.core.facts import Fact, FactOrigin
from desktop_app.tour.chapter import Chapter, hold, shown
from desktop_app.tour.driver import Driver, text_of

_FOUND = 2
_EDITED_AWAY = "blue box"
_REMEMBER = "Remember that my bicycle is green."
_CHANGED = "Remember that my bicycle is red."
_ASK = "What is my bicycle?"
_SAID = "The ladder of the boathouse leans behind the blue shutter."
_ASKED = "Where does the ladder of the boathouse lean?"


def inbox(driver: Driver) -> None:
    """What was found in answered conversations waits, with the sentence it was found in, and is told to nobody."""
    driver.window.show_panel("memory")
    memory = _memory(driver)
    driver.wait(lambda: len(memory.pending) >= _FOUND, "what was said is read")
    hold(all(fact.source is not None and fact.source.quote for fact in memory.pending), "each names its sentence")
    hold(memory.count == 0, "none of it counts yet")
    driver.live(0.3)


def inbox_decided(driver: Driver) -> None:
    """One key denies what was edited away, another accepts what holds; then nothing waits."""
    memory = _memory(driver)
    for fact in memory.pending:
        _decide(driver, fact)
    driver.wait(lambda: memory.count == 1 and driver.window.inspector.memory.inbox.isHidden(), "one fact counts")
    _select(driver, memory.facts.facts[0].key)


def _decide(driver: Driver, fact: Fact) -> None:
    strip, memory = driver.window.inspector.memory.inbox, _memory(driver)
    driver.wait(lambda: strip.fact is not None and strip.fact.id == fact.id, "the next one is in front")
    strip.setFocus()
    driver.press(strip, Qt.Key.Key_D if _EDITED_AWAY in fact.value else Qt.Key.Key_A)
    driver.wait(lambda: all(one.id != fact.id for one in memory.pending), "it is decided")


def fact_by_hand(driver: Driver) -> None:
    """A fact is typed into the Memory panel and stands in the next request."""
    driver.window.show_panel("memory")
    panel = driver.window.inspector.memory
    driver.click(panel.add)
    form = panel.detail.form
    form.key.setText("backup path")
    form.value.setPlainText("/srv/backup/nas-7")
    form.category.setText("home office")
    driver.live(0.2)
    driver.click(panel.detail.save)
    driver.wait(lambda: _value(driver, "backup path") == "/srv/backup/nas-7", "the fact is kept")
    driver.session.new_conversation()
    driver.send("What is the backup path?")
    hold("/srv/backup/nas-7" in text_of(driver.answered()), "the answer comes from the fact")


def gate_asks(driver: Driver) -> None:
    """Before the assistant keeps anything, the person sees exactly what."""
    driver.send(_REMEMBER)
    driver.wait(lambda: driver.session.gate.front is not None, "the question is put")
    driver.wait(lambda: driver.window.questions is not None, "the dialog is open")
    driver.live(0.8)
    hold(_value(driver, "bicycle") == "", "nothing is written yet")


def gate_allowed(driver: Driver) -> None:
    """Yes keeps it, with the message it comes from."""
    questions = driver.window.questions
    hold(questions is not None and questions.dialog is not None, "the dialog is open")
    if questions is not None and questions.dialog is not None:
        driver.click(questions.dialog.allow)
    driver.answered()
    driver.wait(lambda: "green" in _value(driver, "bicycle"), "the fact is kept")
    _select(driver, "bicycle")
    fact = _memory(driver).with_key("bicycle")
    hold(fact is not None and fact.origin is FactOrigin.ASSISTANT and fact.source is not None, "its source is known")


def fact_edited(driver: Driver) -> None:
    """A changed fact is told behind the next message; the prefix stays as it is."""
    panel = driver.window.inspector.memory
    panel.detail.form.value.setPlainText("blue, the green one was stolen")
    driver.live(0.2)
    driver.click(panel.detail.save)
    driver.wait(lambda: "blue" in _value(driver, "bicycle"), "the change is kept")
    driver.send(_ASK)
    hold("blue" in text_of(driver.answered()), "the answer knows the change")


def pinned_waits(driver: Driver) -> None:
    """What contradicts a pinned fact waits in the inbox beside it, until the person decides."""
    panel, memory = driver.window.inspector.memory, _memory(driver)
    driver.click(panel.detail.pin)
    driver.wait(lambda: (fact := memory.with_key("bicycle")) is not None and fact.pinned, "the fact is pinned")
    driver.send(_CHANGED)
    driver.answered()
    driver.wait(lambda: memory.front is not None and memory.front.rival is not None, "it waits beside the pinned one")
    driver.window.show_panel("memory")
    driver.live(0.5)
    hold("blue" in panel.inbox.compared.before.toPlainText(), "the text there is stands beside it")


def person_decides(driver: Driver) -> None:
    """Accepted and replaced: the pinned fact has the new text, and nothing waits any more."""
    driver.click(driver.window.inspector.memory.inbox.replace)
    driver.wait(lambda: "red" in _value(driver, "bicycle"), "the person's choice holds")
    driver.wait(driver.window.inspector.memory.inbox.isHidden, "nothing waits")
    driver.live(0.4)


def fact_deleted(driver: Driver) -> None:
    """Deleted facts leave list, search and every later request; where their text still stands is told."""
    _select(driver, "bicycle")
    driver.click(driver.window.inspector.memory.detail.delete)
    driver.wait(lambda: _memory(driver).with_key("bicycle") is None, "it is gone from the list")
    driver.live(0.6)


def unknown_in_a_new_conversation(driver: Driver) -> None:
    """A new conversation knows nothing of it."""
    driver.session.new_conversation()
    driver.send(_ASK)
    answer = text_of(driver.answered())
    hold("blue" not in answer and "green" not in answer, "the answer does not know it")


def recall(driver: Driver) -> None:
    """What was said in one conversation answers the next; the panel tells what was told beside it, and why."""
    driver.session.new_conversation()
    driver.send(_SAID)
    driver.answered()
    driver.session.new_conversation()
    driver.send(_ASKED)
    driver.answered()
    row = driver.view(1).actions_row
    hold(row.notes is not None and row.notes.text().startswith("used "), "the answer says what it used")
    driver.click(shown(row.notes))
    panel = driver.window.inspector.recall
    driver.wait(lambda: bool(panel.told.cards), "the finds are read")
    said = [card.row for card in panel.told.cards if card.row is not None and card.row.source is not None]
    hold(bool(said) and _SAID in said[0].text, "the first passage is what was said")
    hold("facts stand in the prompt" in panel.summary.text() or "fact there is" in panel.summary.text(), "facts stand")
    hold(abs(sum(part.value for part in said[0].parts) - said[0].score) < 0.02, "the parts sum to the score")
    driver.live(0.3)


def _memory(driver: Driver) -> MemorySession:
    memory = driver.session.memory
    if memory is None:
        raise AssertionError("memory is not open")
    return memory


def _value(driver: Driver, key: str) -> str:
    fact = _memory(driver).with_key(key)
    return fact.value if fact is not None else ""


def _select(driver: Driver, key: str) -> None:
    """Chooses a fact in the table."""
    memory, panel = _memory(driver), driver.window.inspector.memory
    fact = memory.with_key(key)
    if fact is None:
        raise AssertionError(f"there is no fact {key}")
    driver.wait(lambda: memory.facts.place_of(fact.id) is not None, "the fact is listed")
    panel.table.selectRow(memory.facts.place_of(fact.id) or 0)
    driver.wait(lambda: memory.detail is not None and memory.detail.standing is not None, "its history is read")
    driver.live(0.3)


CHAPTER = Chapter(
    (
        inbox,
        inbox_decided,
        fact_by_hand,
        gate_asks,
        gate_allowed,
        fact_edited,
        pinned_waits,
        person_decides,
        fact_deleted,
        unknown_in_a_new_conversation,
        recall,
    )
)
