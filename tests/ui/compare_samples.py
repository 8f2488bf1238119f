"""A comparison of two requests that differ in a setting, a tool, a date and two messages."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop_app.bridge.request_comparison import RequestComparison
from desktop_app.core.cache.causes import SentRequest
from desktop_app.core.conversation import Block, text_block
from desktop_app.core.request import Request, RequestMessage
from desktop_app.core.request_diff import diff_requests
from desktop_app.services.context_view import Comparison
from tests.ui import window_samples as samples

RECORDS = samples.history(40)


def _request(clock: str, effort: str, count: int, *tools: Block) -> Request:
    messages = tuple(
        RequestMessage(("user", "assistant")[number % 2], (text_block(f"message {number}: 백업은 어디에 있나요?"),))
        for number in range(count)
    )
    params = {"model": "claude-opus-5-5", "max_tokens": 32_000, "output_config": {"effort": effort}}
    system = text_block(f"Be kind.\nToday is Monday, 30 November 2026, {clock}.\nAnswer briefly.")
    return Request(params, ({"name": "calculator", "description": "Computes exactly."}, *tools), (system,), messages)


BEFORE = SentRequest(RECORDS[35], _request("13:41", "high", 9))
AFTER = SentRequest(RECORDS[36], _request("13:52", "low", 11, {"name": "weather", "description": "Tells <b>x</b>"}))


class FixedComparison(RequestComparison):
    """Answers at once; `asked` are the pairs that were asked for. Requests of one id are the same."""

    def __init__(self, parent: QObject | None = None) -> None:
        QObject.__init__(self, parent)
        self.comparison = None
        self.asked: list[tuple[str, str]] = []

    def compare(self, before_id: str, after_id: str) -> None:
        self.asked.append((before_id, after_id))
        before, after = self._sent(before_id), self._sent(after_id)
        self.comparison = Comparison(before, after, diff_requests(before, after))
        self.changed.emit()

    @staticmethod
    def _sent(request_id: str) -> SentRequest:
        return BEFORE if request_id == BEFORE.record.id else AFTER
