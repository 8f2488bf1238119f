"""The prices of acts follow the conversation in front, its answers, the facts and the clock."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.bridge import price_tags
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.price_tags import PriceTags
from desktop_app.core.cache.lint import LintKind
from desktop_app.core.conversation import now
from desktop_app.core.money.price_tag import Act, Later
from tests.bridge.chat_acts import Open, ask, current, services_of
from tests.fakes.forty_turns import INSTRUCTIONS
from tests.fakes.simulator import RunningSimulator

LONG = INSTRUCTIONS * 12


def tags_of(session: AppSession) -> PriceTags:
    """The tags of what is in front."""
    assert session.price_tags is not None
    return session.price_tags


def warm(session: AppSession) -> int:
    """Tokens that are warm in the conversation in front."""
    ground = tags_of(session).ground
    return (ground.warm or 0) if ground is not None else 0


def test_tags_follow_the_conversation_in_front_and_its_answers(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(instructions=LONG)
    tags = tags_of(session)
    qtbot.waitUntil(lambda: tags.tags is not None)
    assert (tags.ground, tags.warm_until, tags.rebuild()) == (None, None, None)
    assert tags.setting(Act.EFFORT, "low") is None
    chat = current(session)
    ask(qtbot, chat, "My bicycle is locked at the station, rack 14.")
    qtbot.waitUntil(lambda: warm(session) > 1_500)
    first = warm(session)
    ask(qtbot, chat, "write 60 words about snow")
    qtbot.waitUntil(lambda: warm(session) > first)
    effort = tags.setting(Act.EFFORT, "low")
    assert effort is not None
    assert 0 < (effort.now_tokens or 0) < 500
    assert effort.now_usd is None  # the simulated assistant costs nothing
    tools = tags.setting(Act.TOOLS, False)
    assert tools is not None
    assert (tools.now_tokens or 0) > 900
    session.new_conversation()
    assert tags.ground is None
    assert chat.conversation_id is not None
    session.open_conversation(chat.conversation_id)
    qtbot.waitUntil(lambda: warm(session) > first)


def test_a_changed_fact_has_another_price_at_once(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(instructions=LONG)
    assert session.memory is not None
    tags, memory = tags_of(session), session.memory
    with qtbot.waitSignal(memory.kept, timeout=5_000):
        memory.add("coffee", "dark roast")
    ask(qtbot, current(session), "My bicycle is locked at the station, rack 14.")
    qtbot.waitUntil(lambda: warm(session) > 1_500)
    fact = memory.with_key("coffee")
    assert fact is not None
    deleting, rebuild = tags.deleted_fact(fact.id), tags.rebuild()
    assert deleting is not None
    assert rebuild is not None
    assert deleting.now_tokens
    added = tags.noted_fact(Act.FACT_ADDED, "tea", "green")
    assert added is not None
    assert (added.now_tokens, added.later) == (0, Later.NEXT_MESSAGE)
    with qtbot.waitSignal(memory.priceChanged, timeout=5_000):
        memory.edit(fact.id, key="coffee", value="light roast", category="", expected=fact.revision)
    qtbot.waitUntil(lambda: tags.rebuild() != rebuild)
    with qtbot.waitSignal(memory.deleted, timeout=5_000):
        memory.delete(fact.id)
    session.update_profile(memory=False)
    assert tags.noted_fact(Act.FACT_ADDED, "tea", "green") is None


def test_a_price_ends_with_what_is_forgotten(qtbot: QtBot, open_session: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session(instructions=LONG)
    tags = tags_of(session)
    ask(qtbot, current(session), "My bicycle is locked at the station, rack 14.")
    qtbot.waitUntil(lambda: warm(session) > 1_500)
    until = tags.warm_until
    assert until is not None
    assert timedelta(minutes=4) < until - now() < timedelta(minutes=5)
    clock = [until - timedelta(milliseconds=50)]
    monkeypatch.setattr(price_tags, "now", lambda: clock[0])
    with qtbot.waitSignal(tags.changed, timeout=5_000):
        tags.read()
    clock[0] = until + timedelta(milliseconds=1)
    with qtbot.waitSignal(session.tagsChanged, timeout=5_000):
        pass
    assert (warm(session), tags.warm_until) == (0, None)
    rebuild = tags.rebuild()
    assert rebuild is not None
    assert (rebuild.now_tokens, rebuild.warm) == (0, False)


def test_a_rebuild_is_paid_once(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(instructions=LONG)
    assert session.memory is not None
    ask(qtbot, current(session), "My bicycle is locked at the station, rack 14.")
    qtbot.waitUntil(lambda: warm(session) > 1_500)
    with qtbot.waitSignal(session.memory.rebuilt, timeout=5_000):
        session.memory.rebuild()
    qtbot.waitUntil(lambda: warm(session) == 0)
    assert services_of(session).tags is not None


def test_at_another_server_nothing_is_lost_any_more(
    qtbot: QtBot, open_session: Open, simulator: RunningSimulator
) -> None:
    session = open_session(simulated=False, plain_endpoint=False, instructions=LONG)
    ask(qtbot, current(session), "My bicycle is locked at the station, rack 14.")
    qtbot.waitUntil(lambda: warm(session) > 1_500)
    chat, tags = current(session), tags_of(session)
    qtbot.waitUntil(lambda: bool(chat.truth.clocks))
    effort = tags.setting(Act.EFFORT, "low")
    assert effort is not None
    session.use_endpoint("http://127.0.0.1:9")
    qtbot.waitUntil(lambda: tags.setting(Act.EFFORT, "low") is None, timeout=5_000)
    assert warm(session) == 0
    qtbot.waitUntil(lambda: chat.truth.clocks == (), timeout=10_000)
    session.use_endpoint(simulator.url)
    qtbot.waitUntil(lambda: tags.setting(Act.EFFORT, "low") == effort, timeout=5_000)
    qtbot.waitUntil(lambda: bool(chat.truth.clocks), timeout=10_000)


def test_back_at_a_warm_model_nothing_warns_of_it(qtbot: QtBot, open_session: Open) -> None:
    session = open_session(model="claude-opus-5", instructions=LONG)
    chat = current(session)
    ask(qtbot, chat, "My bicycle is locked at the station, rack 14.")
    session.update_profile(model="claude-sonnet-5-5")
    chat.preview_text("And now?")
    qtbot.waitUntil(lambda: [one.kind for one in chat.truth.findings] == [LintKind.MODEL], timeout=10_000)
    ask(qtbot, chat, "And now?")
    session.update_profile(model="claude-opus-5")
    chat.preview_text("And then?")

    def back() -> bool:
        forecast = chat.cache.forecast
        model = forecast.budget.model if forecast is not None else ""
        found = [one.kind for one in chat.truth._found]
        return model == "claude-opus-5" and found == [LintKind.MODEL]

    qtbot.waitUntil(back, timeout=10_000)
    assert chat.cache.forecast is not None
    assert (chat.cache.forecast.cache.read or 0) > 1_500
    assert chat.truth.findings == ()
