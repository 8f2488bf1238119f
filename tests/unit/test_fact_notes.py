"""Lines that quote memory: whatever a text holds, it stays one line of data."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from desktop_app.core.fact_notes import document_line, fact_line, names_conversation, said_line
from tests.unit.fact_samples import fact

WHEN = datetime(2026, 11, 3, 23, 30, tzinfo=UTC)
ENDING = [*"\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\0", "</memory_notes>", '"']


@pytest.mark.parametrize("ending", ENDING, ids=ascii)
def test_nothing_in_a_text_ends_its_line_or_block(ending: str) -> None:
    text = f"one{ending}two"
    lines = [
        fact_line(fact(1, text, text)),
        said_line(text, by_person=True, title=text, when=WHEN),
        document_line(text, name=text, place="part 1"),
    ]
    for line in lines:
        assert line.splitlines() == [line] and "<" not in line
        assert json.loads(line[line.rindex(': "') + 2 :]) == text


@pytest.mark.parametrize("when", [WHEN, None])
@pytest.mark.parametrize("by_person", [True, False])
def test_a_line_names_its_conversation_where_it_has_a_title(when: datetime | None, by_person: bool) -> None:
    titled, bare = (said_line('see, in "x"', by_person=by_person, title=one, when=when) for one in ("Boats", ""))
    assert names_conversation(titled) and 'in "Boats"' in titled
    assert not names_conversation(bare) and ", in :" not in bare
