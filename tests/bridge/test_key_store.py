"""The key store behind the window's session: it never blocks, and what it refuses is told and can be retried."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked
from pytestqt.qtbot import QtBot

from desktop_app.bridge import endpoint_watch
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.qt_messages import redacted_qt_messages
from desktop_app.bridge.session_state import EndpointState, KeyState, Notice, Phase
from desktop_app.composition import Options, open_services
from desktop_app.core import errors
from desktop_app.core.endpoints import ANTHROPIC_URL
from tests.bridge.chat_acts import ask, current, text_of
from tests.fakes.house import FixedAssistant, make_settings
from tests.fakes.key_stores import CANARY, HEAD, HangingStore, MemoryStore, RefusingStore, no_worker, vault_of
from tests.fakes.simulator import RunningSimulator

OpenOn = Callable[..., AppSession]


@pytest.fixture
def hanging() -> Iterator[HangingStore]:
    store = HangingStore(CANARY)
    yield store
    store.release()


@pytest.fixture
def open_on(qtbot: QtBot, tmp_path: Path) -> Iterator[OpenOn]:
    """Opens a session that sends to `url` and keeps its keys in a store."""
    before = set(threading.enumerate())
    opened: list[AppSession] = []

    def open_one(store: MemoryStore, url: str = ANTHROPIC_URL, patience: float = 0.3) -> AppSession:
        settings, vault = make_settings(tmp_path, url, simulated=False), vault_of(store, patience)
        session = AppSession(
            settings, lambda: open_services(Options(tmp_path), settings, simulated=FixedAssistant(url), vault=vault)
        )
        opened.append(session)
        with qtbot.waitSignal(session.ready, timeout=10_000):
            session.start()
        return session

    yield open_one
    for session in opened:
        began = time.monotonic()
        session.close()
        assert time.monotonic() - began < 4, "the key store held up the end"
    left = [one for one in set(threading.enumerate()) - before if one.is_alive() and one.name != "key vault"]
    assert left == []


def seen(qtbot: QtBot, session: AppSession, fits: Callable[[EndpointState], bool]) -> EndpointState:
    """The state of the endpoint once it fits."""
    qtbot.waitUntil(lambda: session.endpoint is not None and fits(session.endpoint), timeout=5_000)
    assert session.endpoint is not None
    return session.endpoint


def test_a_hanging_store_is_told_once_and_the_window_can_be_used(
    qtbot: QtBot, open_on: OpenOn, hanging: HangingStore
) -> None:
    told: list[Notice] = []
    session = open_on(hanging)
    session.notice.connect(told.append)
    state = seen(qtbot, session, lambda state: True)
    assert state.key is KeyState.MISSING
    assert isinstance(state.trouble, errors.KeyVaultSilent)
    assert [(one.message_id, one.acts) for one in told] == [("errors.key_vault_silent", ("retry_keys", "enter_key"))]
    chat = current(session)
    chat.send("Hello")
    qtbot.waitUntil(lambda: chat.state.phase is Phase.FAILED)
    assert isinstance(chat.state.error, errors.KeyOutOfReach)
    session.check_endpoint()
    qtbot.waitUntil(lambda: not session._background._open)
    assert len(told) == 1
    session.retry_keys()
    qtbot.waitUntil(lambda: len(told) == 2)
    assert hanging.calls == ["get"]


def test_the_session_ends_at_once_while_the_store_still_hangs(
    qtbot: QtBot, open_on: OpenOn, hanging: HangingStore
) -> None:
    session = open_on(hanging, patience=60)
    qtbot.waitUntil(lambda: hanging.calls == ["get"])
    assert session.endpoint is None
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < 4


def test_a_local_server_answers_although_the_store_hangs(
    qtbot: QtBot, open_on: OpenOn, hanging: HangingStore, simulator: RunningSimulator
) -> None:
    told: list[Notice] = []
    session = open_on(hanging, simulator.url)
    session.notice.connect(told.append)
    chat = current(session)
    ask(qtbot, chat, "Hello")
    assert text_of(chat, 1).startswith("Hello!")
    assert seen(qtbot, session, lambda state: bool(state.models)).key is KeyState.NOT_NEEDED
    assert told == []


def test_a_key_typed_while_the_store_hangs_works_for_the_session(
    qtbot: QtBot, open_on: OpenOn, hanging: HangingStore, simulator: RunningSimulator
) -> None:
    told: list[Notice] = []
    session = open_on(hanging, simulator.url)
    session.notice.connect(told.append)
    seen(qtbot, session, lambda state: isinstance(state.trouble, errors.KeyVaultSilent))
    session.use_key(CANARY)
    state = seen(qtbot, session, lambda state: state.key is KeyState.SESSION)
    assert isinstance(state.trouble, errors.KeyVaultSilent)
    assert [one.message_id for one in told] == ["errors.key_vault_silent"]
    ask(qtbot, current(session), "Hello")
    hanging.release()
    qtbot.waitUntil(no_worker)
    session.retry_keys()
    assert seen(qtbot, session, lambda state: state.key is KeyState.KEYRING).store == "HangingStore"
    assert hanging.kept["mnemoscope", simulator.url] == CANARY


def test_a_key_is_kept_found_again_after_a_restart_and_deleted(
    qtbot: QtBot, open_on: OpenOn, simulator: RunningSimulator
) -> None:
    store = MemoryStore()
    session = open_on(store, simulator.url)
    session.use_key(f"{CANARY}\n")
    seen(qtbot, session, lambda state: state.key is KeyState.KEYRING)
    ask(qtbot, current(session), "Hello")
    session.close()
    again = open_on(store, simulator.url)
    assert seen(qtbot, again, lambda state: bool(state.models)).key is KeyState.KEYRING
    again.use_key("sk-ant-only-for-now", keep=False)
    seen(qtbot, again, lambda state: state.key is KeyState.SESSION)
    assert store.kept == {("mnemoscope", simulator.url): CANARY}
    again.forget_key()
    seen(qtbot, again, lambda state: state.key is KeyState.KEYRING)
    again.forget_key()
    seen(qtbot, again, lambda state: state.key is KeyState.NOT_NEEDED)
    assert store.kept == {}


def test_a_key_replaced_in_a_terminal_is_used_after_the_old_one_was_refused(
    qtbot: QtBot, open_on: OpenOn, simulator: RunningSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint_watch, "_KEY_POLL_MS", 600_000)
    store = MemoryStore()
    store.kept["mnemoscope", simulator.url] = "sk-invalid"
    session = open_on(store, simulator.url)
    seen(qtbot, session, lambda state: isinstance(state.error, errors.KeyRefused))
    store.kept["mnemoscope", simulator.url] = CANARY
    chat = current(session)
    ask(qtbot, chat, "Hello")
    assert isinstance(chat.state.error, errors.KeyRefused)
    assert seen(qtbot, session, lambda state: bool(state.models)).key is KeyState.KEYRING
    ask(qtbot, chat, "Hello again")
    assert chat.state.error is None
    store.kept["mnemoscope", simulator.url] = "sk-invalid"
    session.close()
    again = open_on(store, simulator.url)
    seen(qtbot, again, lambda state: isinstance(state.error, errors.KeyRefused))
    store.kept["mnemoscope", simulator.url] = CANARY
    again.check_endpoint()
    seen(qtbot, again, lambda state: bool(state.models))


def test_a_locked_store_opens_with_retry(qtbot: QtBot, open_on: OpenOn) -> None:
    store = RefusingStore(lambda: KeyringLocked("Failed to unlock the collection!"))
    told: list[Notice] = []
    session = open_on(store)
    session.notice.connect(told.append)
    state = seen(qtbot, session, lambda state: True)
    assert isinstance(state.trouble, errors.KeyVaultLocked)
    assert [one.message_id for one in told] == ["errors.key_vault_locked"]
    store.open = True
    session.retry_keys()
    state = seen(qtbot, session, lambda state: state.trouble is None)
    assert (state.key, state.store) == (KeyState.MISSING, "RefusingStore")
    assert len(told) == 1


def test_a_text_no_key_can_be_is_told_and_changes_nothing(qtbot: QtBot, open_on: OpenOn) -> None:
    told: list[Notice] = []
    session = open_on(MemoryStore())
    session.notice.connect(told.append)
    seen(qtbot, session, lambda state: True)
    session.use_key(f"{CANARY} {CANARY}")
    qtbot.waitUntil(lambda: bool(told))
    assert (told[0].message_id, told[0].params["why"]) == ("errors.bad_input", "key_shape")
    assert HEAD not in repr(told)
    assert session.endpoint is not None and session.endpoint.key is KeyState.MISSING


def test_what_qt_says_holds_no_key(capsys: pytest.CaptureFixture[str]) -> None:
    from PySide6.QtCore import qWarning

    with redacted_qt_messages():
        qWarning(f"QNetwork: {CANARY} was refused")
    assert "QNetwork: [key] was refused" in capsys.readouterr().err
