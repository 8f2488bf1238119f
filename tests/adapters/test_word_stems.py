"""Stems of words: the same ones full text in the database makes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from desktop_app.core.search_words import search_words
from desktop_app.core.word_stems import stem

SAMPLE = (
    "relational conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli "
    "vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti "
    "sensibiliti triplicate formative formalize electriciti electrical hopeful goodness revival allowance inference "
    "airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption homologou communism "
    "activate angulariti homologous effective bowdlerize caresses ponies ties caress cats feed agreed plastered bled "
    "motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing filing happy sky probate "
    "rate cease controll roll café naïve Straße 서울 a by painted painting painter went 4711"
)


def test_stems_are_those_of_the_full_text_index() -> None:
    here = Path(__file__).parents[2]
    texts = [SAMPLE, *((here / name).read_text(encoding="utf-8") for name in ("README.md", "LICENSE"))]
    words = sorted({word for text in texts for word in search_words(text) if "_" not in word})
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE f USING fts5(w, tokenize = 'porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
        connection.executemany("INSERT INTO f (rowid, w) VALUES (?, ?)", list(enumerate(words)))
        stems = dict(connection.execute("SELECT doc, term FROM v"))
    assert len(words) > 300
    assert {word: stem(word) for word in words} == {word: stems[place] for place, word in enumerate(words)}
