"""Epochs keep their bytes; the estimator's state comes back exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app.adapters.store import Store
from desktop_app.core.conversation import Epoch, to_json
from desktop_app.core.errors import Busy, NotFound
from desktop_app.core.token_estimate import TokenEstimator
from tests.adapters.store_parts import ask, with_store

pytestmark = pytest.mark.usefixtures("database")

TOOLS = ({"name": "계산기", "input_schema": {"type": "object", "b": 1, "a": 2}}, {"name": "x"})


def test_epochs_come_back_in_order_with_their_bytes(tmp_path: Path) -> None:
    epochs = [Epoch(number, "m", f"규칙 \u0000 {number}\n", TOOLS[:number]) for number in range(3)]
    epochs.append(
        Epoch(
            3, "m", "", (), "api", '- "강아지": "보리"\n\u0000', (("f1", 7), ("f2", 9)), ("f3", "f4"), 12, "c1", 2_000
        )
    )

    async def write(store: Store) -> str:
        chat = await store.create_conversation("default", "", False)
        for epoch in reversed(epochs):
            await store.add_epoch(chat.id, epoch)
        await store.add_epoch(chat.id, epochs[1])
        await store.add_epoch(chat.id, epochs[3])
        for other in (
            Epoch(1, "m", "other words"),
            replace(epochs[3], facts=""),
            replace(epochs[3], fact_revisions=(("f1", 7),)),
            replace(epochs[3], dropped=("f4", "f3")),
            replace(epochs[3], facts_upto=-1),
            replace(epochs[3], compaction_id=None),
            replace(epochs[3], result_limit=0),
            replace(epochs[3], endpoint="elsewhere"),
        ):
            with pytest.raises(Busy):
                await store.add_epoch(chat.id, other)
        with pytest.raises(NotFound):
            await store.add_epoch("nowhere", epochs[0])
        return chat.id

    chat_id = with_store(tmp_path, write)

    async def read(store: Store) -> list[Epoch]:
        return await store.epochs(chat_id)

    found = with_store(tmp_path, read)
    assert found == epochs
    assert [to_json(list(epoch.tools)) for epoch in found] == [to_json(list(epoch.tools)) for epoch in epochs]
    assert ask(tmp_path, "SELECT tools FROM epoch WHERE number = 2") == [(to_json(list(TOOLS)),)]


def test_a_calibration_comes_back_exactly_and_a_later_one_replaces_it(tmp_path: Path) -> None:
    estimator = TokenEstimator()
    estimator.learn({"latin": 1000.0, "words": 170.0}, 263)
    first = estimator.calibration
    estimator.learn({"hangul": 333.0}, 271)

    async def work(store: Store) -> None:
        assert await store.calibration("host/m") is None
        await store.save_calibration("host/m", first)
        assert await store.calibration("host/m") == first
        await store.save_calibration("host/m", estimator.calibration)
        assert await store.calibration("host/m") == estimator.calibration
        assert await store.calibration("other/m") is None

    with_store(tmp_path, work)


def test_a_calibration_over_other_features_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: Store) -> None:
        await store.save_calibration("m", TokenEstimator().calibration)
        monkeypatch.setattr("desktop_app.adapters.store.prefixes.FEATURES", ("latin", "new"))
        assert await store.calibration("m") is None

    with_store(tmp_path, work)
