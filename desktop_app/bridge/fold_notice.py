"""What is told of a compaction that happened by itself: how much was folded, what it saved, what was lost."""

from __future__ import annotations

from desktop_app.bridge.session_state import FoldUndo, Level, Notice
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.compaction.summary_check import SummaryCheck

SHOW = "show_fold"
"""The act that leads to the Compaction panel."""


def folded_notice(compaction: Compaction, check: SummaryCheck | None) -> Notice:
    """A compaction is in use; `check` tells what was lost, None where that could not be found out."""
    lost = len(check.lost) if check is not None else 0
    saved = round(100 * compaction.saved)
    word = "lost_one" if lost == 1 else "lost" if lost else "kept" if check is not None else "unchecked"
    return Notice(
        f"compaction.notice.{word}",
        {"n": compaction.folded, "saved": saved, "lost": lost},
        Level.WARNING if lost else Level.INFO,
        undo=FoldUndo(compaction.conversation_id, compaction.id),
        acts=(SHOW,),
        conversation_id=compaction.conversation_id,
    )


def proposed_notice(compaction: Compaction) -> Notice:
    """A summary waits for the person."""
    return Notice(
        "compaction.notice.proposed",
        {"n": compaction.folded},
        acts=(SHOW,),
        conversation_id=compaction.conversation_id,
    )
