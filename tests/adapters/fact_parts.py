"""Facts to fill a store with, and everything that must hold between the tables they are kept in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import insert, literal, select
from sqlmodel import SQLModel

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.fact_tables import FACT_VECTORS, FACTS, FactChangeRow, FactRow, OwedRow
from desktop_app.core.facts import Fact, FactChange, FactDraft, FactState
from desktop_app.core.search_words import search_words
from tests.adapters.store_parts import ask
from tests.fakes.postgres_server import url_of

P = "default"
_TOLD = ("key", "value", "category", "scope", "state", "origin", "pinned", "revision")
NOT_OWED = "the index is owed something else"


async def add(store: Store, key: str, value: str, profile: str = P, **fields: Any) -> Fact:
    """A new active fact."""
    return (await store.facts.keep(profile, FactDraft(key, value, **fields))).after


async def propose(store: Store, key: str, value: str, profile: str = P, **fields: Any) -> Fact:
    """A new pending fact."""
    return (await store.facts.keep(profile, FactDraft(key, value, **fields), pending=True)).after


async def keys(store: Store, *states: FactState, profile: str = P) -> list[str]:
    """Keys of the list."""
    return [fact.key for fact in await store.facts.facts(profile, *states)]


async def values(store: Store, *states: FactState, profile: str = P) -> dict[str, str]:
    """Values by key."""
    return {fact.key: fact.value for fact in await store.facts.facts(profile, *states)}


def lines(changes: Sequence[FactChange]) -> list[tuple[str, str | None, str]]:
    """A history as action, value before, value after."""
    return [(change.action.value, change.before and change.before.value, change.after.value) for change in changes]


def owed(folder: Path) -> list[tuple[str, str]]:
    """What the index is owed: fact id and action, in order."""
    return ask(folder, "SELECT item_id, action FROM owed ORDER BY number")


def set_moment(folder: Path, fact_id: str, **moments: datetime) -> None:
    """As if it had happened then."""
    for name, moment in moments.items():
        said = moment.isoformat(timespec="microseconds")
        ask(folder, f"UPDATE fact SET {name} = '{said}' WHERE id = '{fact_id}'")


def give_vectors(store: Store) -> None:
    """What an embedder does: a vector for each active fact that has none."""
    lacking = select(FACTS.c.number, literal("test"), FACTS.c.revision, literal(bytes(4))).where(
        FACTS.c.state == "active", FACTS.c.number.not_in(select(FACT_VECTORS.c.fact_number))
    )
    put = insert(FACT_VECTORS).from_select(["fact_number", "embedder", "revision", "vector"], lacking)
    store.threads._writing(lambda session: session.execute(put))


def faults(folder: Path) -> list[str]:
    """In words, what does not hold together; empty when all does."""
    found: list[str] = []
    if not url_of(folder):
        found += [row for (row,) in ask(folder, "PRAGMA integrity_check") if row != "ok"]
        ask(folder, "INSERT INTO fact_words (fact_words) VALUES ('integrity-check')")
    facts = {row["id"]: row for row in _rows(folder, FactRow, "fact")}
    changes = _rows(folder, FactChangeRow, "fact_change")
    words = dict(ask(folder, f"SELECT {'number' if url_of(folder) else 'rowid'}, words FROM fact_words"))
    vectors = dict(ask(folder, "SELECT fact_number, revision FROM fact_vector"))
    debts = _rows(folder, OwedRow, "owed")
    found += _faults_of_history(facts, changes)
    active = {row["number"]: row for row in facts.values() if row["state"] == "active"}
    indexed = {
        number: " ".join(search_words(f"{row['key']}\n{row['value']}\n{row['category']}"))
        for number, row in active.items()
    }
    if words != indexed:
        found.append("the words are not those of the active facts")
    if any(active[number]["revision"] != revision for number, revision in vectors.items()):
        found.append("a vector of another text")
    last = {row["item_id"]: row["action"] for row in debts}
    once = {row["fact_id"] for row in changes if json.loads(row["after"])["state"] == "active"}
    if {fact_id: action == "put" for fact_id, action in last.items()} != {
        fact_id: facts[fact_id]["state"] == "active" for fact_id in once
    }:
        found.append(NOT_OWED)
    if any((row["state"] in ("deleted", "denied")) != (row["deleted_at"] is not None) for row in facts.values()):
        found.append("a time of deletion that does not fit")
    for row in facts.values():
        if (row["state"] == "superseded") != (row["replaced_by"] is not None) and row["state"] not in (
            "deleted",
            "denied",
        ):
            found.append(f"{row['key']} has or lacks another in its place")
    return found


def _rows(folder: Path, kind: type[SQLModel], table: str) -> list[dict[str, Any]]:
    names = list(kind.model_fields)
    quoted = ", ".join(f'"{name}"' for name in names)
    found = ask(folder, f"SELECT {quoted} FROM {table} ORDER BY number")
    return [dict(zip(names, row, strict=True)) for row in found]


def _faults_of_history(facts: dict[str, dict[str, Any]], changes: list[dict[str, Any]]) -> list[str]:
    found = []
    present: dict[str, dict[str, Any]] = {}
    texts: dict[str, dict[int, tuple[str, str]]] = {}
    for row in changes:
        before = None if row["before"] is None else _told(json.loads(row["before"]))
        after = _told(json.loads(row["after"]))
        if before != present.get(row["fact_id"]):
            found.append(f"change {row['number']} does not follow the one before it")
        present[row["fact_id"]] = after
        texts.setdefault(row["fact_id"], {})[row["number"]] = (after["key"], after["value"])
    for fact_id, fact in facts.items():
        if _told(fact) != present.get(fact_id):
            found.append(f"{fact['key']} is not what its history says")
        if texts.get(fact_id, {}).get(fact["revision"]) != (fact["key"], fact["value"]):
            found.append(f"{fact['key']} has a revision that is none of its text")
    return found


def _told(fields: Any) -> dict[str, Any]:
    return {name: fields[name] for name in _TOLD}
