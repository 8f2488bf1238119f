"""Every check a request passes before it is answered, in the order the API seems to make them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..conversation import Block
from ..editing import Edited, edit
from ..errors import ApiError, invalid
from ..features import Features
from ..models import Model
from ..thinking import Chain, check_thinking
from ..view import View
from .attachments import check_attachments
from .compaction import adopt, check_order
from .editing import check_editing
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
    """A request that may be answered: `body` from the last compaction block on, `edited` as the model sees it."""

    body: dict[str, Any]
    model: Model
    chain: Chain
    envelope: Envelope
    view: View
    edited: Edited

    @property
    def dropped(self) -> list[Block]:
        """Thinking that was left out, with the places it was sent at."""
        return [entry | {"path": self.view.as_sent(entry["path"])} for entry in self.chain.dropped]


def check_request(body: dict[str, Any], envelope: Envelope, features: Features, *, counting: bool) -> Checked:
    """Refuse with ApiError whatever the API refuses (and a little more); `counting` for count_tokens."""
    check_fields(body, envelope, counting=counting)
    model = _model(body, features)
    check_parameters(body, model, envelope, counting=counting)
    check_tools(body, model)
    check_system(body)
    check_editing(body, model, envelope, features)
    check_order(body, model, counting=counting)
    view = adopt(body, model, envelope)
    body = {**body, "messages": view.messages}
    with view.paths_as_sent():
        check_messages(body, model, envelope, view, counting=counting)
        check_attachments(body, model)
        check_marks(body)
        chain = check_thinking(body, model, None if view.block is None else view.block.ends)
    return Checked(body, model, chain, envelope, view, edit(body, chain.dropped_paths))


def _model(body: dict[str, Any], features: Features) -> Model:
    name = body["model"]
    if not isinstance(name, str):
        raise invalid("model: Input should be a valid string")
    model = features.model(name)
    if model is None or model.lifecycle == "retired":
        raise ApiError(404, f"model: {name}")
    return model
