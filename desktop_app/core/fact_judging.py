"""What a model is asked about facts that may say the same or contradict each other, and the verdicts in its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.core.fact_prompts import judging_prompt
from desktop_app.core.fact_relations import Relation
from desktop_app.core.facts import Fact, FactDraft
from desktop_app.core.model_json import rows_in

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdicts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "relation": {"type": "string", "enum": [relation.value for relation in Relation]},
                },
                "required": ["number", "relation"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["verdicts"],
    "additionalProperties": False,
}
"""The form of the answer, for an endpoint that can hold one to it."""


def judging_texts(draft: FactDraft, facts: Sequence[Fact], language: str) -> tuple[str, str]:
    """The new fact and those there are as quoted data, numbered from 1, and what is asked about them."""
    kept = [f'<kept number="{number}">{_quoted(fact)}</kept>' for number, fact in enumerate(facts, 1)]
    quoted = ["<facts_to_compare>", f"<new>{_quoted(draft)}</new>", *kept, "</facts_to_compare>"]
    return "\n".join(quoted), judging_prompt(language)


def read_verdicts(text: str, count: int) -> list[Relation]:
    """A relation for each of `count` facts, in order; UNSURE for one of which the answer says nothing, no relation
    there is, or two different things."""
    said: dict[int, set[str]] = {}
    for row in rows_in(text, "verdicts"):
        number, relation = row.get("number"), row.get("relation")
        if isinstance(number, int) and not isinstance(number, bool) and isinstance(relation, str):
            said.setdefault(number, set()).add(relation.strip().casefold())
    return [_only(said.get(number, set())) for number in range(1, count + 1)]


def _only(relations: set[str]) -> Relation:
    if len(relations) != 1:
        return Relation.UNSURE
    (word,) = relations
    return next((relation for relation in Relation if relation.value == word), Relation.UNSURE)


def _quoted(fact: Fact | FactDraft) -> str:
    return json.dumps({"key": fact.key, "value": fact.value}, ensure_ascii=False).replace("<", "\\u003c")
