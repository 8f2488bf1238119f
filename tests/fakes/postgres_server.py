"""A PostgreSQL server of its own for tests: started in a temporary folder, a database for each folder of a test.

What it knows stands in files, so that child processes find the same databases: `MNEMOSCOPE_TEST_SERVER` names its
folder while a test runs on it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from desktop_app.adapters.store import Store
from desktop_app.adapters.store.postgres.texts import take_every_letter
from tests.fakes.chroma_server import free_port

SERVER = "MNEMOSCOPE_TEST_SERVER"
MISSING = "PostgreSQL is not installed (apt install postgresql)"
PASSWORD = "correct-horse-battery"
_START_SECONDS = 15.0
_USER = "mnemoscope"
_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=60")


def programs() -> Path | None:
    """Where the programs of the newest PostgreSQL here are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    named = shutil.which("initdb")
    return Path(named).resolve().parent if named and shutil.which("postgres") else None


class PostgresServer:
    """Listens on a socket in its folder, and on a port of 127.0.0.1, where it wants `PASSWORD`.

    Nothing is safe from a crash here. Root starts it as another user, for it refuses to run as root.
    """

    def __init__(self, binaries: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mnemoscope-pg."))
        self._user = _other_user() if os.name == "posix" and os.geteuid() == 0 else None
        self._binaries, self.port = binaries, free_port()
        (self.folder / "port").write_text(str(self.port))
        if self._user:
            shutil.chown(self.folder, self._user)
        secret = self.folder / "secret"
        secret.write_text(f"{PASSWORD}\n")
        secret.chmod(0o644)
        self._run(
            *("initdb", "-D", self.folder / "data", "-U", _USER, "-E", "UTF8", "--no-sync", "--no-instructions"),
            *("--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={secret}"),
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Starts it and waits until it answers."""
        settings = [part for setting in ("listen_addresses=127.0.0.1", *_QUICK) for part in ("-c", setting)]
        log = (self.folder / "log").open("wb")
        with log:
            self._process = subprocess.Popen(
                [
                    *(self._binaries / "postgres", "-D", self.folder / "data", "-k", self.folder),
                    *("-p", str(self.port), *settings),
                ],
                **self._as_other(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + _START_SECONDS
        while True:
            with suppress(psycopg.OperationalError), psycopg.connect(self.conninfo("postgres")):
                return
            assert time.monotonic() < end and self._process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ends it and every connection at once; what it kept stays."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """Ends it for good."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder)

    def conninfo(self, database: str) -> str:
        """How the driver reaches a database through the socket."""
        return plain(address(self.folder, database))

    def make(self, database: str, how: str = "") -> str:
        """A new, empty database; its address."""
        with psycopg.connect(self.conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} STRATEGY file_copy {how}")
        return address(self.folder, database)

    def prepare(self) -> None:
        """Makes the database every database of a test begins as."""
        store = Store.open(self.folder / "none", self.make("template"))
        store.threads._database.dispose()
        store.threads._writer.shutdown()
        store.threads._readers.shutdown()
        for name in ("free", "used"):
            (self.folder / name).mkdir()

    def _run(self, program: str, *arguments: object) -> None:
        command = [self._binaries / program, *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, **self._as_other())

    def _as_other(self) -> dict[str, Any]:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        also = {"user": self._user, "group": self._user, "extra_groups": []} if self._user else {}
        return {"env": environment, "cwd": self.folder, **also}


def address(folder: Path, database: str) -> str:
    """The address of a database of the server in a folder."""
    return f"postgresql+psycopg://{_USER}@/{database}?host={folder}&port={(folder / 'port').read_text()}"


def url_of(folder: Path) -> str | None:
    """The address of the database that stands for a folder of this test; None where the test is on files."""
    server = os.environ.get(SERVER)
    if server is None:
        return None
    place = Path(server)
    used = place / "used" / hashlib.sha256(str(folder).encode()).hexdigest()[:24]
    if not used.is_file():
        _take(place, used)
    return address(place, used.read_text())


def rows(url: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows of a statement, past the store."""
    with psycopg.connect(plain(url), autocommit=True) as connection:
        take_every_letter(connection.adapters)
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def give_back(server: Path) -> None:
    """Empties the databases a test used, for the next one."""
    for used in (server / "used").iterdir():
        name = used.read_text()
        with psycopg.connect(plain(address(server, name)), autocommit=True) as connection:
            connection.execute(_EMPTY)
        used.rename(server / "free" / name)


_EMPTY = """
DO $$ DECLARE one record; BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename NOT IN ('install', 'alembic_version', 'written') LOOP
        EXECUTE format('DELETE FROM %I', one.tablename);
    END LOOP;
    FOR one IN SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', one.sequencename);
    END LOOP;
    UPDATE written SET number = 0;
END $$
"""


def _take(place: Path, used: Path) -> None:
    for free in (place / "free").iterdir():
        with suppress(FileNotFoundError):  # another process was quicker
            free.rename(used)
            return
    name = f"t{used.name}"
    with psycopg.connect(plain(address(place, "postgres")), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy")
    used.write_text(name)


def plain(url: str) -> str:
    """An address as the driver itself takes it."""
    return url.replace("+psycopg", "", 1)


def _other_user() -> str:
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
