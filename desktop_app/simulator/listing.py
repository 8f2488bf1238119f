"""The Models API: pages and single models."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import QueryParams

from .errors import ApiError, invalid
from .features import Features
from .models import Model, all_models

DEFAULT_PAGE = 20
LARGEST_PAGE = 1_000
PARAMETERS = ("limit", "after_id", "before_id", "lifecycle[]", "lifecycle", "beta")


def list_models(query: QueryParams, features: Features) -> dict[str, Any]:
    """One page, newest first; retired models only where `lifecycle[]` asks for them. Raises ApiError 400."""
    for name in query:
        if name not in PARAMETERS:
            raise invalid(f"{name}: Extra inputs are not permitted")
    wanted = query.getlist("lifecycle[]") + query.getlist("lifecycle") or ["active", "deprecated"]
    if set(wanted) - {"active", "deprecated", "retired"}:
        raise invalid("lifecycle: Input should be 'active', 'deprecated' or 'retired'")
    rows = [row for one in all_models() if one.lifecycle in wanted and (row := features.model(one.id))]
    page, more = _page(rows, query, _limit(query.get("limit")))
    return {
        "data": [row.card() for row in page],
        "has_more": more,
        "first_id": page[0].id if page else None,
        "last_id": page[-1].id if page else None,
    }


def _limit(given: str | None) -> int:
    if given is None:
        return DEFAULT_PAGE
    if not given.isdecimal() or not 1 <= int(given) <= LARGEST_PAGE:
        raise invalid(f"limit: Input should be between 1 and {LARGEST_PAGE}")
    return int(given)


def _page(rows: list[Model], query: QueryParams, limit: int) -> tuple[list[Model], bool]:
    after, before = query.get("after_id"), query.get("before_id")
    if after and before:
        raise invalid("after_id: only one of `after_id` and `before_id` may be given")
    if before:
        ahead = rows[: _place(rows, before, "before_id")]
        return ahead[-limit:], len(ahead) > limit
    rest = rows[_place(rows, after, "after_id") + 1 :] if after else rows
    return rest[:limit], len(rest) > limit


def _place(rows: list[Model], name: str, field: str) -> int:
    for at, row in enumerate(rows):
        if row.id == name:
            return at
    raise invalid(f"{field}: no model has the id {name}")


def one_model(name: str, features: Features) -> dict[str, Any]:
    """One model by id or alias. Raises ApiError 404."""
    row = features.model(name)
    if row is None:
        raise ApiError(404, f"model: {name}")
    return row.card()
