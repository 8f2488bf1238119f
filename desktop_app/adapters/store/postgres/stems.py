"""Words cut and stemmed as SQLite's full text does it, so that both databases find the same and score it the same."""

from __future__ import annotations

import atexit
import sqlite3
import threading
from functools import cache

_LONGEST = 200
"""Of a stem in characters: PostgreSQL indexes no longer ones than 2,700 bytes; what begins alike is taken for alike."""


def stems(words: str) -> list[str]:
    """The stems of a text in order."""
    return _tokenizer().stems(words) if words.strip() else []


class _Tokenizer:
    """A table of FTS5 in memory that holds one text at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute("CREATE VIRTUAL TABLE said USING fts5(words, tokenize = 'porter unicode61')")
        self._connection.execute("CREATE VIRTUAL TABLE stem USING fts5vocab(said, instance)")

    def stems(self, words: str) -> list[str]:
        """The stems of a text in order."""
        with self._lock:
            self._connection.execute("INSERT INTO said (rowid, words) VALUES (1, ?)", (words,))
            found = self._connection.execute('SELECT term, "offset" FROM stem').fetchall()
            self._connection.execute("DELETE FROM said")
        return [str(term)[:_LONGEST] for term, _ in sorted(found, key=lambda one: int(one[1]))]

    def close(self) -> None:
        """Gives its memory up."""
        self._connection.close()


@cache
def _tokenizer() -> _Tokenizer:
    tokenizer = _Tokenizer()
    atexit.register(tokenizer.close)
    return tokenizer
