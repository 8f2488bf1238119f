"""Every check a request passes before it is answered, in the order the API seems to make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import ApiError, invalid
from ..models import Model, find_model
from ..thinking import Chain, check_thinking
from .envelope import Envelope
from .fields import check_fields
from .marks import check_marks
from .messages import check_messages
from .parameters import check_parameters
from .system import check_system
from .tools import check_tools

__all__ = ["Checked", "Envelope", "check_request"]


@dataclass
class Checked:
    """A request that may be answered."""

    body: dict[str, Any]
    model: Model
    chain: Chain
    envelope: Envelope


def check_request(body: dict[str, Any], envelope: Envelope, *, counting: bool) -> Checked:
    """Refuse with ApiError whatever the API refuses (and a little more); `counting` for count_tokens."""
    check_fields(body, envelope, counting=counting)
    model = _model(body)
    check_parameters(body, model, envelope, counting=counting)
    check_tools(body, model)
    check_system(body)
    check_messages(body, model, envelope)
    check_marks(body)
    return Checked(body, model, check_thinking(body, model), envelope)


def _model(body: dict[str, Any]) -> Model:
    name = body["model"]
    if not isinstance(name, str):
        raise invalid("model: Input should be a valid string")
    model = find_model(name)
    if model is None or model.lifecycle == "retired":
        raise ApiError(404, f"model: {name}")
    return model
