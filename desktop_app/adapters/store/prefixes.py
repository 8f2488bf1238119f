"""What steadies requests over turns: the stored prefix of each epoch, and the token estimator's state by model."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from desktop_app.adapters.store import conversations
from desktop_app.adapters.store.tables import CalibrationRow, EpochRow
from desktop_app.core.conversation import Epoch, from_json, to_json
from desktop_app.core.errors import Busy
from desktop_app.core.token_estimate import FEATURES, Calibration

# Fields of an epoch, besides its number, that are columns of the same name and type.
_PLAIN = ("endpoint", "model", "system", "facts", "facts_upto", "compaction_id", "result_limit", "memory_rules")


def epochs(session: Session, conversation_id: str) -> list[Epoch]:
    """All of a conversation, oldest first."""
    conversations.row_of(session, conversation_id)
    rows = session.execute(select(EpochRow).filter_by(conversation_id=conversation_id).order_by("number"))
    return [_epoch(row) for row in rows.scalars()]


def add_epoch(session: Session, conversation_id: str, epoch: Epoch) -> None:
    """Stores a new prefix. Bytes never change: Busy when another process used the number for other ones."""
    conversations.row_of(session, conversation_id)
    columns = _columns(epoch)
    before = session.get(EpochRow, (conversation_id, epoch.number))
    if before is None:
        session.add(EpochRow(conversation_id=conversation_id, number=epoch.number, **columns))
    elif columns != {name: getattr(before, name) for name in columns}:
        raise Busy()


def calibration(session: Session, model_key: str) -> Calibration | None:
    """The estimator's state; None where there is none or it is of another set of features."""
    row = session.get(CalibrationRow, model_key)
    if row is None:
        return None
    state = from_json(row.state)
    if state["features"] != list(FEATURES):
        return None
    covariance = tuple(tuple(line) for line in state["covariance"])
    return Calibration(tuple(state["weights"]), covariance, state["seen"])


def save_calibration(session: Session, model_key: str, state: Calibration) -> None:
    """Keeps it."""
    text = to_json(
        {
            "features": FEATURES,
            "weights": state.weights,
            "covariance": state.covariance,
            "seen": state.seen,
        }
    )
    session.merge(CalibrationRow(model_key=model_key, state=text))


def _columns(epoch: Epoch) -> dict[str, Any]:
    return {
        **{name: getattr(epoch, name) for name in _PLAIN},
        "tools": to_json(list(epoch.tools)),
        "fact_revisions": to_json([list(told) for told in epoch.fact_revisions]),
        "dropped": to_json(list(epoch.dropped)),
    }


def _epoch(row: EpochRow) -> Epoch:
    return Epoch(
        number=row.number,
        **{name: getattr(row, name) for name in _PLAIN},
        tools=tuple(from_json(row.tools)),
        fact_revisions=tuple((fact_id, revision) for fact_id, revision in from_json(row.fact_revisions)),
        dropped=tuple(from_json(row.dropped)),
    )
