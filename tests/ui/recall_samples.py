"""What the Recall panel is shown in tests: finds of every kind and fate, and a stand-in for their session."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QObject

from desktop_app.bridge.recall_session import RecallSession
from desktop_app.core.conversation import Message, Origin, Role, text_block
from desktop_app.core.fact_notes import FactNote, NoteKind
from desktop_app.core.facts import Fact, FactOrigin, FactState
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.passage_hits import PassageHit
from desktop_app.core.recall.recollection import Fate, Recalled
from desktop_app.services.recalling import ShownFind, ShownRecollection
from tests.ui.stand_in import stand_in

WHEN = datetime(2026, 11, 3, 9, 12, tzinfo=UTC)
HOSTILE = '<b>bold</b> <img src="http://x.example/a.png"> [link](http://x.example) \u202egnp.exe &amp; ' * 4
LONG = (
    "We moved the nightly backups to the NAS under /srv/backup/nas-7 and decided on 35 days instead of 30, because "
    "month-end reports are checked late. The rotation runs at 02:30 from the small server, and the offsite copy goes "
    "to b2:mn-offsite-eu. The old bucket is to be emptied before the audit in December, and the keys stay in the safe."
)


def fact_find(key: str, value: str, parts: dict[str, float], fate: Fate = Fate.TOLD, category: str = "") -> ShownFind:
    """A fact that was found."""
    fact = Fact(f"id-{key}", "default", key, value, FactState.ACTIVE, FactOrigin.YOU, 1, WHEN, WHEN, category)
    return ShownFind(Recalled(PassageKind.FACT, fact.id, sum(parts.values()), parts, fate), fact=fact)


def passage_find(
    kind: PassageKind, title: str, text: str, parts: dict[str, float], fate: Fate = Fate.TOLD, **more: Any
) -> ShownFind:
    """A passage that was found: of the message m7 in the conversation c2, or of the document d1."""
    turn = kind is PassageKind.TURN
    source, talk = ("m7", "c2") if turn else ("d1", "")
    score = sum(parts.values())
    hit = PassageHit(kind, source, "p1", text, title, score, parts, talk, when=WHEN if turn else None, **more)
    return ShownFind(Recalled(kind, source, score, parts, fate, "p1"), passage=hit)


def gone_find(kind: PassageKind = PassageKind.TURN) -> ShownFind:
    """A find whose source was deleted since."""
    return ShownFind(Recalled(kind, "m9", 0.71, {"words": 0.71}, Fate.TOLD, "p9"))


FINDS = (
    fact_find(
        "backup path", "/srv/backup/nas-7", {"words": 0.9, "meaning": 0.62, "exact": 0.4}, category="home office"
    ),
    passage_find(
        PassageKind.TURN,
        "Backups plan",
        LONG,
        {"words": 0.55, "meaning": 0.45, "session": 0.3, "asking": -0.2},
        by_person=True,
    ),
    passage_find(PassageKind.DOCUMENT, "nas-handbook.pdf", LONG, {"words": 0.61, "meaning": 0.33}, place=4),
    gone_find(),
    fact_find("plumber", "after 18:00, not on Mondays", {"meaning": 0.21}, Fate.BELOW),
    passage_find(
        PassageKind.TURN,
        "제주 여행 일정과 숙소 예약을 정리한 긴 제목의 대화",
        "둘째 날은 우도로 가고 저녁은 동문시장에서 먹기로 했습니다.",
        {"words": 0.31, "near": 0.05},
        Fate.SIMILAR,
    ),
    passage_find(PassageKind.DOCUMENT, "contract.html", HOSTILE, {"words": 0.2}, Fate.OVER_BUDGET),
)
ASKED = text_block("Where did we put the nightly backups, and how long do we keep them?")
QUESTION = Message("u3", "c1", None, Role.USER, (ASKED,), Origin.TYPED)
NEWS = (FactNote("f9", 4, NoteKind.EDITED, '- "bicycle": "blue"'),)


@stand_in
class StageRecall(RecallSession):
    """What was recalled; `calls` lists what the panel asked for."""

    calls: list[tuple[Any, ...]]

    def __init__(self, finds: tuple[ShownFind, ...] | None = None, in_block: int = 0) -> None:
        QObject.__init__(self)
        self.calls = []
        self.query, self.tried, self.trial_error, self.error, self.searched = "", None, None, None, True
        self.index_trouble = ""
        self.meaning_trouble = None
        self.found = ShownRecollection(finds, in_block) if finds is not None else None
        self.question = QUESTION if finds is not None else None
        self.count, self.place, self.news = (3, 2, ()) if finds is not None else (0, 0, ())

    def try_text(self, text: str) -> None:
        self.query = text.strip()
        self.triedChanged.emit()
