"""A proposal through the bridge: reviewed, edited, values put back, written again, committed, rejected, undone."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.entries import Fold, FoldEnd
from desktop_app.bridge.fold_notice import SHOW
from desktop_app.bridge.session_state import FoldUndo, Level, Notice
from desktop_app.core import errors
from desktop_app.core.archive import Standing
from desktop_app.core.compaction.compaction import CompactionState, Strategy
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.core.compaction.value_check import Fate
from tests.bridge.chat_acts import Open, ask, current, text_of
from tests.bridge.test_folding import AUTOMATIC, LONG, SHORT, SMALL, compactions, ends, fold, marks, sent, settled
from tests.fakes.simulator import RunningSimulator

FACTS = "The backup lies under /srv/backup/nas-7, ticket INV-2025-00417, port 8443, restic 0.17.3. "


@pytest.fixture
def chat(qtbot: QtBot, open_session: Open) -> ChatSession:
    """A conversation of three turns, the first two long."""
    return with_facts(qtbot, open_session(**SMALL))


def with_facts(qtbot: QtBot, session: AppSession) -> ChatSession:
    chat = current(session)
    for text in (f"{FACTS}{LONG}", f"More notes. {LONG}", "Thank you."):
        ask(qtbot, chat, text)
    settled(qtbot, chat)
    return chat


def propose(qtbot: QtBot, chat: ChatSession, **order: Any) -> None:
    """Folds by hand for review and waits until the values are known."""
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.fold(FoldOrder(review=True, **order))
    settled(qtbot, chat)
    chat.proposal.look()
    qtbot.waitUntil(lambda: chat.proposal.check is not None, timeout=5_000)


def acted(qtbot: QtBot, chat: ChatSession) -> None:
    """Waits until a change of the summary is stored and shown."""
    with qtbot.waitSignal(chat.proposal.revised, timeout=5_000):
        pass
    settled(qtbot, chat)


def states(chat: ChatSession) -> list[CompactionState]:
    return [line.compaction.state for line in chat.folding.log]


def fate_of(chat: ChatSession, text: str) -> Fate:
    assert chat.proposal.check is not None
    return next(value.fate for value in chat.proposal.check.values if value.text == text)


def test_a_proposal_changes_nothing_until_it_is_committed(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    assert chat.folding.proposed is not None
    assert chat.folding.folded is None
    assert marks(chat) == [Fold.PLANNED] * 4 + [Fold.NONE] * 2
    assert ends(chat) == {3: FoldEnd(Fold.PLANNED, 4)}
    assert sent(chat) == (6, False)
    assert fate_of(chat, "/srv/backup/nas-7") is Fate.KEPT
    chat.commit_fold()
    qtbot.waitUntil(lambda: chat.folded is not None, timeout=5_000)
    settled(qtbot, chat)
    assert sent(chat) == (2, True)
    assert marks(chat) == [Fold.FOLDED] * 4 + [Fold.NONE] * 2
    assert (chat.folding.proposed, chat.proposal.compaction) == (None, None)
    assert chat.in_use.text == chat.folding.log[-1].compaction.summary
    assert states(chat) == [CompactionState.ACTIVE]


def test_a_rejected_one_leaves_everything_as_it_was(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    chat.reject_fold()
    qtbot.waitUntil(lambda: chat.folding.proposed is None, timeout=5_000)
    settled(qtbot, chat)
    assert marks(chat) == [Fold.NONE] * 6
    assert sent(chat) == (6, False)
    assert states(chat) == [CompactionState.REJECTED]


def test_the_edited_text_is_checked_as_it_is_typed_and_then_kept(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    review = chat.proposal
    review.begin_edit()
    whole = review.draft
    assert "/srv/backup/nas-7" in whole
    review.type(whole.replace("/srv/backup/nas-7", "the usual place"))
    qtbot.waitUntil(lambda: fate_of(chat, "/srv/backup/nas-7") is Fate.LOST, timeout=5_000)
    assert chat.folding.proposed is not None
    assert chat.folding.proposed.compaction.summary == whole, "nothing is stored while it is typed"
    review.save()
    acted(qtbot, chat)
    assert not review.editing
    assert chat.folding.proposed.compaction.edited
    assert "the usual place" in review.text
    review.begin_edit()
    review.type("## Goal\nSomething else.")
    review.cancel_edit()
    assert "the usual place" in review.text
    qtbot.waitUntil(lambda: not review.checking, timeout=5_000)
    assert fate_of(chat, "/srv/backup/nas-7") is Fate.LOST


def test_what_was_lost_is_put_back_word_for_word(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    review = chat.proposal
    review.begin_edit()
    review.type(review.draft.replace("/srv/backup/nas-7", "there"))
    review.put_back(["/srv/backup/nas-7"])
    acted(qtbot, chat)
    assert review.editing, "the person goes on editing"
    assert "there" in review.draft and "/srv/backup/nas-7" in review.draft
    qtbot.waitUntil(lambda: not review.checking, timeout=5_000)
    assert fate_of(chat, "/srv/backup/nas-7") is Fate.KEPT


def test_a_blank_text_is_refused_and_the_old_one_stays(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    review = chat.proposal
    review.begin_edit()
    whole = review.draft
    review.type(" \n")
    with qtbot.waitSignal(chat.failed, timeout=5_000) as failed:
        review.save()
    assert isinstance(failed.args[0], errors.BadInput)
    assert review.editing and not review.acting, "what was typed is still there"
    assert review.compaction is not None and review.compaction.summary == whole


def test_another_summary_takes_the_place_of_the_first(
    qtbot: QtBot, chat: ChatSession, simulator: RunningSimulator
) -> None:
    propose(qtbot, chat)
    assert chat.folding.proposed is not None
    first = chat.folding.proposed.compaction
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.fold_again()
    settled(qtbot, chat)
    assert chat.folding.proposed is not None
    assert chat.folding.proposed.compaction.id != first.id
    assert states(chat)[-1] is CompactionState.PROPOSED
    assert states(chat).count(CompactionState.PROPOSED) == 1


def test_the_summary_in_use_is_edited_and_the_edit_undone(qtbot: QtBot, chat: ChatSession) -> None:
    fold(qtbot, chat)
    review = chat.in_use
    before = review.text
    review.begin_edit()
    review.type(f"{before}\n\nAnd the island is white.")
    with qtbot.waitSignal(review.revised, timeout=5_000):
        review.save()
    settled(qtbot, chat)
    assert chat.folded is not None
    assert chat.folded.compaction.summary.endswith("And the island is white.")
    assert sent(chat) == (2, True)
    chat.undo_fold()
    qtbot.waitUntil(lambda: chat.in_use.text == before, timeout=5_000)
    settled(qtbot, chat)
    assert sent(chat) == (2, True), "one step back"


def test_any_number_of_steps_back(qtbot: QtBot, chat: ChatSession) -> None:
    fold(qtbot, chat)
    for text in (f"Again. {LONG}", "Thank you."):
        ask(qtbot, chat, text)
    fold(qtbot, chat)
    assert states(chat) == [CompactionState.ACTIVE] * 2
    first = chat.folding.log[0].compaction
    chat.undo_fold(first.id)
    qtbot.waitUntil(lambda: chat.folded is None, timeout=5_000)
    settled(qtbot, chat)
    assert states(chat) == [CompactionState.UNDONE] * 2
    assert sent(chat) == (10, False)


def test_the_messages_that_would_fold_are_marked_while_it_is_asked(qtbot: QtBot, chat: ChatSession) -> None:
    chat.plan_fold()
    qtbot.waitUntil(lambda: chat.folding.plan is not None, timeout=5_000)
    chat.preview_fold(True)
    assert marks(chat) == [Fold.PLANNED] * 4 + [Fold.NONE] * 2
    chat.preview_fold(False)
    assert marks(chat) == [Fold.NONE] * 6


def test_by_itself_it_tells_what_was_lost_and_can_be_undone(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**AUTOMATIC)
    chat = current(session)
    ask(qtbot, chat, f"{FACTS}{LONG}")
    with qtbot.waitSignal(chat.noticed, timeout=15_000) as noticed:
        chat.send(f"More notes. {SHORT}")
    notice: Notice = noticed.args[0]
    settled(qtbot, chat)
    (one,) = compactions(session, chat)
    assert (notice.message_id, notice.level, notice.acts) == ("compaction.notice.kept", Level.INFO, (SHOW,))
    assert notice.params == {"n": 2, "saved": round(100 * one.saved), "lost": 0}
    assert notice.undo == FoldUndo(one.conversation_id, one.id)
    session.undo(notice.undo)
    qtbot.waitUntil(lambda: chat.folded is None, timeout=5_000)
    settled(qtbot, chat)
    assert chat.folding.state is not None and chat.folding.state.rests_until is not None
    assert chat.folding.state.rests_until >= chat.folding.state.threshold


def test_by_itself_it_waits_where_the_person_reviews(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(**AUTOMATIC, fold_review=True)
    chat = current(session)
    ask(qtbot, chat, f"{FACTS}{LONG}")
    with qtbot.waitSignal(chat.noticed, timeout=15_000) as noticed:
        chat.send(f"More notes. {SHORT}")
    settled(qtbot, chat)
    talk = chat.conversation_id or ""
    assert noticed.args[0] == Notice("compaction.notice.proposed", {"n": 2}, acts=(SHOW,), conversation_id=talk)
    assert marks(chat) == [Fold.PLANNED] * 2 + [Fold.NONE] * 2
    assert sent(chat) == (4, False)
    ask(qtbot, chat, "And the port?")
    settled(qtbot, chat)
    assert chat.folding.proposed is not None, "it waits while the conversation goes on"
    assert text_of(chat, 5)


def test_the_strategy_of_the_profile_is_used_and_shown(qtbot: QtBot, open_session: Open) -> None:
    chat = with_facts(qtbot, open_session(**SMALL, fold_strategy="window", fold_messages=2))
    qtbot.waitUntil(lambda: chat.folding.state is not None, timeout=5_000)
    assert chat.folding.state is not None and chat.folding.state.strategy is Strategy.WINDOW
    assert [strategy for strategy, _ in chat.folding.strategies] == list(Strategy)
    chat.plan_fold()
    qtbot.waitUntil(lambda: chat.folding.plan is not None, timeout=5_000)
    assert chat.folding.plan is not None and chat.folding.plan.ways == ()
    fold(qtbot, chat)
    (line,) = chat.folding.log
    assert (line.compaction.strategy, line.asked) == (Strategy.WINDOW, 0)


def test_after_a_restart_the_proposal_still_waits(qtbot: QtBot, open_session: Open) -> None:
    first = open_session(**SMALL)
    chat = with_facts(qtbot, first)
    propose(qtbot, chat)
    text = chat.proposal.text
    conversation_id = chat.conversation_id or ""
    first.close()
    session = open_session(**SMALL)
    session.open_conversation(conversation_id)
    again = current(session)
    qtbot.waitUntil(lambda: again.folding.proposed is not None, timeout=5_000)
    assert again.proposal.text == text
    assert marks(again) == [Fold.PLANNED] * 4 + [Fold.NONE] * 2


def test_the_originals_are_found_where_they_are_folded(qtbot: QtBot, chat: ChatSession) -> None:
    fold(qtbot, chat)
    search = chat.archive
    with qtbot.waitSignal(search.changed, timeout=5_000):
        search.search("INV-2025-00417")
    assert search.found is not None and search.error is None
    hits = search.found.messages
    assert chat.messages.entry(0).id in [search.shown_id(hit) for hit in hits]
    assert next(hit for hit in hits if hit.message_id == chat.messages.entry(0).id).standing is Standing.FOLDED
    with qtbot.waitSignal(search.changed, timeout=5_000):
        search.search("nowhere-4242")
    assert search.found is not None and search.found.messages == ()
    search.search(" ")
    assert search.found is None


def test_values_that_cannot_be_looked_for_are_looked_for_once(
    qtbot: QtBot, chat: ChatSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    whole = chat._services.review.check

    async def refuse(compaction_id: str, text: str | None = None) -> Any:
        tried.append(compaction_id)
        raise errors.AppError

    monkeypatch.setattr(chat._services.review, "check", refuse)
    chat.proposal.changed.connect(chat.proposal.look)  # as a panel does that shows it
    with qtbot.waitSignal(chat.turnEnded, timeout=15_000):
        chat.fold(FoldOrder(review=True))
    settled(qtbot, chat)
    qtbot.waitUntil(lambda: chat.proposal.unknown, timeout=5_000)
    chat.proposal.changed.emit()
    chat.proposal.look()
    assert len(tried) == 1 and not chat.proposal.checking
    monkeypatch.setattr(chat._services.review, "check", whole)
    chat.proposal.look_again()
    qtbot.waitUntil(lambda: chat.proposal.check is not None, timeout=5_000)
    assert not chat.proposal.unknown


def test_an_edit_that_is_not_kept_yet_keeps_the_conversation_open(qtbot: QtBot, chat: ChatSession) -> None:
    propose(qtbot, chat)
    chat.proposal.begin_edit()
    assert not chat.holds_text
    chat.proposal.type("a sentence of my own")
    assert chat.holds_text
    chat.proposal.cancel_edit()
    assert not chat.holds_text
