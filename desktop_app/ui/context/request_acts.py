"""What can be done with a request that was sent: read its JSON, save it, compare it with another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.bridge.request_comparison import pair_to_compare
from desktop_app.bridge.session_state import ShownRequest
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession


class RequestActs(QObject):
    """Opens windows over the panel it belongs to; what the panel shows stays as it is.

    Each act takes the id of a request, and the request itself where the panel has it already.
    """

    def __init__(self, theme: Theme, language: Language, panel: QWidget) -> None:
        super().__init__(panel)
        self._theme, self._language, self._panel = theme, language, panel
        self._session: ChatSession | None = None
        self._wanted: object = None

    def set_session(self, session: ChatSession | None) -> None:
        """Another conversation, or none: what is still being read of the one before opens nothing."""
        self._session, self._wanted = session, None

    def open_raw(self, request_id: str, shown: ShownRequest | None = None) -> None:
        """Opens the JSON of a request."""
        self._read(request_id, shown, self._open_raw)

    def save(self, request_id: str, shown: ShownRequest | None = None) -> None:
        """Asks for a file and writes the JSON of a request into it."""
        self._read(request_id, shown, self._ask_for_file)

    def compare(self, request_id: str) -> None:
        """Opens the comparison with the request before it."""
        session = self._session
        if session is None:
            return
        pair = pair_to_compare(request_id, session.requests, {record.id for record in session.history})
        if pair is None:
            return
        from desktop_app.ui.context.compare_view import CompareView

        view = CompareView(
            session.compare(),
            session.requests,
            session.turns,
            self._theme,
            self._language,
            self._panel.window(),
            simulated=session.simulated,
        )
        view.compare(*pair)
        view.show()

    def _read(
        self, request_id: str, shown: ShownRequest | None, act: Callable[[ChatSession, ShownRequest], None]
    ) -> None:
        """Acts as soon as the request is read; of several acts asked for meanwhile only the last is done."""
        session, wanted = self._session, object()
        self._wanted = wanted
        if session is None:
            return
        if shown is not None:
            act(session, shown)
            return

        def done(read: ShownRequest) -> None:
            if self._wanted is wanted:
                act(session, read)

        session.read_request(request_id, done)

    def _open_raw(self, session: ChatSession, shown: ShownRequest) -> None:
        from desktop_app.ui.context.raw_request import RawRequest

        window = RawRequest(shown, self._theme, self._language, self._panel.window(), simulated=session.simulated)
        window.saveAsked.connect(lambda: self._ask_for_file(session, shown, window))
        window.show()

    def _ask_for_file(self, session: ChatSession, shown: ShownRequest, over: QWidget | None = None) -> None:
        say, moment = self._language.say, shown.record.sent_at.astimezone()
        name = f"request-turn-{shown.record.turn}-{moment:%Y-%m-%d-%H%M%S}.json"
        kinds = f"{say('context.request.json_files')} (*.json)"
        dialog = QFileDialog(over or self._panel.window(), say("context.request.save"), name, kinds)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.fileSelected.connect(lambda file: session.save_request(shown, Path(file)))
        dialog.open()
