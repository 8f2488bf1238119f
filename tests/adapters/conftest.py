"""Tests that ask for `database` run on a file of SQLite and, with `packaging/test --all`, on a real PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.fakes.postgres_server import MISSING, SERVER, PostgresServer, give_back, programs

KINDS = ("sqlite", "postgresql") if os.environ.get("MNEMOSCOPE_TEST_ALL") else ("sqlite",)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    given = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "database" in metafunc.fixturenames and "database" not in given:
        marks = ("of_file", "timed")
        alone = any(metafunc.definition.get_closest_marker(mark) for mark in marks)
        metafunc.parametrize("database", KINDS[:1] if alone else KINDS, indirect=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    binaries = programs()
    if binaries is None:
        pytest.skip(MISSING)
    server = PostgresServer(binaries)
    try:
        server.prepare()
        yield server
    finally:
        server.close()


@pytest.fixture
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the stores of a test are: in files of its folders, or in databases that stand for these."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        monkeypatch.setenv(SERVER, str(server.folder))
        yield request.param
        give_back(server.folder)
    else:
        yield request.param
