"""No secret gets into the files by way of a fact, and none of older days gets out unmasked."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.adapters import secret_detector
from desktop_app.adapters.secret_detector import VERSION, SecretDetector
from desktop_app.adapters.store import Store
from desktop_app.core.facts import Fact, FactAction, FactActor, FactDraft, FactOrigin, FactSource, FactState
from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.recall.values import WordMatches
from desktop_app.core.search_words import search_words
from desktop_app.core.secrets import finding, folding, iban, labelled, numbers, shapes
from desktop_app.core.secrets.finding import find_secrets
from desktop_app.core.secrets.kinds import SecretKind
from tests.adapters.fact_parts import P, add, give_vectors, lines, propose, values
from tests.adapters.store_parts import ask, with_store
from tests.fakes.secret_search import SECRETS, UNCHANGED, files_with, raw_of
from tests.unit.secret_samples import HARMLESS, JWT, KEY, OF_LIBRARY, OPENAI_KEY, RAW


def test_the_detector_knows_what_the_samples_hold() -> None:
    find = SecretDetector().find
    for text, secret, kind in RAW:
        assert [(text[one.start : one.end], one.kind) for one in find(text)] == [(secret, kind)]
    for text in (*HARMLESS, *UNCHANGED):
        assert find(text) == ()
    for text in SECRETS:
        assert find(text), text


@pytest.mark.parametrize("key", OF_LIBRARY.values(), ids=OF_LIBRARY)
def test_the_library_finds_what_we_have_no_format_for(key: str) -> None:
    (found,) = SecretDetector().find(f"it is {key}, keep it")
    assert (found.start, found.end, found.kind) == (6, 6 + len(key), SecretKind.API_KEY)
    assert find_secrets(key) == ()  # else it would be no sample of what only the library knows


def test_no_way_of_writing_keeps_a_secret(tmp_path: Path) -> None:
    async def write(store: Store, n: int, secret: str) -> None:
        raw, tool = raw_of(secret), {"origin": FactOrigin.ASSISTANT, "by": FactActor.ASSISTANT, "keeps_secrets": True}
        source = FactSource("m1", "c1", f"please remember {secret}")
        by_hand = await store.facts.keep(P, FactDraft(f"by hand {n}", f"note: {secret}", source=source))
        assert by_hand.masked and raw not in repr(by_hand)
        await add(store, f"by tool {n}", secret, **tool)
        await add(store, f"by import {n}", secret, by=FactActor.IMPORT, category=f"c {secret}")
        await add(store, f"{n}: {secret}"[:110], "value")
        await add(store, f"scoped {n}", "value", scope=secret)
        waiting = await propose(store, f"proposed {n}", secret, **tool)
        assert (await store.facts.accept(P, waiting.id, f"{secret} indeed")).masked
        await store.facts.edit(P, f"by hand {n}", FactActor.YOU, value=f"now {secret}", category=f"c {secret}")
        await store.facts.edit(P, f"by tool {n}", FactActor.ASSISTANT, value=secret, keeps_secrets=True)
        taken = await add(store, f"taken {n}", "value", by=FactActor.MCP)
        await store.facts.merge(P, by_hand.fact_id, [taken.id], f"both: {secret}", FactActor.YOU)
        await store.facts.delete(P, f"by hand {n}", FactActor.YOU)
        await store.facts.undo(P)

    async def work(store: Store) -> None:
        for n, secret in enumerate(SECRETS):
            await write(store, n, secret)
        told = [await store.facts.history(P, fact.id) for fact in await store.facts.facts(P, *FactState)]
        assert len(told) >= 6 * len(SECRETS)
        assert [raw for raw in map(raw_of, SECRETS) if raw in repr(told)] == []

    with_store(tmp_path, work)
    assert {secret: files for secret in SECRETS if (files := files_with(tmp_path, raw_of(secret)))} == {}


def test_harmless_facts_stay_byte_for_byte(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        for number, text in enumerate(HARMLESS):
            change = await store.facts.keep(P, FactDraft(f"note {number}", text))
            assert change.after.value == text and change.masked == ()

    with_store(tmp_path, work)


def test_a_key_is_a_label_for_its_value(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await add(store, "wifi_password", "hunter2-FAKE")
        await add(store, "주민등록번호", "000000-0000000")
        await add(store, "wifi password", "sunflower")
        await add(store, "ssn", "078-05-1120")
        await add(store, "iban", "DE89370400440532013000")
        await add(store, "비밀번호 정책", "12자 이상")
        await add(store, "API 키", "매달 교체한다")
        assert await values(store) == {
            "wifi_password": "⟨password⟩",
            "주민등록번호": "⟨주민등록번호⟩",
            "wifi password": "⟨password⟩",
            "ssn": "⟨social security number⟩",
            "iban": "⟨account number⟩",
            "비밀번호 정책": "12자 이상",
            "API 키": "매달 교체한다",
        }

    with_store(tmp_path, work)


def test_a_secret_of_the_value_stands_in_no_quote_either(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        source = FactSource("m1", "c1", "the wifi of the flat opens with sunflower, as the landlord told us")
        change = await store.facts.keep(P, FactDraft("wifi password", "sunflower", source=source))
        assert change.after.source is not None
        assert change.after.source.quote == "the wifi of the flat opens with ⟨password⟩, as the landlord told us"

    with_store(tmp_path, work)
    assert files_with(tmp_path, "sunflower") == []


def test_what_is_found_changes_with_the_version_of_the_detector() -> None:
    """What was looked through already is not looked through again: raise `VERSION` where this differs."""
    kinds = (re.Pattern, type(lazy_pattern("")), str, tuple, dict)
    modules = [finding, folding, iban, labelled, numbers, shapes, secret_detector]
    rules = [
        (name, getattr(thing, "pattern", repr(thing)))
        for module in modules
        for name, thing in sorted(vars(module).items())
        if isinstance(thing, kinds) and name.startswith("_") and not name.startswith("__")
    ]
    found_by = [repr(rules)]
    for plugin in secret_detector._plugins():
        found_by += [plugin.secret_type, *(pattern.pattern for pattern in plugin.denylist)]
    assert (VERSION, hashlib.sha256("\n".join(found_by).encode()).hexdigest()[:12]) == (1, "78150ede780b")


@pytest.mark.parametrize("act", ["merge", "accept"])
def test_what_the_person_allowed_of_one_text_holds_of_no_other(tmp_path: Path, act: str) -> None:
    async def work(store: Store) -> None:
        facts, new = store.facts, f"{KEY}; mail: {OPENAI_KEY}"
        vault = (await facts.keep(P, FactDraft("vault", KEY, keeps_secrets=True), pending=act == "accept")).after
        if act == "accept":
            vault = (await facts.edit(P, vault.id, FactActor.YOU, value=KEY, keeps_secrets=True)).after
            change = await facts.accept(P, vault.id, new)
        else:
            other = (await facts.keep(P, FactDraft("mail", "by hand"), pending=True)).after
            change = await facts.merge(P, vault.id, [other.id], new, FactActor.YOU)
        assert change.masked and not change.after.keeps_secrets
        kept = await facts.fact(P, vault.id)
        assert KEY not in kept.value and OPENAI_KEY not in kept.value

    with_store(tmp_path, work)


def test_what_is_merged_under_its_own_text_keeps_what_was_allowed(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        facts = store.facts
        vault = (await facts.keep(P, FactDraft("vault", KEY, keeps_secrets=True))).after
        for value in (None, KEY):
            other = (await facts.keep(P, FactDraft("safe", f"the vault {value}"), pending=True)).after
            assert (await facts.merge(P, vault.id, [other.id], value, FactActor.YOU)).after.value == KEY
        assert (await facts.fact(P, "vault")).keeps_secrets

    with_store(tmp_path, work)


def test_the_person_may_keep_one_as_it_is(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        change = await store.facts.keep(P, FactDraft("vault", KEY, keeps_secrets=True))
        assert (change.after.value, change.masked) == (KEY, ())
        # What is done with it later, by whomever, leaves it as it is.
        await store.facts.pin(P, "vault", True)
        edited = await store.facts.edit(P, "vault", FactActor.ASSISTANT, key=f"safe {OPENAI_KEY}")
        assert (await store.facts.fact(P, "safe ⟨API key …0000⟩")).value == KEY
        await store.facts.undo(P, edited.number)
        deleted = await store.facts.delete(P, "vault", FactActor.ASSISTANT)
        await store.facts.undo(P, deleted.number)
        fact = await store.facts.fact(P, "vault")
        assert (fact.value, fact.keeps_secrets) == (KEY, True)
        assert await store.facts.suspected(P) == []
        again = await store.facts.keep(P, FactDraft("vault", KEY, by=FactActor.ASSISTANT))
        assert (again.action, (await store.facts.fact(P, "vault")).value) == (FactAction.REPEATED, KEY)
        # Another text is another question.
        await store.facts.edit(P, "vault", FactActor.YOU, value=f"{OPENAI_KEY} now")
        fact = await store.facts.fact(P, "vault")
        assert (fact.value, fact.keeps_secrets) == ("⟨API key …0000⟩ now", False)
        await store.facts.undo(P)
        assert (await store.facts.fact(P, "vault")).value == KEY

    with_store(tmp_path, work)


def _plant(folder: Path, fact: Fact, value: str) -> None:
    """Gives a fact a value as an older version kept it, in its row, its history and its search words."""
    with closing(sqlite3.connect(folder / "mnemoscope.db")) as connection, connection:
        connection.execute("UPDATE fact SET value = ?, checked_by = 0 WHERE id = ?", (value, fact.id))
        connection.execute(
            "UPDATE fact_change SET after = json_set(after, '$.value', ?) WHERE fact_id = ?", (value, fact.id)
        )
        connection.execute(
            "UPDATE fact_words SET words = ? WHERE rowid = (SELECT number FROM fact WHERE id = ?)",
            (" ".join(search_words(value)), fact.id),
        )


def test_a_secret_of_older_days_is_read_masked_and_can_be_masked_for_good(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "old", "harmless")
        await add(store, "new", "harmless as well")
        give_vectors(store)
        _plant(tmp_path, fact, f"the token {JWT}")
        told = "the token ⟨token⟩"
        assert (await values(store))["old"] == told
        assert (await store.facts.fact(P, "old")).value == told
        assert (await store.facts.active(P, [fact.id]))[fact.id].value == told
        assert lines(await store.facts.history(P, "old")) == [("added", None, told)]
        assert [one.value for one in await store.facts.suspected(P)] == [told]
        assert ask(tmp_path, "SELECT value FROM fact WHERE key = 'old'") == [(f"the token {JWT}",)]

        assert (await store.facts.mask(P, "old")).value == told
        assert await store.facts.suspected(P) == []
        kept = ask(tmp_path, "SELECT value FROM fact UNION ALL SELECT ifnull(before, '') || after FROM fact_change")
        assert len(kept) == 5 and JWT not in repr(kept)
        found: WordMatches = await store.facts.word_matches(P, search_words(JWT))
        assert found.scores == {}
        assert len(ask(tmp_path, "SELECT 1 FROM fact_vector")) == 1  # that of the old text is gone

    with_store(tmp_path, work)


def test_masking_takes_a_kept_secret_out_of_the_history_too(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.facts.keep(P, FactDraft("vault", KEY, keeps_secrets=True))
        await store.facts.edit(P, "vault", FactActor.YOU, value="in the safe now")
        assert await store.facts.suspected(P) == []  # the person asked to keep it
        fact = await store.facts.mask(P, "vault")
        assert fact.value == "in the safe now"
        history = await store.facts.history(P, "vault")
        assert lines(history) == [
            ("added", None, "⟨API key …STAA⟩"),
            ("edited", "⟨API key …STAA⟩", "in the safe now"),
        ]

    with_store(tmp_path, work)


def test_masking_a_deleted_fact_does_not_prolong_its_days(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        fact = await add(store, "old", "harmless")
        await store.facts.delete(P, fact.id, FactActor.YOU)
        _plant(tmp_path, fact, f"the token {JWT}")
        deleted_at = ask(tmp_path, "SELECT deleted_at FROM fact")
        assert (await store.facts.mask(P, fact.id)).value == "the token ⟨token⟩"
        assert ask(tmp_path, "SELECT deleted_at FROM fact") == deleted_at
        await store.facts.restore(P, fact.id, FactActor.YOU)
        assert ask(tmp_path, "SELECT deleted_at FROM fact") == [(None,)]

    with_store(tmp_path, work)
