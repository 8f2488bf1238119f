"""What the details of a refusal say, whatever an endpoint puts into them."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.core.refusal import Refusal, refusal_from

MALWARE = Refusal("cyber", "It asks for <b>malware</b>.")


@pytest.mark.parametrize(
    ("details", "refusal"),
    [
        ({"type": "refusal", "category": "cyber", "explanation": "It asks for <b>malware</b>."}, MALWARE),
        ({"type": "refusal", "category": "bio", "explanation": None}, Refusal("bio")),
        ({"type": "refusal", "category": None, "explanation": "No."}, Refusal("", "No.")),
        ({"type": "refusal", "category": None, "explanation": None}, None),
        ({"category": {"name": "cyber"}, "explanation": ["No."]}, None),
        ({"category": " \u200b", "explanation": "\n"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_only_texts_that_can_be_seen_are_taken(details: dict[str, Any] | None, refusal: Refusal | None) -> None:
    assert refusal_from(details) == refusal
