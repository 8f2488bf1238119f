"""The system's key store: which ones are taken, and that one that hangs or is locked holds up nobody."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from keyring.backends import SecretService, chainer
from keyring.errors import InitError, KeyringLocked, NoKeyringError, PasswordSetError

from desktop_app.adapters.key_vault import KeyringVault
from desktop_app.adapters.key_vault.backends import find_stores, name_of
from desktop_app.core.errors import KeyVaultError, KeyVaultLocked, KeyVaultSilent, NoKeyVault
from tests.fakes.key_stores import (
    CANARY,
    URL,
    ForgetfulStore,
    HangingStore,
    MemoryStore,
    RefusingStore,
    no_worker,
    vault_of,
)

ROOT = Path(__file__).parents[2]
PLAIN_FILE = """
class PlaintextKeyring:
    priority = 0.5
    def get_password(self, service, user): raise AssertionError
    set_password = delete_password = get_password
"""


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    yield
    end = time.monotonic() + 5
    while not no_worker() and time.monotonic() < end:
        time.sleep(0.005)
    assert no_worker()


@pytest.fixture
def hanging() -> Iterator[HangingStore]:
    store = HangingStore(key=CANARY)
    yield store
    store.release()


class TestWhichStores:
    """An allow-list by class."""

    @pytest.mark.parametrize(
        "backend",
        [
            "keyring.backends.fail.Keyring",
            "keyring.backends.null.Keyring",
            "keyring.backends.libsecret.Keyring",
            "plain_files.PlaintextKeyring",
            "no_such_module.Keyring",
            "keyring.backends.null.Missing",
            "Keyring",
        ],
    )
    def test_a_configured_one_off_the_list_is_refused(
        self, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "plain_files.py").write_text(PLAIN_FILE)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
        for act in (lambda vault: vault.get(URL), lambda vault: vault.set(URL, CANARY), lambda vault: vault.backend()):
            with pytest.raises(NoKeyVault):
                asyncio.run(act(KeyringVault()))

    def test_without_a_bus_there_is_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("PYTHON_KEYRING_BACKEND")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
        assert list(find_stores()) == [] or sys.platform in ("darwin", "win32")

    def test_of_a_chain_only_the_safe_members_are_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        safe = SecretService.Keyring()
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.chainer.ChainerBackend")
        monkeypatch.setattr(chainer.ChainerBackend, "backends", [MemoryStore(), safe])
        assert list(find_stores()) == [safe]
        assert name_of(safe) == "Secret Service"

    def test_one_that_was_started_since_is_found(self) -> None:
        found: list[MemoryStore] = []
        vault = KeyringVault(lambda: found)

        async def run() -> str:
            with pytest.raises(NoKeyVault):
                await vault.backend()
            found.append(MemoryStore())
            return await vault.backend()

        assert asyncio.run(run()) == "MemoryStore"


class TestKeeping:
    """Reading, writing, deleting."""

    def test_a_secret_comes_back_until_it_is_deleted(self) -> None:
        store = MemoryStore()

        async def run() -> list[Any]:
            vault = vault_of(store)
            before = await vault.get(URL), await vault.delete(URL)
            await vault.set(URL, CANARY)
            return [*before, await vault.get(URL), await vault.delete(URL), await vault.get(URL)]

        assert asyncio.run(run()) == [None, False, CANARY, True, None]
        assert store.threads == {"key vault"}

    def test_what_is_not_there_when_read_back_was_not_kept(self) -> None:
        with pytest.raises(KeyVaultError, match="read back"):
            asyncio.run(vault_of(ForgetfulStore()).set(URL, CANARY))

    def test_calls_are_made_in_order_and_one_at_a_time(self) -> None:
        store = MemoryStore()

        async def run() -> str | None:
            vault = vault_of(store)
            await asyncio.gather(*(vault.set(URL, f"sk-{n}") for n in range(20)))
            return await vault.get(URL)

        assert asyncio.run(run()) == "sk-19"
        assert store.calls == ["set", "get"] * 20 + ["get"]

    @pytest.mark.parametrize(
        ("raised", "kind"),
        [
            (KeyringLocked("Failed to unlock the collection!"), KeyVaultLocked),
            (InitError("Failed to create the collection: Prompt dismissed.."), KeyVaultLocked),
            (type("PromptDismissedException", (Exception,), {})("no"), KeyVaultLocked),
            (NoKeyringError("gone"), NoKeyVault),
            (PasswordSetError("full"), KeyVaultError),
            (OSError("the bus went away"), KeyVaultError),
        ],
    )
    def test_errors_of_a_store_say_what_to_do(self, raised: Exception, kind: type[KeyVaultError]) -> None:
        for act in (lambda vault: vault.get(URL), lambda vault: vault.set(URL, CANARY)):
            with pytest.raises(KeyVaultError) as told:
                asyncio.run(act(vault_of(RefusingStore(lambda: raised))))
            assert type(told.value) is kind
            assert CANARY not in f"{told.value!r} {told.value} {told.value.details}"


class TestHanging:
    """A store that does not answer."""

    def test_five_who_ask_at_once_make_one_call_and_the_next_fails_at_once(self, hanging: HangingStore) -> None:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                await asyncio.sleep(0.01)
                beats += 1

        async def run() -> tuple[list[Any], float, list[Any]]:
            vault, beating = vault_of(hanging), asyncio.create_task(beat())
            first = await asyncio.gather(*(vault.get(URL) for _ in range(5)), return_exceptions=True)
            began = time.monotonic()
            later = await asyncio.gather(vault.get(URL), vault.set(URL, "x"), vault.backend(), return_exceptions=True)
            took = time.monotonic() - began
            beating.cancel()
            return first, took, later

        first, took, later = asyncio.run(run())
        assert [type(one) for one in (*first, *later)] == [KeyVaultSilent] * 8
        assert hanging.calls == ["get"]
        assert took < 0.2
        assert beats > 10, "the loop stood still"

    def test_once_it_answers_late_it_can_be_asked_again(self, hanging: HangingStore) -> None:
        async def run() -> str | None:
            vault = vault_of(hanging)
            with pytest.raises(KeyVaultSilent):
                await vault.get(URL)
            hanging.release()
            while not no_worker():
                await asyncio.sleep(0.005)
            return await vault.get(URL)

        assert asyncio.run(run()) == CANARY
        assert hanging.calls == ["get", "get"]

    def test_whoever_gave_up_waiting_makes_no_call(self, hanging: HangingStore) -> None:
        async def run() -> None:
            vault = vault_of(hanging, patience=20)
            waiting = [asyncio.create_task(vault.get(URL)) for _ in range(3)]
            while not hanging.calls:
                await asyncio.sleep(0.005)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            hanging.release()
            while not no_worker():
                await asyncio.sleep(0.005)

        asyncio.run(run())
        assert hanging.calls == ["get"]

    def test_it_does_not_hold_up_the_exit(self) -> None:
        script = (
            "import asyncio, time\n"
            "from desktop_app.adapters.key_vault import KeyringVault\n"
            "from desktop_app.core.errors import KeyVaultSilent\n"
            "class Hanging:\n"
            "    def get_password(self, service, user):\n        time.sleep(600)\n"
            "async def main():\n"
            "    try:\n        await KeyringVault(lambda: [Hanging()], 0.2).get('x')\n"
            "    except KeyVaultSilent as error:\n        print('silent', error.params)\n"
            "asyncio.run(main())\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=15, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "silent {'seconds': 1}\n", "")

    def test_the_library_is_imported_by_the_first_call_and_in_its_thread(self) -> None:
        script = (
            "import asyncio, sys, threading\n"
            "import desktop_app.composition\n"
            "from desktop_app.adapters.key_vault import KeyringVault\n"
            "from desktop_app.core.errors import NoKeyVault\n"
            "vault = KeyringVault()\n"
            "assert 'keyring' not in sys.modules\n"
            "class Finder:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'keyring': print(threading.current_thread().name)\n"
            "sys.meta_path.insert(0, Finder())\n"
            "try: asyncio.run(vault.get('x'))\n"
            "except NoKeyVault: pass\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=15, check=False
        )
        assert (done.stdout, done.stderr) == ("key vault\n", "")


@pytest.mark.timed
def test_nothing_of_a_secret_is_in_a_representation() -> None:
    vault = vault_of(MemoryStore(key=CANARY))
    assert CANARY not in repr(vault)
