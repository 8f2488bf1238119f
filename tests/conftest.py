"""No test reaches the key store of whoever runs it, and what takes long is left to `packaging/test --all`."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.adapters.store.sqlite import migration
from desktop_app.bridge.garbage import Garbage
from tests.fakes.new_schema import quick_upgrade

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

LONG = {
    *("test_postgres.py", "test_cli_embedder.py", "test_local_server.py"),
    *("test_forty_turns.py", "test_sixty_turns.py"),
}
"""Modules that start servers, load further models or walk through everything: minutes together."""


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """The test command has to stay under ten minutes on two cores."""
    long = collection_path.name in LONG and collection_path.parent.name != "unit"
    return True if long and not os.environ.get("MNEMOSCOPE_TEST_ALL") else None


@pytest.fixture(scope="session", autouse=True)
def quick_schema() -> Iterator[None]:
    """Hundreds of new databases; the migrations themselves run in every test of theirs, and in processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migration, "upgrade", quick_upgrade)
        yield


@pytest.fixture(scope="session")
def garbage() -> Iterator[Garbage]:
    """As in the window: no thread of a store or a service destroys what a test of widgets left behind."""
    gc.collect()
    gc.freeze()
    collecting = Garbage()
    yield collecting
    collecting.stop()


@pytest.fixture(autouse=True)
def collected(garbage: Garbage) -> Iterator[None]:
    """Between the tests."""
    yield
    garbage.collect()
