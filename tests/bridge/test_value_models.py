"""The tables of the Compaction panel: exact values by fate, and what a search of the originals found."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import Qt

from desktop_app.bridge.archive_models import ArchiveModel
from desktop_app.bridge.value_models import ValueListModel
from desktop_app.core.archive import ArchiveHit, Standing
from desktop_app.core.compaction.value_check import CheckedValue, Fate
from desktop_app.core.conversation import Role
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.facts import Fact, FactOrigin, FactState
from desktop_app.core.recall.values import FactHit
from desktop_app.core.words import load_words
from desktop_app.services.archive import ArchiveAnswer

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def values(fate: Fate, count: int) -> list[CheckedValue]:
    """Numbers that met one fate."""
    return [CheckedValue(ValueKind.NUMBER, f"{fate}-{number}", fate) for number in range(count)]


def test_what_was_lost_stands_first_and_of_the_kept_a_few() -> None:
    model = ValueListModel(load_words("en"))
    model.show([*values(Fate.KEPT, 30), *values(Fate.LOST, 3), *values(Fate.INVENTED, 1), *values(Fate.REWORDED, 2)])
    fates = [model.value(row).fate for row in range(model.rowCount())]
    assert fates == [Fate.LOST] * 3 + [Fate.REWORDED] * 2 + [Fate.INVENTED] + [Fate.KEPT] * 6
    assert (model.hidden, model.rows_of(Fate.LOST)) == (24, [0, 1, 2])
    model.show_more()
    assert (model.hidden, model.rowCount(), model.grown) == (0, 36, True)
    model.show_fewer()
    assert (model.hidden, model.grown) == (24, False)
    model.show([])
    assert model.rowCount() == 0


def test_thousands_of_lost_values_are_not_all_listed_at_once() -> None:
    model = ValueListModel(load_words("en"))
    model.show(values(Fate.LOST, 5_000))
    assert (model.rowCount(), model.hidden) == (120, 4_880)
    model.show_more()
    assert model.rowCount() == 320


def test_a_value_is_read_out_in_the_language_in_use() -> None:
    model = ValueListModel(load_words("en"))
    model.show([replace(values(Fate.REWORDED, 1)[0], text="1,234", found="1234", sentence="It was 1,234 then.")])
    index = model.index(0)
    assert index.data() == "≈ 1,234"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "reworded · number: 1,234"
    assert index.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "It was 1,234 then. reads now: 1234"
    model.set_words(load_words("ko"))
    assert model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "바뀐 표현 · 숫자: 1,234"


def test_what_was_found_and_the_facts_that_go_with_it() -> None:
    hit = ArchiveHit("c1", "m4", 4, 2, Role.USER, "the port is\n8443", (0, 0), 2.0, NOW, standing=Standing.FOLDED)
    other = replace(hit, message_id="m9", role=Role.ASSISTANT, standing=Standing.BRANCH)
    fact = Fact("f1", "default", "port", "8443", FactState.ACTIVE, FactOrigin.YOU, 1, NOW, NOW)
    model = ArchiveModel(load_words("en"))
    model.show(ArchiveAnswer((hit, other), (FactHit(fact, 1.0),)))
    rows = [tuple(model.index(row, column).data() for column in (0, 1)) for row in range(model.rowCount())]
    assert rows == [
        ("You, turn 2 · folded", "the port is 8443"),
        ("Claude · other version", "the port is 8443"),
        ("Fact", "port: 8443"),
    ]
    assert [model.index(row, 0).data(ArchiveModel.HitRole) for row in range(3)] == [hit, other, None]
    late = replace(hit, excerpt="it was said at length that the port is 8443 now", found=(39, 43))
    model.show(ArchiveAnswer((late,)))
    assert model.index(0, 1).data() == "…the port is 8443 now"
    assert "at length" in model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole)
    model.show(None)
    assert model.rowCount() == 0
