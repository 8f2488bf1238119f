"""What was recalled for an answer, over the real services and the simulator: followed, chosen, tried, gone since."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.recall_models import all_stand, counts, find_rows
from desktop_app.core.errors import MemoryPaused
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.recollection import Fate
from desktop_app.core.words import load_words
from tests.bridge.chat_acts import Open, ask, current

TOLD = "The spare key of the boathouse hangs behind the blue shutter."
ASKED = "Where does the spare key of the boathouse hang?"


def told_and_asked(qtbot: QtBot, session: AppSession) -> ChatSession:
    """Something is said in one conversation and asked for in the next."""
    first = current(session)
    ask(qtbot, first, TOLD)
    session.new_conversation()
    chat = current(session)
    chat.recall.watch(True)
    ask(qtbot, chat, ASKED)
    qtbot.waitUntil(lambda: chat.recall.found is not None and bool(chat.recall.found.finds), timeout=10_000)
    return chat


def test_the_newest_answer_is_followed_until_another_is_chosen(qtbot: QtBot, open_session: Open) -> None:
    session = open_session()
    chat = told_and_asked(qtbot, session)
    recall, words = chat.recall, load_words("en")
    first = recall.question
    assert first is not None and first.text == ASKED and recall.found is not None
    row = find_rows(words, recall.found.finds)[0]
    assert (row.kind, row.told, row.text) == (PassageKind.TURN, True, TOLD)
    assert row.about.startswith("you, ") and row.source is not None
    assert counts(words, [row]) == "1\u00a0passage of a conversation"
    assert abs(sum(part.value for part in row.parts) - row.score) < 0.01
    answer = chat.messages.entry(1)
    assert answer.question == first.id and any("blue shutter" in line for line in answer.notes)
    recall.show(first.id)
    ask(qtbot, chat, "Thank you.")
    qtbot.waitUntil(lambda: recall.count == 2, timeout=10_000)
    assert recall.question is not None and (recall.question.id, recall.place) == (first.id, 1)
    recall.step(1)
    qtbot.waitUntil(lambda: not recall.searched and recall.place == 2, timeout=10_000)
    assert recall.found is None, "thanks are searched for nowhere"
    session.delete(row.source[0])
    qtbot.waitUntil(lambda: row.source is not None and row.source[0] not in session.conversations.ids(), timeout=10_000)
    recall.show(first.id)
    qtbot.waitUntil(lambda: recall.found is not None and find_rows(words, recall.found.finds)[0].gone, timeout=10_000)
    assert recall.found is not None
    gone = find_rows(words, recall.found.finds)[0]
    assert (gone.name, gone.source) == ("Deleted since", None) and TOLD not in gone.text


def test_a_text_is_tried_and_the_last_one_wins(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(facts_budget=4_000)
    memory = session.memory
    assert memory is not None
    with qtbot.waitSignal(memory.kept, timeout=10_000):
        memory.add("boathouse key", "behind the blue shutter")
    recall = current(session).recall
    recall.watch(True)
    assert recall.question is None and recall.found is None
    recall.try_text("bicycle")
    recall.try_text("Where is the boathouse key?")
    qtbot.waitUntil(lambda: recall.tried is not None, timeout=10_000)
    assert recall.tried is not None
    best = recall.tried[0]
    assert best.find.fate is Fate.IN_PROMPT and best.fact is not None and best.fact.key == "boathouse key"
    recall.try_text("")
    assert (recall.query, recall.tried) == ("", None)
    chat = current(session)
    ask(qtbot, chat, "What shall we eat?")
    qtbot.waitUntil(lambda: recall.found is not None, timeout=10_000)
    assert recall.found is not None
    assert recall.found.in_block == 1
    session.update_profile(memory=False)
    ask(qtbot, chat, "And what do we drink?")
    qtbot.waitUntil(lambda: recall.count == 2 and not recall.searched, timeout=10_000)
    assert recall.found is None
    recall.try_text("Where is the boathouse key?")
    qtbot.waitUntil(lambda: recall.trial_error is not None, timeout=10_000)
    assert recall.tried is None and isinstance(recall.trial_error, MemoryPaused)
    assert all_stand(load_words("en"), 34).startswith("All 34 facts stand in the prompt")
