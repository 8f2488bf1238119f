"""Keys of the session and of the key store: asked once, cleaned, and never lost where the store refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from keyring.errors import KeyringLocked

from desktop_app.core.errors import BadInput, KeyVaultLocked, KeyVaultSilent, NoKeyVault
from desktop_app.core.words import load_words
from desktop_app.services.keys import LONGEST, KeyService, clean_key
from tests.fakes.key_stores import CANARY, HEAD, URL, HangingStore, MemoryStore, RefusingStore, vault_of

OTHER = "http://localhost:1234"


def locked() -> KeyringLocked:
    return KeyringLocked("Failed to unlock the collection!")


@pytest.fixture
def hanging() -> Iterator[HangingStore]:
    store = HangingStore(CANARY)
    yield store
    store.release()


def test_the_store_is_asked_once_by_however_many() -> None:
    store = MemoryStore(CANARY)

    async def run() -> list[str | None]:
        keys = KeyService(vault_of(store))
        return [*await asyncio.gather(*(keys.kept(URL) for _ in range(5))), await keys.kept(URL)]

    assert asyncio.run(run()) == [CANARY] * 6
    assert store.calls == ["get"]


def test_that_there_is_no_key_is_remembered_until_it_is_asked_anew() -> None:
    store = MemoryStore()

    async def run() -> list[str | None]:
        keys = KeyService(vault_of(store))
        found = [await keys.kept(URL), await keys.kept(URL)]
        store.kept["mnemoscope", URL] = CANARY  # by another process
        found.append(await keys.kept(URL))
        await keys.retry()
        return [*found, await keys.kept(URL), await keys.kept(OTHER)]

    assert asyncio.run(run()) == [None, None, None, CANARY, None]
    assert store.calls == ["get"] * 3


def test_what_another_process_wrote_is_seen_when_the_store_is_read_again() -> None:
    store = RefusingStore(locked)
    store.open = True

    async def run() -> None:
        keys = KeyService(vault_of(store))
        assert (await keys.kept(URL), await keys.reread(URL)) == (None, False)
        store.kept["mnemoscope", URL] = CANARY
        assert (await keys.reread(URL), await keys.kept(URL)) == (True, CANARY)
        assert not await keys.reread(URL)
        del store.kept["mnemoscope", URL]
        assert (await keys.reread(URL), await keys.kept(URL)) == (True, None)
        store.open = False
        asked = [await keys.reread(URL) for _ in range(3)], store.calls.count("get")
        assert asked == ([False] * 3, 6)
        assert isinstance(keys.trouble, KeyVaultLocked)

    asyncio.run(run())


def test_a_dismissed_prompt_is_not_shown_again_unless_asked_for() -> None:
    store = RefusingStore(locked, CANARY)

    async def run() -> None:
        keys = KeyService(vault_of(store))
        assert await asyncio.gather(*(keys.kept(URL) for _ in range(5))) == [None] * 5
        assert await keys.kept(OTHER) is None
        assert isinstance(keys.trouble, KeyVaultLocked)
        assert store.calls == ["get"]
        store.open = True
        assert await keys.kept(URL) is None
        await keys.retry()
        assert (await keys.kept(URL), keys.trouble) == (CANARY, None)

    asyncio.run(run())


def test_one_that_hangs_is_waited_for_once(hanging: HangingStore) -> None:
    async def run() -> None:
        keys = KeyService(vault_of(hanging))
        await asyncio.gather(*(keys.kept(URL) for _ in range(5)))
        assert isinstance(keys.trouble, KeyVaultSilent)
        await keys.retry()
        assert await keys.kept(URL) is None
        assert isinstance(keys.trouble, KeyVaultSilent)

    asyncio.run(run())
    assert hanging.calls == ["get"]


def test_a_key_goes_into_the_store_and_out_of_the_session() -> None:
    store = MemoryStore()

    async def run() -> None:
        keys = KeyService(vault_of(store))
        keys.hold(URL, f" {CANARY}\n")
        assert keys.of_session(URL) == CANARY
        await keys.keep(URL)
        assert keys.of_session(URL) is None
        assert await keys.kept(URL) == CANARY
        assert await keys.store() == "MemoryStore"
        assert await keys.forget(URL)
        assert (await keys.kept(URL), store.kept) == (None, {})
        assert not await keys.forget(URL)

    asyncio.run(run())


def test_a_key_the_store_refuses_is_held_and_kept_when_it_opens() -> None:
    store = RefusingStore(locked)

    async def run() -> None:
        keys = KeyService(vault_of(store))
        keys.hold(URL, CANARY)
        with pytest.raises(KeyVaultLocked):
            await keys.keep(URL)
        assert keys.of_session(URL) == CANARY
        store.open = True
        await keys.retry()
        assert (keys.of_session(URL), keys.trouble, await keys.kept(URL)) == (None, None, CANARY)

    asyncio.run(run())
    assert store.kept == {("mnemoscope", URL): CANARY}


def test_a_key_for_the_session_stands_before_the_stored_one_and_leaves_it_alone() -> None:
    store = MemoryStore(CANARY)

    async def run() -> None:
        keys = KeyService(vault_of(store))
        keys.hold(URL, "sk-ant-session-only")
        await keys.retry()
        assert keys.of_session(URL) == "sk-ant-session-only"
        assert await keys.forget(URL)
        assert await keys.kept(URL) == CANARY

    asyncio.run(run())
    assert store.kept == {("mnemoscope", URL): CANARY}


def test_without_a_store_keys_are_for_the_session() -> None:
    async def run() -> None:
        keys = KeyService()
        keys.hold(URL, CANARY)
        with pytest.raises(NoKeyVault):
            await keys.keep(URL)
        assert (keys.of_session(URL), await keys.kept(URL), await keys.store()) == (CANARY, None, "")
        await keys.retry()
        assert isinstance(keys.trouble, NoKeyVault)

    asyncio.run(run())


@pytest.mark.parametrize(
    "pasted",
    [f"{CANARY}\r\n", f"\ufeff {CANARY}\t", f"\u200b{CANARY}\u200b\n", f"{CANARY[:9]}\u200d{CANARY[9:]}\u2060"],
)
def test_what_nobody_sees_is_taken_off_a_pasted_key(pasted: str) -> None:
    assert clean_key(pasted) == CANARY


@pytest.mark.parametrize(
    ("pasted", "why"),
    [
        ("", "key_empty"),
        (" \u200b\n", "key_empty"),
        (f"{CANARY[:15]}\n{CANARY[15:]}", "key_shape"),
        (f"{CANARY} {CANARY}", "key_shape"),
        (f"{CANARY}\x00", "key_shape"),
        (f"{CANARY}키", "key_shape"),
        (CANARY + "x" * (LONGEST + 1 - len(CANARY)), "key_too_long"),
    ],
)
def test_a_text_no_key_can_be_is_refused_without_being_shown(pasted: str, why: str) -> None:
    with pytest.raises(BadInput) as told:
        clean_key(pasted)
    assert told.value.params["why"] == why
    for language in ("en", "ko"):
        said = f"{load_words(language).explain(told.value)} {told.value!r} {told.value.details}"
        assert HEAD not in said
    assert "••••" in load_words("en").explain(told.value)


def test_the_longest_key_is_taken() -> None:
    longest = "k" * LONGEST
    assert clean_key(longest) == longest


def test_a_representation_holds_no_key() -> None:
    keys = KeyService()
    keys.hold(URL, CANARY)
    assert repr(keys) == "KeyService()"
