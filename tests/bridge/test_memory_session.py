"""Facts as the panel works with them: lists, search, history, undo, pending ones, profiles, other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop_app.bridge.fact_words import day_word, history_line
from desktop_app.bridge.memory_session import MemorySession
from desktop_app.bridge.visible_text import hidden_marks, visible_text
from desktop_app.bridge.word_changes import Change, word_changes
from desktop_app.core.errors import AppError, BadInput, FactChanged, NotFound
from desktop_app.core.fact_relations import Relation
from desktop_app.core.facts import Fact, FactAction, FactActor, FactChange, FactOrigin, FactSource, FactState
from desktop_app.core.recall.values import FactHit
from desktop_app.core.words import load_words
from desktop_app.services.memory import Standing
from tests.fakes.memory_room import MemoryRoom, open_room

TODAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, 0).astimezone()


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> Iterator[MemoryRoom]:
    with open_room(tmp_path) as room:
        qtbot.waitUntil(lambda: room.session.loaded)
        yield room


@pytest.fixture
def session(room: MemoryRoom) -> MemorySession:
    return room.session


def told(qtbot: QtBot, session: MemorySession, act: Callable[[], None]) -> None:
    """Acts and waits until the list was read again."""
    with qtbot.waitSignal(session.listChanged, timeout=5_000):
        act()


def listed(session: MemorySession) -> list[str]:
    return [fact.key for fact in session.facts.facts]


def cells(session: MemorySession, place: int) -> list[str]:
    model = session.facts
    return [str(model.index(place, column).data()) for column in range(model.columnCount())]


def chosen(qtbot: QtBot, session: MemorySession, fact_id: str) -> None:
    """Chooses a fact and waits for its history."""
    session.select(fact_id)
    qtbot.waitUntil(lambda: session.detail is not None and bool(session.detail.history))


# -- list and search --------------------------------------------------------------------------------


def test_a_new_fact_stands_in_the_list_and_a_pinned_one_first(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    assert (session.count, listed(session)) == (0, [])
    told(qtbot, session, lambda: session.add("coffee", "dark roast", "preference"))
    told(qtbot, session, lambda: session.add("backup_path", "/srv/backup\n/nas-7"))
    assert listed(session) == ["backup_path", "coffee"]
    assert cells(session, 1) == ["", "coffee", "dark roast", "preference", "you", "–"]
    assert cells(session, 0)[2] == "/srv/backup /nas-7"
    told(qtbot, session, lambda: session.pin(session.facts.facts[1].id, True))
    assert listed(session) == ["coffee", "backup_path"]
    sentence = session.facts.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert sentence == "coffee: dark roast, preference, from you, last used: –, pinned"
    assert session.count == 2


def test_the_language_changes_the_cells_and_keeps_the_rows(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    told(qtbot, session, lambda: session.add("coffee", "dark roast"))
    resets: list[None] = []
    session.facts.modelReset.connect(lambda: resets.append(None))
    session.facts.set_words(load_words("ko"))
    assert cells(session, 0)[4] == "나"
    assert resets == []


def test_what_holds_the_letters_typed_comes_first_and_at_once(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [
        room.add(key, value)
        for key, value in (("backup_path", "/srv/backup/nas-7"), ("커피_취향", "진한 커피"), ("plumber", "after 18:00"))
    ]

    async def by_meaning(text: str) -> list[FactHit]:
        return [FactHit(facts[0], 2.0), FactHit(facts[2], 1.0)] if text in ("AFTER", "pipes") else []

    monkeypatch.setattr(room.services.memory, "search", by_meaning)
    told(qtbot, session, session.reload)
    for text, typed, found in (
        ("bac", ["backup_path"], ["backup_path"]),
        ("커피", ["커피_취향"], ["커피_취향"]),
        ("AFTER", ["plumber"], ["plumber", "backup_path"]),
        ("pipes", None, ["backup_path", "plumber"]),
        ("zzzz", None, []),
    ):
        session.search(text)
        assert typed is None or listed(session) == typed
        qtbot.waitUntil(lambda text=text, found=found: (session.found, listed(session)) == (text, found))
        assert session.count == 3
    told(qtbot, session, lambda: session.search("  "))
    assert len(listed(session)) == 3
    assert session.found == ""


def test_the_real_search_finds_a_word_of_the_value(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    room.add("plumber", "comes after 18:00")
    told(qtbot, session, session.reload)
    session.search("who comes?")
    qtbot.waitUntil(lambda: session.found == "who comes?" and listed(session) == ["plumber"], timeout=15_000)


def test_only_the_last_of_several_searches_is_shown(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = {key: room.add(key, "a value") for key in ("backup_path", "plumber")}

    async def search(text: str) -> list[FactHit]:
        return [FactHit(facts["plumber" if text == "plumber" else "backup_path"], 1.0)]

    monkeypatch.setattr(room.services.memory, "search", search)
    session.search("plumber")
    session.reload()
    session.search("backup")
    qtbot.waitUntil(lambda: session.found == "backup" and listed(session) == ["backup_path"])


def test_every_one_of_many_facts_is_listed_and_only_some_fit_the_prompt(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    for number in range(250):
        room.add(f"fact_{number:04d}", f"the value of number {number} and some more words " * 3)
    told(qtbot, session, session.reload)
    assert (session.count, session.facts.rowCount()) == (250, 250)
    newest, oldest = session.facts.facts[0].id, session.facts.facts[-1].id
    chosen(qtbot, session, newest)
    assert session.detail is not None and session.detail.in_prompt
    assert 20 < session.detail.tokens < 120
    chosen(qtbot, session, oldest)
    assert session.detail is not None and not session.detail.in_prompt
    room.change_profile(facts_budget=60_000)
    qtbot.waitUntil(lambda: session.detail is not None and session.detail.in_prompt)


# -- one fact ---------------------------------------------------------------------------------------


def test_the_detail_tells_history_source_and_where_the_text_stands(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    conversation, messages = room.conversation("Backups plan", "Keep it for 35 days.", "I said 35 days.")
    room.conversation("Other", "35 days")
    source = FactSource(messages[0].id, conversation.id, "Keep it for 35 days.")
    fact = room.propose("backup_retention", "30 days", source, pending=False)
    told(qtbot, session, session.reload)
    session.select(fact.id)
    told(
        qtbot,
        session,
        lambda: session.edit(fact.id, key="backup_retention", value="35 days", category="home", expected=fact.revision),
    )
    qtbot.waitUntil(lambda: session.detail is not None and len(session.detail.history) == 2)
    assert session.detail is not None
    qtbot.waitUntil(lambda: session.detail is not None and session.detail.standing == Standing(3, 2))
    lines = [history_line(load_words("en"), change) for change in session.detail.history]
    assert [line.partition(" ")[2] for line in lines] == [
        "Claude: added",
        "you: 30 days → 35 days; category – → home; now from you",
    ]
    assert session.source_title(session.detail.fact) is None
    assert session.source_title(fact) == "Backups plan"
    with qtbot.waitSignal(session.sourceAsked) as asked:
        session.show_source(fact)
    assert asked.args == [conversation.id, messages[0].id]
    room.conversations.show([])
    assert session.source_title(fact) is None


def test_undo_of_the_last_change(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    fact = room.add("coffee", "dark roast")
    told(qtbot, session, session.reload)
    told(qtbot, session, lambda: session.edit(fact.id, key="coffee", value="tea", category="", expected=fact.revision))
    chosen(qtbot, session, fact.id)
    assert session.detail is not None and session.detail.last_change is not None
    number = session.detail.last_change.number
    told(qtbot, session, lambda: session.undo(number))
    assert room.facts() == [("coffee", "dark roast")]
    qtbot.waitUntil(lambda: session.detail is not None and session.detail.fact.value == "dark roast")


def test_a_deletion_tells_where_the_text_still_stands_and_can_be_undone(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    room.conversation("Coffee", "I like dark roast", "dark roast, please")
    fact = room.add("coffee", "dark roast")
    told(qtbot, session, session.reload)
    session.select(fact.id)
    assert session.detail is not None
    with qtbot.waitSignal(session.deleted, timeout=5_000) as deleted:
        session.delete(fact.id)
    change, standing = deleted.args
    assert (change.action, standing) == (FactAction.DELETED, Standing(2, 1))
    qtbot.waitUntil(lambda: session.detail is None)
    assert room.facts() == []
    told(qtbot, session, lambda: session.undo(change.number))
    assert room.facts() == [("coffee", "dark roast")]


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("", "x", "fact_key_blank"),
        ("k" * 121, "x", "fact_key_long"),
        ("k", " \u200b", "fact_value_blank"),
        ("k", "x" * 8_001, "fact_value_long"),
        ("plumber", "x", "fact_key_taken"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession, key: str, value: str, why: str
) -> None:
    room.add("plumber", "after 18:00")
    fact = room.add("coffee", "dark roast")
    failed: list[AppError] = []
    session.failed.connect(failed.append)
    with qtbot.waitSignal(session.refused, timeout=5_000) as refused:
        session.edit(fact.id, key=key, value=value, category="", expected=fact.revision)
    error = refused.args[0]
    assert isinstance(error, BadInput)
    assert error.params["why"] == why
    assert room.facts() == [("coffee", "dark roast"), ("plumber", "after 18:00")]
    assert failed == []


def test_what_is_gone_fails_and_the_list_is_read_again(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    fact = room.add("coffee", "dark roast")
    room.run(room.services.memory.delete(fact.id))
    failed: list[AppError] = []
    session.failed.connect(failed.append)
    told(qtbot, session, lambda: session.edit("nobody", key="a", value="b", category="", expected=1))
    assert len(failed) == 1 and isinstance(failed[0], NotFound)


def test_a_key_is_found_in_any_form(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    room.add("Backup Path", "/srv")
    told(qtbot, session, session.reload)
    same = session.with_key("  backup   PATH ")
    assert same is not None and same.value == "/srv"
    assert session.with_key("backup") is None


# -- waiting facts ----------------------------------------------------------------------------------


def test_waiting_facts_are_accepted_edited_and_denied(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    for key, value in (("first", "1"), ("second", "2"), ("third", "3")):
        room.propose(key, value)
    told(qtbot, session, session.reload)
    assert [fact.key for fact in session.pending] == ["first", "second", "third"]
    assert session.count == 0
    for value in (None, "2 and a half"):
        front = session.front
        assert front is not None
        told(qtbot, session, lambda front=front, value=value: session.accept(front, value, front.shown))  # type: ignore[misc]
    told(qtbot, session, lambda: session.deny(session.pending[0].id))
    assert session.pending == ()
    assert room.facts() == [("first", "1"), ("second", "2 and a half")]
    assert room.facts(FactState.PENDING) == []


@pytest.mark.parametrize("act", ["edit", "accept", "merge", "keep_both"])
def test_what_another_process_changed_is_not_written_over(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession, act: str
) -> None:
    """The person answers to what they saw; what there is now is read again, and the answer to that is carried out."""
    city = room.add("city", "Seoul")
    room.propose_beside("home", "Busan", city, Relation.CONTRADICTS)
    told(qtbot, session, session.reload)
    edit = room.services.memory.edit

    def answer() -> None:
        front = session.front
        assert front is not None
        seen = front.bearing[0].fact
        {
            "edit": lambda: session.edit(
                city.id, key="city", value=f"{seen.value}!", category="place", expected=seen.revision
            ),
            "accept": lambda: session.accept(front, None, front.shown),
            "merge": lambda: session.merge(front, f"{seen.value}, Busan", front.shown),
            "keep_both": lambda: session.keep_both(front.fact.id, None, None, front.shown),
        }[act]()

    changed = session.pending[0].id if act == "keep_both" else city.id
    room.run(edit(changed, value="Daegu"))
    before = room.facts(), room.facts(FactState.PENDING)
    with qtbot.waitSignal(session.refused, timeout=5_000) as refused:
        answer()
    assert isinstance(refused.args[0], FactChanged)
    assert (room.facts(), room.facts(FactState.PENDING)) == before
    qtbot.waitUntil(lambda: "Daegu" in str(session.front))
    with qtbot.waitSignal(session.kept, timeout=5_000):
        answer()
    assert (
        room.facts()
        == {
            "edit": [("city", "Daegu!")],
            "accept": [("home", "Busan")],
            "merge": [("city", "Daegu, Busan")],
            "keep_both": [("city", "Seoul"), ("home", "Daegu")],
        }[act]
    )


def test_a_fact_accepted_elsewhere_is_not_denied_here(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    waiting = room.propose("city", "Busan")
    told(qtbot, session, session.reload)
    room.run(room.services.memory.accept(waiting.id))
    failed: list[AppError] = []
    session.failed.connect(failed.append)
    told(qtbot, session, lambda: session.deny(waiting.id))
    assert [type(error) for error in failed] == [FactChanged]
    assert room.facts() == [("city", "Busan")]


def test_facts_that_were_put_away_are_listed_by_their_state_and_brought_back(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    tea, rice = room.add("tea", "green"), room.add("rice", "brown")
    told(qtbot, session, session.reload)
    told(qtbot, session, lambda: session.set_aside(tea.id, archive=False))
    told(qtbot, session, lambda: session.set_aside(rice.id, archive=True))
    assert (session.count, listed(session)) == (0, [])
    for state, key in ((FactState.PAUSED, "tea"), (FactState.ARCHIVED, "rice")):
        told(qtbot, session, lambda state=state: session.list_state(state))  # type: ignore[misc]
        assert listed(session) == [key]
        chosen(qtbot, session, session.facts.facts[0].id)
        session.search("zzz")
        qtbot.waitUntil(lambda: listed(session) == [])
        session.search("")
        detail = session.detail
        assert detail is not None
        assert detail.fact.state is state
        session.bring_back(detail.fact)
        qtbot.waitUntil(lambda: listed(session) == [])
    told(qtbot, session, lambda: session.list_state(FactState.ACTIVE))
    assert sorted(listed(session)) == ["rice", "tea"]


# -- pause, price, profiles -------------------------------------------------------------------------


def test_pause_is_a_setting_of_the_profile(qtbot: QtBot, room: MemoryRoom, session: MemorySession) -> None:
    with qtbot.waitSignal(session.pausedChanged):
        session.pause(True)
    assert session.paused
    assert room.settings.profile.memory is False
    with qtbot.waitSignal(session.pausedChanged):
        session.pause(False)
    assert room.settings.profile.memory is True


def test_a_rebuild_is_of_the_conversation_in_front(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    async def rebuild(conversation_id: str) -> None:
        begun.append(conversation_id)

    monkeypatch.setattr(room.services.memory, "rebuild", rebuild)
    session.rebuild()
    session.set_conversation("c1")
    with qtbot.waitSignals([session.rebuilt, session.changed], timeout=5_000):
        session.rebuild()
    assert begun == ["c1"]


def test_facts_of_one_profile_are_never_shown_in_another(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    room.propose("waits", "secret")
    fact = room.add("coffee", "secret roast")
    told(qtbot, session, session.reload)
    told(qtbot, session, lambda: session.search("secret"))
    session.select(fact.id)
    session.reload()  # still under way when the profile changes
    room.use_profile("work")
    assert (session.loaded, session.count, session.pending, listed(session)) == (False, 0, (), [])
    assert session.detail is None
    assert session.query == ""
    qtbot.waitUntil(lambda: session.loaded)
    assert (session.count, session.pending, listed(session)) == (0, (), [])
    told(qtbot, session, lambda: session.add("coffee", "tea at work"))
    with qtbot.waitSignal(session.failed, timeout=5_000) as failed:
        session.delete(fact.id)
    assert isinstance(failed.args[0], NotFound)
    room.use_profile("default")
    qtbot.waitUntil(lambda: session.loaded)
    assert [(fact.key, fact.value) for fact in session.facts.facts] == [("coffee", "secret roast")]


def test_what_another_process_wrote_is_there_after_a_reload(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    fact = room.add("coffee", "dark roast")
    told(qtbot, session, session.reload)
    chosen(qtbot, session, fact.id)
    room.run(room.services.memory.edit(fact.id, value="tea"))
    told(qtbot, session, session.reload)
    assert session.detail is not None and session.detail.fact.value == "tea"
    room.run(room.services.memory.delete(fact.id))
    told(qtbot, session, session.reload)
    assert session.detail is None


def test_each_write_tells_that_the_next_request_is_another(
    qtbot: QtBot, room: MemoryRoom, session: MemorySession
) -> None:
    with qtbot.waitSignals([session.changed, session.kept], timeout=5_000):
        session.add("coffee", "dark roast")


# -- words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moment", "english", "korean"),
    [
        (None, "–", "–"),
        (NOON, "today", "오늘"),
        (NOON - timedelta(days=1), "yesterday", "어제"),
        (NOON - timedelta(days=27), "3 Nov", "11월 3일"),
        (NOON - timedelta(days=400), "26 Oct 2025", "2025. 10. 26."),
    ],
)
def test_days_in_words(moment: datetime | None, english: str, korean: str) -> None:
    assert day_word(load_words("en"), moment, TODAY) == english
    assert day_word(load_words("ko"), moment, TODAY) == korean


def test_lines_of_history() -> None:
    at = datetime(2026, 11, 3, 9, tzinfo=UTC)
    before = Fact("f", "default", "k", "30 days", FactState.ACTIVE, FactOrigin.YOU, 1, at, at)
    after = replace(before, value="35\u202e days", key="k2")
    change = FactChange(2, "f", FactAction.EDITED, FactActor.YOU, at, before, after)
    line = "3 Nov you: 30 days → 35⟨RLO⟩ days; key k → k2"
    assert history_line(load_words("en"), change, TODAY) == line
    assert history_line(load_words("en"), replace(change, undone=True), TODAY) == f"{line} (taken back)"
    proposed = replace(change, action=FactAction.PROPOSED, before=None, by=FactActor.ASSISTANT)
    assert history_line(load_words("ko"), proposed, TODAY) == "11월 3일 Claude: 제안"
    undone = replace(change, action=FactAction.UNDONE, before=after, after=before)
    assert history_line(load_words("en"), undone, TODAY) == (
        "3 Nov you: taken back; 35⟨RLO⟩ days → 30 days; key k2 → k"
    )


@pytest.mark.parametrize(
    ("changes", "english", "korean"),
    [
        ({"expires_at": NOON}, "holds until today", "오늘까지 유효"),
        ({"scope": "c1"}, "holds only in “Trip”", "“Trip”에서만 유효"),
        ({"scope": "gone"}, "holds only in “Untitled”", "“제목 없음”에서만 유효"),
        ({"origin": FactOrigin.ASSISTANT}, "now from Claude", "이제 출처: Claude"),
    ],
)
def test_history_tells_what_changed_beside_the_text(changes: dict[str, Any], english: str, korean: str) -> None:
    at = datetime(2026, 11, 3, 9, tzinfo=UTC)
    fact = Fact("f", "default", "k", "v", FactState.ACTIVE, FactOrigin.YOU, 1, at, at)
    change = FactChange(2, "f", FactAction.EDITED, FactActor.YOU, at, fact, replace(fact, **changes))
    titles = {"c1": "Trip"}
    assert history_line(load_words("en"), change, TODAY, titles.get) == f"3 Nov you: {english}"
    assert history_line(load_words("ko"), change, TODAY, titles.get) == f"11월 3일 나: {korean}"
    back = replace(change, before=change.after, after=fact)
    told = {"scope": "holds everywhere", "expires_at": "no longer ends", "origin": "now from you"}
    assert history_line(load_words("en"), back, TODAY) == f"3 Nov you: {told[next(iter(changes))]}"


def test_hidden_characters_are_shown_and_everything_else_stays() -> None:
    assert visible_text("a\u202eb\u200b\n  c\td\r\ne 🏳️‍🌈") == "a⟨RLO⟩b⟨ZWSP⟩\n  c\td\ne 🏳️‍🌈"
    assert hidden_marks("a\u202eb\u200b\u200b\u2028") == "⟨RLO⟩ ⟨ZWSP⟩ ⟨U+2028⟩"
    assert hidden_marks("a  b\n\tc\r\n가나\u00a0다") == ""


def test_changes_word_by_word() -> None:
    old, new = word_changes("30 days, kept at home", "35 days, kept at the office")
    assert [piece.text for piece in old if piece.change is Change.GONE] == ["30", "home"]
    assert [piece.text for piece in new if piece.change is Change.NEW] == ["35", "the office"]
    for text, pieces in (("30 days, kept at home", old), ("35 days, kept at the office", new)):
        assert "".join(piece.text for piece in pieces) == text
    whole = word_changes("a " * 3_000, "b " * 3_000)
    assert [[piece.change for piece in pieces] for pieces in whole] == [[Change.GONE], [Change.NEW]]
